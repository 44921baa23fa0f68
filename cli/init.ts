/** `bylaw init`: a first policy, and the hooks in Claude Code's settings; `--remove` takes both back. */
import { join, relative } from 'node:path';
import { diskReader } from '../engine/load/read.ts';
import { LEVELS, type Level } from '../engine/model.ts';
import { VERSION } from '../engine/version.ts';
import { DEFAULT_PORT, registered, type Registration } from '../hooks/hosts/claude-settings.ts';
import { readSources } from '../hooks/settings.ts';
import { masked, planInit, type Planned, type Scope, type Wish } from './init/add.ts';
import { openAsker, type Asker } from './init/ask.ts';
import { apply, removeEmpty, type Change } from './init/changes.ts';
import { unifiedDiff } from './init/diff.ts';
import { unregister, withoutToken } from './init/edit.ts';
import { backupFolder, noteInstall, readRecord, recordFile, recordOf, writeRecord, writeToken } from './init/record.ts';
import { planRemove } from './init/remove.ts';
import { hasBylaw, isPassing, ownHook, projectFolder } from './init/where.ts';
import { Exit, paintFor, print } from './terminal.ts';

export interface InitOptions {
  readonly pack?: readonly string[];
  readonly level?: string;
  readonly transport?: string;
  readonly port?: string;
  readonly scope?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
}

const FILE_SCOPES: readonly Scope[] = ['project', 'local', 'user'];
const TRANSPORTS: readonly Registration['transport'][] = ['command', 'http'];
const INIT_LEVELS: readonly Level[] = LEVELS.filter((level) => level !== 'disabled');

export async function init(options: InitOptions): Promise<void> {
  const project = projectFolder(process.cwd());
  const scope = options.scope === undefined ? undefined : oneOf('--scope', options.scope, FILE_SCOPES);
  const asks = process.stdin.isTTY === true && process.stdout.isTTY === true && options.yes !== true && options.json !== true;
  const asker = asks ? openAsker(process.stdin, process.stdout) : undefined;
  try {
    if (options.remove === true) await remove(project, scope, options, asker);
    else await add(project, scope, options, asker);
  } finally {
    asker?.close();
  }
}

// ---------------------------------------------------------------- adding

async function add(project: string, scope: Scope | undefined, options: InitOptions, asker: Asker | undefined): Promise<void> {
  const wish = await wishOf(project, scope, options, asker);
  const planned = planInit(wish, process.env);
  const { changes, token } = planned;
  if (options.json !== true) showChanges(project, changes, token);
  if (options.dryRun === true) return done(planned, wish, [], options, 'nothing was changed (--dry-run)');
  const settled = options.pack !== undefined && options.level !== undefined && options.scope !== undefined;
  if (asker !== undefined && !settled && changes.length > 0 && !(await asker.confirm('Write this?'))) throw new Exit(2, 'nothing was changed');

  const env = process.env;
  if (!isPassing(ownHook())) noteInstall(env, ownHook(), VERSION);
  if (token !== undefined) writeToken(env, token);
  const applied = apply(changes, backupFolder(env));
  // The user's settings are shared by projects; all else belongs to this one.
  const isUsers = (change: Change): boolean => wish.scope === 'user' && change.file.endsWith('settings.json');
  const keep = (file: string, some: readonly Change[], folders: readonly string[], member?: string): void => {
    const old = readRecord(file);
    if (some.length > 0 || (member !== undefined && old.projects?.includes(member) !== true)) writeRecord(file, recordOf(old, some, { backups: [], folders }, withoutOurs, member));
  };
  const users = changes.filter(isUsers);
  const usersFolders = applied.folders.filter((folder) => users.some(({ file }) => file.startsWith(folder)));
  keep(recordFile(env, project), changes.filter((change) => !isUsers(change)), applied.folders.filter((folder) => !usersFolders.includes(folder)));
  if (wish.scope === 'user') keep(recordFile(env, undefined), users, usersFolders, project);
  done(planned, wish, applied.backups, options);
}

/** What a changed file would be without us: what `--remove` goes back to. */
function withoutOurs({ file, before }: Change): string | null {
  if (before === undefined) return null;
  return file.endsWith('.json') ? withoutToken(unregister(before)) : before;
}

async function wishOf(project: string, scope: Scope | undefined, options: InitOptions, asker: Asker | undefined): Promise<Wish> {
  const ours = registered(readSources(project, process.env)).find((each) => each.scope !== 'managed');
  const known = ours === undefined || ours.scope === 'managed' ? undefined : ours.scope;
  const isNew = !diskHas(project);
  const packs = (options.pack ?? (isNew && asker !== undefined ? await asker.words('Packs of rules to start with, such as shell-safety', packNames()) : [])).flatMap((word) => word.split(',')).map((word) => word.replace(/^bylaw:/, '')).filter((word) => word !== '' && word !== 'none');
  const level = options.level === undefined ? (isNew && asker !== undefined ? await asker.choose('How hard are the rules', ['default', ...INIT_LEVELS], 'default') : 'default') : oneOf('--level', options.level, INIT_LEVELS);
  const chosen = scope ?? known ?? (asker === undefined ? 'project' : oneOf('--scope', await asker.choose('Register the hooks for', FILE_SCOPES, 'project'), FILE_SCOPES));
  const transport = options.transport === undefined ? (ours?.handler['type'] === 'http' || hasServeArgument(ours?.handler['args']) ? 'http' : 'command') : oneOf('--transport', options.transport, TRANSPORTS);
  const strength = INIT_LEVELS.find((each) => each === level);
  return { project, scope: chosen, transport, port: portOf(options.port, ours?.handler), packs, ...(strength === undefined ? {} : { level: strength }) };
}

function packNames(): readonly string[] {
  return diskReader.packs().filter((name) => name !== 'base' && name !== 'self-protection');
}

function diskHas(project: string): boolean {
  return 'text' in diskReader.read(join(project, 'bylaw.yaml'));
}

/** A registration over http keeps its port, and stays one, unless a flag says otherwise. */
function portOf(word: string | undefined, handler: Readonly<Record<string, unknown>> | undefined): number {
  const port = Number(word ?? /:(\d+)\/hook|--serve=(\d+)/.exec(JSON.stringify(handler ?? {}))?.slice(1).find((each) => each !== undefined) ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Exit(2, `--port ${word ?? ''} is no port; it is a number from 1 to 65535`);
  return port;
}

function hasServeArgument(args: unknown): boolean {
  return Array.isArray(args) && args.some((each) => String(each).startsWith('--serve='));
}

function oneOf<T extends string>(flag: string, word: string, words: readonly T[]): T {
  const found = words.find((each) => each === word);
  if (found === undefined) throw new Exit(2, `${flag} ${word} is not known; it is one of ${words.join(', ')}`);
  return found;
}

// ---------------------------------------------------------------- taking back

async function remove(project: string, scope: Scope | undefined, options: InitOptions, asker: Asker | undefined): Promise<void> {
  if (process.env['CLAUDECODE'] !== undefined) throw new Exit(2, 'taking bylaw out is for people: run it in a terminal of your own');
  const { changes, folders, records, notes } = planRemove(project, scope, process.env);
  if (options.json !== true) showChanges(project, changes, undefined);
  const dry = options.dryRun === true;
  if (!dry && asker !== undefined && changes.length > 0 && !(await asker.confirm('Take this back?'))) throw new Exit(2, 'nothing was changed');
  const { backups } = dry ? { backups: [] } : apply(changes, backupFolder(process.env));
  if (!dry) {
    removeEmpty(folders);
    for (const each of records) writeRecord(each.file, each.record);
  }
  if (options.json === true) return print(JSON.stringify({ removed: !dry, project, changes: changes.map((change) => jsonChange(project, change)), backups, notes }, null, 2));
  for (const note of notes) printNote(note);
  if (changes.length === 0) return print('bylaw was not registered here; there is nothing to take back');
  print(dry ? 'nothing was changed (--dry-run)' : `bylaw is no longer called in ${project}; backups: ${backupFolder(process.env)}`);
}

// ---------------------------------------------------------------- words

function showChanges(project: string, changes: readonly Change[], token: string | undefined): void {
  const paint = paintFor(process.stdout);
  const hide = (text: string | undefined): string | undefined => (text === undefined ? undefined : masked(text, token).replace(/("BYLAW_TOKEN": ")[0-9a-f]+/g, '$1…'));
  for (const { file, before, after } of changes) {
    const lines = unifiedDiff(nameOf(project, file), hide(before), hide(after)).split('\n');
    print(`${lines.map((line) => (line.startsWith('+') ? paint.good(line) : line.startsWith('-') ? paint.bad(line) : line.startsWith('@') ? paint.dim(line) : line)).join('\n')}\n`);
  }
}

function nameOf(project: string, file: string): string {
  const path = relative(project, file);
  return path.startsWith('..') ? file : path;
}

function jsonChange(project: string, { file, before, after }: Change): unknown {
  return { file: nameOf(project, file), does: before === undefined ? 'create' : after === undefined ? 'remove' : 'change' };
}

function done(planned: Planned, wish: Wish, backups: readonly string[], options: InitOptions, instead?: string): void {
  const { changes, events, notes, settings, strict } = planned;
  const { project, scope, transport } = wish;
  if (options.json === true) {
    print(JSON.stringify({ project, scope, transport, ...(transport === 'http' ? { port: wish.port } : {}), settings, events, strict, dryRun: options.dryRun === true, changes: changes.map((change) => jsonChange(project, change)), backups, notes }, null, 2));
    return;
  }
  for (const note of notes) printNote(note);
  if (instead !== undefined) return print(instead);
  const bylaw = hasBylaw(project) ? 'npx bylaw' : 'bylaw';
  if (changes.length === 0) return print(`everything is in place already: ${nameOf(project, settings)}, ${eventCount(events)}. Does it work? ${bylaw} doctor`);
  print(`bylaw is registered in ${nameOf(project, settings)} for ${eventCount(events)}.`);
  if (backups.length > 0) print(`What was there before: ${backupFolder(process.env)}`);
  const first = changes.some(({ file, before }) => before === undefined && file.endsWith('first-rule.yaml'));
  print(`  ${bylaw} test      plays the tests of the rules`);
  print(`  ${bylaw} doctor    proves that the client's call is answered`);
  if (first) print(`  ${bylaw} explain 'Read .env'    shows a first denial; or ask the agent to\n                  read .env: policies/first-rule.yaml refuses it`);
  print(`  ${bylaw} init --remove    takes all of it back`);
  if (scope === 'project') print('  git add bylaw.yaml policies .claude    and commit, to share it');
}

function eventCount(events: readonly string[]): string {
  return events.length === 1 ? '1 event' : `${events.length} events`;
}

const WIDTH = 78;

/** At most 80 columns, hanging. */
function printNote(note: string): void {
  const lines: string[] = [];
  for (const word of note.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  print(lines.map((line, index) => (index === 0 ? `! ${line}` : `  ${line}`)).join('\n'));
}
