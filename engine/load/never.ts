/** Rules that can never fire: a test asks for what its event does not have, or an exception covers all. */
import { applyLogic, variables } from '../judge/logic.ts';
import { SHELLS, WRITERS } from '../judge/builtin.ts';
import { hasMagic } from '../judge/match.ts';
import type { Clause, Matcher, Span, Test, Trigger } from '../model.ts';
import type { Desugared } from './desugar.ts';
import { entry, get, items, text, type Node } from './node.ts';
import { keySpan } from './sugar/key.ts';
import { hint, report, type World } from './world.ts';

const TOOL_EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied'];

/** The events at which a built-in fact can be there; facts not listed always can. */
const HAS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries({
  tool: TOOL_EVENTS,
  path: TOOL_EVENTS,
  writes: TOOL_EVENTS,
  runs: TOOL_EVENTS,
  command: TOOL_EVENTS,
  content: TOOL_EVENTS,
  input: [...TOOL_EVENTS, 'UserPromptExpansion'],
  output: ['PostToolUse'],
  reply: ['Stop', 'SubagentStop', 'StopFailure'],
  again: ['Stop', 'SubagentStop'],
  prompt: [...TOOL_EVENTS, 'UserPromptSubmit', 'UserPromptExpansion'],
  agent: [...TOOL_EVENTS, 'SubagentStart', 'SubagentStop'],
  'agent-id': ['PostToolUse', 'SubagentStart', 'SubagentStop'],
  source: ['UserPromptSubmit', 'SessionStart', 'ConfigChange', 'DirectoryAdded', 'PreModelSwitch', 'PostModelSwitch', 'UserPromptExpansion'],
  error: [...TOOL_EVENTS, 'StopFailure'],
  disarms: ['ConfigChange'],
}));

const ABOUT_AGENTS = ['SubagentStart', 'SubagentStop'];

/** Tools for which a built-in fact can be there. */
function toolsWith(fact: string, { lists }: World): readonly string[] | undefined {
  const shells = lists.get('shell-tools')?.map(({ text }) => text) ?? SHELLS;
  if (fact === 'runs' || fact === 'command') return shells;
  if (fact === 'writes') return [...shells, ...WRITERS];
  return fact === 'content' ? WRITERS : undefined;
}

/** A fact that no tool of the same matcher can have. Own tools of a server may carry anything. */
function fitsTool(clause: Clause, matcher: Matcher, world: World): boolean {
  const having = toolsWith(clause.fact, world);
  const tools = matcher.find(({ fact }) => fact === 'tool');
  if (having === undefined || tools === undefined || tools.anyCase === true || clause.values.some((value) => value.is === 'absent')) return true;
  return having.some(hasMagic) || tools.values.some((value) => value.is !== 'glob' || hasMagic(value.glob) || value.glob.startsWith('mcp__') || having.includes(value.glob));
}

/** `until`, `moves` and counts, each with its own events. */
export function checkTriggers(triggers: readonly Trigger[], node: Node | undefined, what: string, world: World): void {
  for (const { on, match } of triggers) {
    const dead = match.map((matcher) => matcher.find((clause) => !canHold(clause, on)));
    const [first] = dead;
    if (first === undefined || node === undefined || on.length === 0 || !dead.every((clause) => clause !== undefined)) continue;
    report(world, 'never-fires', clauseSpan(node, first.fact) ?? node.at, `\`${first.fact}\` is never there at ${on.join(', ')}; this ${what}`, `name the event: { event: ${(HAS.get(first.fact.replace(/\..*$/, '')) ?? ['PostToolUse'])[0] ?? ''}, … }`);
  }
}

export function checkNeverFires({ source, rule, draft }: Desugared, world: World): void {
  const matchNode = get(source.node, 'match');
  const impossible = rule.match.map((matcher) => matcher.find((clause) => !canHold(clause, rule.on) || !fitsTool(clause, matcher, world)));
  const first = impossible[0];
  if (rule.match.length > 0 && impossible.every((clause) => clause !== undefined) && first !== undefined) {
    const at = clauseSpan(matchNode, first.fact) ?? keySpan(source, 'event');
    const where = (HAS.get(first.fact.replace(/\..*$/, '')) ?? []).filter((event) => !ABOUT_AGENTS.includes(event) || first.fact !== 'by');
    if (first.fact === 'by') report(world, 'never-fires', at, `${rule.on.join(', ')} is always about a subagent, never \`main\``, 'leave `by` out, or ask for the agent: `agent: reviewer`');
    else if (canHold(first, rule.on)) report(world, 'never-fires', at, `\`${first.fact}\` is never there for these tools`, `it is there for ${(toolsWith(first.fact, world) ?? []).join(', ')}`);
    else report(world, 'never-fires', at, `\`${first.fact}\` is never there at ${rule.on.join(', ')}`, `it is there at ${where.slice(0, 4).join(', ')}`);
  }
  const empty = rule.match.map((matcher) => matcher.find((clause) => clause.values.length === 0 && isWrittenEmpty(matchNode, clause.fact, world)));
  const nothing = empty[0];
  if (nothing !== undefined && empty.every((clause) => clause !== undefined)) {
    hint(world, 'never-fires', clauseSpan(matchNode, nothing.fact) ?? source.definition.keyAt, `\`${nothing.fact}\` is compared with an empty list; the rule never fires`, 'add an entry; `true` stands for any value');
  }
  for (const matcher of rule.unless) {
    if (!covers(matcher, rule.match)) continue;
    const fact = matcher[0]?.fact ?? '';
    report(world, 'never-fires', clauseSpan(get(source.node, 'unless'), fact) ?? keySpan(source, 'unless'), `the exception covers all that rule \`${rule.id}\` matches`, 'make `unless` narrower than `match`');
    return;
  }
  for (const matcher of rule.unless) {
    const dead = matcher.find((clause) => !canHold(clause, rule.on));
    if (dead !== undefined) hint(world, 'never-fires', clauseSpan(get(source.node, 'unless'), dead.fact) ?? keySpan(source, 'unless'), `\`${dead.fact}\` is never there at ${rule.on.join(', ')}; this excuses nothing`, 'remove it, or ask for something that is there');
  }
  checkTriggers(rule.until, get(source.node, 'until'), 'empties nothing', world);
  for (const form of draft.facts) if (form.kind === 'phase' && form.own !== true) checkTriggers(form.moves, get(source.node, 'moves'), 'moves nothing', world);
  for (const trigger of rule.until) {
    if (!rule.on.every((event) => trigger.on.includes(event)) || !trigger.match.some((matcher) => covers(matcher, rule.match))) continue;
    report(world, 'never-fires', keySpan(source, 'until'), `all that rule \`${rule.id}\` matches is its own \`until\``, 'an event that empties a rule is not judged by it');
    return;
  }
  if (rule.when !== undefined && variables(rule.when).length === 0) {
    const { value } = applyLogic(rule.when, () => undefined);
    if (value === false || value === null || value === 0 || value === '') report(world, 'never-fires', keySpan(source, 'when'), '`when` is never true', 'compare with a fact: { var: name }');
  }
}

/** Whether a clause can hold at one of the events. */
function canHold(clause: Clause, on: readonly string[]): boolean {
  if (clause.values.some((value) => value.is === 'absent')) return true;
  if (clause.fact === 'event') return clause.values.some((value) => value.is !== 'glob' || on.includes(value.glob));
  if (clause.fact === 'by') {
    const onlyMain = clause.values.length > 0 && clause.values.every((value) => value.is === 'glob' && value.glob === 'main');
    return !onlyMain || on.some((event) => !ABOUT_AGENTS.includes(event));
  }
  const events = HAS.get(clause.fact.replace(/\..*$/, ''));
  return events === undefined || on.some((event) => events.includes(event));
}

/** Whether a matcher holds wherever the test does: each of its clauses is wider than one of the test's. */
function covers(matcher: Matcher, test: Test): boolean {
  return test.length > 0 && matcher.every((wide) => test.every((narrow) => narrow.some((clause) => isWider(wide, clause))));
}

function isWider(wide: Clause, narrow: Clause): boolean {
  if (wide.fact !== narrow.fact || (narrow.anyCase === true && wide.anyCase !== true)) return false;
  const has = new Set(wide.values.map((value) => JSON.stringify(value)));
  const there = wide.values.some((value) => value.is === 'there') && !narrow.values.some((value) => value.is === 'absent');
  return there || narrow.values.every((value) => has.has(JSON.stringify(value)));
}

/** No values, or only lists without entries; a pack may leave a list for its users to fill. */
function isWrittenEmpty(node: Node | undefined, fact: string, world: World): boolean {
  return items(node).some((each) => {
    const value = get(each, fact);
    return value !== undefined && items(value).every((item) => world.lists.get((text(item) ?? '').slice(1))?.length === 0);
  });
}

function clauseSpan(node: Node | undefined, fact: string): Span | undefined {
  for (const each of items(node)) {
    const found = entry(each, fact);
    if (found !== undefined) return found.keyAt;
  }
  return undefined;
}
