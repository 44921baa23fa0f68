/** Test files of a project → results per case and coverage per rule. */
import type { Plan, Problem } from '../../engine/model.ts';
import { didYouMean } from '../../engine/report/suggest.ts';
import type { Case, TestFile } from './file.ts';
import { play, type Played } from './play.ts';

export interface CaseResult {
  readonly test: Case;
  readonly played: readonly Played[];
  /** The first step that went wrong. */
  readonly failed?: Played;
}

export interface Coverage {
  readonly rule: string;
  readonly cases: number;
  readonly fired: boolean;
  readonly quiet: boolean;
}

/** Cases that can't be played as they are: unknown rules, steps that never concern the rule. */
export function checkCases(file: TestFile, plan: Plan): readonly Problem[] {
  const problems: Problem[] = [];
  const ids = plan.rules.map((rule) => rule.id);
  for (const test of file.cases) {
    if (test.rule !== 'all' && !ids.includes(test.rule)) {
      const help = didYouMean(test.rule, ids);
      if (problems.some(({ at }) => at.start === test.ruleAt.start)) continue;
      problems.push({ code: 'unknown-rule', severity: 'error', at: test.ruleAt, message: `there is no rule \`${test.rule}\``, ...(help === undefined ? {} : { help }) });
      continue;
    }
    for (const item of test.items) {
      if (item.do !== 'step') continue;
      const unknown = item.step.rules?.find((id) => !ids.includes(id));
      if (unknown !== undefined) {
        const help = didYouMean(unknown, ids);
        problems.push({ code: 'unknown-rule', severity: 'error', at: item.step.expectAt, message: `there is no rule \`${unknown}\``, ...(help === undefined ? {} : { help }) });
      }
    }
  }
  return problems;
}

export function playCases(file: TestFile, plan: Plan, filter: (test: Case) => boolean): readonly CaseResult[] {
  return file.cases.filter(filter).map((test) => {
    const played = play(test, plan);
    const failed = played.find((each) => each.fault !== undefined);
    return { test, played, ...(failed === undefined ? {} : { failed }) };
  });
}

/** A case under a rule's id none of whose steps the rule was even asked about tests nothing. */
export function muteCases(results: readonly CaseResult[]): readonly Problem[] {
  return results
    .filter(({ test, played }) => test.rule !== 'all' && !played.some(({ trials }) => trials.some(({ trial }) => trial.rule.id === test.rule)))
    .map(({ test }) => ({ code: 'mute-case' as const, severity: 'error' as const, at: test.at, message: `no step of this case concerns rule \`${test.rule}\``, help: 'its event or tool is another; the rule could never fire here' }));
}

export function coverageOf(plan: Plan, results: readonly CaseResult[]): readonly Coverage[] {
  return plan.rules.map(({ id }) => {
    const asked = results.flatMap(({ played }) => played.flatMap(({ trials }) => trials.filter(({ trial }) => trial.rule.id === id)));
    return {
      rule: id,
      cases: results.filter(({ test }) => test.rule === id).length,
      fired: asked.some(({ trial }) => trial.fired),
      quiet: asked.some(({ trial }) => !trial.fired) || results.some(({ played }) => played.some(({ trials }) => !trials.some(({ trial }) => trial.rule.id === id))),
    };
  });
}
