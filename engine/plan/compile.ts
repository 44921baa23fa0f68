/** A project's policies → a plan in the cache. Cold: this is where yaml and ajv are loaded. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { load, type Loaded, type LoadOptions } from '../load/load.ts';
import { diskReader, notingReader, packFolder, projectFiles } from '../load/read.ts';
import type { Project } from '../load/source.ts';
import type { Schema } from '../load/validate.ts';
import { trustFile, trustsIn } from '../state/trust.ts';
import { printProblem } from '../report/frame.ts';
import { ENGINE } from '../version.ts';
import { buildPlan } from './build.ts';
import { cacheFile, PLAN_VERSION, readCache, stampOf, writeCache, type Cached } from './cache.ts';

const schemas = new Map<string, Schema>();

/** The schema of policies or of tests, read once: its compiled form is kept with it. */
export function readSchema(name: 'policy' | 'test' = 'policy'): Schema {
  const schema = schemas.get(name) ?? JSON.parse(readFileSync(join(packFolder(), '..', 'schema', `${name}.schema.json`), 'utf8'));
  schemas.set(name, schema);
  return schema;
}

export function projectOf(folder: string, main?: string): Project {
  const files = projectFiles(folder);
  const label = (file: string): string => {
    const path = relative(folder, file);
    return path.startsWith('..') ? file : path;
  };
  return main === undefined ? { ...files, label, guard: 'bylaw:self-protection' } : { main, parts: [], label };
}

export function loadProject(folder: string, env: NodeJS.ProcessEnv, main?: string, more: Pick<Partial<LoadOptions>, 'reader' | 'regexFault'> = {}): Loaded {
  return load(projectOf(folder, main), { reader: diskReader, schema: readSchema(), trusts: trustsIn(env), ...more });
}

/** Builds and stores the plan. `fault` says why it could not be stored; it is good all the same. */
export function compile(folder: string, env: NodeJS.ProcessEnv): { readonly cached: Cached; readonly fault?: string } {
  const cached = build(folder, env);
  try {
    writeCache(cacheFile(folder, env), cached);
    return { cached };
  } catch (error) {
    return { cached, fault: `the plan can not be kept: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** A broken policy keeps the last good plan. */
function build(folder: string, env: NodeJS.ProcessEnv): Cached {
  const file = cacheFile(folder, env);
  // Stamped before they are read: an edit in between makes the plan stale, never wrongly fresh.
  const stamps = new Map([join(folder, 'policies'), trustFile(env)].map((path) => [path, stampOf(path)]));
  const loaded = loadProject(folder, env, undefined, { reader: notingReader((path) => stamps.set(path, stamps.get(path) ?? stampOf(path))) });
  const errors = loaded.problems.filter((problem) => problem.severity === 'error');
  const last = readCache(file);
  const plan = loaded.core === undefined ? (last?.engine === ENGINE ? last.plan : undefined) : buildPlan(loaded.core);
  return {
    version: PLAN_VERSION,
    engine: ENGINE,
    project: folder,
    ...(plan === undefined ? {} : { plan }),
    ...(errors.length === 0 ? {} : { broken: errors.map((problem) => printProblem(problem, loaded.texts)).join('\n\n') }),
    onError: [...loaded.texts.values()].some((text) => /^on-error:\s*['"]?deny\b/m.test(text)) ? 'deny' : 'allow',
    stamps: [...stamps.values()],
  };
}
