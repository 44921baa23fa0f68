/** One holder at a time among processes, without a daemon: a file that only one can create. */
import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';

/** A holder that is older than this is taken for dead. Nothing is waited for under the lock, so it is held for milliseconds. */
const STALE = 15_000;

export interface Lock {
  /** Whether the lock is still ours; a process that slept too long may have lost it. */
  readonly held: () => boolean;
  readonly release: () => void;
}

/** Undefined if somebody else holds it for longer than `patience` milliseconds. */
export function acquire(file: string, patience: number): Lock | undefined {
  const name = `${hostname()} ${process.pid} ${Date.now()} ${Math.random()}`;
  const until = Date.now() + patience;
  for (let wait = 1; ; wait = Math.min(wait * 2, 16)) {
    if (create(file, name)) break;
    if (isStale(file)) removeStale(file);
    else if (Date.now() > until) return undefined;
    else sleep(wait + Math.random() * wait);
  }
  const held = (): boolean => content(file) === name;
  return {
    held,
    release: () => {
      if (held()) remove(file);
    },
  };
}

function create(file: string, name: string): boolean {
  let handle: number;
  try {
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  writeSync(handle, name);
  closeSync(handle);
  return true;
}

/** Its process is gone, or it is too old. A file without content may be a lock that is just being written. */
function isStale(file: string): boolean {
  const text = content(file);
  if (text === undefined) return false;
  const [host, pid] = text.split(' ');
  if (host === hostname() && pid !== undefined && !isAlive(Number(pid))) return true;
  return age(file) > STALE;
}

/** Only one process at a time may remove a stale lock, and only if it is still stale then. */
function removeStale(file: string): void {
  const broom = `${file}.stale`;
  if (!create(broom, String(process.pid))) {
    if (age(broom) > STALE) remove(broom);
    sleep(2);
    return;
  }
  if (isStale(file)) remove(file);
  remove(broom);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

function content(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function age(file: string): number {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Somebody else was faster.
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
