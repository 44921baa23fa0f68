/** A test file → cases with steps, or the problems in it. */
import { absolute } from '../../engine/judge/paths.ts';
import { entries, get, isNull, items, text, toJson, type Entry, type Node } from '../../engine/load/node.ts';
import { parse } from '../../engine/load/parse.ts';
import { validate, type Schema } from '../../engine/load/validate.ts';
import { duration } from '../../engine/load/world.ts';
import { LEVELS, type Json, type Level, type Problem, type Span } from '../../engine/model.ts';
import { isObject, longStep, shortStep, type Payload } from './step.ts';
import { HOME, PROJECT, type File, type World } from './world.ts';

export type Word = 'allow' | 'advise' | 'ask' | 'deny';

export interface CaseStep {
  readonly at: Span;
  /** As written. */
  readonly text: string;
  readonly payload: Payload;
  readonly expect: Word;
  readonly expectAt: Span;
  readonly rules?: readonly string[];
  readonly says: readonly string[];
  readonly notSays: readonly string[];
}
export type Item = { readonly do: 'step'; readonly step: CaseStep } | { readonly do: 'wait'; readonly time: number };

export interface Case {
  readonly rule: string;
  readonly ruleAt: Span;
  readonly name: string;
  readonly at: Span;
  readonly items: readonly Item[];
  readonly level?: Level;
  readonly env: Readonly<Record<string, string>>;
  readonly bypass: boolean;
  readonly world: World;
  readonly state: { readonly remembered: Readonly<Record<string, Json>>; readonly phase: Readonly<Record<string, string>>; readonly running: Readonly<Record<string, string>> };
  /** Milliseconds since 1970. */
  readonly clock: number;
  readonly cwd: string;
}

export interface TestFile {
  /** Paths as written, relative to the test file. */
  readonly policies: readonly string[];
  readonly cases: readonly Case[];
  readonly problems: readonly Problem[];
}

const CLOCK = Date.parse('2026-01-01T09:00:00Z');

export function readTests(label: string, source: string, schema: Schema): TestFile {
  const parsed = parse(label, source);
  const problems: Problem[] = [...parsed.problems];
  if (parsed.root === undefined || problems.length > 0) return { policies: [], cases: [], problems };
  const empty = entries(get(parsed.root, 'tests')).flatMap((rule) => entries(rule.value).filter((each) => isEmptyList(each.value) || isEmptyList(get(each.value, 'steps'))));
  for (const { key, keyAt } of empty) problems.push({ code: 'empty-case', severity: 'error', at: keyAt, message: `case \`${key}\` has no steps`, help: 'add a step: `- Read src/a.ts: allow`' });
  // The schema's word on the same lists would be an echo.
  const silent = new Set(empty.flatMap(({ value }) => [value.at.start, get(value, 'steps')?.at.start]));
  problems.push(...validate(parsed.root, schema).filter(({ at }) => !silent.has(at.start)));
  if (problems.length > 0) return { policies: [], cases: [], problems };
  const { root } = parsed;
  const cases = entries(get(root, 'tests')).flatMap((rule) => entries(rule.value).map((each) => readCase(rule, each, problems)));
  const seen = new Map<string, Case>();
  for (const each of cases) {
    const key = JSON.stringify([each.rule, each.items.map(plainItem), optionsOf(each)]);
    const first = seen.get(key);
    if (first !== undefined) problems.push({ code: 'equal-cases', severity: 'error', at: each.at, message: `this case is the same as \`${first.name}\``, help: 'remove one of them' });
    seen.set(key, each);
  }
  return { policies: items(get(root, 'policy')).flatMap((node) => text(node) ?? []), cases, problems };
}

function readCase(rule: Entry, { key, keyAt, value }: Entry, problems: Problem[]): Case {
  const steps = value.kind === 'map' ? get(value, 'steps') : value;
  let lastAgent: string | undefined;
  const found = items(steps).flatMap((node): readonly Item[] => {
    const waiting = text(node);
    if (waiting !== undefined) return [{ do: 'wait', time: duration(waiting.replace(/^wait /, '')) }];
    const step = readStep(node, lastAgent, problems);
    if (step === undefined) return [];
    const input = step.payload['tool_input'];
    const agent = isObject(input) ? input['subagent_type'] : undefined;
    if (typeof agent === 'string') lastAgent = agent;
    return [{ do: 'step', step }];
  });
  const state = get(value, 'state');
  const level = LEVELS.find((each) => each === text(get(value, 'level')));
  const clock = text(get(value, 'clock'));
  const cwd = text(get(value, 'cwd'));
  return {
    rule: rule.key,
    ruleAt: rule.keyAt,
    name: key,
    at: keyAt,
    items: found,
    ...(level === undefined ? {} : { level }),
    env: Object.fromEntries(Object.entries(jsonMap(get(value, 'env'))).map(([name, each]) => [name, String(each)])),
    bypass: toJsonOf(get(value, 'bypass')) === true,
    world: { files: readFiles(get(value, 'files')), programs: new Map(Object.entries(jsonMap(get(value, 'programs'))).map(([name, each]) => [name, String(each ?? '')])) },
    state: { remembered: jsonMap(get(state, 'remembered')), phase: strings(get(state, 'phase')), running: strings(get(state, 'running')) },
    clock: clock === undefined ? CLOCK : Date.parse(clock),
    cwd: cwd === undefined ? PROJECT : absolute(cwd, PROJECT, HOME),
  };
}

function readStep(node: Node, lastAgent: string | undefined, problems: Problem[]): CaseStep | undefined {
  const first = entries(node)[0];
  if (node.kind !== 'map' || first === undefined) return undefined;
  const event = get(node, 'event');
  if (event !== undefined) {
    const json = toJson(event);
    const payload = isObject(json) ? longStep(json) : {};
    return { at: first.keyAt, text: describe(payload), payload, ...expectation(node), expectAt: (get(node, 'rules') ?? get(node, 'expect') ?? node).at };
  }
  const step = shortStep(first.key, lastAgent);
  if ('fault' in step) {
    problems.push({ code: 'unknown-step', severity: 'error', at: first.keyAt, message: step.fault, ...(step.help === undefined ? {} : { help: step.help }) });
    return undefined;
  }
  return { at: first.keyAt, text: first.key, payload: step.payload, ...expectation(first.value), expectAt: (get(first.value, 'rules') ?? get(first.value, 'expect') ?? first.value).at };
}

/** `deny`, `deny [rule-a, rule-b]`, or `{expect, rules, says, not-says}` */
function expectation(node: Node): Pick<CaseStep, 'expect' | 'rules' | 'says' | 'notSays'> {
  const written = text(node) ?? text(get(node, 'expect')) ?? 'allow';
  const [, word = 'allow', ids] = /^(\w+)(?: \[([^\]]*)\])?$/.exec(written) ?? [];
  const named = ids?.split(',').map((id) => id.trim()) ?? (get(node, 'rules') === undefined ? undefined : items(get(node, 'rules')).flatMap((each) => text(each) ?? []));
  const texts = (key: string): readonly string[] => items(get(node, key)).flatMap((each) => text(each) ?? []);
  const words: readonly Word[] = ['allow', 'advise', 'ask', 'deny'];
  return { expect: words.find((each) => each === word) ?? 'allow', ...(named === undefined ? {} : { rules: named }), says: texts('says'), notSays: texts('not-says') };
}

function isEmptyList(node: Node | undefined): boolean {
  return node?.kind === 'list' && node.items.length === 0;
}

function describe(payload: Payload): string {
  return [payload['hook_event_name'], payload['tool_name']].filter((part) => typeof part === 'string').join(' ');
}

function readFiles(node: Node | undefined): ReadonlyMap<string, File> {
  return new Map(
    entries(node).map((each): readonly [string, File] => {
      const { value } = each;
      const age = text(get(value, 'age'));
      const link = text(get(value, 'link'));
      const content = text(value) ?? text(get(value, 'text'));
      return [
        absolute(each.key, PROJECT, HOME),
        { ...(content === undefined || isNull(value) ? {} : { text: content }), ...(age === undefined ? {} : { age: duration(age) }), ...(link === undefined ? {} : { link: absolute(link, PROJECT, HOME) }) },
      ];
    }),
  );
}

function jsonMap(node: Node | undefined): Readonly<Record<string, Json>> {
  return Object.fromEntries(entries(node).map((each) => [each.key, toJson(each.value)]));
}

function strings(node: Node | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(entries(node).map((each) => [each.key, text(each.value) ?? '']));
}

function toJsonOf(node: Node | undefined): Json | undefined {
  return node === undefined ? undefined : toJson(node);
}

function plainItem(item: Item): Json {
  return item.do === 'wait' ? item.time : [item.step.payload, item.step.expect];
}

function optionsOf({ level, env, bypass, state, world }: Case): unknown {
  return { level, env, bypass, state, files: [...world.files], programs: [...world.programs] };
}

