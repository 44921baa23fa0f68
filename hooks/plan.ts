/** The plan in force for a project: from the cache, rebuilt by a process of its own when a policy has changed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asCached, cacheFile, isFresh, readCache, type Cached } from '../engine/plan/cache.ts';
import { acquire, type Lock } from '../engine/state/lock.ts';
import { ENGINE } from '../engine/version.ts';

/** A compile takes about 200 ms; a machine under load gets more. */
const TIMEOUT = 20_000;
const MAX_PLAN = 64_000_000;

export interface InForce {
  readonly cached?: Cached;
  /** What went wrong, for the person. */
  readonly fault?: string;
}

export function planInForce(project: string, env: NodeJS.ProcessEnv): InForce {
  const file = cacheFile(project, env);
  const cached = readCache(file);
  if (cached !== undefined && cached.project === project && isFresh(cached, ENGINE)) return { cached };
  // One process rebuilds; the others use the last good plan, or wait for the first one.
  const lock = lockOf(`${file}.lock`, cached?.plan === undefined ? TIMEOUT : 0);
  if (lock === undefined && cached?.plan !== undefined) return { cached };
  try {
    const meanwhile = readCache(file);
    if (meanwhile !== undefined && meanwhile.project === project && isFresh(meanwhile, ENGINE)) return { cached: meanwhile };
    return compileApart(project, file, cached, env);
  } finally {
    lock?.release();
  }
}

/** No lock where the cache folder can't be written: each call compiles for itself then. */
function lockOf(file: string, patience: number): Lock | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return acquire(file, patience);
  } catch {
    return undefined;
  }
}

function compileApart(project: string, file: string, cached: Cached | undefined, env: NodeJS.ProcessEnv): InForce {
  // yaml and ajv are loaded there, never here.
  const [program, ...args] = compiler();
  const done = spawnSync(program, [...args, 'compile', project], { env, timeout: TIMEOUT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: MAX_PLAN });
  // A plan that can't be kept is printed.
  const fresh = asCached(done.stdout ?? '') ?? readCache(file) ?? cached;
  const fault = done.error?.message ?? (done.status === 0 ? undefined : done.stderr.trim().replace(/^bylaw: /, '') || `the compiler ended with ${done.status ?? done.signal}`);
  return { ...(fresh === undefined ? {} : { cached: fresh }), ...(fault === undefined ? {} : { fault }) };
}

function compiler(): readonly [string, ...string[]] {
  const here = fileURLToPath(import.meta.url);
  if (here.endsWith('.ts')) return [process.execPath, '--import', 'tsx', join(dirname(here), '..', 'cli', 'main.ts')];
  return [process.execPath, join(dirname(here), 'bylaw.mjs')];
}
