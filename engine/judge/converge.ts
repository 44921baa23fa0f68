/** Evaluate until nothing is needed any more, with the state in hand: for explanations, scenarios and replays. */
import type { Event, Need, Outside, Plan, State, Verdict } from '../model.ts';
import { evaluate, type Trace } from './evaluate.ts';

const ROUNDS = 16;

export function converge(plan: Plan, state: State, given: Event, findOutside: (need: Need, event: Event) => Outside, trace?: Trace): { readonly verdict: Verdict; readonly state: State; readonly event: Event } {
  let event = given;
  for (let round = 0; round < ROUNDS; round++) {
    const result = evaluate(plan, state, event, trace);
    if (!('needs' in result)) return { ...result, event };
    event = gather(result.needs, event, findOutside);
  }
  throw new Error(`an event needed more than ${ROUNDS} rounds of outside facts`);
}

function gather(needs: readonly Need[], event: Event, findOutside: (need: Need, event: Event) => Outside): Event {
  const found = needs.map((need): readonly [string, Outside] => [need.key, findOutside(need, event)]);
  return { ...event, outside: { ...event.outside, ...Object.fromEntries(found) } };
}
