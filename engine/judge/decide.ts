/** Fired rules → findings with their words, and the strongest decision. */
import type { Opaque } from '../command/analysis.ts';
import { EVENTS } from '../events.ts';
import type { Decision, Event, Failure, Finding, Json, Level, Rule, Verdict } from '../model.ts';
import { fill } from './fill.ts';
import { textOf, type Known } from './holds.ts';
import { know, type Knowledge } from './know.ts';
import { isBypassed } from './level.ts';
import type { Trial } from './try.ts';

const STRENGTH: readonly (Decision | 'none')[] = ['none', 'advise', 'ask', 'deny'];
/** Characters of an event's own text that a message repeats. */
const CUT = 500;

/** The words of fired rules and what they come to. Deeds are added by commit. */
export function decide(trials: readonly Trial[], knowledge: Knowledge): Omit<Verdict, 'deeds'> {
  const failures = trials.flatMap(failureOf);
  const found = trials.filter((trial) => trial.fired).flatMap((trial) => findingOf(trial, knowledge, failures));
  const decision = found.reduce<Finding['decision']>((top, finding) => (strength(finding.decision) > strength(top) ? finding.decision : top), 'none');
  const refused = decision === 'deny' && isPreventable(knowledge.event.event);
  const findings = found
    .map((finding) => ({ ...finding, heard: finding.decision !== 'none' && (!refused || finding.decision === 'deny') }))
    .sort((a, b) => strength(b.decision) - strength(a.decision) || (a.rule < b.rule ? -1 : 1));
  const texts = findings.filter((finding) => finding.heard && finding.text !== '').map((finding) => finding.text);
  return { decision, passes: !refused, text: [...new Set(texts)].join('\n\n'), findings, failures };
}

export function isPreventable(event: string): boolean {
  return event === '' || EVENTS[event]?.deny === 'prevents';
}

function strength(decision: Decision | 'none'): number {
  return STRENGTH.indexOf(decision);
}

function failureOf({ rule, failure, fired }: Trial): readonly Failure[] {
  return failure === undefined ? [] : [{ rule: rule.id, at: rule.at, ...failure, did: fired ? 'deny' : 'allow' }];
}

function findingOf(trial: Trial, knowledge: Knowledge, failures: Failure[]): readonly Finding[] {
  const { rule, level } = trial;
  const home = knowledge.plan.homes[rule.home];
  const bypass = rule.unbypassed === true || home === undefined ? undefined : isBypassed(home, knowledge);
  const bypassed = bypass?.is === 'yes';
  const written = trial.unseen?.decision ?? rule.speak?.decision ?? 'none';
  const words = rule.speak === undefined ? '' : wordsOf(trial, knowledge);
  if (typeof words !== 'string') {
    const speaks = rule.onError === 'deny';
    failures.push({ rule: rule.id, at: rule.at, ...words, did: speaks ? 'deny' : 'allow' });
    if (!speaks) return [];
  }
  return [
    {
      rule: rule.id,
      home: rule.home,
      at: rule.at,
      level,
      written,
      decision: soften(written, bypassed ? 'observe' : level),
      text: typeof words === 'string' ? words || fallbackText(rule) : `${rule.id}: ${unknowable(words)}`,
      ...(rule.label === undefined ? {} : { label: fill(rule.label, (name) => valuesFor(name, trial, knowledge)) }),
      ...(bypassed ? { bypassed: true } : {}),
      ...(trial.count === undefined ? {} : { count: trial.count }),
      heard: false,
    },
  ];
}

/** A refusal without a word would look like a pass to the host. */
function fallbackText(rule: Rule): string {
  return rule.speak === undefined ? '' : `Rule ${rule.id} (${rule.at}).`;
}

function soften(written: Finding['written'], level: Level): Finding['decision'] {
  if (written === 'none' || level === 'observe' || level === 'disabled') return 'none';
  return level === 'guidance' ? 'advise' : written;
}

/** What is wrong, why, what to do instead; or the fact that kept it from being said. */
function wordsOf(trial: Trial, knowledge: Knowledge): string | { readonly fact: string; readonly why: string } {
  const { speak } = trial.rule;
  let missing: { readonly fact: string; readonly why: string } | undefined;
  const look = (name: string): readonly Json[] => {
    const own = ownValues(name, trial, knowledge.event);
    if (own !== undefined) return own;
    const known = know(knowledge, name, { level: trial.level, cost: 2 });
    if (known.is === 'unknown' && known.cause.kind === 'failed' && trial.failure === undefined) missing = known.cause;
    return printable(known, trial, knowledge);
  };
  const texts = [trial.says?.text, speak?.why, speak?.instead].flatMap((text) => (text === undefined ? [] : [fill(text, look).trim()]));
  if (missing !== undefined) return missing;
  if (trial.failure !== undefined) texts.push(unknowable(trial.failure));
  if (trial.unseen !== undefined) texts.unshift(unseen(trial.unseen.parts));
  return texts.filter((text) => text !== '').join('\n');
}

/** What the agent can do about it comes first. */
function unseen(parts: readonly Opaque[]): string {
  const named = [...new Set(parts.map(({ reason, text }) => (text === '' ? reason : `\`${text.slice(0, 80)}\` (${reason})`)))].slice(0, 3);
  return `Write the command out plainly: bylaw can not see what ${named.join(', ')} runs, and this rule may apply:`;
}

function unknowable({ fact, why }: { readonly fact: string; readonly why: string }): string {
  return `bylaw could not find out \`${fact}\` (${why}), and this policy refuses what it can not judge.`;
}

/** A text's own words: {count} {limit} {phase} {allowed} {token} {random}. */
function ownValues(name: string, trial: Trial, event: Event): readonly Json[] | undefined {
  const { cadence } = trial.rule;
  switch (name) {
    case 'count':
      return trial.count === undefined ? [] : [trial.count];
    case 'limit':
      return cadence.kind === 'above' ? [cadence.limit] : [];
    case 'phase':
      return trial.phase === undefined ? [] : [trial.phase];
    case 'allowed':
      return trial.allowed ?? [];
    case 'random':
      return [event.random];
    case 'token':
      return [tokenOf(trial, event) ?? ''];
    default:
      return undefined;
  }
}

/** The token a firing rule issues. */
export function tokenOf(trial: Trial, event: Event): string | undefined {
  const { cadence } = trial.rule;
  return cadence.kind === 'token' ? fill(cadence.token, (name) => (name === 'random' ? [event.random] : [])) : undefined;
}

export function valuesFor(name: string, trial: Trial, knowledge: Knowledge): readonly Json[] {
  const own = ownValues(name, trial, knowledge.event);
  if (own !== undefined) return own;
  const known = know(knowledge, name, { level: trial.level, cost: 2 });
  return printable(known, trial, knowledge);
}

/** An event's own texts are cut; the environment is shown only by trusted policies. */
function printable(known: Known, trial: Trial, { plan }: Knowledge): readonly Json[] {
  if (known.is === 'unknown' || (known.origin === 'env' && plan.homes[trial.rule.home]?.trusted !== true)) return [];
  if (known.origin === undefined) return known.values;
  return known.values.map((value) => {
    const text = textOf(value);
    return text.length <= CUT ? value : `${text.slice(0, CUT)}…`;
  });
}
