/** What init did, kept in the state folder so that it can be undone exactly; and where this machine has bylaw. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectKey, stateFolder } from '../../engine/state/places.ts';
import { digestOf, type Applied, type Change } from './changes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Recorded {
  readonly file: string;
  /** Its text before the first init; null if there was none. */
  readonly before: string | null;
  /** Digest of what init wrote last. */
  readonly after: string;
}

export interface InitRecord {
  readonly files: readonly Recorded[];
  readonly folders: readonly string[];
  /** Projects that count on it, where the file is the user's. */
  readonly projects?: readonly string[];
}

const NOTHING: InitRecord = { files: [], folders: [] };

/** The user's settings are everybody's, and have a record of their own. */
export function recordFile(env: Environment, project: string | undefined): string {
  return project === undefined ? join(stateFolder(env), 'init-user.json') : join(stateFolder(env), projectKey(project), 'init.json');
}

export function backupFolder(env: Environment): string {
  return join(stateFolder(env), 'backups');
}

export function readRecord(file: string): InitRecord {
  try {
    const value: Partial<InitRecord> = JSON.parse(readFileSync(file, 'utf8'));
    return { files: value.files ?? [], folders: value.folders ?? [], ...(value.projects === undefined ? {} : { projects: value.projects }) };
  } catch {
    return NOTHING;
  }
}

/**
 * The record after changes. A file that is still as init left it keeps the text from before the first init;
 * one that people changed since starts anew from `without`, which is their text without our part.
 */
export function recordOf(old: InitRecord, changes: readonly Change[], { folders }: Applied, without: (change: Change) => string | null, project?: string): InitRecord {
  const files = new Map(old.files.map((each) => [each.file, each]));
  for (const change of changes) {
    if (change.after === undefined) continue;
    const known = files.get(change.file);
    const untouched = known !== undefined && change.before !== undefined && digestOf(change.before) === known.after;
    files.set(change.file, { file: change.file, before: untouched ? known.before : without(change), after: digestOf(change.after) });
  }
  const projects = project === undefined ? old.projects : [...new Set([...(old.projects ?? []), project])];
  return { files: [...files.values()], folders: [...new Set([...old.folders, ...folders])], ...(projects === undefined ? {} : { projects }) };
}

export function writeRecord(file: string, record: InitRecord | undefined): void {
  if (record === undefined) rmSync(file, { force: true });
  else writeJson(file, record);
}

/** Where this machine has bylaw, for launchers in projects that do not have it themselves. */
export function installFile(env: Environment): string {
  return join(stateFolder(env), 'install.json');
}

export function noteInstall(env: Environment, hook: string, version: string): void {
  writeJson(installFile(env), { hook, node: process.execPath, version });
}

/** One server serves all projects of a user, so there is one token. */
export function tokenFile(env: Environment): string {
  return join(stateFolder(env), 'token');
}

export function readToken(env: Environment): string | undefined {
  try {
    return /^[0-9a-f]{64}$/.exec(readFileSync(tokenFile(env), 'utf8').trim())?.[0];
  } catch {
    return undefined;
  }
}

export function writeToken(env: Environment, token: string): void {
  writeWhole(tokenFile(env), `${token}\n`);
}

function writeJson(file: string, value: unknown): void {
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`);
}

function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${process.pid}.tmp`, text, { mode: 0o600 });
  renameSync(`${file}.${process.pid}.tmp`, file);
}
