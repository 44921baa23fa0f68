/** One event → one verdict, with the state kept: evaluate, gather what it needs, evaluate again under the lock. */
import { evaluate, type Evaluation } from '../engine/judge/evaluate.ts';
import type { Event, Need, Outside, Plan, State, Verdict } from '../engine/model.ts';
import { StateError, type Store } from '../engine/state/store.ts';
import { guarded } from './watchdog.ts';

export interface Edge {
  readonly store: Store;
  readonly findOutside: (need: Need, event: Event) => Promise<Outside>;
}

export interface Answer {
  readonly verdict: Verdict;
  /** The event with the outside facts that were gathered. */
  readonly event: Event;
  /** For the person: what could not be done. */
  readonly notes: readonly string[];
}

/** Rounds of asking; each brings at least one new fact, and facts do not depend on each other deeply. */
const ROUNDS = 16;

export async function answer(plan: Plan, given: Event, edge: Edge): Promise<Answer> {
  const notes: string[] = [];
  let event = given;
  for (let round = 0; round < ROUNDS; round++) {
    const state = edge.store.read(event.session);
    const { result: first } = guarded(plan, state, event);
    if ('needs' in first) {
      event = await gather(first.needs, event, edge);
      continue;
    }
    if (first.state === state) return { verdict: first.verdict, event, notes: [...notes, ...edge.store.notes()] };
    const settled = commitUnderLock(plan, event, edge, { state, result: first });
    if ('needs' in settled) {
      event = await gather(settled.needs, event, edge);
      continue;
    }
    if ('verdict' in settled) return { verdict: settled.verdict, event, notes: [...notes, ...edge.store.notes()] };
    notes.push(settled.fault);
    return { verdict: withoutMemory(plan, state, event), event, notes: [...notes, ...edge.store.notes()] };
  }
  throw new Error(`an event needed more than ${ROUNDS} rounds of outside facts`);
}

interface Judged {
  readonly state: State;
  readonly result: Evaluation;
}

/** Judged again only if somebody has written since. Nothing is waited for under the lock: a new need gives it up again. */
function commitUnderLock(plan: Plan, event: Event, { store }: Edge, before: Judged): { verdict: Verdict } | { needs: readonly Need[] } | { fault: string } {
  let result: Evaluation | undefined;
  try {
    store.update(
      event.session,
      (state) => {
        result = state === before.state ? before.result : guarded(plan, state, event).result;
        return 'needs' in result || result.state === state ? undefined : result.state;
      },
      { user: plan.sharesUser },
    );
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { fault: error.message };
  }
  if (result === undefined) throw new Error('the store did not call back');
  return result;
}

/**
 * The state can't be kept. Rules that speak a number of times, or until a token, would repeat for ever:
 * they are left out unless their policy denies what can't be computed. All others hold.
 */
function withoutMemory(plan: Plan, state: State, event: Event): Verdict {
  const lasting = plan.rules.map((rule) => (Object.hasOwn(plan.facts, `${rule.id}.said`) && rule.onError === 'allow' ? { ...rule, own: 'disabled' as const, final: true as const } : rule));
  const again = evaluate({ ...plan, rules: lasting }, state, event);
  if ('needs' in again) throw new Error('a rule asked for a new fact after it had all');
  return again.verdict;
}

async function gather(needs: readonly Need[], event: Event, { findOutside }: Edge): Promise<Event> {
  const found = await Promise.all(needs.map(async (need) => [need.key, await findOutside(need, event)] as const));
  return { ...event, outside: { ...event.outside, ...Object.fromEntries(found) } };
}
