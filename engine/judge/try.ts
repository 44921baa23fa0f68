/** One rule × one event → whether it fires, and why not. */
import type { Opaque } from '../command/analysis.ts';
import type { Cadence, CountKey, Decision, Event, Level, Plan, Rule, Saying } from '../model.ts';
import { NO, prefer, YES, type Answer, type Cost } from './answer.ts';
import { readCell } from './cells.ts';
import { excuses, HONEST, holds, matchesAgent, textOf, type Look } from './holds.ts';
import { looker, type FormOf, type Knowledge } from './know.ts';
import { isActive, levelOf } from './level.ts';
import { logicHolds, not, phase, triggered } from './recall.ts';

/** Why a rule stayed quiet, in the words of the language. */
export type Part = 'opaque' | 'level' | 'active' | 'match' | 'unless' | 'when' | 'until' | 'times' | 'limit' | 'counted' | 'phases' | 'ack' | 'error' | 'fires';

export interface Trial {
  readonly rule: Rule;
  readonly level: Level;
  readonly matched: boolean;
  readonly fired: boolean;
  /** The part that decided. */
  readonly by: Part;
  readonly says?: Saying;
  readonly count?: number;
  readonly phase?: string;
  readonly allowed?: readonly string[];
  /** The reply held the pending token. */
  readonly redeemed?: true;
  readonly failure?: { readonly fact: string; readonly why: string };
  /** Where the rule may apply, but a shell text can't be seen through: what it does then. */
  readonly unseen?: { readonly decision: Decision; readonly parts: readonly Opaque[] };
}

/** Undefined while an outside fact is awaited. */
export function tryRule(rule: Rule, knowledge: Knowledge): Trial | undefined {
  const { plan, state, event } = knowledge;
  const level = levelOf(rule, state, event.now);
  if (level === 'disabled') return quiet(rule, level, 'level');
  if (event.unreadable !== undefined && rule.onError !== 'deny') return quiet(rule, level, 'error');

  const home = plan.homes[rule.home];
  const active = rule.active === true || home === undefined ? YES : isActive(home, knowledge);
  if (active.is === 'no') return quiet(rule, level, 'active');

  const matched = matches(rule, knowledge, level);
  if (matched.answer.is === 'no') return quiet(rule, level, matched.by);
  if (active.is === 'unknown') return unknown(active, quiet(rule, level, 'active'));
  if (matched.answer.is === 'unknown') return unknown(matched.answer, quiet(rule, level, 'error'), event.event);
  return pace(rule, knowledge, { rule, level, matched: true, fired: false, by: 'fires' });
}

function quiet(rule: Rule, level: Level, by: Part): Trial {
  return { rule, level, matched: false, fired: false, by };
}

/** What can't be known: wait for it, or speak if the policy denies what can't be computed. */
function unknown(answer: Extract<Answer, { is: 'unknown' }>, trial: Trial, event = ''): Trial | undefined {
  const { rule } = trial;
  if (answer.cause.kind === 'opaque') return unseen(answer.cause.parts, trial, event, answer.cause.fact);
  if (answer.cause.kind !== 'failed') return undefined;
  const speaks = rule.onError === 'deny' && rule.speak !== undefined;
  const says = rule.speak?.says[0];
  return { ...trial, by: 'error', fired: speaks, failure: answer.cause, ...(speaks && says !== undefined ? { says } : {}) };
}

const STRENGTH: readonly (Decision | 'ignore')[] = ['ignore', 'advise', 'ask', 'deny'];

/** The rule may apply. It does what it says for the gravest reason, never more than its own outcome. */
function unseen(parts: readonly Opaque[], trial: Trial, event: string, fact: string): Trial {
  const { rule } = trial;
  const own = rule.speak?.decision ?? 'ignore';
  const usual = (reason: string): Decision | 'ignore' => (HONEST.has(reason) || own === 'advise' || fact !== 'runs' ? 'ignore' : 'ask');
  const wanted = parts.map(({ reason }) => rule.opaque?.[reason] ?? (HONEST.has(reason) ? 'ignore' : (rule.opaque?.['*'] ?? usual(reason))));
  const gravest = wanted.reduce<Decision | 'ignore'>((top, each) => (STRENGTH.indexOf(each) > STRENGTH.indexOf(top) ? each : top), 'ignore');
  const capped = STRENGTH.indexOf(gravest) > STRENGTH.indexOf(own) ? own : gravest;
  const decision = capped === 'ask' && event !== 'PreToolUse' ? 'advise' : capped;
  const says = rule.speak?.says[0];
  if (decision === 'ignore' || says === undefined) return { ...trial, by: 'match' };
  return { ...trial, by: 'opaque', fired: true, says, unseen: { decision, parts: parts.filter((_, index) => wanted[index] !== 'ignore') } };
}

/** The event is its, `match` holds, no `unless` does, `when` is true, and it is not its own reset. Cheap questions first. */
export function matches(rule: Rule, knowledge: Knowledge, level: Level): { readonly answer: Answer; readonly by: Part } {
  const { event } = knowledge;
  let cost: Cost = 0;
  for (;;) {
    const look = looker(knowledge, { level, cost });
    let answer = YES;
    for (const part of PARTS) {
      const given = partHolds(part, rule, event, look);
      if (given.is === 'no') return { answer: given, by: part };
      if (given.is === 'unknown') answer = prefer(answer, given);
    }
    if (answer.is !== 'unknown' || answer.cause.kind !== 'later') return { answer, by: 'match' };
    if (isSpent(rule, knowledge) && rule.then.length === 0) return { answer: NO, by: 'times' };
    cost = answer.cause.cost;
  }
}

const PARTS = ['match', 'unless', 'when', 'until'] as const;

function partHolds(part: (typeof PARTS)[number], rule: Rule, event: Event, look: Look): Answer {
  switch (part) {
    case 'match':
      return holds(rule.match, look);
    case 'unless':
      return rule.unless.length === 0 ? YES : not(excuses(rule.unless, rule.match, look));
    case 'when':
      return logicHolds(rule.when, look);
    case 'until':
      return rule.until.length === 0 ? YES : not(triggered(rule.until, event.event, look));
  }
}

function isSpent(rule: Rule, knowledge: Knowledge): boolean {
  return rule.speak?.times !== undefined && said(rule.id, knowledge).times >= rule.speak.times;
}

export function said(rule: string, { plan, state, event }: Knowledge): { readonly times: number; readonly token?: string } {
  const name = `${rule}.said`;
  const form = plan.facts[name]?.form;
  const cell = form?.kind === 'said' ? readCell(state, event, name, form.memory) : undefined;
  return cell?.kind === 'said' ? cell : { times: 0 };
}

/** The cadence of a rule that matches. */
function pace(rule: Rule, knowledge: Knowledge, trial: Trial): Trial | undefined {
  const look = looker(knowledge, { level: trial.level, cost: 2 });
  const paced = keepsPace(rule.cadence, rule.speak?.says ?? [], knowledge, look, trial);
  if (paced === undefined || !paced.fired) return paced;
  return isSpent(rule, knowledge) ? { ...paced, fired: false, by: 'times' } : paced;
}

function keepsPace(cadence: Cadence, says: readonly Saying[], knowledge: Knowledge, look: Look, trial: Trial): Trial | undefined {
  const fires = (more: Partial<Trial>): Trial => ({ ...trial, fired: true, ...(says[0] === undefined ? {} : { says: says[0] }), ...more });
  switch (cadence.kind) {
    case 'always':
      return fires({});
    case 'above':
    case 'keys': {
      const known = look(cadence.count);
      if (known.is === 'unknown') return unknown(known, trial);
      const count = Number(known.values[0] ?? 0);
      if (cadence.kind === 'above') return count > cadence.limit ? fires({ count }) : { ...trial, count, by: 'limit' };
      const saying = sayingAt(says, count);
      return saying === undefined ? { ...trial, count, by: 'counted' } : fires({ count, says: saying });
    }
    case 'phase': {
      const form = machine(knowledge.plan, cadence.phase);
      const tracked = look(form.track);
      if (tracked.is === 'unknown') return unknown(tracked, trial);
      const present = phase(knowledge, cadence.phase, form);
      const rows = form.phases[present] ?? [];
      const more = { phase: present, allowed: rows.flatMap((row) => row.agents) };
      const covered = tracked.values.length > 0 && tracked.values.every((value) => rows.some((row) => matchesAgent(row.agents, textOf(value))));
      return covered ? { ...trial, ...more, by: 'phases' } : fires(more);
    }
    case 'token': {
      const { token } = said(trial.rule.id, knowledge);
      const redeemed = token !== undefined && (knowledge.event.reply ?? '').includes(token);
      return redeemed ? { ...trial, by: 'ack', redeemed: true } : fires({});
    }
  }
}

export function machine(plan: Plan, name: string): FormOf<'phase'> {
  const form = plan.facts[name]?.form;
  if (form?.kind !== 'phase') throw new Error(`the plan has no phases called ${name}`);
  return form;
}

/** Of several keys that fit, the largest speaks. */
function sayingAt(says: readonly Saying[], count: number): Saying | undefined {
  return says
    .filter((saying) => saying.at !== undefined && fitsKey(saying.at, count))
    .sort((a, b) => (b.at?.from ?? 0) - (a.at?.from ?? 0))[0];
}

/** `2` · `16 and doubling` · `12 and every 6` */
export function fitsKey(key: CountKey, count: number): boolean {
  if (count < key.from || key.then === undefined) return count === key.from;
  if (key.then !== 'doubling') return (count - key.from) % key.then === 0;
  return key.from > 0 && Number.isInteger(Math.log2(count / key.from));
}
