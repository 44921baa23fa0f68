/** The host's settings → which events still reach bylaw, and what a change took away. Pure: files come through `Look`. */
import type { Event, Json, Wanted } from '../engine/model.ts';
import { faultsOf } from './hosts/claude-hooks.ts';
import { disablers, isReadable, parseSettings, registered, settingsFiles, type Disabler, type Handler, type Source } from './hosts/claude-settings.ts';

/** How settings and the programs that they name are looked at. */
export interface Look {
  readonly platform: string;
  /** Undefined if there is no such file. */
  readonly read: (file: string) => string | undefined;
  /** Names in a folder. */
  readonly list: (folder: string) => readonly string[];
}

export interface Armed {
  /** What switches all hooks off, in words. */
  readonly off: readonly string[];
  /** Events that call bylaw: always, or only for some calls. */
  readonly events: Readonly<Record<string, 'all' | 'some'>>;
}

/** Every settings file in force, with its text. */
export function sourcesSeen(project: string, { env, home = '' }: Pick<Event, 'env' | 'home'>, look: Look): readonly Source[] {
  return settingsFiles(project, { platform: look.platform, home, env }).flatMap((source) => [source, ...droppedIn(source, look)]).map((source) => {
    const text = look.read(source.file);
    return { ...source, ...(text === undefined ? {} : { text: text.replace(/^\uFEFF/, '') }) };
  });
}

/** Managed settings may be split: every `*.json` in a folder beside the file counts too. */
function droppedIn({ scope, file }: Source, look: Look): readonly Source[] {
  if (scope !== 'managed') return [];
  const folder = file.replace(/\.json$/, '.d');
  return look.list(folder).filter((name) => name.endsWith('.json')).map((name) => ({ scope, file: `${folder}/${name}` }));
}

const LOST_ALL: readonly Disabler['kind'][] = ['disable-all-hooks', 'managed-hooks-only'];
/** Files whose hooks the client does not use at all. */
const LOST_FILE: readonly Disabler['kind'][] = ['unreadable', 'discarded'];
const LOST_URL: readonly Disabler['kind'][] = ['http-url-not-allowed', 'http-token-not-allowed'];

export function armed(sources: readonly Source[], project: string, plugin: boolean, look: Look): Armed {
  const found = disablers(sources);
  const lostFiles = new Set(found.filter(({ kind }) => LOST_FILE.includes(kind)).map(({ file }) => file));
  const noUrls = found.some(({ kind }) => LOST_URL.includes(kind));
  const handlers = registered(sources).filter((each) => !lostFiles.has(each.file) && !(noUrls && each.handler['type'] === 'http') && runs(each, project, look));
  const events: Record<string, 'all' | 'some'> = {};
  for (const each of handlers) if (events[each.event] !== 'all') events[each.event] = isNarrow(each) ? 'some' : 'all';
  const off = [...found.filter(({ kind }) => LOST_ALL.includes(kind)).map(inWords), ...simple(sources), ...(plugin ? unplugged(sources) : [])];
  return { off, events };
}

export function inWords({ file, message }: Pick<Disabler, 'file' | 'message'>): string {
  return `${message} (${file})`;
}

/** The client's variable for a session without hooks. */
function simple(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => {
    const value = mapIn(source, 'env')['CLAUDE_CODE_SIMPLE'];
    return value === undefined || value === '' || value === '0' || value === false ? [] : [inWords({ file: source.file, message: '`CLAUDE_CODE_SIMPLE` starts sessions without hooks' })];
  });
}

/** Our plugin, switched off by the strongest settings that name it. */
function unplugged(sources: readonly Source[]): readonly string[] {
  const named = sources.flatMap((source) => Object.entries(mapIn(source, 'enabledPlugins')).filter(([name]) => name.startsWith('bylaw@')).map(([name, on]) => ({ file: source.file, name, on })));
  const [strongest] = named;
  return strongest?.on === false ? [inWords({ file: strongest.file, message: `\`enabledPlugins\` switches ${strongest.name} off` })] : [];
}

function mapIn({ text }: Source, key: string): { readonly [key: string]: Json } {
  const reading = parseSettings(text ?? '');
  const value = isReadable(reading) ? reading.value[key] : undefined;
  return isMap(value) ? value : {};
}

function isMap(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a handler does anything: the client accepts it, waits for it, and the file that it names is there and bylaw's. */
function runs(each: Handler, project: string, look: Look): boolean {
  const { event, matcher, handler } = each;
  if (handler['async'] === true || handler['asyncRewake'] === true) return false;
  if (faultsOf({ hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }] } }).length > 0) return false;
  const script = scriptOf(handler, project);
  return script === undefined || isScriptOfOurs(script, look);
}

/** The file that a command handler starts; undefined if it is a program that the shell finds. */
export function scriptOf(handler: Handler['handler'], project: string): string | undefined {
  const { type, command, args } = handler;
  if (type !== 'command' || typeof command !== 'string') return undefined;
  const words = Array.isArray(args) ? [command, ...args.map(String)] : (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^["']|["']$/g, ''));
  const script = words.map((word) => substituted(word, project)).find((word) => /\.[cm]?js$/.test(word));
  return script?.startsWith('/') === true || /^[A-Za-z]:[\\/]/.test(script ?? '') ? script : undefined;
}

/** As the client fills in what it knows. */
export function substituted(word: string, project: string): string {
  return word.replace(/\$\{CLAUDE_PROJECT_DIR\}|\$CLAUDE_PROJECT_DIR\b/g, project);
}

/** A file of the same name elsewhere is nobody's hook. */
function isScriptOfOurs(script: string, look: Look): boolean {
  if (look.read(script) === undefined) return false;
  if (/[\\/]\.claude[\\/]bylaw\.cjs$/.test(script)) return true;
  try {
    return Object(JSON.parse(look.read(script.replace(/[\\/]dist[\\/][^\\/]+$/, '/package.json')) ?? '{}'))['name'] === 'bylaw';
  } catch {
    return false;
  }
}

/** It is not asked about every call of its event. */
function isNarrow({ matcher, handler }: Handler): boolean {
  return handler['if'] !== undefined || !(matcher === undefined || matcher === '' || matcher === '*' || matcher === '.*');
}

/** What the settings would take away, in words. Without a record of what was there, events at which rules refuse are taken for registered. */
export function takenAway(wanted: Wanted, now: Armed, sources: readonly Source[], before: Armed | undefined): readonly string[] {
  const off = now.off.filter((text) => before?.off.includes(text) !== true);
  const was = (event: string): 'all' | 'some' | undefined => (before === undefined ? (wanted.refusing.includes(event) ? 'some' : undefined) : before.events[event]);
  const gone = wanted.events.filter((event) => was(event) !== undefined && now.events[event] === undefined);
  const less = wanted.events.filter((event) => was(event) === 'all' && now.events[event] === 'some');
  const why = gone.length === 0 ? [] : disablers(sources).filter(({ kind }) => LOST_FILE.includes(kind) || LOST_URL.includes(kind)).map(inWords);
  return [
    ...off,
    ...why,
    ...(gone.length === 0 ? [] : [`no handler of bylaw is left for ${gone.join(', ')}`]),
    ...(less.length === 0 ? [] : [`bylaw would hear of ${less.join(', ')} only for some calls`]),
  ];
}
