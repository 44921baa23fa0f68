/** An event at which the plan must speak, found by trying events that its own rules describe. Nothing is changed and no program is run. */
import { converge } from '../../engine/judge/converge.ts';
import type { Clause, Decision, Event, JsonObject, Matcher, Need, Outside, Pattern, Plan, Rule } from '../../engine/model.ts';
import { EMPTY_STATE } from '../../engine/state/state.ts';
import { decode } from '../../hooks/hosts/claude-code.ts';
import { lookOutside } from '../outside.ts';
import { longStep, shortStep } from '../scenario/step.ts';

export interface Probe {
  readonly event: string;
  /** As the host writes it. */
  readonly payload: JsonObject;
  readonly decision: Decision;
  /** The rule that speaks first. */
  readonly rule: string;
}

export interface Scene {
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Tried for each event; evaluating one takes well under a millisecond. */
const MOST = 400;
const ORDER: readonly Decision[] = ['deny', 'ask', 'advise'];

/** What most packs refuse, in the order in which it is tried. */
const USUAL: readonly string[] = [
  'Write bylaw.yaml', 'Bash rm bylaw.yaml', 'Write .claude/settings.json', 'Bash bylaw disable', 'Bash git push --force', 'Bash rm -rf /', 'Read .env', 'WebFetch https://example.com', 'Edit src/a.ts', 'Bash ls', 'Read src/a.ts',
  'UserPromptSubmit hello', 'SessionStart startup', 'Stop saying done', 'PostToolUse Edit src/a.ts', 'PostToolUse Bash ls', 'SubagentStart general-purpose', 'SubagentStop general-purpose saying done',
];

/** The strongest answer at one of these events, a tool call before others; undefined if no event is found that the plan speaks about at once. */
export function findProbe(plan: Plan, events: readonly string[], scene: Scene): Probe | undefined {
  let best: Probe | undefined;
  for (const payload of [...described(plan), ...usual()].filter((each) => events.includes(String(each['hook_event_name']))).slice(0, MOST)) {
    const probe = tried(plan, payload, scene);
    if (probe === undefined || (best !== undefined && rank(probe) >= rank(best))) continue;
    best = probe;
    if (rank(best) === 0) break;
  }
  return best;
}

/** What the plan says to this event in a session that has just begun. */
export function tried(plan: Plan, payload: JsonObject, { project, home, env }: Scene): Probe | undefined {
  let ran = false;
  const outside = (need: Need, event: Event): Outside => {
    if (need.kind !== 'run' && need.kind !== 'disarms') return lookOutside(need, event);
    ran = true;
    return { error: 'not asked by a probe' };
  };
  const event = decode(JSON.stringify({ cwd: project, ...payload }), { now: Date.now(), random: 'AAAA', env, project, home, cwd: project });
  const { verdict } = converge(plan, EMPTY_STATE, event, outside);
  const { decision } = verdict;
  const speaker = verdict.findings.find((finding) => finding.decision === decision && finding.heard);
  // A program of a policy may take long or do something; then another event must serve.
  if (ran || decision === 'none' || speaker === undefined) return undefined;
  return { event: event.event, payload, decision, rule: speaker.rule };
}

function rank({ decision, event }: Probe): number {
  return ORDER.indexOf(decision) * 2 + (event === 'PreToolUse' ? 0 : 1);
}

function usual(): readonly JsonObject[] {
  return USUAL.flatMap((text) => {
    const step = shortStep(text);
    return 'fault' in step ? [] : [step.payload];
  });
}

// -- events that rules describe

function described(plan: Plan): readonly JsonObject[] {
  const speaking = plan.rules.filter(({ speak, own, cadence }) => speak !== undefined && own !== 'disabled' && cadence.kind !== 'above');
  const order = (rule: Rule): number => ORDER.indexOf(rule.speak?.decision ?? 'advise');
  return [...speaking].sort((a, b) => order(a) - order(b)).flatMap((rule) => rule.on.flatMap((event) => rule.match.slice(0, 3).map((matcher) => payloadOf(event, matcher, plan))));
}

/** The simplest event that a matcher may hold for; whether it does is for the plan to say. */
function payloadOf(event: string, matcher: Matcher, plan: Plan): JsonObject {
  const word = (fact: string): string | undefined => {
    const clause = matcher.find((each) => each.fact === fact);
    return clause === undefined ? undefined : sampleOf(clause, plan);
  };
  const command = word('runs') ?? word('command');
  const path = word('writes') ?? word('path');
  const content = word('content');
  const agent = word('agent');
  const tool = word('tool') ?? (command !== undefined ? 'Bash' : word('writes') !== undefined || content !== undefined ? 'Write' : agent !== undefined ? 'Agent' : 'Read');
  const by = word('by');
  const fields = Object.fromEntries(matcher.filter(({ fact }) => fact.startsWith('input.')).map((clause) => [clause.fact.slice('input.'.length), sampleOf(clause, plan)]));
  const input = { ...(tool === 'Bash' ? { command: command ?? 'ls' } : { file_path: path ?? 'src/a.ts' }), ...(content === undefined ? {} : { content }), ...fields };
  const texts = Object.fromEntries(['prompt', 'reply', 'source', 'error'].flatMap((fact) => (word(fact) === undefined ? [] : [[fact, word(fact) ?? '']])));
  const calls = event.includes('ToolUse') || event.startsWith('Permission');
  const isAgentEvent = event.startsWith('Subagent');
  return longStep({ event, ...(calls ? { tool, input } : {}), ...(event === 'PostToolUse' ? { output: {} } : {}), ...(agent === undefined && !isAgentEvent ? {} : { agent: agent ?? 'general-purpose' }), ...(by === undefined || by === 'main' ? {} : { by: by === 'subagent' ? 'general-purpose' : by }), ...texts });
}

function sampleOf({ values }: Clause, plan: Plan): string {
  const [first] = values.flatMap((value) => sample(value, plan));
  return first ?? 'x';
}

function sample(pattern: Pattern, plan: Plan): readonly string[] {
  if (pattern.is === 'glob') return [plain(pattern.glob)];
  if (pattern.is === 'regex') return [plain(unescaped(pattern.regex))];
  return pattern.is === 'fact' && Object.hasOwn(plan.lists, pattern.fact) ? (plan.lists[pattern.fact] ?? []).slice(0, 1).map(plain) : [];
}

/** A name that a glob is likely to match: first alternatives, `x` for stars. */
function plain(glob: string): string {
  return glob
    .replace(/\{([^{},]*)(?:,[^{}]*)?\}/g, '$1')
    .replace(/\((?:\?:)?([^()|]*)(?:\|[^()]*)?\)/g, '$1')
    .replace(/\[([^\]])[^\]]*\]/g, '$1')
    .replace(/\*\*\//g, '')
    .replace(/\*+|\?/g, 'x');
}

/** A regex as if it were a glob: good enough for the simple ones that rules are made of. */
function unescaped(regex: string): string {
  return regex
    .replace(/^\^|\$$|\\b/g, '')
    .replace(/\\s[*+?]?(\{[^}]*\})?/g, ' ')
    .replace(/(?:\\[wdS]|\.)(?:[*+]\??|\{[^}]*\})/g, 'x')
    .replace(/\\([^\w\s])/g, '$1')
    .replace(/(\w)[*+?]/g, '$1');
}
