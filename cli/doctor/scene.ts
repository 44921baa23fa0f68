/** What the checks look at: the project, its plan, the settings in force, and every handler of ours in them. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder, projectKey, stateFolder } from '../../engine/state/places.ts';
import { openStore, type Store } from '../../engine/state/store.ts';
import type { JsonObject, Plan } from '../../engine/model.ts';
import { strictEventsOf, usesOf } from '../../engine/plan/events.ts';
import { cacheFile, isFresh, readCache, type Cached } from '../../engine/plan/cache.ts';
import { compile } from '../../engine/plan/compile.ts';
import { ENGINE } from '../../engine/version.ts';
import { wantedBy } from '../../engine/judge/disarms.ts';
import { scriptOf, substituted } from '../../hooks/armed.ts';
import { DISK } from '../../hooks/disarms.ts';
import { disablers, handlersIn, isReadable, list, object, parseSettings, registered, type Disabler, type Source } from '../../hooks/hosts/claude-settings.ts';
import { findProject } from '../../hooks/project.ts';
import { readSources } from '../../hooks/settings.ts';

type Environment = Readonly<Record<string, string>>;

/** A handler of ours, in settings or in the plugin. */
export interface Ours {
  readonly where: Source['scope'] | 'plugin';
  readonly file: string;
  readonly event: string;
  readonly matcher?: string;
  readonly handler: JsonObject;
}

export interface Scene {
  readonly cwd: string;
  readonly project: string;
  readonly home: string;
  readonly env: Environment;
  readonly plan?: Plan;
  /** The problems of a policy that is not used as it is. */
  readonly broken?: string;
  readonly onError: 'allow' | 'deny';
  readonly store: Store;
  readonly sources: readonly Source[];
  readonly disablers: readonly Disabler[];
  /** All of them, also those that do nothing. */
  readonly ours: readonly Ours[];
  /** Event → rules and facts that need it. */
  readonly uses: ReadonlyMap<string, readonly string[]>;
  /** Events at which a rule refuses. */
  readonly refusing: readonly string[];
  /** Events whose failures should block. */
  readonly strict: readonly string[];
}

/** Undefined if there is no bylaw.yaml here or above. */
export function sceneOf(cwd: string, env: NodeJS.ProcessEnv): Scene | undefined {
  const project = findProject([cwd]);
  if (project === undefined) return undefined;
  const given = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
  const home = homeFolder(env);
  const cached = cachedFor(project, env);
  const { plan } = cached;
  const sources = readSources(project, env);
  return {
    cwd,
    project,
    home,
    env: given,
    ...(plan === undefined ? {} : { plan }),
    ...(cached.broken === undefined ? {} : { broken: cached.broken }),
    onError: cached.onError,
    store: openStore(stateFolder(env), projectKey(project)),
    sources,
    disablers: disablers(sources),
    ours: withoutQuiet([...registered(sources).map(({ scope, ...each }) => ({ where: scope, ...each })), ...pluginHandlers(sources, given, home)]),
    uses: plan === undefined ? new Map() : usesOf(plan),
    refusing: plan === undefined ? [] : wantedBy(plan).refusing,
    strict: plan === undefined ? [] : strictEventsOf(plan),
  };
}

/** As a hook call finds it; a stale plan is built anew, as a hook call would. */
function cachedFor(project: string, env: NodeJS.ProcessEnv): Cached {
  const cached = readCache(cacheFile(project, env));
  return cached !== undefined && cached.project === project && isFresh(cached, ENGINE) ? cached : compile(project, env).cached;
}

/** A value of the settings, the strongest source first. */
export function settingOf(sources: readonly Source[], key: string): readonly { readonly file: string; readonly scope: Source['scope']; readonly value: JsonObject }[] {
  return sources.flatMap(({ text, file, scope }) => {
    const reading = parseSettings(text ?? '');
    const value = isReadable(reading) ? object(reading.value[key]) : undefined;
    return value === undefined ? [] : [{ file, scope, value }];
  });
}

/** How a path is shown: short inside the project and the home folder. */
export function shownPath({ project, home }: Pick<Scene, 'project' | 'home'>, file: string): string {
  if (file.startsWith(`${project}/`)) return file.slice(project.length + 1);
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}

// -- the plugin

const PLUGIN = /^bylaw@/;

/** The handlers that our plugin brings, if the settings switch it on. */
function pluginHandlers(sources: readonly Source[], env: Environment, home: string): readonly Ours[] {
  const [strongest] = settingOf(sources, 'enabledPlugins').flatMap(({ value }) => Object.entries(value).filter(([name]) => PLUGIN.test(name)));
  if (strongest === undefined || strongest[1] !== true) return [];
  const root = pluginRoot(strongest[0], env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'));
  const file = join(root ?? '', 'hooks', 'hooks.json');
  const reading = root === undefined ? undefined : parseSettings(DISK.read(file) ?? '');
  if (reading === undefined || !isReadable(reading)) return [];
  const text = JSON.stringify(reading.value).replaceAll('${CLAUDE_PLUGIN_ROOT}', JSON.stringify(root).slice(1, -1));
  return handlersIn(JSON.parse(text)).map((each) => ({ where: 'plugin' as const, file, ...each }));
}

/** The plugin's launcher says nothing at events for which the settings call bylaw. */
function withoutQuiet(ours: readonly Ours[]): readonly Ours[] {
  const isQuiet = ({ where, event, handler }: Ours): boolean => where === 'plugin' && JSON.stringify(handler).includes('hooks/plugin.cjs') && ours.some((each) => each.where !== 'plugin' && each.event === event);
  return ours.filter((each) => !isQuiet(each));
}

/** A marketplace that is a folder is run from there, others from the client's cache. */
function pluginRoot(id: string, config: string): string | undefined {
  const [name = '', market = ''] = id.split('@');
  const cache = join(config, 'plugins', 'cache', market, name);
  const versions = existsSync(cache) ? readdirSync(cache).sort().map((version) => join(cache, version)) : [];
  const local = marketFolder(join(config, 'plugins', 'known_marketplaces.json'), market);
  return [...(local === undefined ? [] : [local]), ...versions.reverse()].find((folder) => existsSync(join(folder, 'hooks', 'hooks.json')));
}

function marketFolder(file: string, market: string): string | undefined {
  try {
    const entry: { readonly source?: { readonly path?: unknown }; readonly installLocation?: unknown } = Object(JSON.parse(readFileSync(file, 'utf8')))[market];
    const path = entry?.source?.path ?? entry?.installLocation;
    return typeof path === 'string' ? path : undefined;
  } catch {
    return undefined;
  }
}

// -- handlers

/** Program and arguments as the client starts them. */
export function argvOf({ handler }: Ours, project: string): readonly string[] {
  const command = String(handler['command'] ?? '');
  if (handler['args'] === undefined) return ['sh', '-c', command];
  return [command, ...list(handler['args']).map(String)].map((word) => substituted(word, project));
}

export function scriptIn({ handler }: Ours, project: string): string | undefined {
  return scriptOf(handler, project);
}

export function isHttp({ handler }: Ours): boolean {
  return handler['type'] === 'http';
}
