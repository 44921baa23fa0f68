/** Hook entries in Claude Code's settings, as values: which are bylaw's, what the client's own rules make of them, and the ones that init writes. */
import { EVENTS } from '../../engine/events.ts';
import type { Json, JsonObject } from '../../engine/model.ts';

export const DEFAULT_PORT = 47_615;
export const TOKEN = 'BYLAW_TOKEN';
/** The committed file that finds bylaw on any machine, from the project's folder. */
export const LAUNCHER = '.claude/bylaw.cjs';

/** Seconds. Checkers that a pack runs may take 90 together; the client's own default is 600. */
const TIMEOUT = 120;

// ---------------------------------------------------------------- which hooks are ours

/** A handler and where it stands. */
export interface Entry {
  readonly event: string;
  readonly matcher?: string;
  readonly handler: JsonObject;
}

/** All handlers of a settings object, of whomever. */
export function handlersIn(settings: JsonObject): readonly Entry[] {
  return Object.entries(object(settings['hooks']) ?? {}).flatMap(([event, groups]) =>
    list(groups).flatMap((group) => {
      const matcher = object(group)?.['matcher'];
      return list(object(group)?.['hooks']).flatMap((entry) => {
        const handler = object(entry);
        return handler === undefined ? [] : [{ event, ...(typeof matcher === 'string' ? { matcher } : {}), handler }];
      });
    }),
  );
}

/** Whether a handler is bylaw's, in any form that a version of it or its documents ever used. */
export function isOurs(handler: Json): boolean {
  const { type, url, command, args, headers, allowedEnvVars } = object(handler) ?? {};
  if (type === 'http') return isOurUrl(url) && JSON.stringify([headers ?? null, allowedEnvVars ?? null]).includes(TOKEN);
  if (type !== 'command' || typeof command !== 'string') return false;
  return isOurCommand(args === undefined ? shellWords(command) : [command, ...list(args).map(String)]);
}

function isOurUrl(url: Json | undefined): boolean {
  return typeof url === 'string' && /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/hook\/?$/i.test(url);
}

const RUNNER = /(?:^|[\\/])(?:node|nodejs|npx|bunx|bun|npm|pnpm|yarn|exec|dlx|x|run|env)(?:\.exe|\.cmd)?$/i;

function isOurCommand(words: readonly string[]): boolean {
  const from = words.findIndex((word) => !RUNNER.test(word) && !/^-|^\w+=/.test(word));
  const program = (words[from] ?? '').replaceAll('\\', '/');
  const first = words[from + 1];
  if (/(?:^|\/)bylaw(?:\.mjs|\.cmd|\.ps1)?(?:@[^/]*)?$/.test(program)) return from >= 0 && first === 'hook';
  if (/(?:^|\/)\.claude\/bylaw\.cjs$/.test(program)) return true;
  // A file of this name may be anybody's; the event as argument is our way.
  return /(?:^|\/)dist\/hook\.cjs$/.test(program) && (program.includes('bylaw') || (first !== undefined && (Object.hasOwn(EVENTS, first) || first.startsWith('--serve='))));
}

/** Words of a plain shell line; quotes group. */
function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double: string | undefined, single: string | undefined) => double ?? single ?? ''));
}

// ---------------------------------------------------------------- what the client's matcher means

/** Whether a matcher covers a value. An invalid regex never matches, which the client only tells its debug log. */
export function covers(matcher: string | undefined, value: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  if (/^[\w\-, |]+$/.test(matcher)) return matcher.split(/[|,]/).some((name) => name.trim() === value || (name.trim() === 'Task' && value === 'Agent'));
  try {
    return new RegExp(matcher).test(value);
  } catch {
    return false;
  }
}

// ---------------------------------------------------------------- the client's own rules

export interface Fault {
  /** `hooks.PreToolUse[0].hooks[1].timeout` */
  readonly at: string;
  readonly message: string;
  /** The client throws the whole file away, with all hooks in it; otherwise only this entry does nothing. */
  readonly discards: boolean;
}

const TYPES = ['command', 'http', 'mcp_tool', 'prompt', 'agent'];
/** An entry that is wrong here takes the whole file with it. */
const FATAL = ['PreToolUse', 'PermissionRequest'];
const TOOL_EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied'];
/** The client never calls a url for these. */
const NEVER_HTTP = ['SessionStart', 'Setup'];

/** What the client would refuse or silently ignore in the hooks of a settings object. */
export function faultsOf(settings: JsonObject): readonly Fault[] {
  const hooks = settings['hooks'];
  if (hooks === undefined) return [];
  const events = object(hooks);
  if (events === undefined) return [{ at: 'hooks', message: 'must be an object of events', discards: true }];
  return Object.entries(events).flatMap(([event, groups]) => eventFaults(event, groups));
}

function eventFaults(event: string, groups: Json): readonly Fault[] {
  const discards = FATAL.includes(event);
  const at = `hooks.${event}`;
  if (!Array.isArray(groups)) return [{ at, message: 'must be a list', discards }];
  return groups.flatMap((entry: Json, number): readonly Fault[] => {
    const here = `${at}[${number}]`;
    const group = object(entry);
    if (group === undefined) return [{ at: here, message: 'must be an object with `hooks`', discards }];
    const { matcher, hooks } = group;
    const faults: Fault[] = [];
    if (matcher !== undefined && typeof matcher !== 'string') faults.push({ at: `${here}.matcher`, message: 'must be a text', discards });
    else if (typeof matcher === 'string' && !isMatcher(matcher)) faults.push({ at: `${here}.matcher`, message: `\`${matcher}\` is no valid regex and never matches`, discards: false });
    if (!Array.isArray(hooks)) return [...faults, { at: `${here}.hooks`, message: 'must be a list of handlers', discards }];
    return [...faults, ...hooks.flatMap((handler: Json, index) => handlerFaults(event, handler, `${here}.hooks[${index}]`))];
  });
}

function isMatcher(matcher: string): boolean {
  if (matcher === '' || matcher === '*') return true;
  try {
    new RegExp(matcher);
    return true;
  } catch {
    return false;
  }
}

function handlerFaults(event: string, entry: Json, at: string): readonly Fault[] {
  const handler = object(entry);
  const discards = FATAL.includes(event);
  if (handler === undefined) return [{ at, message: 'must be an object', discards }];
  const faults: Fault[] = [];
  const need = (holds: boolean, key: string, message: string): void => {
    if (!holds) faults.push({ at: `${at}.${key}`, message, discards });
  };
  const { type, command, args, url, headers, allowedEnvVars, timeout, onFailure } = handler;
  need(typeof type === 'string' && TYPES.includes(type), 'type', `must be one of ${TYPES.join(', ')}`);
  need(timeout === undefined || (typeof timeout === 'number' && timeout > 0), 'timeout', 'must be a number of seconds above 0');
  need(onFailure === undefined || onFailure === 'continue' || onFailure === 'block', 'onFailure', 'must be `continue` or `block`');
  if (type === 'command') {
    need(typeof command === 'string' && command !== '', 'command', 'must be a text');
    need(args === undefined || isTexts(args), 'args', 'must be a list of texts');
  }
  if (type === 'http') {
    need(typeof url === 'string' && isUrl(url), 'url', 'must be a whole URL, written out');
    need(headers === undefined || isTexts(Object.values(object(headers) ?? { none: 0 })), 'headers', 'must be an object of texts');
    need(allowedEnvVars === undefined || isTexts(allowedEnvVars), 'allowedEnvVars', 'must be a list of texts');
    if (NEVER_HTTP.includes(event)) faults.push({ at, message: `the client never calls a url on ${event}; a command is needed`, discards: false });
  }
  if (typeof handler['if'] === 'string' && !TOOL_EVENTS.includes(event)) faults.push({ at: `${at}.if`, message: `a handler with \`if\` never runs on ${event}`, discards: false });
  return faults;
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every((each: Json) => typeof each === 'string');
}

function isUrl(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

// ---------------------------------------------------------------- what we register

export interface Registration {
  /** How the hook is started, without the event. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly transport: 'command' | 'http';
  readonly port: number;
  /** Events at which a strict rule can refuse. */
  readonly strict: readonly string[];
}

/** They are commands in http mode too: they start the server, and the client calls no url for some of them. */
const STARTERS = ['SessionStart', 'UserPromptSubmit'];
const ALWAYS_COMMAND = [...STARTERS, 'SessionEnd', 'Setup'];
/** Where a block stands for "do not". On PostToolBatch it would end the agent's loop; elsewhere it does nothing. */
const BLOCKING = ['PreToolUse', 'UserPromptSubmit', 'UserPromptExpansion', 'TaskCreated', 'ConfigChange'];

/** What to register for these events: in http mode also those that start the server. */
export function eventsToRegister(events: readonly string[], transport: Registration['transport']): readonly string[] {
  const all = [...new Set([...events, ...(transport === 'http' ? STARTERS : [])])];
  const order = Object.keys(EVENTS);
  return all.sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

/** The handler of one event. Matchers are left out: bylaw's own lookup is exact and costs nothing. */
export function handlerFor(event: string, { program, transport, port, strict }: Registration): JsonObject {
  const common: JsonObject = { timeout: TIMEOUT, ...(strict.includes(event) && BLOCKING.includes(event) ? { onFailure: 'block' } : {}) };
  if (transport === 'http' && !ALWAYS_COMMAND.includes(event)) {
    return { type: 'http', url: `http://127.0.0.1:${port}/hook`, headers: { Authorization: `Bearer $${TOKEN}` }, allowedEnvVars: [TOKEN], ...common };
  }
  return { type: 'command', command: program.command, args: [...program.args, event, ...(transport === 'http' ? [`--serve=${port}`] : [])], ...common };
}

// ----------------------------------------------------------------

export function object(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isList(value) ? value : undefined;
}

export function list(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
