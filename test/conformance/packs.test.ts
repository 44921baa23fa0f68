/** The shipped packs as people meet them: each loads, its comment's overrides can be pasted, all go together, every rule is tested. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadProject, readSchema } from '../../engine/plan/compile.ts';
import { buildPlan } from '../../engine/plan/build.ts';
import { printProblem } from '../../engine/report/frame.ts';
import { readTests } from '../../cli/scenario/file.ts';
import { checkCases, coverageOf, muteCases, playCases } from '../../cli/scenario/suite.ts';

const policies = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'policies');
/** The packs of the five systems, and their parts; other packs have tests of their own. */
const PACKS = ['base', 'orchestration-discipline', 'orchestrator-mode', 'delegation', 'python-validation', 'turn-times', 'workflow-orchestrator', 'four-layer', 'pipeline'];
const root = mkdtempSync(join(tmpdir(), 'bylaw-packs-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** The problems of a bylaw.yaml, printed. */
function problemsOf(name: string, text: string): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bylaw.yaml'), text);
  const loaded = loadProject(folder, { HOME: root, BYLAW_STATE_DIR: join(root, 'state') });
  return loaded.problems.filter((problem) => problem.severity === 'error').map((problem) => printProblem(problem, loaded.texts)).join('\n');
}

for (const pack of PACKS) {
  const text = readFileSync(join(policies, `${pack}.yaml`), 'utf8');

  test(`${pack}: its comment tells a newcomer what it does, and the overrides in it work`, () => {
    const comment = text.slice(0, text.indexOf('\nbylaw: 1')).split('\n');
    assert.match(comment[0] ?? '', /^# yaml-language-server: \$schema=/);
    assert.ok((comment[1] ?? '').startsWith(`# bylaw:${pack} · `));
    const start = comment.findIndex((line) => line.startsWith('# What people override'));
    assert.ok(start > 0);
    const overrides = comment.slice(start + 1).map((line) => line.replace(/^# {3}/, '')).join('\n');
    assert.equal(problemsOf(pack, `bylaw: 1\nextends: [bylaw:${pack}]\n${overrides}\n`), '');
  });

  test(`${pack}: every rule has fired and stayed quiet in its tests`, () => {
    const file = join(policies, `${pack}.yaml`);
    const loaded = loadProject(policies, {}, file);
    assert.ok(loaded.core !== undefined, loaded.problems.map((problem) => problem.message).join('\n'));
    const plan = buildPlan(loaded.core);
    const own = plan.rules.filter((rule) => rule.home === pack);
    if (own.length === 0) return;
    const tests = readTests(`${pack}.test.yaml`, readFileSync(join(policies, `${pack}.test.yaml`), 'utf8'), readSchema('test'));
    assert.deepEqual([...tests.problems, ...checkCases(tests, plan)].map((problem) => problem.message), []);
    const results = playCases(tests, plan, () => true);
    assert.deepEqual(muteCases(results).map((problem) => problem.message), []);
    assert.deepEqual(results.flatMap(({ test: each, failed }) => (failed === undefined ? [] : [`${each.rule} › ${each.name}: ${failed.step.text}: ${failed.fault ?? ''}`])), []);
    const covered = coverageOf({ ...plan, rules: own }, results);
    assert.deepEqual(covered.filter((rule) => !rule.fired || !rule.quiet || rule.cases === 0).map((rule) => rule.rule), []);
  });
}

test('all packs go together', () => {
  assert.equal(problemsOf('all', `bylaw: 1\nextends: [${PACKS.map((pack) => `bylaw:${pack}`).join(', ')}]\n`), '');
});

test('no source knows a pack', () => {
  const rules = PACKS.flatMap((pack) => [...readFileSync(join(policies, `${pack}.yaml`), 'utf8').split(/^rules:$/m)[1]?.matchAll(/^ {2}([a-z][a-z-]+):/gm) ?? []].map((found) => found[1] ?? ''));
  const below = (folder: string): readonly string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? below(join(folder, entry.name)) : entry.name.endsWith('.ts') ? [join(folder, entry.name)] : []));
  const sources = ['engine', 'hooks', 'cli'].flatMap((name) => below(join(policies, '..', name)));
  const knowing = sources.flatMap((file) => {
    const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    return [...rules, ...PACKS.filter((pack) => pack.includes('-'))].filter((name) => new RegExp(`['"\`:]${name}['"\`.]`).test(code)).map((name) => `${file}: ${name}`);
  });
  assert.deepEqual(knowing, []);
});
