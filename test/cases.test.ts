/** Behaviour of the language as YAML: every file in cases/ is a policy with scenarios, or with the problems it must have. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { buildPlan } from '../engine/plan/build.ts';
import { readSchema } from '../engine/plan/compile.ts';
import { printProblem } from '../engine/report/frame.ts';
import { loadTexts } from './load-texts.ts';
import { readTests } from '../cli/scenario/file.ts';
import { checkCases, playCases } from '../cli/scenario/suite.ts';

interface CaseFile {
  /** Sentences of LANGUAGE §5 that it shows. */
  readonly sentences: readonly number[];
  /** Keys of the language that it uses on purpose. */
  readonly keys?: readonly string[];
  /** File name → text; the first is the main one. `policies/*` files are part of it. */
  readonly policies: Readonly<Record<string, string>>;
  readonly tests?: unknown;
  /** Codes that loading must report, all of them. */
  readonly problems?: readonly string[];
}

const folder = join(dirname(fileURLToPath(import.meta.url)), 'cases');
const schemas = { policy: readSchema(), test: readSchema('test') };

const files = readdirSync(folder).filter((name) => name.endsWith('.yaml')).sort();
const sentences = new Set<number>();
const keys = new Set<string>();
let count = 0;

for (const name of files) {
  const file: CaseFile = parse(readFileSync(join(folder, name), 'utf8'));
  file.sentences.forEach((sentence) => sentences.add(sentence));
  (file.keys ?? []).forEach((key) => keys.add(key));
  const loaded = loadTexts(file.policies);
  const errors = loaded.problems.map((problem) => printProblem(problem, loaded.texts)).join('\n');
  const label = `${name.replace('.yaml', '')} [${file.sentences.join(', ')}]`;
  if (file.problems !== undefined) {
    count++;
    test(label, () => assert.deepEqual(loaded.problems.map((problem) => problem.code).sort(), [...(file.problems ?? [])].sort(), errors));
    continue;
  }
  const source = stringify({ tests: file.tests });
  const read = readTests(name, source, schemas.test);
  if (loaded.core === undefined || read.problems.length > 0) {
    test(label, () => assert.fail(`${errors}\n${read.problems.map((problem) => printProblem(problem, new Map([[name, source]]))).join('\n')}`));
    continue;
  }
  const plan = buildPlan(loaded.core);
  test(`${label}: names`, () => assert.deepEqual(checkCases(read, plan), []));
  for (const result of playCases(read, plan, () => true)) {
    count++;
    test(`${label} › ${result.test.rule} › ${result.test.name}`, () => {
      const { failed } = result;
      const played = result.played.map((each) => `${each.step.text}: ${each.got}${each.verdict.text === '' ? '' : ` (${each.verdict.text.replaceAll('\n', ' | ')})`}`).join('\n');
      assert.equal(failed, undefined, failed === undefined ? '' : `${failed.step.text}: ${failed.fault}\n\n${played}`);
    });
  }
}

test('every sentence of the language has cases', () => {
  assert.deepEqual(Array.from({ length: 28 }, (_, index) => index + 1).filter((number) => !sentences.has(number)), []);
});

test('every key of the language has cases', () => {
  const known = (name: string): string[] => Object.keys(Object(Object(Object(schemas.policy['definitions'])[name])['properties']));
  const top = Object.keys(Object(schemas.policy['properties']));
  const rule = known('rule');
  assert.ok(rule.length > 20);
  assert.deepEqual([...top, ...rule].filter((key) => !keys.has(key)), []);
});

test('there are at least 150 cases', () => assert.ok(count >= 150, `${count} cases`));
