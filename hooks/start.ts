/** Starts a server that outlives this process, exactly one of them, and ends one of another build. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acquire } from '../engine/state/lock.ts';
import { ENGINE } from '../engine/version.ts';
import { isAlive, placeName, probe, readRecord, removeRecord, serverFile, type Place, type ServerRecord } from './record.ts';

/** Milliseconds for a server that lives to say so; it takes one or two. */
const PROBE = 300;
/** Milliseconds for one of another build to end; it gives its requests 2 s. */
const LEAVING = 2_500;
const LOOK_AGAIN = 10;
/** Milliseconds after which a server that says nothing hangs; a busy machine makes one wait. */
const HANGS = 2_000;

/** `fault` is for the person: why no server answers there. */
export type Started = { readonly is: 'running' | 'started'; readonly record: ServerRecord } | { readonly is: 'starting' } | { readonly is: 'failed'; readonly fault: string };

/** Undefined if a new one is needed. */
async function running(place: Place, env: NodeJS.ProcessEnv): Promise<Started | undefined> {
  const record = readRecord(place, env);
  if (record === undefined || record.version !== ENGINE) return undefined;
  let found = await probe(place, record.pid, env['BYLAW_TOKEN'], PROBE);
  if (found.is === 'silent' && (await isServer(record.pid))) found = await probe(place, record.pid, env['BYLAW_TOKEN'], HANGS);
  if (found.is !== 'ours') return undefined;
  if (found.health === undefined) return { is: 'failed', fault: `the server on ${placeName(place)} was started with another BYLAW_TOKEN and refuses this session; give both the same one, or end it with \`bylaw serve --stop\`` };
  return { is: 'running', record };
}

/** Waits at most `patience` milliseconds until it listens; only who had to start one waits at all. */
export async function ensureServer(place: Place, env: NodeJS.ProcessEnv, patience: number, idle?: number): Promise<Started> {
  const until = Date.now() + patience;
  const lockFile = serverFile(place, env, 'lock');
  for (;;) {
    const found = await running(place, env);
    if (found !== undefined) return found;
    // Of several hooks that come at once, one starts it and the others wait for that.
    mkdirSync(dirname(lockFile), { recursive: true, mode: 0o700 });
    const lock = acquire(lockFile, 0);
    if (lock !== undefined) {
      try {
        return (await running(place, env)) ?? (await startAnew(place, env, patience, idle));
      } finally {
        lock.release();
      }
    }
    if (Date.now() > until) return { is: 'starting' };
    await pause(LOOK_AGAIN);
  }
}

async function startAnew(place: Place, env: NodeJS.ProcessEnv, patience: number, idle: number | undefined): Promise<Started> {
  const other = readRecord(place, env);
  if (other !== undefined) await endServer(place, env, other);
  const { spawn } = await import('node:child_process');
  const args = ['port' in place ? `--port=${place.port}` : `--socket=${place.socket}`, ...(idle === undefined ? [] : [`--idle=${idle}`])];
  const [program = '', ...before] = daemon();
  // Its own session, no terminal, no pipe of ours and no folder of a project: the client must not wait for it, nor end it.
  const child = spawn(program, [...before, ...args], { detached: true, stdio: 'ignore', env, cwd: '/' });
  let code: number | null | undefined;
  child.once('exit', (status) => (code = status));
  child.once('error', () => (code = null));
  child.unref();
  for (const until = Date.now() + patience; ; await pause(LOOK_AGAIN)) {
    const record = readRecord(place, env);
    if (record !== undefined && record.pid === child.pid) return { is: 'started', record };
    // One that another hook had just started may have been faster.
    if (code !== undefined) return (await running(place, env)) ?? { is: 'failed', fault: lastLine(serverFile(place, env, 'log')) ?? `the server ended with ${code}` };
    if (Date.now() > until) return { is: 'starting' };
  }
}

/** False if it does not answer as ours, or does not end: then the process is not touched. */
export async function endServer(place: Place, env: NodeJS.ProcessEnv, { pid }: ServerRecord): Promise<boolean> {
  let found = await probe(place, pid, undefined, PROBE);
  if (found.is === 'silent' && (await isServer(pid))) {
    found = await probe(place, pid, undefined, HANGS);
    // It can't hear a polite word.
    if (found.is === 'silent') {
      process.kill(pid, 'SIGKILL');
      for (const until = Date.now() + LEAVING; isAlive(pid) && Date.now() < until; ) await pause(LOOK_AGAIN);
      removeRecord(place, env, pid);
      return true;
    }
  }
  if (found.is !== 'ours') {
    // It is gone, or the number belongs to another process by now.
    removeRecord(place, env, pid);
    return false;
  }
  process.kill(pid, 'SIGTERM');
  for (const until = Date.now() + LEAVING; Date.now() < until; await pause(LOOK_AGAIN)) {
    if ((await probe(place, pid, undefined, PROBE)).is === 'silent') return true;
  }
  return false;
}

/** Whether the process is one of our servers, however silent it is. */
async function isServer(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const name = /serve\.cjs|daemon\.ts|bylaw\S* serve/;
  try {
    return name.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
  } catch {
    // No such file system here.
  }
  const { spawnSync } = await import('node:child_process');
  return name.test(spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).stdout ?? '');
}

function daemon(): readonly string[] {
  const here = fileURLToPath(import.meta.url);
  if (here.endsWith('.ts')) return [process.execPath, '--import', createRequire(here).resolve('tsx'), join(dirname(here), 'daemon.ts')];
  return [process.execPath, join(dirname(here), 'serve.cjs')];
}

function lastLine(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)?.replace(/^\S+Z /, '');
  } catch {
    return undefined;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
