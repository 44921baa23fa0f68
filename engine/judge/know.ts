/** Facts on demand: what the event, the state, other facts and the outside say. */
import type { Event, Fact, Form, Json, JsonObject, Level, Need, Plan, State } from '../model.ts';
import { builtin, isEventFact, carriesShell } from './builtin.ts';
import type { Answer, Cost } from './answer.ts';
import { valuesOf } from './cells.ts';
import { count, phase, remembered } from './recall.ts';
import { first, option, regex, rows, since, walkPath } from './derive.ts';
import type { Known, Look } from './holds.ts';
import type { Sort } from './match.ts';
import { outside } from './outside.ts';

/** Everything one evaluation knows; what it is not given it collects as needs. */
export interface Knowledge {
  readonly plan: Plan;
  /** As it was before the event. */
  readonly state: State;
  readonly event: Event;
  readonly needs: Map<string, Need>;
  /** What was found out, by the asker's level, and which policies are on. */
  readonly memo: Readonly<Record<Level, Map<string, Known>>>;
  /** By level, then by cost. */
  readonly lookers: Readonly<Record<Level, Look[]>>;
  readonly active: Map<string, Answer>;
}

/** Who asks: `level` is the asking rule's. */
export interface Asker {
  readonly level: Level;
  readonly cost: Cost;
}

export function createKnowledge(plan: Plan, state: State, event: Event): Knowledge {
  return { plan, state, event, needs: new Map(), memo: { strict: new Map(), guidance: new Map(), observe: new Map(), disabled: new Map() }, lookers: { strict: [], guidance: [], observe: [], disabled: [] }, active: new Map() };
}

export function know(knowledge: Knowledge, name: string, asker: Asker): Known {
  const memo = knowledge.memo[asker.level];
  const before = memo.get(name);
  // Only what was too dear is looked at again, when more is allowed.
  if (before !== undefined && !(before.is === 'unknown' && before.cause.kind === 'later' && asker.cost >= before.cause.cost)) return before;
  const known = find(knowledge, name, asker);
  memo.set(name, known);
  return known;
}

/** One for each kind of asker: rules are many, kinds are few. */
export function looker(knowledge: Knowledge, asker: Asker): Look {
  const made = knowledge.lookers[asker.level];
  return (made[asker.cost] ??= (name) => know(knowledge, name, asker));
}

/** The paths of the event as texts; undefined if some are not known, or if a whole folder is meant. */
export function plainPaths(knowledge: Knowledge): readonly string[] | undefined {
  const paths = know(knowledge, 'path', { level: 'strict', cost: 1 });
  if (paths.is === 'unknown' || paths.opaque !== undefined) return undefined;
  const texts = paths.values.filter((value) => typeof value === 'string');
  return texts.length === paths.values.length ? texts : undefined;
}

function find(knowledge: Knowledge, name: string, asker: Asker): Known {
  const { plan, event } = knowledge;
  const fact = Object.hasOwn(plan.facts, name) ? plan.facts[name] : undefined;
  if (fact !== undefined) return formed(knowledge, fact, asker);
  if (Object.hasOwn(plan.lists, name)) return known(plan.lists[name] ?? []);
  if (name === 'level') return known([asker.level]);
  if (isEventFact(name)) {
    const found = originated(builtin(knowledge, name, asker), name);
    if (event.unreadable === undefined || found.is === 'unknown' || found.values.length > 0) return found;
    // A tool that was saved from the input and carries no shell text runs no program, whatever else is lost.
    const shellOnly = (name === 'runs' || name === 'command') && event.tool !== undefined && !carriesShell(event.tool, plan);
    return shellOnly || name === 'error' || name.startsWith('env.') ? found : failed(name, event.unreadable);
  }
  // `graph.current_wave`: a field of a declared fact.
  const dot = name.indexOf('.');
  const base = dot > 0 ? know(knowledge, name.slice(0, dot), asker) : known([]);
  return base.is === 'known' && dot > 0 ? known(walkPath(base.values, name.slice(dot + 1).split('.'))) : base;
}

function formed(knowledge: Knowledge, fact: Fact, asker: Asker): Known {
  const { form } = fact;
  const look = looker(knowledge, asker);
  switch (form.kind) {
    case 'remembered':
      return { ...known(remembered(knowledge, fact.name, form)), ...(form.last === undefined ? {} : { list: true as const }) };
    case 'count':
      return count(knowledge, fact.name, form, look);
    case 'phase':
      return known([phase(knowledge, fact.name, form)]);
    case 'said':
      return known([]);
    case 'first':
      return first(form, look);
    case 'regex':
      return regex(form, look);
    case 'option':
      return option(form, look);
    case 'rows':
      return rows(form, look);
    case 'since':
      return since(form, look, knowledge.event.now);
    default:
      return outside(knowledge, fact, form, asker);
  }
}

export function known(value: Json | undefined, sort: Sort = 'word'): Extract<Known, { is: 'known' }> {
  return { is: 'known', sort, values: valuesOf(value) };
}

/** A fact that may have several values. */
export function knownList(value: Json | undefined, sort: Sort = 'word'): Extract<Known, { is: 'known' }> {
  return { ...known(value, sort), list: true };
}

export function failed(fact: string, why: string): Known {
  return { is: 'unknown', cause: { kind: 'failed', fact, why } };
}

function originated(found: Known, name: string): Known {
  return found.is === 'known' ? { ...found, origin: name === 'env' || name.startsWith('env.') ? 'env' : 'event' } : found;
}

/** A single value as itself, several as a list: what records hold. */
export function plainValue(values: readonly Json[]): Json | undefined {
  return values.length > 1 ? values : values[0];
}

/** What JsonLogic sees: a fact that may have several values is a list, however many it has. */
export function logicValue(known: Known): Json | undefined {
  if (known.is === 'unknown' || known.values.length === 0) return undefined;
  return known.list === true || known.values.length > 1 ? known.values : known.values[0];
}

export type FormOf<K extends Form['kind']> = Extract<Form, { readonly kind: K }>;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
