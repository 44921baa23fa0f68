/** A matcher as written → clauses of the core, with what `defaults` adds. */
import { EVENTS } from '../events.ts';
import { TEXTS } from '../judge/builtin.ts';
import { hasMagic, regexFault } from '../judge/match.ts';
import { LEVELS, type Clause, type Matcher, type Pattern, type Span, type Test, type Trigger } from '../model.ts';
import { entries, entry, get, isNull, items, text, type Entry, type MapNode, type Node } from './node.ts';
import { didYouMean, nearest } from '../report/suggest.ts';
import { duration, eventNames, factNamed, hint, meaningOf, report, type World } from './world.ts';

/** Where a matcher stands. */
export interface Scene {
  readonly world: World;
  readonly prefix: string;
  /** `defaults.match` of the home, if it applies here. */
  readonly defaults?: MapNode;
}

/** Names with a capital that the client uses; a rule for `bash` would never match. */
const TOOLS = ['Agent', 'AskUserQuestion', 'Bash', 'BashOutput', 'Edit', 'EnterPlanMode', 'ExitPlanMode', 'Glob', 'Grep', 'KillShell', 'LS', 'Monitor', 'MultiEdit', 'NotebookEdit', 'Read', 'SendMessage', 'Skill', 'SlashCommand', 'Task', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskOutput', 'TaskUpdate', 'TodoWrite', 'ToolSearch', 'WebFetch', 'WebSearch', 'Workflow', 'Write'];

/** `match`, `unless`, `active`, `bypass`: alternatives for the given events. */
export function readTest(node: Node | undefined, events: readonly string[], scene: Scene): Test {
  if (node === undefined) return fillDefaults([], undefined, events, scene);
  return items(node).flatMap((each) => fillDefaults(clausesOf(each, scene, []), each, events, scene));
}

/** `until`, `moves`: each alternative with its own event; idle times apart. */
export function readTriggers(node: Node | undefined, scene: Scene, otherwise: readonly string[] = ['PreToolUse']): { readonly triggers: readonly Trigger[]; readonly idle?: number } {
  const triggers: Trigger[] = [];
  let idle: number | undefined;
  for (const each of items(node)) {
    const idleText = text(get(each, 'idle'));
    if (idleText !== undefined) idle = Math.min(idle ?? Infinity, duration(idleText));
    const named = get(each, 'event');
    if (idleText !== undefined && entries(each).length === 1) continue;
    const on = named === undefined ? otherwise : eventNames(items(named), scene.world);
    triggers.push({ on, match: fillDefaults(clausesOf(each, scene, ['event', 'idle']), each, on, scene) });
  }
  return { triggers, ...(idle === undefined ? {} : { idle }) };
}

/** Clauses of one matcher as written; `skip` are keys that are not facts here. */
export function clausesOf(node: Node, scene: Scene, skip: readonly string[]): Matcher {
  const anyCase = isTrue(get(node, 'any-case'));
  return entries(node)
    .filter(({ key, value }) => key !== 'any-case' && !skip.includes(key) && !isNull(value))
    .flatMap((each) => clauseOf(each, anyCase, scene) ?? []);
}

function clauseOf(each: Entry, anyCase: boolean, scene: Scene): Clause | undefined {
  const fact = factNamed(each.key, each.keyAt, scene.prefix, scene.world);
  if (fact === undefined) return undefined;
  const values = items(each.value).flatMap((node) => patternsOf(node, fact, anyCase, scene));
  return { fact, values, ...(anyCase ? { anyCase: true } : {}) };
}

/** One value of a matcher; a list stands for its entries. */
export function patternsOf(node: Node, fact: string, anyCase: boolean, scene: Scene): readonly Pattern[] {
  const { world, prefix } = scene;
  if (node.kind === 'map') {
    const regex = entry(node, 'regex');
    const pattern = text(regex?.value);
    return pattern === undefined || regex === undefined ? [] : checkRegex(pattern, regex.value.at, world) ? [{ is: 'regex', regex: pattern }] : [];
  }
  if (node.kind === 'list') return node.items.flatMap((item) => patternsOf(item, fact, anyCase, scene));
  if (node.value === true) return [{ is: 'there' }];
  if (node.value === null) return [];
  if (node.value === false) return [{ is: 'absent' }];
  const word = String(node.value);
  if (!word.startsWith('$') || word === '$') return written(word, node.at, fact, anyCase, world);
  const meaning = meaningOf(word.slice(1), prefix, world);
  if (meaning?.is === 'list') return meaning.items.flatMap((item) => written(item.text, item.at, fact, anyCase, world));
  if (meaning !== undefined) return [{ is: 'fact', fact: meaning.name }];
  report(world, 'unknown-list', node.at, `there is no list or fact \`${word.slice(1)}\``, didYouMean(word.slice(1), [...world.lists.keys(), ...world.definitions.facts.keys()]));
  return [];
}

function written(word: string, at: Span, fact: string, anyCase: boolean, world: World): readonly Pattern[] {
  if (TEXTS.includes(fact)) return checkRegex(word, at, world) ? [{ is: 'regex', regex: word }] : [];
  if (fact === 'event') eventNames([{ kind: 'scalar', value: word, at }], world);
  if (fact === 'path' || fact === 'writes') return [{ is: 'glob', glob: pathGlob(word, at, world) }];
  if (fact === 'level' && !LEVELS.some((level) => level === word)) report(world, 'unknown-word', at, `there is no level \`${word}\``, didYouMean(word, LEVELS) ?? `levels: ${LEVELS.join(', ')}`);
  if (fact !== 'tool') return [{ is: 'glob', glob: word }];
  if (/^\w+\(.*\)$/.test(word)) report(world, 'unknown-word', at, `\`${word}\` is no tool; the rule would never match`, `write \`tool: ${word.replace(/\(.*$/, '')}\` and what it does as a fact of its own: \`runs: git push\`, \`path: src/**\``);
  const meant = TOOLS.find((tool) => tool.toLowerCase() === word.toLowerCase());
  if (meant !== undefined && meant !== word && !anyCase) report(world, 'unknown-word', at, `there is no tool \`${word}\`; the rule would never match`, `did you mean \`${meant}\`?`);
  const near = meant === undefined && !anyCase && !hasMagic(word) && !word.startsWith('mcp__') && !TOOLS.some((tool) => word.startsWith(tool)) ? nearest(word, TOOLS) : undefined;
  if (near !== undefined) hint(world, 'unknown-word', at, `this client has no tool \`${word}\``, `did you mean \`${near}\`?`);
  // The client renamed the tool; both names mean it. In another case it is a tool of that name and arrives as it is.
  if (word === 'Task') return [{ is: 'glob', glob: 'Agent' }, ...(anyCase ? [{ is: 'glob', glob: word } as const] : [])];
  return [{ is: 'glob', glob: word }];
}

/** As paths are shown: relative inside the project, absolute outside. */
function pathGlob(word: string, at: Span, world: World): string {
  if (/^\.\.(\/|$)/.test(word)) report(world, 'wrong-form', at, `\`${word}\`: a path outside the project is absolute, so this never matches`, 'write it from `/` or `~/`, or with `**/` before it');
  const plain = word.replace(/^(\.\/)+(?=.)/, '');
  return plain.endsWith('/') && plain !== '/' ? `${plain}**` : plain;
}

export function checkRegex(regex: string, at: Span, world: World): boolean {
  const fault = regexFault(regex);
  if (fault !== undefined) report(world, 'bad-regex', at, `the regex does not compile: ${fault.replace(/^.*: /s, '').replace(/^./, (letter) => letter.toLowerCase())}`, 'a literal bracket is written `\\(`, `\\[` or `\\{`; quote regexes with single quotes');
  if (fault !== undefined) return false;
  // The regexes of shipped packs are looked at when they are shipped.
  const slow = at.file.startsWith('bylaw:') ? undefined : world.regexFault?.(regex);
  if (slow !== undefined) report(world, 'slow-regex', at, slow.message, slow.help);
  return slow === undefined;
}

/** Key by key, what the matcher does not name. `by` is not filled on events that are about an agent. */
function fillDefaults(own: Matcher, node: Node | undefined, events: readonly string[], scene: Scene): Test {
  const { defaults } = scene;
  if (defaults === undefined) return [own];
  const missing = defaults.entries.filter(({ key }) => key !== 'any-case' && entry(node, key) === undefined);
  const anyCase = isTrue(get(defaults, 'any-case'));
  const clauses = missing.filter(({ key }) => key !== 'by').flatMap((each) => clauseOf(each, anyCase, scene) ?? []);
  const by = missing.filter(({ key }) => key === 'by').flatMap((each) => clauseOf(each, anyCase, scene) ?? []);
  const about = events.filter((event) => EVENTS[event]?.about === 'agent');
  const plain = [...own, ...clauses];
  if (by.length === 0 || (about.length > 0 && about.length === events.length)) return [plain];
  const filled = [...plain, ...by];
  if (about.length === 0) return [filled];
  return [filled, [...plain, { fact: 'event', values: about.map((glob): Pattern => ({ is: 'glob', glob })) }]];
}

export function isTrue(node: Node | undefined): boolean {
  return node?.kind === 'scalar' && node.value === true;
}
