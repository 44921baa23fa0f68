/** Plan × State × Event → Verdict × next State, or the outside facts it needs first. Pure; everything else calls this. */
import type { Event, Need, Plan, State, Verdict } from '../model.ts';
import { findPlaces, pick } from '../plan/lookup.ts';
import { settle } from './cells.ts';
import { commit } from './commit.ts';
import { decide } from './decide.ts';
import { createKnowledge, plainPaths, type Knowledge } from './know.ts';
import { tryRule, type Trial } from './try.ts';

export type Evaluation =
  | { readonly needs: readonly Need[] }
  | { readonly verdict: Verdict; readonly state: State };

/** Told of every rule that was looked up, once nothing is needed any more. */
export type Trace = (trial: Trial, knowledge: Knowledge) => void;

export function evaluate(plan: Plan, state: State, event: Event, trace?: Trace): Evaluation {
  // know: facts are found on demand, from the state as it was before the event
  const knowledge = createKnowledge(plan, settle(state, event), event);

  // look up; a trace also hears of rules about other folders, which can't fire
  const { numbers, moving } = findPlaces(plan, event, trace === undefined ? () => plainPaths(knowledge) : undefined);
  if (knowledge.needs.size > 0) return { needs: [...knowledge.needs.values()] };

  // test
  const trials = pick(plan, numbers).flatMap((rule) => tryRule(rule, knowledge) ?? []);

  // decide
  const verdict = decide(trials, knowledge);

  // commit
  const { state: next, deeds, failures } = commit(trials, moving, verdict, knowledge);
  if (knowledge.needs.size > 0) return { needs: [...knowledge.needs.values()] };
  if (trace !== undefined) for (const trial of trials) trace(trial, knowledge);
  return { verdict: { ...verdict, failures: [...verdict.failures, ...failures], deeds }, state: next };
}
