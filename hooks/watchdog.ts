/** Evaluation that can't hang: a regex that runs away is stopped, and counts as a match for rules that deny. */
import { Script } from 'node:vm';
import { evaluate, type Evaluation } from '../engine/judge/evaluate.ts';
import { Unwatched, unwatched } from '../engine/judge/watch.ts';
import type { Event, Matcher, Pattern, Plan, Rule, State, Test } from '../engine/model.ts';

/** Milliseconds; an evaluation takes well under one. */
const LIMIT = 1_000;
const script = new Script('globalThis.__bylawRun()');

/** `slow` is true if a regex had to be stopped. Most events meet no regex that needs watching. */
export function guarded(plan: Plan, state: State, event: Event, limit = LIMIT): { readonly result: Evaluation; readonly slow: boolean } {
  try {
    return { result: unwatched(() => evaluate(plan, state, event)), slow: false };
  } catch (error) {
    if (!(error instanceof Unwatched)) throw error;
    return watched(plan, state, event, limit);
  }
}

function watched(plan: Plan, state: State, event: Event, limit: number): { readonly result: Evaluation; readonly slow: boolean } {
  let result: Evaluation | undefined;
  Object.assign(globalThis, {
    __bylawRun: () => {
      result = evaluate(plan, state, event);
    },
  });
  try {
    script.runInThisContext({ timeout: limit });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return { result: withFailure(evaluate(withoutRegexes(plan), state, event)), slow: true };
  } finally {
    Reflect.deleteProperty(globalThis, '__bylawRun');
  }
  if (result === undefined) throw new Error('the evaluation did not run');
  return { result, slow: false };
}

/** So that the audit knows. */
function withFailure(result: Evaluation): Evaluation {
  if ('needs' in result) return result;
  const failure = { rule: '*', at: '', fact: 'regex', why: 'a regex took too long and was stopped; rules that deny take it for a match', did: 'deny' } as const;
  return { ...result, verdict: { ...result.verdict, failures: [...result.verdict.failures, failure] } };
}

/** Rules that deny take a regex for matched (and an exception by regex for absent); other rules with regexes are left out. */
export function withoutRegexes(plan: Plan): Plan {
  const rules = plan.rules.map((rule): Rule => {
    if (!hasRegex(rule.match) && !hasRegex(rule.unless)) return rule;
    if (rule.speak?.decision !== 'deny') return { ...rule, own: 'disabled', final: true };
    return { ...rule, match: rule.match.map((matcher) => matcher.map((clause) => ({ ...clause, values: clause.values.map(taken) }))), unless: rule.unless.filter((matcher) => !hasRegex([matcher])) };
  });
  const facts = Object.fromEntries(
    Object.entries(plan.facts).map(([name, fact]) => [name, fact.form.kind === 'regex' ? { ...fact, form: { ...fact.form, regex: '^' } } : fact]),
  );
  return { ...plan, rules, facts };
}

function taken(pattern: Pattern): Pattern {
  return pattern.is === 'regex' ? { is: 'there' } : pattern;
}

function hasRegex(test: Test): boolean {
  return test.some((matcher: Matcher) => matcher.some((clause) => clause.values.some((pattern) => pattern.is === 'regex')));
}
