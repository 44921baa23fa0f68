/** Small things where a bug would hurt, as tables. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptied, readCell, settle, valuesOf, writeCell } from '../engine/judge/cells.ts';
import { fill, fillEach, placeholders } from '../engine/judge/fill.ts';
import { textOf } from '../engine/judge/holds.ts';
import { createKnowledge } from '../engine/judge/know.ts';
import { applyLogic, logicFaults, variables } from '../engine/judge/logic.ts';
import { capture, hasMagic, matchesGlob, matchesRegex, regexFault, type Sort } from '../engine/judge/match.ts';
import { absolute, shown } from '../engine/judge/paths.ts';
import { remembered } from '../engine/judge/recall.ts';
import { fitsKey } from '../engine/judge/try.ts';
import { merge, idleRemovals, sameJson } from '../engine/load/merge.ts';
import { entries, get, toJson, type Node } from '../engine/load/node.ts';
import { globsOverlap } from '../engine/load/overlap.ts';
import { parse } from '../engine/load/parse.ts';
import { countKey } from '../engine/load/sugar/outcome.ts';
import { duration } from '../engine/load/world.ts';
import type { Cell, Event, Json, Logic, Memory, Plan, State } from '../engine/model.ts';
import { countProblems, frame, positionOf } from '../engine/report/frame.ts';
import { didYouMean, nearest } from '../engine/report/suggest.ts';
import { asSession, asShared, EMPTY_STATE } from '../engine/state/state.ts';
import { decode } from '../hooks/hosts/claude-code.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { converge } from '../engine/judge/converge.ts';
import { findInWorld } from '../cli/scenario/world.ts';
import { loadTexts } from './load-texts.ts';

/** One test per row; the row itself is its name. */
function table<Row extends readonly unknown[]>(name: string, rows: readonly Row[], law: (...row: Row) => void): void {
  describe(name, () => {
    for (const row of rows) test(JSON.stringify(row), () => law(...row));
  });
}

// ---------------------------------------------------------------- patterns

table<readonly [sort: Sort, glob: string, value: string, fits: boolean]>('globs', [
  ['path', 'src/*.ts', 'src/a.ts', true],
  ['path', 'src/*.ts', 'src/x/a.ts', false],
  ['path', 'src/**', 'src', true],
  ['path', 'src/**', 'src/a.ts', true],
  ['path', 'src/**', 'src/x/.hidden/a.ts', true],
  ['path', 'src/**', 'srcs/a.ts', false],
  ['path', 'src/**', 'x/src/a.ts', false],
  ['path', '**/src/**', 'x/src', true],
  ['path', '**', '.env', true],
  ['path', '**', 'a/b/c', true],
  ['path', '*', '.env', true],
  ['path', '*', 'a/b', false],
  ['path', '**/.env*', '.env.local', true],
  ['path', '**/.env*', 'pkg/.env', true],
  ['path', '**/*.json', 'plan.json', true],
  ['path', '.claude/**', '.claude/agents/qa.md', true],
  ['path', '/etc/**', '/etc/hosts', true],
  ['path', '/etc/**', 'etc/hosts', false],
  ['path', '{src,lib}/*.ts', 'lib/a.ts', true],
  ['path', 'a[bc].ts', 'ab.ts', true],
  ['path', '!src/**', 'docs/a.md', false],
  ['path', '#notes', '#notes', true],
  ['path', 'SRC/*', 'src/a.ts', false],
  ['word', 'mcp__*', 'mcp__db__query', true],
  ['word', '*', 'a/b/c', true],
  ['word', 'a*c', 'a/b/c', true],
  ['word', 'https://*', 'https://example.com/a/b', true],
  ['word', '*', '.hidden', true],
  ['word', 'Edit', 'MultiEdit', false],
  ['word', 'Ed?t', 'Edit', true],
  ['word', 'Edit', 'edit', false],
  ['word', '$literal', '$literal', true],
  ['agent', 'reviewer', 'reviewer', true],
  ['agent', 'reviewer', 'plugin:reviewer', true],
  ['agent', 'reviewer', 'a:b:reviewer', true],
  ['agent', 'plugin:reviewer', 'plugin:reviewer', true],
  ['agent', 'plugin:reviewer', 'reviewer', false],
  ['agent', 'plugin:*', 'plugin:reviewer', true],
  ['agent', 'plugin:*', 'other:reviewer', false],
  ['agent', '*-planner', 'team:big-planner', true],
  ['agent', 'plugin', 'plugin:reviewer', false],
], (sort, glob, value, fits) => assert.equal(matchesGlob(glob, value, sort, false), fits));

table<readonly [sort: Sort, glob: string, value: string]>('any-case', [
  ['path', 'SRC/**', 'src/A.ts'],
  ['word', 'edit', 'Edit'],
  ['word', 'MCP__*', 'mcp__db'],
  ['agent', 'Reviewer', 'plugin:reviewer'],
], (sort, glob, value) => {
  assert.equal(matchesGlob(glob, value, sort, true), true);
  assert.equal(matchesGlob(glob, value, sort, false), false);
});

table<readonly [glob: string, magic: boolean]>('magic', [['a', false], ['a/b.ts', false], ['a*', true], ['a?', true], ['[ab]', true], ['{a,b}', true], ['plugin:x', false]], (glob, magic) => assert.equal(hasMagic(glob), magic));

table<readonly [regex: string, text: string, anyCase: boolean, fits: boolean]>('regexes', [
  ['rm', 'echo; rm x', false, true],
  ['^rm\\b', 'ls\nrm x', false, true],
  ['^RM', 'rm', false, false],
  ['^RM', 'rm', true, true],
  ['done$', 'done\nmore', false, true],
  ['a\\-b', 'a-b', false, true],
], (regex, text, anyCase, fits) => {
  assert.equal(matchesRegex(regex, text, anyCase), fits);
  assert.equal(matchesRegex(regex, text, anyCase), fits, 'the second time too');
});

table<readonly [regex: string, text: string, found: string | undefined]>('captures', [
  ['([A-Z]+-\\d+)', 'fix ABC-12 now', 'ABC-12'],
  ['[A-Z]+-\\d+', 'fix ABC-12 now', 'ABC-12'],
  ['x(a)?', 'x', 'x'],
  ['nothing', 'fix', undefined],
], (regex, text, found) => assert.equal(capture(regex, text, false), found));

table<readonly [regex: string, good: boolean]>('regexes that compile', [['a', true], ['(', false], ['[a-', false], ['a\\-', true], ['\\p{L}', true], ['*', false], ['(?<=a)b', true]], (regex, good) => assert.equal(regexFault(regex) === undefined, good));

table<readonly [a: string, b: string, overlap: boolean]>('globs that can cover one name', [
  ['a', 'a', true],
  ['a', 'b', false],
  ['*', 'anything', true],
  ['*-planner', 'team-*', true],
  ['team-*', 'crew-*', false],
  ['*-a', '*-b', false],
  ['a*b', 'ab', true],
  ['a*b', 'a', false],
  ['?', 'a', true],
  ['?', 'ab', false],
  ['{a,b}', 'b', true],
  ['{a,b}-x', 'c-x', false],
  ['[ab]x', 'ax', true],
  ['*', '*', true],
  ['', '', true],
  ['', '*', true],
  ['**', 'a', true],
  ['a*a*a*a*a*a*a*a*b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac', false],
], (a, b, overlap) => {
  assert.equal(globsOverlap(a, b), overlap);
  assert.equal(globsOverlap(b, a), overlap);
});

// ---------------------------------------------------------------- paths

table<readonly [path: string, cwd: string, home: string | undefined, result: string]>('absolute', [
  ['a.ts', '/p', undefined, '/p/a.ts'],
  ['./a.ts', '/p', undefined, '/p/a.ts'],
  ['../a.ts', '/p/x', undefined, '/p/a.ts'],
  ['../../../../etc', '/p', undefined, '/etc'],
  ['/a/./b//c/../d', '/p', undefined, '/a/b/d'],
  ['/', '/p', undefined, '/'],
  ['', '/p', undefined, '/p'],
  ['.', '/p', undefined, '/p'],
  ['~', '/p', '/home/dev', '/home/dev'],
  ['~/a', '/p', '/home/dev', '/home/dev/a'],
  ['~/../x', '/p', '/home/dev', '/home/x'],
  ['~other/a', '/p', '/home/dev', '/p/~other/a'],
  ['a/~', '/p', '/home/dev', '/p/a/~'],
], (path, cwd, home, result) => assert.equal(absolute(path, cwd, home), result));

table<readonly [path: string, roots: readonly string[], result: string]>('shown', [
  ['/p/src/a.ts', ['/p'], 'src/a.ts'],
  ['/p', ['/p'], '.'],
  ['/px/a.ts', ['/p'], '/px/a.ts'],
  ['/etc/hosts', ['/p'], '/etc/hosts'],
  ['/real/a.ts', ['/p', '/real'], 'a.ts'],
  ['/a', ['/'], 'a'],
  ['/', ['/'], '.'],
], (path, roots, result) => assert.equal(shown(path, roots), result));

// ---------------------------------------------------------------- counts, durations

table<readonly [key: string, counts: readonly number[]]>('count keys', [
  ['2', [2]],
  ['0', [0]],
  ['3 and doubling', [3, 6, 12, 24]],
  ['1 and doubling', [1, 2, 4, 8, 16]],
  ['12 and every 6', [12, 18, 24, 30]],
  ['2 and every 1', [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]],
], (key, counts) => {
  const at = countKey(key);
  assert.ok(at);
  assert.deepEqual(Array.from({ length: 31 }, (_, count) => count).filter((count) => fitsKey(at, count)), counts);
});

table<readonly [key: string]>('no count keys', [[''], ['two'], ['2 and'], ['2 and every'], ['2 and doubling '], ['-1'], ['1.5'], ['2 and tripling']], (key) => assert.equal(countKey(key), undefined));

test('doubling stays exact for large counts', () => {
  const at = countKey('3 and doubling');
  assert.ok(at);
  assert.ok(fitsKey(at, 3 * 2 ** 30));
  assert.ok(!fitsKey(at, 3 * 2 ** 30 + 1));
});

table<readonly [text: string, milliseconds: number]>('durations', [['5ms', 5], ['1s', 1000], ['30m', 1_800_000], ['2h', 7_200_000], ['1d', 86_400_000], ['0s', 0], ['007s', 7000]], (text, milliseconds) => assert.equal(duration(text), milliseconds));

// ---------------------------------------------------------------- texts

const FACTS: Readonly<Record<string, readonly Json[]>> = { tool: ['Edit'], paths: ['a', 'b', 'a'], evil: ['{tool} $& $1 {{x}}'], none: [], zero: [0], row: [{ id: 1 }] };
const lookFact = (name: string): readonly Json[] => FACTS[name] ?? [];

table<readonly [text: string, result: string]>('filled texts', [
  ['{tool}', 'Edit'],
  ['{tool} and {tool}', 'Edit and Edit'],
  ['{paths}', 'a, b'],
  ['{none}', 'unknown'],
  ['{zero}', '0'],
  ['{row}', '{"id":1}'],
  ['{{tool}}', '{tool}'],
  ['{{{tool}}}', '{{tool}}'],
  ['{{}}', '{}'],
  ['{ tool }', '{ tool }'],
  ['{1}', '{1}'],
  ['{}', '{}'],
  ['{evil}', '{tool} $& $1 {{x}}'],
  ['{evil} {tool}', '{tool} $& $1 {{x}} Edit'],
  ['${tool}', '$Edit'],
  ['{a.b-c/d}', 'unknown'],
], (text, result) => assert.equal(fill(text, lookFact), result));

table<readonly [text: string, names: readonly string[]]>('placeholders', [
  ['{a} {b.c} {{d}} { e } {f-g} {pack/h}', ['a', 'b.c', 'f-g', 'pack/h']],
  ['{a} {a}', ['a', 'a']],
  ['', []],
], (text, names) => assert.deepEqual(placeholders(text), names));

table<readonly [text: string, results: readonly string[]]>('every way to fill', [
  ['x', ['x']],
  ['{tool}.md', ['Edit.md']],
  ['{paths}/{tool}', ['a/Edit', 'b/Edit', 'a/Edit']],
  ['{none}/{tool}', []],
  ['{evil}', ['{tool} $& $1 {{x}}']],
], (text, results) => assert.deepEqual(fillEach(text, lookFact, (inserted) => inserted), results));

test('an inserted value is not filled again, whatever comes after it', () => {
  assert.deepEqual(fillEach('{evil}-{tool}', lookFact, (inserted) => inserted), ['{tool} $& $1 {{x}}-Edit']);
});

table<readonly [value: Json, text: string]>('values as texts', [['a', 'a'], [1, '1'], [true, 'true'], [['git', null, 'x'], 'git ? x'], [{ a: 1 }, '{"a":1}'], [null, 'null']], (value, text) => assert.equal(textOf(value), text));

table<readonly [value: Json | null, values: readonly Json[]]>('what is there', [
  [null, []], [false, []], ['', []], [[], []], [[null, '', false], []], [0, [0]], ['0', ['0']], [true, [true]], [['a', ['b']], ['a', 'b']], [{}, [{}]],
], (value, values) => assert.deepEqual(valuesOf(value), values));

// ---------------------------------------------------------------- JsonLogic

const KNOWN: Readonly<Record<string, Json>> = { reads: 3, tool: 'Edit', zero: 0, list: [1, 2, 3], rows: [{ id: 'a', n: 1 }, { id: 'b', n: 2 }], 'a.count': 2 };
const readFact = (name: string): Json | undefined => (Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined);

table<readonly [logic: Logic, value: Json, missed?: string]>('logic', [
  [{ '>': [{ var: 'reads' }, 2] }, true],
  [{ '>': [{ var: 'absent' }, 2] }, false, 'absent'],
  [{ '==': [{ var: 'absent' }, null] }, true, 'absent'],
  [{ '==': [{ var: ['absent', 0] }, 0] }, true],
  [{ '!': [{ var: 'absent' }] }, true, 'absent'],
  [{ '!': [{ var: ['absent', false] }] }, true],
  [{ '+': [{ var: 'zero' }, 1] }, 1],
  [{ var: 'a.count' }, 2],
  [{ map: [{ var: 'list' }, { '*': [{ var: '' }, 2] }] }, [2, 4, 6]],
  [{ filter: [{ var: 'rows' }, { '>': [{ var: 'n' }, 1] }] }, [{ id: 'b', n: 2 }]],
  [{ some: [{ var: 'rows' }, { '==': [{ var: 'id' }, 'b'] }] }, true],
  [{ all: [{ var: 'rows' }, { '==': [{ var: ['missing', 1] }, 1] }] }, true],
  [{ reduce: [{ var: 'list' }, { '+': [{ var: 'current' }, { var: 'accumulator' }] }, 0] }, 6],
  [{ map: [{ var: 'rows' }, { var: 'constructor' }] }, [null, null]],
  [{ map: [{ var: 'rows' }, { var: '__proto__.polluted' }] }, [null, null]],
  [{ in: [{ var: 'tool' }, ['Edit', 'Write']] }, true],
  [{ cat: [{ var: 'tool' }, '!'] }, 'Edit!'],
  [{ '/': [1, 0] }, null],
  [true, true],
], (logic, value, missed) => {
  const result = applyLogic(logic, readFact);
  assert.deepEqual(result.value, value);
  assert.equal(result.missed, missed);
});

test('one logic does not see what another missed', () => {
  assert.equal(applyLogic({ var: 'absent' }, readFact).missed, 'absent');
  assert.equal(applyLogic({ var: 'reads' }, readFact).missed, undefined);
});

table<readonly [logic: Logic, kinds: readonly string[]]>('faults of logic', [
  [{ '>': [1, 2] }, []],
  [{ '=>': [1, 2] }, ['unknown-operator']],
  [{ '>': [1], '<': [2] }, ['several-operators']],
  [{}, ['several-operators']],
  [{ and: [{ nope: 1 }, { also: 1 }] }, ['unknown-operator', 'unknown-operator']],
  [{ var: 'constructor' }, ['forbidden-name']],
  [{ var: 'a.__proto__.b' }, ['forbidden-name']],
  [{ var: ['a.prototype', 1] }, ['forbidden-name']],
  [{ var: 'constructors' }, []],
  [{ var: { cat: ['a', 'b'] } }, ['dynamic-name']],
  [{ var: 1 }, ['dynamic-name']],
  [{ log: 'x' }, ['unknown-operator']],
  [{ method: [1, 'toString'] }, ['unknown-operator']],
  [Array.from({ length: 40 }).reduce<Json>((inner) => ({ '!': [inner] }), true), ['too-deep']],
], (logic, kinds) => assert.deepEqual(logicFaults(logic).map(({ kind }) => kind), kinds));

table<readonly [logic: Logic, names: readonly string[]]>('variables of logic', [
  [{ '>': [{ var: 'a' }, { var: ['b', 1] }] }, ['a', 'b']],
  [{ map: [{ var: 'rows' }, { var: 'id' }] }, ['rows']],
  [{ reduce: [{ var: 'rows' }, { var: 'accumulator' }, { var: 'start' }] }, ['rows', 'start']],
  [{ map: [{ filter: [{ var: 'x' }, { var: 'y' }] }, { var: 'z' }] }, ['x']],
  [1, []],
], (logic, names) => assert.deepEqual(variables(logic).map(({ fact }) => fact), names));

// ---------------------------------------------------------------- words

const KEYS = ['limit', 'match', 'unless', 'until', 'window', 'when', 'why', 'level', 'label', 'deny', 'advise'];
table<readonly [word: string, meant: string | undefined]>('the nearest word', [
  ['limti', 'limit'],
  ['Limit', 'limit'],
  ['limits', 'limit'],
  ['matches', 'match'],
  ['unles', 'unless'],
  ['advice', 'advise'],
  ['dney', 'deny'],
  ['wy', 'why'],
  ['zzz', undefined],
  ['', undefined],
  ['limit', undefined],
  ['completely-different', undefined],
], (word, meant) => {
  assert.equal(nearest(word, KEYS), meant);
  assert.equal(didYouMean(word, KEYS), meant === undefined ? undefined : `did you mean \`${meant}\`?`);
});

// ---------------------------------------------------------------- merging

function node(yaml: string): Node {
  const { root } = parse('x.yaml', `x: ${yaml}`);
  const found = get(root, 'x');
  assert.ok(found, yaml);
  return found;
}

table<readonly [base: string, over: string, result: Json]>('merge', [
  ['{ a: 1, b: 2 }', '{ b: 3, c: 4 }', { a: 1, b: 3, c: 4 }],
  ['{ a: { b: 1, c: 2 } }', '{ a: { c: 3 } }', { a: { b: 1, c: 3 } }],
  ['[1, 2]', '[3]', [3]],
  ['{ a: [1, 2] }', '{ a: 3 }', { a: 3 }],
  ['{ a: { b: 1 } }', '{ a: text }', { a: 'text' }],
  ['{ a: 1, b: 2 }', '{ a: null }', { a: null, b: 2 }],
  ['[a, b]', '{ add: [c] }', ['a', 'b', 'c']],
  ['[a, b]', '{ remove: [a] }', ['b']],
  ['[a, b]', '{ add: [a, c], remove: [b] }', ['a', 'c']],
  ['[a, b]', '{ add: [a], remove: [a] }', ['b', 'a']],
  ['a', '{ add: [b] }', ['a', 'b']],
  ['{ tool: Read }', '{ tool: { add: [Grep] } }', { tool: ['Read', 'Grep'] }],
  ['{ path: a }', '{ add: [{ path: b }] }', [{ path: 'a' }, { path: 'b' }]],
  ['[{ b: 1, a: 2 }, c]', '{ remove: [{ a: 2, b: 1 }] }', ['c']],
  ['[a]', '{ remove: [a] }', []],
], (base, over, result) => assert.deepEqual(toJson(merge(node(base), node(over))), result));

test('a merged key keeps the place of the file it comes from', () => {
  const merged = merge(node('{ a: 1 }'), { ...node('{ b: 2 }'), at: { file: 'other.yaml', start: 0, end: 1 } });
  assert.deepEqual(entries(merged).map(({ key, keyAt }) => [key, keyAt.file]), [['a', 'x.yaml'], ['b', 'x.yaml']]);
});

test('what is removed but was not there is told', () => {
  assert.deepEqual(idleRemovals(node('[a, b]'), node('{ remove: [a, c] }')).map(toJson), ['c']);
});

table<readonly [a: string, b: string, same: boolean]>('equal definitions', [['{ a: 1, b: 2 }', '{ b: 2, a: 1 }', true], ['[a, b]', '[b, a]', false], ['1', "'1'", false], ['{ a: }', '{ a: null }', true]], (a, b, same) => assert.equal(sameJson(node(a), node(b)), same));

// ---------------------------------------------------------------- memory

const NOW = 1_000_000;
function eventAt(now: number, fields: Json = { hook_event_name: 'PreToolUse', tool_name: 'Read' }): Event {
  return decode(JSON.stringify(fields), { now, random: 'AAAA', env: {}, project: '/p', cwd: '/p' });
}
const counter: Cell = { kind: 'count', counts: { '': 2 }, changed: NOW };
const machine: Cell = { kind: 'phase', phase: 'build', history: [{ agent: 'a', from: 'plan', to: 'build', at: NOW, event: 'PreToolUse' }], changed: NOW };

table<readonly [later: number, idle: number | undefined, there: boolean]>('idle', [[0, 1000, true], [1000, 1000, true], [1001, 1000, false], [10 ** 12, undefined, true], [-5000, 1000, true]], (later, idle, there) => {
  const memory: Memory = { scope: 'session', until: [], ...(idle === undefined ? {} : { idle }) };
  const state = writeCell(EMPTY_STATE, 'session', 'main', 'x.count', counter);
  assert.deepEqual(readCell(state, eventAt(NOW + later), 'x.count', memory), there ? counter : undefined);
});

test('what is emptied keeps its history', () => {
  assert.equal(emptied(counter, NOW + 1), undefined);
  assert.deepEqual(emptied(machine, NOW + 1), { kind: 'phase', history: machine.kind === 'phase' ? machine.history : [], changed: NOW + 1 });
  assert.equal(emptied({ kind: 'phase', phase: 'x', history: [], changed: 0 }, NOW), undefined);
});

const NO_PLAN: Plan = { rules: [], facts: {}, lists: {}, homes: {}, audit: 'said', sharesUser: false, index: {} };
table<readonly [later: number, keep: number | undefined, values: readonly string[]]>('keep', [[0, 1000, ['old', 'new']], [600, 1000, ['old', 'new']], [1000, 1000, ['old', 'new']], [1001, 1000, ['new']], [1501, 1000, []], [10 ** 12, undefined, ['old', 'new']]], (later, keep, values) => {
  const cell: Cell = { kind: 'values', values: [{ value: 'old', at: NOW }, { value: 'new', at: NOW + 500 }], changed: NOW + 500 };
  const state = writeCell(EMPTY_STATE, 'project', 'main', 'seen', cell);
  const knowledge = createKnowledge(NO_PLAN, state, eventAt(NOW + later));
  assert.deepEqual(remembered(knowledge, 'seen', { kind: 'remembered', memory: { scope: 'project', until: [] }, ...(keep === undefined ? {} : { keep }) }), values);
});

test('each scope has its own cells, and each agent', () => {
  let state: State = EMPTY_STATE;
  for (const scope of ['turn', 'agent', 'session', 'project', 'user'] as const) state = writeCell(state, scope, 'agent-1', scope, counter);
  const names = [state.session.turn, state.session.agents['agent-1'] ?? {}, state.session.cells, state.project.cells, state.user.cells].map((cells) => Object.keys(cells));
  assert.deepEqual(names, [['turn'], ['agent'], ['session'], ['project'], ['user']]);
  assert.equal(readCell(state, eventAt(NOW), 'agent', { scope: 'agent', until: [] }), undefined);
  assert.deepEqual(EMPTY_STATE.session.cells, {});
});

test('agents with names of JavaScript remember like others', () => {
  for (const thread of ['__proto__', 'constructor', 'toString']) {
    const state: State = JSON.parse(JSON.stringify(writeCell(EMPTY_STATE, 'agent', thread, 'x.count', counter)));
    const event = eventAt(NOW, { hook_event_name: 'PreToolUse', agent_id: thread });
    assert.deepEqual(readCell(state, event, 'x.count', { scope: 'agent', until: [] }), counter);
    assert.equal(readCell(EMPTY_STATE, event, 'x.count', { scope: 'agent', until: [] }), undefined);
    assert.equal(readCell(EMPTY_STATE, event, 'toString', { scope: 'agent', until: [] }), undefined);
  }
});

test('removing what is not there leaves the same state', () => assert.equal(writeCell(EMPTY_STATE, 'session', 'main', 'x', undefined), EMPTY_STATE));

table<readonly [prompt: string | undefined, left: number]>('a turn ends with a person\'s prompt', [['go on', 0], ['<task-notification> done', 1], ['  <task-notification> done', 1], [undefined, 1]], (prompt, left) => {
  const state = writeCell(EMPTY_STATE, 'turn', 'main', 'x.count', counter);
  const event = eventAt(NOW, { hook_event_name: 'UserPromptSubmit', ...(prompt === undefined ? {} : { prompt }) });
  assert.equal(Object.keys(settle(state, event).session.turn).length, left);
});

table<readonly [value: Json, good: boolean]>('state read back', [
  [{ cells: {}, levels: [], turn: {}, agents: {}, running: {} }, true],
  [{ cells: {}, turn: {}, agents: {}, running: {} }, true],
  [{ cells: [], turn: {}, agents: {}, running: {} }, false],
  [{ cells: {}, turn: {}, agents: [], running: {} }, false],
  [[], false],
  [null, false],
  ['x', false],
], (value, good) => assert.equal(asSession(value) !== undefined, good));

test('cells of a wrong form are left out, the others stay', () => {
  const value = { cells: { good: counter, kind: { kind: 'nothing', changed: 1 }, count: { kind: 'count', counts: { '': 'two' }, changed: 1 }, time: { ...counter, changed: 'now' }, list: [] }, levels: [{ level: 'loud', at: 1 }, { level: 'observe', at: 1 }] };
  assert.deepEqual(asShared(value), { cells: { good: counter }, levels: [{ level: 'observe', at: 1 }] });
});

// ---------------------------------------------------------------- frames

table<readonly [text: string, offset: number, line: number, column: number]>('positions', [['', 0, 1, 1], ['abc', 2, 1, 3], ['a\nb', 2, 2, 1], ['a\n\nb', 3, 3, 1], ['a\r\nb', 3, 2, 1], ['abc', 3, 1, 4]], (text, offset, line, column) => assert.deepEqual(positionOf(text, offset), { line, column }));

test('a wrong thing far to the right is still seen', () => {
  const text = `${'x'.repeat(300)}WRONG${'y'.repeat(300)}`;
  const lines = frame({ file: 'a', start: 300, end: 305 }, new Map([['a', text]]));
  const [shownLine = '', underline = ''] = lines;
  assert.ok(lines.every((line) => line.length < 130));
  assert.equal(shownLine.slice(underline.indexOf('^'), underline.lastIndexOf('^') + 1), 'WRONG');
});

test('windows line ends leave no trace', () => {
  const lines = frame({ file: 'a', start: 8, end: 11 }, new Map([['a', 'bylaw\r\nxabc\r\nrules\r\n']]));
  assert.deepEqual(lines, ['   1 | bylaw', ' > 2 | xabc', '     |  ^^^', '   3 | rules']);
});

test('problems are counted', () => {
  const at = { file: 'a', start: 0, end: 1 };
  const error = { code: 'alias', severity: 'error', at, message: '' } as const;
  assert.equal(countProblems([error]), '1 error in 1 file');
  assert.equal(countProblems([error, { ...error, severity: 'hint' }, { ...error, at: { ...at, file: 'b' } }]), '2 errors, 1 hint in 2 files');
});

test('where the file system folds case, paths do too, and other words do not', () => {
  const { core } = loadTexts({ 'bylaw.yaml': 'bylaw: 1\nrules:\n  secrets: { match: { path: .env }, deny: x }\n  tools: { match: { tool: Read, input.mode: fast }, deny: y }\n' });
  assert.ok(core, 'it loads');
  const plan = buildPlan(core);
  const read = (more: object): string => {
    const event: Event = { event: 'PreToolUse', session: 's', now: 0, random: 'X', env: {}, project: '/p', cwd: '/p', by: ['main'], thread: 'main', tool: 'Read', input: { file_path: '.ENV', mode: 'FAST' }, host: {}, outside: {}, ...more };
    return converge(plan, EMPTY_STATE, event, findInWorld({ files: new Map(), programs: new Map() })).verdict.decision;
  };
  assert.deepEqual([read({ foldsCase: true }), read({})], ['deny', 'none']);
});
