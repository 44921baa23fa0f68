/** What the names of a policy mean: lists, facts, rules' facts, built-in facts. */
import { EVENTS } from '../events.ts';
import { BUILTIN, isEventFact } from '../judge/builtin.ts';
import type { Problem, Span } from '../model.ts';
import type { Code } from '../report/codes.ts';
import { didYouMean } from '../report/suggest.ts';
import { scoped, type Definition, type Definitions } from './extend.ts';
import { formOf } from './forms.ts';
import type { Item, Lists } from './lists.ts';
import { get, type Node } from './node.ts';

export interface RegexFault {
  readonly message: string;
  readonly help: string;
}

export interface World {
  /** A thorough look at a regex that compiles, where there is time for it. */
  readonly regexFault?: (regex: string) => RegexFault | undefined;
  readonly definitions: Definitions;
  readonly lists: Lists;
  /** Texts of the files, for places inside a value. */
  readonly texts: ReadonlyMap<string, string>;
  readonly report: (problem: Problem) => void;
}

export type Meaning = { readonly is: 'list'; readonly items: readonly Item[] } | { readonly is: 'fact'; readonly name: string };

/** The meaning of a name as seen from a pack with this prefix. */
export function meaningOf(name: string, prefix: string, { definitions, lists }: World): Meaning | undefined {
  const { facts, rules } = definitions;
  const list = scoped(prefix, name, (full) => lists.has(full));
  const items = lists.get(list);
  if (items !== undefined) return { is: 'list', items };
  const fact = scoped(prefix, name, (full) => facts.has(full));
  if (facts.has(fact)) return { is: 'fact', name: fact };
  if (isEventFact(name)) return { is: 'fact', name };
  const dot = name.lastIndexOf('.');
  if (dot > 0) {
    const rule = scoped(prefix, name.slice(0, dot), (full) => rules.has(full));
    if (rules.has(rule) && (name.endsWith('.count') || (name.endsWith('.phase') && hasPhases(rules.get(rule))))) return { is: 'fact', name: `${rule}${name.slice(dot)}` };
  }
  const base = scoped(prefix, name.slice(0, name.indexOf('.')), (full) => facts.has(full));
  const owner = facts.get(base);
  if (name.includes('.') && owner !== undefined && ['json', 'remembered', 'first'].includes(formOf(owner.node))) return { is: 'fact', name: `${base}${name.slice(name.indexOf('.'))}` };
  return undefined;
}

/** With its own phases, or with those that `defaults` fills in. */
function hasPhases(rule: Definition | undefined): boolean {
  return get(rule?.node, 'phases') !== undefined || get(get(rule?.home.source.root, 'defaults'), 'phases') !== undefined;
}

/** Keys that end up in a matcher by a slip of indentation. */
const RULE_KEYS = ['deny', 'ask', 'advise', 'why', 'instead', 'limit', 'times', 'until', 'unless', 'match', 'when', 'scope', 'phases', 'start', 'ack', 'then', 'window', 'per', 'of', 'attempts', 'moves', 'track', 'label', 'opaque'];

/** The full name of a fact, or undefined with a problem reported. */
export function factNamed(name: string, at: Span, prefix: string, world: World): string | undefined {
  const meaning = meaningOf(name, prefix, world);
  if (meaning?.is === 'fact') return meaning.name;
  if (meaning?.is === 'list') report(world, 'unknown-fact', at, `\`${name}\` is a list, not a fact`, `a list is used as a value: \`tool: $${name}\``);
  else {
    const machine = name.endsWith('.phase') && world.definitions.rules.has(scoped(prefix, name.slice(0, -'.phase'.length), (full) => world.definitions.rules.has(full)));
    const help = machine ? 'the rule has no `phases`' : (didYouMean(name, factNames(world)) ?? 'declare it under `facts`');
    if (RULE_KEYS.includes(name)) report(world, 'unknown-fact', at, `\`${name}\` is a key of a rule, not a fact`, 'it belongs one level up, beside `match`');
    else report(world, 'unknown-fact', at, `there is no fact \`${name}\`; it would always be absent`, help);
  }
  return undefined;
}

export function factNames({ definitions }: World): readonly string[] {
  return [...BUILTIN, ...definitions.facts.keys(), ...[...definitions.rules.keys()].flatMap((id) => [`${id}.count`, ...(hasPhases(definitions.rules.get(id)) ? [`${id}.phase`] : [])])];
}

export function report(world: World, code: Code, at: Span, message: string, help?: string, severity: Problem['severity'] = 'error'): void {
  world.report({ code, severity, at, message, ...(help === undefined ? {} : { help }) });
}

export function hint(world: World, code: Code, at: Span, message: string, help?: string): void {
  report(world, code, at, message, help, 'hint');
}

/** Event names, each checked against the host's catalogue. */
export function eventNames(nodes: readonly Node[], world: World): readonly string[] {
  return nodes.flatMap((node) => {
    const name = node.kind === 'scalar' ? String(node.value) : '';
    if (Object.hasOwn(EVENTS, name)) return [name];
    report(world, 'unknown-event', node.at, `there is no event \`${name}\`; nothing would ever happen`, didYouMean(name, Object.keys(EVENTS)));
    return [];
  });
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m` in milliseconds. The schema has seen to the form. */
export function duration(text: string): number {
  const [, amount = '0', unit = 's'] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  return Number(amount) * (UNITS[unit] ?? 1000);
}
