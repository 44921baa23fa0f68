/** What a person wishes → the changes of files that bring bylaw into a project. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, Level } from '../../engine/model.ts';
import { eventsOf, strictEventsOf, usesOf } from '../../engine/plan/events.ts';
import { disablers, eventsToRegister, faultsOf, handlerFor, isReadable, LAUNCHER, object, parseSettings, registered, TOKEN, type Handler, type Registration, type SettingsScope, type Source } from '../../hooks/hosts/claude-settings.ts';
import { readSources } from '../../hooks/settings.ts';
import { Exit } from '../terminal.ts';
import { targetOf, textOf, type Change } from './changes.ts';
import { register, withToken } from './edit.ts';
import { launcherText } from './launcher.ts';
import { checkPacks, planOf } from './policies.ts';
import { readToken } from './record.ts';
import { starterFiles } from './starter.ts';
import { hasBylaw, ignoredBy, isDependency, isPassing, ownHook, ownSchemas } from './where.ts';

export type Scope = Exclude<SettingsScope, 'managed'>;

export interface Wish {
  readonly project: string;
  readonly scope: Scope;
  readonly transport: Registration['transport'];
  readonly port: number;
  readonly packs: readonly string[];
  readonly level?: Level;
}

export interface Planned {
  /** Settings come last: what they call is there then. */
  readonly changes: readonly Change[];
  readonly settings: string;
  readonly events: readonly string[];
  readonly strict: boolean;
  readonly token?: string;
  /** What the person should know. */
  readonly notes: readonly string[];
}

const TOKEN_BYTES = 32;
export const LOCAL_SETTINGS = '.claude/settings.local.json';
export const EXCLUDED = `# bylaw: this file holds what is only for this machine\n${LOCAL_SETTINGS}\n`;

export function planInit(wish: Wish, env: NodeJS.ProcessEnv): Planned {
  const { project, scope, transport } = wish;
  const sources = readSources(project, env);
  const ours = registered(sources);
  checkInstall(wish);
  checkElsewhere(ours, scope);

  const fresh = freshFiles(wish);
  const plan = planOf(project, fresh, env);
  const strictEvents = strictEventsOf(plan);
  const files = new Map<string, Change>();
  const edit = (path: string, change: (text: string) => string, more: Pick<Change, 'secret'> = {}): void => {
    const file = targetOf(path);
    const known = files.get(file);
    const before = known === undefined ? textOf(file) : known.before;
    const after = change(known?.after ?? before ?? '');
    files.set(file, { ...known, ...more, file, before, after });
  };

  for (const [path, text] of Object.entries(fresh)) edit(join(project, path), () => text);
  if (scope === 'project') edit(join(project, LAUNCHER), () => launcherText(strictEvents.includes('PreToolUse')));

  const notes = [...notesOn(wish, fresh, sources)];
  const secrets = fileOf(sources, scope === 'user' ? 'user' : 'local');
  const token = transport === 'http' ? (readToken(env) ?? tokenIn(sources, secrets) ?? randomBytes(TOKEN_BYTES).toString('hex')) : undefined;
  if (token !== undefined || scope === 'local') notes.push(...keepUncommitted(project, scope, edit));
  if (token !== undefined) edit(secrets, (text) => edited(secrets, text, (readable) => withToken(readable, token)), { secret: true });
  if (token !== undefined && scope === 'project') notes.push(`The token of the server is in ${LOCAL_SETTINGS}, which is not shared: every teammate runs \`bylaw init\` once.`);

  const settings = fileOf(sources, scope);
  const events = eventsToRegister([...eventsOf(plan), ...(scope === 'user' ? ours.map(({ event }) => event) : [])], transport);
  const strict = [...strictEvents, ...(scope === 'user' ? ours.filter(({ handler }) => handler['onFailure'] === 'block').map(({ event }) => event) : [])];
  const registration: Registration = { program: programOf(scope), transport, port: wish.port, strict };
  const handlers = new Map(events.map((event): [string, JsonObject] => [event, handlerFor(event, registration)]));
  edit(settings, (text) => edited(settings, text, (readable) => register(readable, handlers), events));

  const tree = usesOf(plan).get('WorktreeCreate');
  if (tree !== undefined) notes.push(`WorktreeCreate is registered because of ${tree.join(', ')}: such a hook replaces \`git worktree\`, so the client can make no worktrees any more.`);
  return { changes: [...files.values()].filter(({ before, after }) => before !== after), settings, events, strict: strict.length > 0, ...(token === undefined ? {} : { token }), notes };
}

// ---------------------------------------------------------------- what must hold first

/** An absolute path into a folder that vanishes would be a hook that fails one day. */
function checkInstall({ project, scope }: Wish): void {
  if (!isPassing(ownHook()) || (scope === 'project' && hasBylaw(project))) return;
  throw new Exit(2, 'this bylaw runs from the cache of a package runner, which may vanish at any time, and the hook with it; install it first: npm i -D bylaw && npx bylaw init');
}

/** Two registrations would call bylaw twice for each event, and everything would count twice. */
function checkElsewhere(ours: readonly Handler[], scope: Scope): void {
  const other = ours.find((each) => each.scope !== scope);
  if (other === undefined) return;
  const help = other.scope === 'managed' ? 'the managed settings are enough' : `use \`--scope ${other.scope}\`, or take that one out first: bylaw init --remove --scope ${other.scope}`;
  throw new Exit(2, `bylaw is registered in ${other.file} already; a second time, every call would be judged and counted twice. ${help}`);
}

/** The files of a first policy that are not there yet; none if there is a policy. */
function freshFiles({ project, packs, level }: Wish): Readonly<Record<string, string>> {
  if (existsSync(join(project, 'bylaw.yaml'))) return {};
  checkPacks(packs);
  const schemas = ownSchemas(project);
  const files = starterFiles({ packs, ...(level === undefined ? {} : { level }), ...(schemas === undefined ? {} : { schemas }) });
  return Object.fromEntries(Object.entries(files).filter(([path]) => !existsSync(join(project, path))));
}

// ---------------------------------------------------------------- settings

function fileOf(sources: readonly Source[], scope: Scope): string {
  return sources.find((source) => source.scope === scope)?.file ?? '';
}

/** The one that is there already, after the state was lost. */
function tokenIn(sources: readonly Source[], file: string): string | undefined {
  const reading = parseSettings(sources.find((source) => source.file === file)?.text ?? '');
  const token = isReadable(reading) ? object(reading.value['env'])?.[TOKEN] : undefined;
  return typeof token === 'string' && /^[0-9a-f]{64}$/.test(token) ? token : undefined;
}

function programOf(scope: Scope): Registration['program'] {
  return scope === 'project' ? { command: 'node', args: [`\${CLAUDE_PROJECT_DIR}/${LAUNCHER}`] } : { command: process.execPath, args: [ownHook()] };
}

/** An edit of settings, with the client's own rules checked before and after. */
function edited(file: string, text: string, edit: (text: string) => string, events: readonly string[] = []): string {
  const before = parseSettings(text);
  if (!isReadable(before)) throw new Exit(2, `${file}:${before.at.line}:${before.at.column}  ${before.fault}; nothing was changed. Mend it first`);
  const { hooks, env } = before.value;
  const faults = faultsOf(before.value).filter(({ at, discards }) => discards || events.some((event) => at === `hooks.${event}`));
  const [fault] = faults;
  if (fault !== undefined) throw new Exit(2, `${file}: \`${fault.at}\` ${fault.message}; ${fault.discards ? 'the client throws the whole file away for it' : 'nothing can be added there'}. Nothing was changed; mend it first`);
  if ((hooks !== undefined && object(hooks) === undefined) || (env !== undefined && object(env) === undefined)) throw new Exit(2, `${file}: \`${object(hooks ?? {}) === undefined ? 'hooks' : 'env'}\` must be an object; nothing was changed. Mend it first`);
  const after = edit(text);
  const reading = parseSettings(after);
  if (!isReadable(reading) || faultsOf(reading.value).some(({ discards }) => discards)) throw new Error(`the edit of ${file} went wrong; nothing was changed`);
  return after;
}

/** A file with a token or with paths of this machine is nothing to commit. */
function keepUncommitted(project: string, scope: Scope, edit: (path: string, change: (text: string) => string) => void): readonly string[] {
  if (scope === 'user') return [];
  const found = ignoredBy(project, LOCAL_SETTINGS);
  if (found === 'tracked') throw new Exit(2, `${LOCAL_SETTINGS} is committed in this repo, but it would hold what is only for this machine; nothing was changed. Take it out first: git rm --cached ${LOCAL_SETTINGS}`);
  if (found === undefined || found === 'ignored') return [];
  edit(found.exclude, (text) => `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${EXCLUDED}`);
  return [`${LOCAL_SETTINGS} was not ignored by git: a line in .git/info/exclude keeps it from being committed.`];
}

// ---------------------------------------------------------------- notes

function notesOn({ project, scope, packs, level }: Wish, fresh: Readonly<Record<string, string>>, sources: readonly Source[]): readonly string[] {
  const notes: string[] = [];
  if (fresh['bylaw.yaml'] === undefined && (packs.length > 0 || level !== undefined)) notes.push('bylaw.yaml is there and was left as it is; packs and levels are changed in it by hand (see `extends` and `level`).');
  if (scope === 'project' && !isDependency(project)) notes.push('package.json does not list bylaw, so teammates do not get it: add it to devDependencies. Without it, strict policies refuse every tool call with that message.');
  if (scope === 'project') notes.push('The client reads .claude/settings.json only of the folder that a session starts in: start it in this folder. `--scope local` also covers subfolders.');
  for (const { kind, file, message } of disablers(sources)) if (kind !== 'discarded') notes.push(`${file}: ${message}.`);
  return notes;
}

/** Settings with the token masked, for the eyes. */
export function masked(text: string, token: string | undefined): string {
  return token === undefined ? text : text.replaceAll(token, `<${TOKEN}>`);
}
