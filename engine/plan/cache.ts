/** Plans compiled beforehand, outside the repo; a hook call only asks `stat` whether one is still fresh. */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OnError, Plan } from '../model.ts';
import { cacheFolder, projectKey } from '../state/places.ts';

/** Changes with the shape of plans. */
export const PLAN_VERSION = 2;

export interface Cached {
  readonly version: number;
  readonly engine: string;
  readonly project: string;
  /** The last plan that could be built; it stays in force while the policy is broken. */
  readonly plan?: Plan;
  /** The problems of a broken policy, as text. */
  readonly broken?: string;
  /** What a broken policy without a last good plan does. */
  readonly onError: OnError;
  readonly stamps: readonly Stamp[];
}

/** A file or folder that the plan depends on, as it was. */
export interface Stamp {
  readonly path: string;
  /** `size mtime` of a file, the names in a folder, or `absent`. */
  readonly was: string;
}

export function cacheFile(project: string, env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), projectKey(project), 'plan.json');
}

export function readCache(file: string): Cached | undefined {
  try {
    return asCached(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Undefined if the text is no plan of this version. */
export function asCached(text: string): Cached | undefined {
  try {
    const value: Partial<Cached> = JSON.parse(text);
    if (value.version !== PLAN_VERSION || !Array.isArray(value.stamps) || value.engine === undefined || value.project === undefined) return undefined;
    return { ...value, version: PLAN_VERSION, engine: value.engine, project: value.project, stamps: value.stamps, onError: value.onError ?? 'allow' };
  } catch {
    return undefined;
  }
}

export function writeCache(file: string, cached: Cached): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, JSON.stringify(cached), { mode: 0o600 });
  renameSync(draft, file);
}

export function isFresh(cached: Cached, engine: string): boolean {
  return cached.engine === engine && cached.stamps.every((stamp) => stampOf(stamp.path).was === stamp.was);
}

export function stampOf(path: string): Stamp {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return { path, was: readdirSync(path).filter((name) => /\.ya?ml$/.test(name)).sort().join('/') };
    return { path, was: `${found.size} ${found.mtimeMs} ${found.ino}` };
  } catch {
    return { path, was: 'absent' };
  }
}
