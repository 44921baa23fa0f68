/** The pack that protects bylaw itself: enough ways round are tried, none works; look-alikes pass; and it is on by itself. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { readTests } from '../cli/scenario/file.ts';
import { checkCases, muteCases, playCases } from '../cli/scenario/suite.ts';
import { load } from '../engine/load/load.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { readSchema } from '../engine/plan/compile.ts';
import { printProblem } from '../engine/report/frame.ts';
import { makePlace, ROOT, type Place } from './place.ts';

function pack(name: string): { readonly plan: ReturnType<typeof buildPlan>; readonly file: ReturnType<typeof readTests> } {
  const text = (file: string): string => readFileSync(join(ROOT, 'policies', file), 'utf8');
  const main = `${name}.yaml`;
  const reader = { read: () => ({ text: text(main) }), locate: () => undefined, packs: () => [] };
  const loaded = load({ main, parts: [], label: (file) => file }, { reader, schema: readSchema(), trusts: () => true });
  assert.deepEqual(loaded.problems.map((problem) => printProblem(problem, loaded.texts)), []);
  assert.ok(loaded.core);
  const file = readTests(`${name}.test.yaml`, text(`${name}.test.yaml`), readSchema('test'));
  assert.deepEqual(file.problems, []);
  return { plan: buildPlan(loaded.core), file };
}

for (const name of ['self-protection', 'shell-safety']) {
  describe(`bylaw:${name}`, () => {
    const { plan, file } = pack(name);
    const results = playCases(file, plan, () => true);
    const steps = file.cases.flatMap(({ items }) => items.flatMap((item) => (item.do === 'step' ? [item.step] : [])));
    const count = (...words: readonly string[]): number => steps.filter(({ expect }) => words.includes(expect)).length;

    test('every case is about a rule of the pack', () => {
      assert.deepEqual(checkCases(file, plan), []);
      assert.deepEqual(muteCases(results), []);
    });
    test('every rule says why, and what to do instead', () => {
      const { rules } = parse(readFileSync(join(ROOT, 'policies', `${name}.yaml`), 'utf8'));
      assert.deepEqual(Object.keys(rules).filter((id) => !rules[id].why || !rules[id].instead), []);
    });
    test('every rule has examples of both kinds', () => {
      for (const rule of plan.rules) {
        const own = results.filter((result) => result.test.rule === rule.id).flatMap(({ played }) => played.map(({ got }) => got));
        const elsewhere = results.some((result) => result.test.rule === 'all' && result.played.every(({ got }) => got === 'allow'));
        assert.ok(own.some((got) => got !== 'allow'), `${rule.id} never fires`);
        assert.ok(elsewhere || own.includes('allow'), `${rule.id} is never quiet`);
      }
    });
    test('enough is tried', () => {
      if (name === 'shell-safety') assert.ok(plan.rules.length <= 20);
      const refused = name === 'self-protection' ? count('deny') : count('advise', 'deny');
      assert.ok(refused >= 60, `${refused} ways round`);
      assert.ok(count('allow') >= 40, `${count('allow')} harmless steps`);
    });
    for (const { test: each, played, failed } of results)
      test(`${each.rule} › ${each.name}`, () => assert.equal(failed, undefined, failed && `${failed.step.text}: ${failed.fault}, ${played.length} steps`));
  });
}

describe('a project that extends another pack', () => {
  let place: Place;
  before(() => {
    place = makePlace({ 'bylaw.yaml': 'bylaw: 1\nextends: [bylaw:base, bylaw:shell-safety]\n', 'policies/team.yaml': 'bylaw: 1\n', 'src/a.ts': '' });
    symlinkSync('bylaw.yaml', join(place.project, 'notes'));
  });
  after(() => place.remove());
  const call = (tool: string, input: object, env: Record<string, string> = {}): any => {
    const { output, stderr, status } = place.hook({ hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input }, env);
    assert.deepEqual([stderr, status], ['', 0]);
    return output?.hookSpecificOutput;
  };
  const decision = (command: string): string | undefined => call('Bash', { command })?.permissionDecision;

  test('is protected by itself, although its level is guidance', () => {
    assert.equal(call('Write', { file_path: join(place.project, 'bylaw.yaml') }).permissionDecision, 'deny');
    assert.match(call('Edit', { file_path: 'policies/team.yaml' }).permissionDecisionReason, /agent-may-repair/);
    for (const command of ['rm bylaw.y*', 'echo x > notes', 'cd src && rm ../policies/team.yaml', 'cp /tmp/team.yaml policies', 'rm -rf ..', 'npx bylaw level observe', `rm -rf ${place.env['BYLAW_STATE_DIR']}`, 'rm -rf "$BYLAW_CACHE_DIR"', 'echo {} > ~/.claude/settings.json', 'echo x > /proc/self/cwd/bylaw.yaml'])
      assert.equal(decision(command), 'deny', command);
  });
  test('advice stays advice', () => {
    const said = call('Bash', { command: 'git push --force' });
    assert.equal(said.permissionDecision, undefined);
    assert.match(JSON.stringify(said), /force-with-lease/);
  });
  test('honest work passes', () => {
    for (const command of ['cat bylaw.yaml', 'git diff policies/', 'cp bylaw.yaml /tmp/x', 'npm test', 'rm -rf build', 'npx bylaw check']) assert.equal(decision(command), undefined, command);
    assert.equal(call('Read', { file_path: 'bylaw.yaml' }), undefined);
    assert.equal(call('Edit', { file_path: 'src/a.ts' }), undefined);
  });
  test('a person may allow a repair, with edit tools only', () => {
    assert.equal(place.bylaw(['state', 'set', 'agent-may-repair', 'true']).status, 0);
    assert.equal(call('Edit', { file_path: 'bylaw.yaml' }), undefined);
    assert.equal(decision('rm bylaw.yaml'), 'deny');
    assert.equal(call('Write', { file_path: '.claude/settings.json' }).permissionDecision, 'deny');
    assert.equal(place.bylaw(['state', 'reset', 'agent-may-repair']).status, 0);
    assert.equal(call('Edit', { file_path: 'bylaw.yaml' }).permissionDecision, 'deny');
  });
  test('a person may soften the others without it, and switch it off by name', () => {
    assert.equal(place.bylaw(['level', 'observe']).status, 0);
    assert.equal(decision('rm bylaw.yaml'), 'deny');
    assert.equal(place.bylaw(['disable', '--policy', 'self-protection']).status, 0);
    assert.equal(decision('rm bylaw.yaml'), undefined);
    assert.ok(existsSync(join(place.project, 'bylaw.yaml')));
  });
});

test('a project that says so is not protected', () => {
  const place = makePlace({ 'bylaw.yaml': 'bylaw: 1\nextends: [bylaw:shell-safety, { pack: bylaw:self-protection, level: disabled }]\n' });
  const { output } = place.hook({ hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: { file_path: 'bylaw.yaml' } });
  place.remove();
  assert.equal(output, undefined);
});

test('state inside the project is protected too', () => {
  const place = makePlace({ 'bylaw.yaml': 'bylaw: 1\nextends: [bylaw:shell-safety]\n' });
  const { output } = place.hook({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'rm -rf .state' } }, { BYLAW_STATE_DIR: join(place.project, '.state') });
  place.remove();
  assert.equal(output.hookSpecificOutput.permissionDecision, 'deny');
});
