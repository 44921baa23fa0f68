/** State on disk: read, and replaced whole under a lock. One file per session, one per project, one per user. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session, Shared, State } from '../model.ts';
import { acquire, isCode, type Lock } from './lock.ts';
import { asSession, asShared, EMPTY_SESSION, EMPTY_SHARED } from './state.ts';

/** Waiting for other hook processes; each holds the lock for a few milliseconds. */
const PATIENCE = 5_000;
const EXPIRY = 30 * 86_400_000;

export interface Store {
  /** The state as it is, without the lock. */
  read(session: string): State;
  /** Reads, changes and writes under the lock; `change` returns undefined to leave all as it is. It is given the very object that `read` gave if nobody has written since. */
  update(session: string, change: (state: State) => State | undefined, locks?: { readonly user?: boolean }): void;
  /** Forgets sessions that nothing has touched for 30 days. */
  sweep(now: number): void;
  /** What went wrong and was mended or worked around, since the last call. */
  notes(): readonly string[];
  readonly folder: string;
}

export class StateError extends Error {}

export function openStore(root: string, key: string): Store {
  const folder = join(root, key);
  const files = (session: string): Readonly<Record<keyof State, string>> => ({
    user: join(root, 'user.json'),
    project: join(folder, 'project.json'),
    session: join(folder, `session-${fileName(session)}.json`),
  });
  let notes: string[] = [];
  const note = (text: string): void => void notes.push(text);

  /** What the files held when they were last read, so that the same need not be parsed, or judged, twice. */
  let last: { readonly texts: Texts; readonly session: string; readonly state: State } | undefined;

  const read = (session: string): State => {
    const names = files(session);
    const texts: Texts = { user: readText(names.user, note), project: readText(names.project, note), session: readText(names.session, note) };
    if (last !== undefined && last.session === session && texts.session === last.texts.session && texts.project === last.texts.project && texts.user === last.texts.user) return last.state;
    const state: State = {
      user: readPart(names.user, texts.user, asShared, EMPTY_SHARED, note),
      project: readPart(names.project, texts.project, asShared, EMPTY_SHARED, note),
      session: readPart(names.session, texts.session, asSession, EMPTY_SESSION, note),
    };
    last = { texts, session, state };
    return state;
  };

  return {
    folder,
    read,
    update(session, change, { user = false } = {}) {
      const names = files(session);
      // Sessions of one project share a lock. The user's state is shared by all projects and locked first.
      const locks: Lock[] = [];
      try {
        if (user) {
          mkdir(folder);
          locks.push(lockOf(`${names.user}.lock`));
        }
        locks.push(lockIn(folder));
        const before = read(session);
        const after = change(before);
        if (after === undefined) return;
        if (!locks.every((lock) => lock.held())) throw new StateError('the lock was lost while the state was computed');
        if (after.session !== before.session) replace(names.session, after.session);
        if (after.project !== before.project) replace(names.project, after.project);
        if (after.user !== before.user) {
          if (!user) throw new Error("the user's state was changed without its lock");
          replace(names.user, after.user);
        }
      } catch (error) {
        if (error instanceof StateError || !isSystemError(error)) throw error;
        throw new StateError(`the state can not be written: ${error.message}`, { cause: error });
      } finally {
        for (const lock of locks.reverse()) lock.release();
      }
    },
    sweep(now) {
      for (const name of list(folder)) {
        if (/^session-.*\.json$/.test(name) && now - changedAt(join(folder, name)) >= EXPIRY) rmSync(join(folder, name), { force: true });
      }
    },
    notes() {
      const said = notes;
      notes = [];
      return said;
    },
  };
}

/** Plain ids stay readable; anything else is hashed, so that no id can name another file. */
function fileName(session: string): string {
  return /^[\w-]{1,80}$/.test(session) ? session : `x${createHash('sha256').update(session).digest('hex').slice(0, 32)}`;
}

type Texts = Readonly<Record<keyof State, string | undefined>>;

function readText(file: string, note: (text: string) => void): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'ENOTDIR')) note(`the state file ${file} can not be read: ${String(error)}`);
    return undefined;
  }
}

function readPart<T>(file: string, text: string | undefined, parse: (value: unknown) => T | undefined, empty: T, note: (text: string) => void): T {
  if (text === undefined) return empty;
  const value = parseJson(text);
  const part = value === undefined ? undefined : parse(value);
  if (part === undefined) return moveAside(file, empty, note);
  if (isWhole(value, part)) return part;
  // What fits is kept, the file as it was lies beside it.
  const aside = `${file}.corrupt-${Date.now()}`;
  try {
    writeFileSync(aside, text, { mode: 0o600 });
    note(`part of the state file ${file} was damaged and is left out; the whole is kept in ${aside}`);
  } catch (error) {
    note(`part of the state file ${file} is damaged: ${String(error)}`);
  }
  return part;
}

/** Whether nothing was left out when the file was read. */
function isWhole(value: unknown, part: unknown): boolean {
  return sizeOf(value) === sizeOf(part);
}

/** Entries of maps, at every depth. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + 1 + sizeOf(each), 0);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function moveAside<T>(file: string, empty: T, note: (text: string) => void): T {
  const aside = `${file}.corrupt-${Date.now()}`;
  try {
    renameSync(file, aside);
    note(`the state file ${file} was damaged; it was moved to ${aside} and the state starts anew`);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) note(`the state file ${file} is damaged and can not be moved aside: ${String(error)}`);
  }
  return empty;
}

/** The disk's own complaint, not a mistake of ours. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** A file that vanished meanwhile has just changed. */
function changedAt(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return Infinity;
  }
}

function lockOf(file: string): Lock {
  const lock = acquire(file, PATIENCE);
  if (lock === undefined) throw new StateError(`the state is locked by another process (${file})`);
  return lock;
}

/** The folder is there but for the first time. */
function lockIn(folder: string): Lock {
  try {
    return lockOf(join(folder, 'lock'));
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'ENOTDIR')) throw error;
    mkdir(folder);
    return lockOf(join(folder, 'lock'));
  }
}

function replace(file: string, part: Shared | Session): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, JSON.stringify(part), { mode: 0o600 });
  renameSync(draft, file);
}

function mkdir(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StateError(`the state folder ${folder} can not be made: ${String(error)}`, { cause: error });
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
