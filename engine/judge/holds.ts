/** A test of a policy (match, unless, until) against what is known of an event. */
import type { Opaque, Run } from '../command/analysis.ts';
import { covers } from '../command/covers.ts';
import { FOLDS } from './builtin.ts';
import type { Clause, Json, Matcher, Pattern, Test } from '../model.ts';
import { every, NO, prefer, some, YES, type Answer, type Cause } from './answer.ts';
import { matchesGlob, matchesRegex, type Sort } from './match.ts';
import { shown } from './paths.ts';

/** A fact's values; no values means absent. */
export type Known =
  | { readonly is: 'known'; readonly sort: Sort; readonly values: readonly Json[]; readonly opaque?: readonly Opaque[]; /** It may have several values: a list for JsonLogic even if it has one. */ readonly list?: true; /** Where its words come from: an event's are cut in messages, the environment's are shown by trusted policies only. */ readonly origin?: 'event' | 'env' }
  | { readonly is: 'unknown'; readonly cause: Cause };

export type Look = (fact: string) => Known;

/** Facts about what the call does; an exception must cover all of it. */
/** Common in honest work: a script on disk, code given to an interpreter. */
export const HONEST: ReadonlySet<string> = new Set(['script-file', 'inline-code']);

const ACTS: ReadonlySet<string> = new Set(['path', 'writes', 'runs', 'content']);

/** Characters of a text that a regex looks at. */
const SEARCHED = 1_000_000;

export function holds(test: Test, look: Look): Answer {
  // Nearly every test has one alternative.
  const [only] = test;
  return only !== undefined && test.length === 1 ? matcherHolds(only, look) : some(test, (matcher) => matcherHolds(matcher, look));
}

/** Whether `unless` excuses what satisfied `match`: on acts, every value must be covered. */
export function excuses(unless: Test, match: Test, look: Look): Answer {
  const pooled = new Map<string, Set<number>>();
  let undecided: Answer | undefined;
  for (const matcher of unless) {
    const acts = matcher.filter((clause) => ACTS.has(clause.fact));
    const rest = every(
      matcher.filter((clause) => !ACTS.has(clause.fact)),
      (clause) => clauseHolds(clause, look),
    );
    if (rest.is === 'no') continue;
    const covered = every(acts, (clause) => coversAll(clause, match, look, acts.length === 1 && rest.is === 'yes' ? pooled : undefined));
    if (rest.is === 'yes' && covered.is === 'yes') return YES;
    if (rest.is === 'unknown') undecided = rest;
    else if (covered.is === 'unknown') undecided = covered;
  }
  for (const [fact, numbers] of pooled) {
    const all = satisfying(fact, match, look);
    if (all.is === 'known' && all.values.length > 0 && all.values.every((_, index) => numbers.has(index))) return YES;
  }
  return undecided ?? NO;
}

/** As `every`, without a function per clause: this is asked of every rule that is looked up. */
function matcherHolds(matcher: Matcher, look: Look): Answer {
  let unknown: Answer | undefined;
  for (const clause of matcher) {
    const answer = clauseHolds(clause, look);
    if (answer.is === 'no') return answer;
    if (answer.is === 'unknown') unknown = prefer(unknown, answer);
  }
  return unknown ?? YES;
}

function clauseHolds(clause: Clause, look: Look): Answer {
  const known = look(clause.fact);
  if (known.is === 'unknown') return known;
  const answer = oneFits(clause, known, look);
  // The analyser names what it could not see; a word that can't be compared is only its echo.
  const unseen = known.opaque?.filter(({ reason }) => !HONEST.has(reason)) ?? [];
  if (answer.is === 'unknown' && answer.cause.kind === 'opaque' && unseen.length > 0) return { is: 'unknown', cause: { kind: 'opaque', fact: clause.fact, parts: unseen } };
  // An unknown argument hides no other program; what can hide one makes every no doubtful.
  const hiding = known.opaque?.filter(({ reason }) => known.sort === 'path' || reason !== 'dynamic-argument') ?? [];
  if (answer.is === 'no' && hiding.length > 0 && clause.values.some((pattern) => pattern.is === 'glob')) return { is: 'unknown', cause: { kind: 'opaque', fact: clause.fact, parts: hiding } };
  return answer.is === 'no' ? because(clause) : answer;
}

const reasons = new WeakMap<Clause, Answer>();

/** The same answer every time: it is given for most clauses of most rules. */
function because(clause: Clause): Answer {
  let answer = reasons.get(clause);
  if (answer === undefined) {
    answer = { is: 'no', because: clause.fact };
    reasons.set(clause, answer);
  }
  return answer;
}

/** As `some` of `some`: a pattern and a value that fit. */
function oneFits(clause: Clause, { values, sort }: Extract<Known, { is: 'known' }>, look: Look): Answer {
  let unknown: Answer | undefined;
  for (const pattern of clause.values) {
    if (pattern.is === 'there' || pattern.is === 'absent') {
      if ((values.length > 0) === (pattern.is === 'there')) return YES;
      continue;
    }
    for (const value of values) {
      const answer = valueFits(value, sort, pattern, clause, look, true);
      if (answer.is === 'yes') return answer;
      if (answer.is === 'unknown') unknown = prefer(unknown, answer);
    }
  }
  return unknown ?? NO;
}

function coversAll(clause: Clause, match: Test, look: Look, pooled: Map<string, Set<number>> | undefined): Answer {
  const known = satisfying(clause.fact, match, look);
  if (known.is === 'unknown') return known;
  if (known.values.length === 0) return clause.values.some((pattern) => pattern.is === 'absent') ? YES : NO;
  // What can't be seen is not excused, but for code that any honest line may call.
  if (known.sort === 'run' && known.opaque?.some(({ reason }) => !HONEST.has(reason)) === true) return NO;
  const numbers = pooled?.get(clause.fact) ?? new Set<number>();
  pooled?.set(clause.fact, numbers);
  // Each value is asked, also after a no: another entry may cover the rest.
  const answers = known.values.map((value) => some(clause.values, (pattern) => valueFits(value, known.sort, pattern, clause, look)));
  answers.forEach((answer, index) => answer.is === 'yes' && numbers.add(index));
  return every(answers, (answer) => answer);
}

/** The values of a fact that satisfied `match`: all of them where it does not ask for the fact. */
function satisfying(fact: string, match: Test, look: Look): Known {
  const known = look(fact);
  if (known.is === 'unknown') return known;
  const values = known.values.filter((value) =>
    match.some((matcher) => {
      if (matcherHolds(matcher, look).is === 'no') return false;
      const clauses = matcher.filter((clause) => clause.fact === fact);
      return clauses.every((clause) => clause.values.some((pattern) => valueFits(value, known.sort, pattern, clause, look, true).is !== 'no'));
    }),
  );
  return { ...known, values };
}

/** `reaches`: a folder that is removed or moved as a whole also fits what lies below it. */
function valueFits(value: Json, sort: Sort, pattern: Pattern, clause: Clause, look: Look, reaches = false): Answer {
  const anyCase = clause.anyCase === true;
  switch (pattern.is) {
    case 'there':
      return YES;
    case 'absent':
      return NO;
    case 'fact': {
      const other = look(pattern.fact);
      if (other.is === 'unknown') return other;
      const text = textOf(value);
      return other.values.some((each) => (anyCase ? textOf(each).toLowerCase() === text.toLowerCase() : textOf(each) === text)) ? YES : NO;
    }
    case 'regex': {
      const text = textOf(value);
      if (matchesRegex(pattern.regex, text.slice(0, SEARCHED), anyCase)) return YES;
      return text.length <= SEARCHED ? NO : { is: 'unknown', cause: { kind: 'failed', fact: clause.fact, why: `it is longer than ${SEARCHED} characters` } };
    }
    case 'glob': {
      const run = sort === 'run' ? asRun(value) : undefined;
      if (run === undefined) {
        const glob = sort === 'path' ? located(pattern.glob, look) : pattern.glob;
        if (glob === undefined) return NO;
        const folds = look(FOLDS);
        return matchesGlob(glob, textOf(value), sort, anyCase || (sort === 'path' && folds.is === 'known' && folds.values.length > 0)) || (reaches && isTree(value) && liesBelow(glob, textOf(value))) ? YES : NO;
      }
      const answer = covers(pattern.glob, run, anyCase);
      if (answer === 'unknown') return { is: 'unknown', cause: { kind: 'opaque', fact: clause.fact, parts: [{ reason: 'dynamic-argument', at: run.at, text: textOf(value) }] } };
      return answer === 'yes' ? YES : NO;
    }
  }
}

const programs = new WeakMap<object, Run>();

/** A run as it stands in the JSON of an analysis, made once: many rules ask for the same program. */
export function asRun(value: Json): Run | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const before = programs.get(value);
  if (before !== undefined) return before;
  const run = readRun(value);
  if (run !== undefined) programs.set(value, run);
  return run;
}

function readRun(value: Json): Run | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !('argv' in value) || !Array.isArray(value['argv'])) return undefined;
  const heads = 'heads' in value && typeof value['heads'] === 'object' && value['heads'] !== null ? Object.entries(value['heads']).map(([index, head]) => [Number(index), String(head)] as const) : [];
  return { argv: value['argv'].map((word: Json) => (word === null ? null : String(word))), at: [0, 0], via: [], ...(heads.length > 0 ? { heads: Object.fromEntries(heads) } : {}) };
}

/** A path glob with `~` and `{env.X}` filled in; undefined if the variable is not set. */
function located(glob: string, look: Look): string | undefined {
  if (glob[0] !== '~' && glob[0] !== '{') return glob;
  if (!/^(~|\{env\.\w+\})(\/|$)/.test(glob)) return glob;
  const [, name = '~', rest = ''] = /^(?:~|\{(env\.\w+)\})(.*)$/s.exec(glob) ?? [];
  const base = look(name);
  const folder = base.is === 'known' ? base.values[0] : undefined;
  if (typeof folder !== 'string') return undefined;
  // Paths inside the project are compared without it.
  const project = look('.');
  const root = project.is === 'known' ? project.values[0] : undefined;
  return shown(folder.replace(/\/$/, '') + rest, typeof root === 'string' ? [root] : []);
}

function isTree(value: Json): boolean {
  return typeof value === 'object' && value !== null && 'tree' in value;
}

/** Whether the fixed beginning of a glob lies inside a folder. */
function liesBelow(glob: string, folder: string): boolean {
  const fixed = /^[^*?[{(]*/.exec(glob)?.[0] ?? '';
  if (folder === '.') return fixed !== '' && !fixed.startsWith('/');
  return fixed.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** A value as the text that patterns and messages see. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if ('argv' in value) return textOf(value['argv'] ?? null);
    if ('tree' in value) return textOf(value['path'] ?? null);
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' || item === null)) return value.map((item) => item ?? '?').join(' ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Whether one of the patterns covers the agent's name. */
export function matchesAgent(patterns: readonly string[], agent: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, agent, 'agent', false));
}
