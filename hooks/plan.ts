/** The plan in force for a project: from the cache, rebuilt by a process of its own when a policy has changed. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asCached, cacheFile, isFresh, readCache, type Cached } from '../engine/plan/cache.ts';
import { acquire, type Lock } from '../engine/state/lock.ts';
import { ENGINE } from '../engine/version.ts';
import { runProgram } from './program.ts';

/** A compile takes about 200 ms; a machine under load gets more. */
const TIMEOUT = 20_000;
const MAX_PLAN = 64_000_000;
/** Milliseconds between looks at another process's lock. */
const LOOK_AGAIN = 10;

export interface InForce {
  readonly cached?: Cached;
  /** What went wrong, for the person. */
  readonly fault?: string;
}

export function planInForce(project: string, env: NodeJS.ProcessEnv): InForce | Promise<InForce> {
  const file = cacheFile(project, env);
  const last = readCache(file);
  const cached = ifFresh(last, project);
  return cached === undefined ? renew(project, file, last, env) : { cached };
}

export interface Plans {
  readonly planInForce: typeof planInForce;
  /** The projects whose plans are kept. */
  readonly projects: () => readonly string[];
}

/** Projects whose plans a resident process keeps; above that the oldest is read again when it is needed. */
const MOST_PLANS = 64;

/**
 * Plans in memory, for a process that answers many events. What a plan depends on is asked by `stat` at every event; while
 * that has not changed, the cache file can hold nothing newer, and it is read only when it has.
 */
export function residentPlans(): Plans {
  const kept = new Map<string, Cached>();
  const underWay = new Map<string, Promise<InForce>>();
  const keep = (key: string, cached: Cached): void => {
    kept.delete(key);
    kept.set(key, cached);
    const [oldest] = kept.keys();
    if (kept.size > MOST_PLANS && oldest !== undefined) kept.delete(oldest);
  };
  const renewed = async (key: string, ...given: Parameters<typeof renew>): Promise<InForce> => {
    try {
      const found = await renew(...given);
      if (found.cached !== undefined) keep(key, found.cached);
      return found;
    } finally {
      underWay.delete(key);
    }
  };
  return {
    planInForce(project, env) {
      const file = cacheFile(project, env);
      const key = `${file}\u0000${project}`;
      const known = kept.get(key);
      const fresh = ifFresh(known, project);
      if (fresh !== undefined) return { cached: fresh };
      const stored = readCache(file, true);
      const cached = ifFresh(stored, project);
      if (cached !== undefined) {
        keep(key, cached);
        return { cached };
      }
      const last = known ?? stored;
      const running = underWay.get(key);
      // The event that saw the change waits for the new plan; those that come meanwhile are judged by the last good one.
      if (running !== undefined) return last?.plan === undefined ? running : { cached: last };
      const next = renewed(key, project, file, last, env, true);
      underWay.set(key, next);
      return next;
    },
    projects: () => [...new Set([...kept.values()].map((cached) => cached.project))],
  };
}

function ifFresh(cached: Cached | undefined, project: string): Cached | undefined {
  return cached !== undefined && cached.project === project && isFresh(cached, ENGINE) ? cached : undefined;
}

/** One process rebuilds; the others use the last good plan, or wait for the first one. */
async function renew(project: string, file: string, last: Cached | undefined, env: NodeJS.ProcessEnv, whole = false): Promise<InForce> {
  const lock = await lockOf(`${file}.lock`, last?.plan === undefined ? TIMEOUT : 0);
  if (lock === 'busy' && last?.plan !== undefined) return { cached: last };
  try {
    const cached = ifFresh(readCache(file, whole), project);
    if (cached !== undefined) return { cached };
    return await compileApart(project, file, last, env, whole);
  } finally {
    if (lock !== 'busy') lock?.release();
  }
}

/** No lock where the cache folder can't be written: each call compiles for itself then. */
async function lockOf(file: string, patience: number): Promise<Lock | 'busy' | undefined> {
  const until = Date.now() + patience;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    for (;;) {
      const lock = acquire(file, 0);
      if (lock !== undefined) return lock;
      if (Date.now() > until) return 'busy';
      // Other sessions of a resident process are answered meanwhile.
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
    }
  } catch {
    return undefined;
  }
}

async function compileApart(project: string, file: string, last: Cached | undefined, env: NodeJS.ProcessEnv, whole: boolean): Promise<InForce> {
  // yaml and ajv are loaded there, never here.
  const done = await runProgram([...compiler(), 'compile', project], { env, timeout: TIMEOUT, maxBytes: MAX_PLAN });
  // A plan that can't be kept is printed.
  const fresh = asCached(done.stdout) ?? readCache(file, whole) ?? last;
  const fault = done.fault?.message ?? (done.status === 0 ? undefined : done.stderr.trim().replace(/^bylaw: /, '') || `the compiler ended with ${done.status ?? done.signal}`);
  return { ...(fresh === undefined ? {} : { cached: fresh }), ...(fault === undefined ? {} : { fault }) };
}

function compiler(): readonly string[] {
  const here = fileURLToPath(import.meta.url);
  if (here.endsWith('.ts')) return [process.execPath, '--import', 'tsx', join(dirname(here), '..', 'cli', 'main.ts')];
  return [process.execPath, join(dirname(here), 'bylaw.mjs')];
}
