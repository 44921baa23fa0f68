/** A case played through `evaluate`, step by step, with the state kept between the steps. */
import { converge } from '../../engine/judge/converge.ts';
import type { Event, Plan, Rule, State, Verdict } from '../../engine/model.ts';
import { EMPTY_STATE } from '../../engine/state/state.ts';
import type { Trial } from '../../engine/judge/try.ts';
import type { Knowledge } from '../../engine/judge/know.ts';
import { decode } from '../../hooks/hosts/claude-code.ts';
import type { Case, CaseStep, Word } from './file.ts';
import type { Payload } from './step.ts';
import { findInWorld, HOME, PROJECT } from './world.ts';

export interface Played {
  readonly step: CaseStep;
  readonly got: Word;
  readonly verdict: Verdict;
  readonly event: Event;
  readonly trials: readonly { readonly trial: Trial; readonly knowledge: Knowledge }[];
  /** What is wrong, or undefined. */
  readonly fault?: string;
}

/** Step n is n seconds after the start; `{random}` is X0, X1 … */
export function play(test: Case, plan: Plan): readonly Played[] {
  const staged = stage(plan, test);
  const findOutside = findInWorld(test.world);
  let state = startOf(test, plan);
  let now = test.clock;
  let number = 0;
  const played: Played[] = [];
  for (const item of test.items) {
    if (item.do === 'wait') {
      now += item.time;
      continue;
    }
    now += 1000;
    const { step } = item;
    const payload = { session_id: 'test', cwd: test.cwd, ...step.payload };
    const event = decode(textOf(payload), { now, random: `X${number++}`, env: test.env, project: PROJECT, home: HOME, cwd: test.cwd });
    const trials: { trial: Trial; knowledge: Knowledge }[] = [];
    const result = converge(staged, state, event, findOutside, (trial, knowledge) => trials.push({ trial, knowledge }));
    state = result.state;
    const fault = faultOf(step, result.verdict);
    played.push({ step, got: wordOf(result.verdict), verdict: result.verdict, event: result.event, trials, ...(fault === undefined ? {} : { fault }) });
  }
  return played;
}

/** What the host writes; input that can't be read is cut off before its end. */
function textOf(payload: Payload): string {
  const text = JSON.stringify(payload);
  return payload['error'] === 'input' ? text.slice(0, -1) : text;
}

export function wordOf(verdict: Verdict): Word {
  return verdict.decision === 'none' ? 'allow' : verdict.decision;
}

/** Under a rule's id only that rule speaks; the others count and remember, and say nothing. */
function stage(plan: Plan, test: Case): Plan {
  const rules = plan.rules.map((rule): Rule => (test.rule === 'all' || rule.id === test.rule ? rule : { ...rule, own: 'observe', final: true }));
  const homes = test.bypass ? Object.fromEntries(Object.entries(plan.homes).map(([name, home]) => [name, { ...home, bypass: [[]] }])) : plan.homes;
  // Scenarios touch nothing outside their own world, so every policy is trusted in them.
  const trusted = Object.fromEntries(Object.entries(homes).map(([name, home]) => [name, { ...home, trusted: true }]));
  return { ...plan, rules, homes: trusted };
}

function startOf(test: Case, plan: Plan): State {
  const { clock, state: given } = test;
  let state: State = { ...EMPTY_STATE, session: { ...EMPTY_STATE.session, running: given.running, levels: test.level === undefined ? [] : [{ level: test.level, at: clock }] } };
  const put = (name: string, cell: State['session']['cells'][string]): void => {
    const form = plan.facts[name]?.form;
    const scope = form !== undefined && 'memory' in form ? form.memory.scope : 'session';
    const { session } = state;
    if (scope === 'project' || scope === 'user') state = { ...state, [scope]: { ...state[scope], cells: { ...state[scope].cells, [name]: cell } } };
    else if (scope === 'turn') state = { ...state, session: { ...session, turn: { ...session.turn, [name]: cell } } };
    else if (scope === 'agent') state = { ...state, session: { ...session, agents: { ...session.agents, main: { ...session.agents['main'], [name]: cell } } } };
    else state = { ...state, session: { ...session, cells: { ...session.cells, [name]: cell } } };
  };
  for (const [name, value] of Object.entries(given.remembered)) put(name, { kind: 'values', values: (Array.isArray(value) ? value : [value]).map((each) => ({ value: each, at: clock })), changed: clock });
  for (const [rule, phase] of Object.entries(given.phase)) put(`${rule}.phase`, { kind: 'phase', phase, history: [], changed: clock });
  return state;
}

function faultOf(step: CaseStep, verdict: Verdict): string | undefined {
  const got = wordOf(verdict);
  if (got !== step.expect) return `expected ${step.expect}, got ${got}`;
  const responsible = verdict.findings.filter((finding) => finding.decision === verdict.decision && finding.heard).map((finding) => finding.rule).sort();
  if (step.rules !== undefined && [...step.rules].sort().join() !== responsible.join()) return `expected ${got} by ${step.rules.join(', ')}, got it by ${responsible.join(', ') || 'none'}`;
  const missing = step.says.find((text) => !verdict.text.includes(text));
  if (missing !== undefined) return `the message does not say ${JSON.stringify(missing)}`;
  const extra = step.notSays.find((text) => verdict.text.includes(text));
  return extra === undefined ? undefined : `the message says ${JSON.stringify(extra)}`;
}
