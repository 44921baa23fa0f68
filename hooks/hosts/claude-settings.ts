/** Claude Code's settings files: where they lie, what they hold, which hooks in them are bylaw's, and what switches those off. Pure, but for jsonc-parser to load. */
import { parseTree, type Node, type ParseError } from 'jsonc-parser/lib/esm/main.js';
import type { Json, JsonObject } from '../../engine/model.ts';
import { faultsOf, handlersIn, isOurs, object, TOKEN, type Entry } from './claude-hooks.ts';

export * from './claude-hooks.ts';

export const SCOPES = ['managed', 'user', 'project', 'local'] as const;
export type SettingsScope = (typeof SCOPES)[number];

/** A settings file as it is; without `text` it is not there. */
export interface Source {
  readonly scope: SettingsScope;
  readonly file: string;
  readonly text?: string;
}

// ---------------------------------------------------------------- where they lie

export interface Machine {
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Files of each scope, the strongest first. Managed settings may be split: `*.json` in the folder `managed-settings.d` beside the file. */
export function settingsFiles(project: string, { platform, home, env }: Machine): readonly Source[] {
  const user = env['CLAUDE_CONFIG_DIR'] || `${home}/.claude`;
  return [
    { scope: 'managed', file: `${managedFolder(platform)}/managed-settings.json` },
    { scope: 'local', file: `${project}/.claude/settings.local.json` },
    { scope: 'project', file: `${project}/.claude/settings.json` },
    { scope: 'user', file: `${user}/settings.json` },
  ];
}

function managedFolder(platform: string): string {
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return platform === 'win32' ? 'C:/Program Files/ClaudeCode' : '/etc/claude-code';
}

// ---------------------------------------------------------------- reading

export interface Place {
  readonly line: number;
  readonly column: number;
}
/** A parsed file: its value, and its tree for edits that keep comments. An empty file is an empty object without a tree. */
export interface Parsed {
  readonly value: JsonObject;
  readonly root?: Node;
}
export type Reading = Parsed | { readonly fault: string; readonly at: Place };

export function isReadable(reading: Reading): reading is Parsed {
  return 'value' in reading;
}

/** JSON; comments and commas before a closing bracket are tolerated, and so is a byte order mark. */
export function parseSettings(written: string): Reading {
  // Of the same length, so that places stay.
  const text = written.replace(/^\uFEFF/, ' ');
  if (text.trim() === '') return { value: {} };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || root === undefined) return { fault: 'it is not JSON', at: placeOf(text, error?.offset ?? 0) };
  if (root.type !== 'object') return { fault: 'it is not a JSON object', at: placeOf(text, root.offset) };
  const twice = duplicate(root);
  if (twice !== undefined) return { fault: `the key \`${String(twice.value)}\` is there twice, and only one of them counts`, at: placeOf(text, twice.offset) };
  const value = object(valueOf(root));
  return value === undefined ? { fault: 'it is not a JSON object', at: { line: 1, column: 1 } } : { value, root };
}

export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function duplicate(node: Node): Node | undefined {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const key = node.type === 'object' ? child.children?.[0] : undefined;
    if (key !== undefined && seen.has(String(key.value))) return key;
    if (key !== undefined) seen.add(String(key.value));
    const deeper = duplicate(node.type === 'object' ? (child.children?.[1] ?? child) : child);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** Own keys only, also for one called `__proto__`. */
export function valueOf(node: Node): Json {
  if (node.type === 'array') return (node.children ?? []).map(valueOf);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries((node.children ?? []).flatMap(({ children }) => (children?.[0] === undefined || children[1] === undefined ? [] : [[String(children[0].value), valueOf(children[1])]])));
}

export type { Node };

// ---------------------------------------------------------------- which hooks are ours

export interface Handler extends Entry {
  readonly scope: SettingsScope;
  readonly file: string;
}

/** Every handler in the settings that bylaw answers. Files that can't be read have none. */
export function registered(sources: readonly Source[]): readonly Handler[] {
  return sources.flatMap(({ scope, file, text }) => {
    const reading = parseSettings(text ?? '');
    return isReadable(reading) ? handlersIn(reading.value).filter(({ handler }) => isOurs(handler)).map((found) => ({ scope, file, ...found })) : [];
  });
}

// ---------------------------------------------------------------- what switches ours off

export type DisablerKind = 'disable-all-hooks' | 'managed-hooks-only' | 'http-url-not-allowed' | 'http-token-not-allowed' | 'unreadable' | 'discarded';

export interface Disabler {
  readonly kind: DisablerKind;
  readonly scope: SettingsScope;
  readonly file: string;
  readonly message: string;
}

/** Everything in the settings that keeps handlers of ours from being called. */
export function disablers(sources: readonly Source[]): readonly Disabler[] {
  const ours = registered(sources);
  return sources.flatMap((source) => disablersIn(source, ours));
}

function disablersIn({ scope, file, text }: Source, ours: readonly Handler[]): readonly Disabler[] {
  if (text === undefined) return [];
  const found: Disabler[] = [];
  const add = (kind: DisablerKind, message: string): void => void found.push({ kind, scope, file, message });
  const reading = parseSettings(text);
  if (!isReadable(reading)) {
    add('unreadable', `${reading.fault} (line ${reading.at.line}, column ${reading.at.column}), so the client uses nothing of it`);
    return found;
  }
  const { value } = reading;
  if (value['disableAllHooks'] === true) add('disable-all-hooks', '`disableAllHooks` switches every hook off, of all settings and plugins');
  if (scope === 'managed' && value['allowManagedHooksOnly'] === true && ours.some((each) => each.scope !== 'managed')) add('managed-hooks-only', '`allowManagedHooksOnly` lets only hooks in managed settings run');
  const urls = value['allowedHttpHookUrls'];
  const refused = ours.find(({ handler }) => handler['type'] === 'http' && Array.isArray(urls) && !urls.some((glob: Json) => typeof glob === 'string' && fitsUrl(glob, String(handler['url']))));
  if (refused !== undefined) add('http-url-not-allowed', `\`allowedHttpHookUrls\` does not list ${String(refused.handler['url'])}`);
  const names = value['httpHookAllowedEnvVars'];
  if (Array.isArray(names) && !names.includes(TOKEN) && ours.some(({ handler }) => handler['type'] === 'http')) add('http-token-not-allowed', `\`httpHookAllowedEnvVars\` does not list ${TOKEN}, so the server refuses the client`);
  const fatal = faultsOf(value).find(({ discards }) => discards);
  if (fatal !== undefined && ours.some((each) => each.file === file)) add('discarded', `\`${fatal.at}\` ${fatal.message}; the client throws the whole file away for it`);
  return found;
}

function fitsUrl(glob: string, url: string): boolean {
  return new RegExp(`^${glob.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')}$`).test(url);
}
