/** Trials and the decision → the next state and the deeds outside it. All changes are made together, by name. */
import type { Cell, Deed, Effect, Event, Failure, Json, JsonObject, Kept, Level, Rule, State, Term, Trigger, Verdict } from '../model.ts';
import { cellsOf, emptied, memoryOf, readCell, writeCell } from './cells.ts';
import { tokenOf, valuesFor } from './decide.ts';
import { fill } from './fill.ts';
import { holds, matchesAgent, textOf } from './holds.ts';
import { know, looker, plainValue, type FormOf, type Knowledge } from './know.ts';
import { isActive, levelOf, personsLevel } from './level.ts';
import { findRule } from '../plan/lookup.ts';
import { isCounted, isRecent, perKey, phase, triggered } from './recall.ts';
import { matches, said, type Trial } from './try.ts';

const HISTORY = 500;
const MOMENTS = 10_000;

export interface Committed {
  readonly state: State;
  readonly deeds: readonly Deed[];
  readonly failures: readonly Failure[];
}

export function commit(trials: readonly Trial[], moving: readonly string[], verdict: Omit<Verdict, 'deeds'>, knowledge: Knowledge): Committed {
  const { state, event } = knowledge;
  const deniers = new Set(verdict.findings.filter((finding) => finding.decision === 'deny').map((finding) => finding.home));
  const denied = new Set(verdict.findings.filter((finding) => finding.decision === 'deny').map((finding) => finding.rule));
  /** It passed; or only its own policy denied it, and it counts attempts. */
  const moves = (home: string, attempts: true | undefined): boolean => verdict.passes || (attempts === true && [...deniers].every((each) => each === home));

  let next = state;
  for (const name of moving) next = move(next, name, knowledge, moves);
  if (verdict.passes) next = reset(next, trials, knowledge);
  next = speak(next, trials, verdict, knowledge);

  const acting = trials
    .filter((trial) => trial.fired && trial.rule.then.length > 0)
    .filter(({ rule }) => moves(rule.home, rule.attempts) || denied.has(rule.id))
    .sort((a, b) => (a.rule.id < b.rule.id ? -1 : 1));
  const effects = acting.flatMap((trial) => trial.rule.then.map((effect) => ({ trial, effect })));
  for (const each of effects) if (each.effect.do === 'forget') next = forget(next, each.trial, each.effect, knowledge);
  for (const each of effects) if (each.effect.do === 'remember') next = remember(next, each.trial, each.effect, knowledge);
  const { deeds, failures } = outward(effects, knowledge);
  return { state: verdict.passes ? track(next, event) : next, deeds, failures };
}

// -- counts and phases

function move(next: State, name: string, knowledge: Knowledge, moves: (home: string, attempts: true | undefined) => boolean): State {
  const fact = knowledge.plan.facts[name];
  if (fact === undefined) return next;
  const { form } = fact;
  if (form.kind === 'count' && moves(fact.home, form.attempts) && takesPart(fact.home, form.rule, knowledge)) return countUp(next, name, form, levelIn(fact.home, form.rule, knowledge), knowledge);
  if (form.kind === 'phase' && moves(fact.home, undefined) && takesPart(fact.home, form.rule, knowledge)) return step(next, name, form, knowledge);
  return next;
}

/** Disabled and inactive policies do not count. */
function takesPart(home: string, ruleId: string | undefined, knowledge: Knowledge): boolean {
  const { plan } = knowledge;
  if (levelIn(home, ruleId, knowledge) === 'disabled') return false;
  const rule = ruleId === undefined ? undefined : findRule(plan, ruleId);
  const where = plan.homes[home];
  return rule?.active === true || where === undefined || isActive(where, knowledge).is === 'yes';
}

/** The level that a count or a machine sees: its rule's, or its policy's where it is declared on its own. */
function levelIn(home: string, ruleId: string | undefined, { plan, state, event }: Knowledge): Level {
  const rule = ruleId === undefined ? undefined : findRule(plan, ruleId);
  return rule === undefined ? (personsLevel(state, home, event.now)?.level ?? plan.homes[home]?.level ?? 'strict') : levelOf(rule, state, event.now);
}

function countUp(next: State, name: string, form: FormOf<'count'>, level: Level, knowledge: Knowledge): State {
  const { state, event } = knowledge;
  const look = looker(knowledge, { level, cost: 2 });
  const counted = isCounted(knowledge, form.counted, form.memory.until, look).is === 'yes';
  const inCalls = form.window !== undefined && 'calls' in form.window;
  if (!counted && !(inCalls && holds(form.window.match, look).is === 'yes')) return next;
  const per = perKey(form, look);
  if (typeof per !== 'string') return next;
  const cell = readCell(state, event, name, form.memory);
  return writeCell(next, form.memory.scope, event.thread, name, counting(cell, form, counted ? per : null, event.now));
}

function counting(cell: Cell | undefined, form: FormOf<'count'>, per: string | null, now: number): Cell {
  if (form.window === undefined) {
    const counts = cell?.kind === 'count' ? cell.counts : {};
    const before = per !== null && Object.hasOwn(counts, per) ? (counts[per] ?? 0) : 0;
    return { kind: 'count', counts: per === null ? counts : { ...counts, [per]: before + 1 }, changed: now };
  }
  if ('calls' in form.window) {
    const calls = cell?.kind === 'calls' ? cell.calls : [];
    // The present call is the last of the window when the next one is judged.
    return { kind: 'calls', calls: form.window.calls > 1 ? [...calls, per].slice(-(form.window.calls - 1)) : [], changed: now };
  }
  const moments = cell?.kind === 'moments' ? cell.moments.filter(([at]) => isRecent(form, at, now)) : [];
  return { kind: 'moments', moments: per === null ? moments : [...moments, [now, per] as const].slice(-MOMENTS), changed: now };
}

/** The row of the present phase that covers the tracked value moves it; `stay` and no row do nothing. */
function step(next: State, name: string, form: FormOf<'phase'>, knowledge: Knowledge): State {
  const { plan, state, event } = knowledge;
  const look = looker(knowledge, { level: levelIn(plan.facts[name]?.home ?? '', form.rule, knowledge), cost: 2 });
  const tracked = look(form.track);
  const rule = form.own === true ? findRule(plan, form.rule) : undefined;
  const moved = rule === undefined ? triggered(form.moves, event.event, look) : matches(rule, knowledge, levelOf(rule, state, event.now)).answer;
  if (moved.is !== 'yes' || tracked.is === 'unknown') return next;
  const agent = textOf(tracked.values[0] ?? '');
  const from = phase(knowledge, name, form);
  const row = (form.phases[from] ?? []).find((each) => matchesAgent(each.agents, agent));
  if (row === undefined || row.to === 'stay') return next;
  const to = 'phase' in row.to ? row.to.phase : row.to.byEvent[event.event];
  if (to === undefined) return next;
  const cell = readCell(state, event, name, form.memory);
  const history = [...(cell?.kind === 'phase' ? cell.history : []), { agent, from, to, at: event.now, event: event.event }].slice(-HISTORY);
  return writeCell(next, form.memory.scope, event.thread, name, { kind: 'phase', phase: to, history, changed: event.now });
}

// -- resets and speaking

/** A passing event that matches `until`, or a redeemed token, empties the rule's state. */
function reset(next: State, trials: readonly Trial[], knowledge: Knowledge): State {
  const { plan, event } = knowledge;
  const redeemed = new Set(trials.filter((trial) => trial.redeemed).flatMap(({ rule }) => cellNames(rule)));
  const mayEmpty = (name: string, until: readonly Trigger[]): boolean => redeemed.has(name) || until.some(({ on }) => on.includes(event.event));
  for (const scope of ['turn', 'agent', 'session', 'project', 'user'] as const) {
    for (const [name, cell] of Object.entries(cellsOf(next, scope, event.thread))) {
      const fact = plan.facts[name];
      const memory = memoryOf(plan, name);
      if (memory?.scope !== scope || fact === undefined || !mayEmpty(name, memory.until)) continue;
      const look = looker(knowledge, { level: levelIn(fact.home, 'rule' in fact.form ? fact.form.rule : undefined, knowledge), cost: 2 });
      if (redeemed.has(name) || triggered(memory.until, event.event, look).is === 'yes') {
        next = writeCell(next, scope, event.thread, name, emptied(cell, event.now));
      }
    }
  }
  return next;
}

export function cellNames(rule: Rule): readonly string[] {
  return [`${rule.id}.said`, `${rule.id}.count`, `${rule.id}.phase`];
}

/** Rules that were heard, or would have been at a louder level, have spoken. */
function speak(next: State, trials: readonly Trial[], verdict: Omit<Verdict, 'deeds'>, knowledge: Knowledge): State {
  const { plan, event } = knowledge;
  for (const finding of verdict.findings) {
    const name = `${finding.rule}.said`;
    const memory = memoryOf(plan, name);
    const trial = trials.find(({ rule }) => rule.id === finding.rule);
    if (memory === undefined || trial === undefined) continue;
    const silent = finding.decision === 'none' && (verdict.passes || finding.written === 'deny');
    if (!finding.heard && !silent) continue;
    const token = tokenOf(trial, event);
    const cell: Cell = { kind: 'said', times: said(trial.rule.id, knowledge).times + 1, ...(token === undefined ? {} : { token }), changed: event.now };
    next = writeCell(next, memory.scope, event.thread, name, cell);
  }
  return next;
}

// -- effects

type EffectOf<K extends Effect['do']> = Extract<Effect, { readonly do: K }>;

function forget(next: State, trial: Trial, effect: EffectOf<'forget'>, knowledge: Knowledge): State {
  const memory = memoryOf(knowledge.plan, effect.fact);
  if (memory === undefined) return next;
  const { thread, now } = knowledge.event;
  const cell = cellsOf(next, memory.scope, thread)[effect.fact];
  if (cell?.kind !== 'values') return next;
  const gone = effect.value === undefined ? undefined : new Set(termValues(effect.value, trial, knowledge).map(textOf));
  const left = gone === undefined ? [] : cell.values.filter((kept) => !gone.has(textOf(kept.value)));
  return writeCell(next, memory.scope, thread, effect.fact, left.length === 0 ? undefined : { ...cell, values: left, changed: now });
}

function remember(next: State, trial: Trial, effect: EffectOf<'remember'>, knowledge: Knowledge): State {
  const form = knowledge.plan.facts[effect.fact]?.form;
  if (form?.kind !== 'remembered') return next;
  const { thread, now } = knowledge.event;
  const added = termValues(effect.value, trial, knowledge).map((value): Kept => ({ value, at: now }));
  if (added.length === 0) return next;
  const cell = cellsOf(next, form.memory.scope, thread)[effect.fact];
  const before = form.last !== undefined && cell?.kind === 'values' ? cell.values : [];
  const values = form.last === undefined ? added : [...before, ...added].slice(-form.last);
  return writeCell(next, form.memory.scope, thread, effect.fact, { kind: 'values', values, changed: now });
}

/** Records and reports are only written by trusted policies. */
function outward(effects: readonly { readonly trial: Trial; readonly effect: Effect }[], knowledge: Knowledge): { deeds: readonly Deed[]; failures: readonly Failure[] } {
  const deeds: Deed[] = [];
  const failures: Failure[] = [];
  for (const { trial, effect } of effects) {
    if (effect.do !== 'record' && effect.do !== 'report') continue;
    const { rule } = trial;
    const to = fill(effect.to, (name) => valuesFor(name, trial, knowledge));
    if (knowledge.plan.homes[rule.home]?.trusted !== true) {
      failures.push({ rule: rule.id, at: rule.at, fact: effect.do, why: 'its policy is not trusted; a person runs `bylaw trust`', did: 'allow' });
    } else {
      const fields: JsonObject = Object.fromEntries(Object.entries(effect.fields).map(([key, term]) => [key, plainValue(termValues(term, trial, knowledge)) ?? null]));
      deeds.push(effect.do === 'report' ? { do: 'report', to, home: rule.home, fields, rule: rule.id } : { do: 'record', to, line: fields, rule: rule.id });
    }
  }
  return { deeds, failures };
}

function termValues(term: Term, trial: Trial, knowledge: Knowledge): readonly Json[] {
  if (term.is === 'text') return [fill(term.text, (name) => valuesFor(name, trial, knowledge))];
  if (term.is === 'value') return term.value === null ? [] : [term.value];
  const known = know(knowledge, term.fact, { level: trial.level, cost: 2 });
  if (known.is === 'unknown' || (known.origin === 'env' && knowledge.plan.homes[trial.rule.home]?.trusted !== true)) return [];
  return known.values;
}

/** Live subagents: they enter when they start, leave when they stop, and none outlives a session's start. */
function track(state: State, event: Event): State {
  const { running } = state.session;
  const set = (next: Readonly<Record<string, string>>): State => ({ ...state, session: { ...state.session, running: next } });
  if (event.running !== undefined) return sameKeys(running, event.running) ? state : set(event.running);
  if (event.event === 'SubagentStart' && event.agentId !== undefined) return set({ ...running, [event.agentId]: event.agent ?? '' });
  if (event.event === 'SubagentStop' && event.agentId !== undefined && Object.hasOwn(running, event.agentId)) {
    return set(Object.fromEntries(Object.entries(running).filter(([id]) => id !== event.agentId)));
  }
  if (event.event === 'SessionStart' && event.source !== 'compact' && Object.keys(running).length > 0) return set({});
  return state;
}

function sameKeys(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  return Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => Object.hasOwn(b, key));
}

