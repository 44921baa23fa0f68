/** Rules found by folder: the same verdicts and the same state as without the index, and the shape of the index. */
import './seed.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { converge } from '../engine/judge/converge.ts';
import { load } from '../engine/load/load.ts';
import { diskReader } from '../engine/load/read.ts';
import type { Plan } from '../engine/model.ts';
import { buildPlan, type Core } from '../engine/plan/build.ts';
import { readSchema } from '../engine/plan/compile.ts';
import { folderOf, foldersAbove } from '../engine/plan/folder.ts';
import { EMPTY_STATE } from '../engine/state/state.ts';
import { findInWorld, PROJECT } from '../cli/scenario/world.ts';
import { decode } from '../hooks/hosts/claude-code.ts';

const GLOBS = ['src/**', 'src/a/**', 'src/a/*.ts', 'src/a/x.ts', 'src', '**/x.ts', '/etc/**', '/etc/passwd', './src/**', 'src/../lib/**', 'src/{a,b}/x.ts', '{src,lib}/**', 'lib/**/x.ts', 'src//a/**', 'src/a/', '/**', '**', 'lib/@(a|b)/x.ts'];
const PATHS = ['src/a/x.ts', 'src/a', 'src', 'src/b/x.ts', 'lib/a/x.ts', 'lib', '/etc/passwd', '/etc', '.', '../out/x.ts', 'link/x.ts', 'SRC/a/x.ts'];
const LINES = ['rm -rf src', 'cat src/a/x.ts > lib/y.ts', 'mv lib /etc', 'ls', 'rm src/*/x.ts', 'cat "$FILE"'];

/** `link` leads into src, so that a path has two values. */
const findOutside = findInWorld({ files: new Map([[`${PROJECT}/link`, { link: `${PROJECT}/src/a` }], [`${PROJECT}/src/a/x.ts`, { text: '' }]]), programs: new Map() });

const rule = fc.record({
  fact: fc.constantFrom('path', 'writes'),
  globs: fc.uniqueArray(fc.constantFrom(...GLOBS), { minLength: 1, maxLength: 2 }),
  tool: fc.constantFrom(undefined, ['Read', 'Edit'], 'Edit', 'Bash'),
  anyCase: fc.boolean(),
  limit: fc.constantFrom(undefined, 1),
  decision: fc.constantFrom('deny', 'advise'),
});
const step = fc.oneof(
  fc.record({ tool_name: fc.constantFrom('Read', 'Edit', 'Write'), tool_input: fc.record({ file_path: fc.constantFrom(...PATHS) }) }),
  fc.record({ tool_name: fc.constant('Bash'), tool_input: fc.record({ command: fc.constantFrom(...LINES) }) }),
);

test('an index by folder changes neither a verdict nor the state', () => {
  fc.assert(
    fc.property(fc.array(rule, { minLength: 1, maxLength: 8 }), fc.array(step, { minLength: 1, maxLength: 8 }), (rules, steps) => {
      const core = coreOf(
        rules.map(({ fact, globs, tool, anyCase, limit, decision }) => ({
          match: { [fact]: globs, ...(tool === undefined ? {} : { tool }), ...(anyCase ? { 'any-case': true } : {}) },
          ...(limit === undefined ? {} : { limit, scope: 'agent' }),
          [decision]: 'no',
        })),
      );
      assert.deepEqual(play(buildPlan(core, 1), steps), play(buildPlan(core, Infinity), steps));
    }),
    { numRuns: 300, includeErrorInReport: true },
  );
});

test('the folder of a glob is what is fixed in it', () => {
  const table: Readonly<Record<string, string | undefined>> = {
    'src/part/**': 'src/part', 'src/a.ts': 'src/a.ts', 'src/*.ts': 'src', '/etc/**': '/etc', 'src/{a,b/c}/x': 'src', '**/x': undefined, '*': undefined, '/**': undefined,
    './src/**': undefined, 'src/../lib/**': undefined, 'src//a': undefined, 'src/': undefined, [String.raw`a\*b/x`]: undefined,
  };
  assert.deepEqual(Object.fromEntries(Object.keys(table).map((glob) => [glob, folderOf(glob)])), table);
  assert.deepEqual(foldersAbove('/etc/ssh/x'), ['', '/etc', '/etc/ssh', '/etc/ssh/x']);
});

test('few rules about folders are not looked up by folder, many are', () => {
  const rules = (count: number): Core => coreOf(Array.from({ length: count }, (_, number) => ({ match: { tool: 'Edit', path: `src/part${number}/**` }, deny: 'no' })));
  assert.equal(buildPlan(rules(5)).index['PreToolUse']?.byTool['Edit']?.byFolder, undefined);
  const many = buildPlan(rules(100)).index['PreToolUse']?.byTool['Edit'];
  assert.deepEqual([many?.rules.length, Object.keys(many?.byFolder ?? {}).length], [0, 100]);
});

function coreOf(rules: readonly object[]): Core {
  const text = JSON.stringify({ bylaw: 1, rules: Object.fromEntries(rules.map((each, number) => [`rule-${number}`, each])) });
  const { core, problems } = load({ main: 'x.yaml', parts: [], label: (file) => file }, { reader: { ...diskReader, read: () => ({ text }) }, schema: readSchema(), trusts: () => true });
  assert.ok(core, problems.map((problem) => problem.message).join('\n'));
  return core;
}

function play(plan: Plan, steps: readonly object[]): unknown {
  let state = EMPTY_STATE;
  return steps.map((each, number) => {
    const payload = { hook_event_name: 'PreToolUse', session_id: 's', cwd: PROJECT, ...each };
    const event = decode(JSON.stringify(payload), { now: number * 1000, random: 'X', env: {}, project: PROJECT, home: '/home/dev', cwd: PROJECT });
    const { verdict, state: next } = converge(plan, state, event, findOutside);
    state = next;
    return { verdict, state };
  });
}
