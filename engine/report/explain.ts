/** A traced evaluation → why each rule spoke or stayed quiet, in words. */
import type { Clause, Event, Matcher, Pattern, Plan, Rule, Test, Verdict } from '../model.ts';
import { said, type Trial } from '../judge/try.ts';
import { excuses, holds, textOf, type Look } from '../judge/holds.ts';
import { looker, type Knowledge } from '../judge/know.ts';
import { personsLevel } from '../judge/level.ts';
import { PLAIN, plural, type Paint } from './frame.ts';

export interface Traced {
  readonly trial: Trial;
  readonly knowledge: Knowledge;
}

/** Columns: verdict, rule or key, its value, the answer. */
const WIDTH = 80;

export function explain(plan: Plan, event: Event, verdict: Verdict, traced: readonly Traced[], paint: Paint = PLAIN): string {
  const title = [event.event || 'unreadable', event.tool, mainArgument(event)].filter((part) => part !== undefined && part !== '').join(' · ');
  const lines = [`${paint.strong(clip(title, WIDTH))}`, paint.dim(`${traced.length} of ${plural(plan.rules.length, 'rule')} looked up`), ''];
  const spoke = [...traced].filter(({ trial }) => trial.fired).sort((a, b) => order(verdict, a) - order(verdict, b));
  for (const each of spoke) lines.push(...explainFired(each, verdict, paint), '');
  const quiet = traced.filter(({ trial }) => !trial.fired);
  for (const each of quiet) lines.push(...explainQuiet(each, paint));
  if (quiet.length > 0) lines.push('');
  lines.push(outcome(verdict));
  return lines.join('\n');
}

function order(verdict: Verdict, { trial }: Traced): number {
  return verdict.findings.findIndex((finding) => finding.rule === trial.rule.id);
}

function explainFired({ trial, knowledge }: Traced, verdict: Verdict, paint: Paint): readonly string[] {
  const { rule } = trial;
  const finding = verdict.findings.find((each) => each.rule === rule.id);
  const decision = finding?.decision ?? 'none';
  const word = decision === 'none' ? (rule.speak === undefined ? 'does' : 'notes') : decision.toUpperCase();
  const colour = decision === 'deny' ? paint.bad : decision === 'none' ? paint.dim : paint.warn;
  const look = looker(knowledge, { level: trial.level, cost: 2 });
  const lines = [row(colour(word.padEnd(6)), paint.strong(rule.id), word.length > 6 ? 0 : word.padEnd(6).length + rule.id.length, rule.at)];
  const add = (key: string, what: string, answer = ''): void => void lines.push(`       ${paint.dim(key.padEnd(8))} ${pad(what, 34)} ${answer}`.trimEnd());
  if (trial.failure !== undefined) add('error', trial.failure.fact, `${trial.failure.why}; on-error: ${rule.onError}`);
  else {
    for (const clause of bestMatcher(rule.match, look)) add('match', clauseText(clause), valueText(clause.fact, look));
    if (rule.unless.length > 0) add('unless', testText(rule.unless), `no${howMany(rule.unless)}`);
    if (rule.when !== undefined) add('when', clip(JSON.stringify(rule.when), 34), 'true');
    for (const line of cadenceText(trial, knowledge)) add(...line);
  }
  if (trial.level !== 'strict' || finding?.bypassed === true) add('level', trial.level, finding?.bypassed === true ? 'bypassed: recorded only' : levelReason(rule, knowledge));
  if (finding !== undefined && finding.text !== '') {
    for (const [index, text] of finding.text.split('\n').entries()) add(index === 0 ? 'says' : '', text);
  }
  for (const effect of rule.then) add('then', `${effect.do} ${'fact' in effect ? effect.fact : effect.to}`);
  return lines;
}

function explainQuiet({ trial, knowledge }: Traced, paint: Paint): readonly string[] {
  return [row(paint.dim('quiet '), trial.rule.id, 6 + trial.rule.id.length, quietReason(trial, knowledge))];
}

/** Why a rule that was looked up said nothing. */
export function quietReason(trial: Trial, knowledge: Knowledge): string {
  const { rule } = trial;
  const look = looker(knowledge, { level: trial.level, cost: 2 });
  switch (trial.by) {
    case 'level':
      return `level: disabled${levelReason(rule, knowledge) === '' ? '' : `, ${levelReason(rule, knowledge)}`}`;
    case 'active':
      return 'active: its policy is off';
    case 'match':
      return `match: ${failingClause(rule.match, look)}`;
    case 'unless':
      return `unless: ${excusingMatcher(rule, look)}`;
    case 'when':
      return `when: not true`;
    case 'until':
      return 'until: this event empties it';
    case 'times':
      return `times ${rule.speak?.times ?? 0}: already said`;
    case 'limit':
      return `limit ${rule.cadence.kind === 'above' ? rule.cadence.limit : ''}: this is ${trial.count ?? 0}`;
    case 'counted':
      return `count ${trial.count ?? 0}; speaks at ${keysText(rule)}`;
    case 'phases':
      return `phases: covered in ${trial.phase ?? ''}`;
    case 'ack':
      return `ack: the reply holds ${said(rule.id, knowledge).token ?? 'the token'}`;
    default:
      return trial.failure === undefined ? 'the input can not be read' : `${trial.failure.fact}: ${trial.failure.why}`;
  }
}

function cadenceText(trial: Trial, knowledge: Knowledge): readonly (readonly [string, string, string])[] {
  const { rule } = trial;
  const { cadence } = rule;
  const lines: (readonly [string, string, string])[] = [];
  if (cadence.kind === 'above') lines.push(['limit', String(cadence.limit), `this is ${trial.count ?? 0}`]);
  if (cadence.kind === 'keys') lines.push(['counted', keysText(rule), `this is ${trial.count ?? 0}`]);
  if (cadence.kind === 'phase') lines.push(['phases', trial.phase ?? '', `allows ${(trial.allowed ?? []).join(', ') || 'nobody'}`]);
  if (cadence.kind === 'token') lines.push(['ack', said(rule.id, knowledge).token ?? 'no token given out yet', 'not in the reply']);
  if (rule.speak?.times !== undefined) lines.push(['times', String(rule.speak.times), `said ${said(rule.id, knowledge).times} times so far`]);
  return lines;
}

function levelReason(rule: Rule, { state, event }: Knowledge): string {
  if (rule.own !== undefined) return 'its own';
  const person = personsLevel(state, rule.home, event.now);
  return person === undefined ? `of ${rule.home}` : `set by a person${person.expires === undefined ? '' : ` until ${new Date(person.expires).toISOString()}`}`;
}

/** The alternative that holds, or the one that comes furthest. */
function bestMatcher(test: Test, look: Look): Matcher {
  return test.find((matcher) => holds([matcher], look).is === 'yes') ?? test[0] ?? [];
}

function failingClause(test: Test, look: Look): string {
  for (const matcher of test) {
    const clause = matcher.find((each) => holds([[each]], look).is === 'no');
    if (clause !== undefined) return `${clauseText(clause)}, but ${valueText(clause.fact, look)}`;
  }
  return 'no alternative holds';
}

function excusingMatcher(rule: Rule, look: Look): string {
  const matcher = rule.unless.find((each) => excuses([each], rule.match, look).is === 'yes') ?? rule.unless[0] ?? [];
  return matcher.map((clause) => `${clauseText(clause)} (${valueText(clause.fact, look)})`).join(' and ');
}

function valueText(fact: string, look: Look): string {
  const known = look(fact);
  if (known.is === 'unknown') return 'not known';
  return known.values.length === 0 ? `no ${fact}` : `it is ${clip([...new Set(known.values.map(textOf))].join(', '), 60)}`;
}

function testText(test: Test): string {
  return clip(test.map((matcher) => matcher.map(clauseText).join(' and ')).join(' or '), 60);
}

export function clauseText({ fact, values }: Clause): string {
  return `${fact} ${clip([...new Set(values.map(patternText))].join(', '), 48)}`;
}

function patternText(pattern: Pattern): string {
  switch (pattern.is) {
    case 'there':
      return 'there';
    case 'absent':
      return 'absent';
    case 'glob':
      return pattern.glob;
    case 'regex':
      return `/${pattern.regex}/`;
    case 'fact':
      return `$${pattern.fact}`;
  }
}

function howMany(test: Test): string {
  const count = test.reduce((sum, matcher) => sum + matcher.reduce((inner, clause) => inner + clause.values.length, 0), 0);
  return count > 1 ? `, none of ${count}` : '';
}

function keysText(rule: Rule): string {
  return (rule.speak?.says ?? []).flatMap(({ at }) => (at === undefined ? [] : [`${at.from}${at.then === undefined ? '' : at.then === 'doubling' ? ' and doubling' : ` and every ${at.then}`}`])).join(', ');
}

function mainArgument(event: Event): string | undefined {
  const { input } = event;
  const value = input?.['file_path'] ?? input?.['command'] ?? input?.['subagent_type'] ?? input?.['pattern'] ?? input?.['url'] ?? input?.['skill'] ?? event.agent ?? event.source;
  return typeof value === 'string' ? clip(value.replaceAll('\n', ' '), 50) : undefined;
}

function outcome(verdict: Verdict): string {
  if (!verdict.passes) return 'Denied: the call does not happen, and nothing counts it.';
  if (verdict.decision === 'deny') return 'Told to the agent: what it did stands.';
  if (verdict.decision === 'ask') return 'The person is asked; the call counts as passed.';
  return verdict.decision === 'advise' ? 'Passes, with advice.' : 'Passes: no rule has anything to say.';
}

function row(word: string, id: string, length: number, right: string): string {
  return `${word} ${id}${' '.repeat(Math.max(2, 42 - length))}${right}`;
}

function pad(text: string, width: number): string {
  return text.length > width ? text : text.padEnd(width);
}

function clip(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
