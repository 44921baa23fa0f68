/** Where init works: the project's folder, its repo, and the bylaw that runs it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProject } from '../../hooks/project.ts';

/** The nearest folder upwards with a bylaw.yaml; else the root of the repo, because that is where sessions start; else here. */
export function projectFolder(start: string): string {
  return findProject([start]) ?? repoRoot(start) ?? start;
}

export function repoRoot(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** dist/hook.cjs of the bylaw that runs. */
export function ownHook(): string {
  const here = fileURLToPath(import.meta.url);
  return here.endsWith('.ts') ? join(dirname(here), '..', '..', 'dist', 'hook.cjs') : join(dirname(here), 'hook.cjs');
}

/** Package runners fetch into folders that vanish. */
export function isPassing(path: string): boolean {
  return /[\\/](?:_npx|dlx-[^\\/]*|bunx-[^\\/]*|xfs-[^\\/]*)[\\/]/.test(path);
}

/** The schemas from the project's folder, where it has bylaw itself. */
export function ownSchemas(project: string): string | undefined {
  const path = 'node_modules/bylaw/schema';
  return existsSync(join(project, path, 'policy.schema.json')) ? path : undefined;
}

export function hasBylaw(project: string): boolean {
  return existsSync(join(project, 'node_modules', 'bylaw', 'dist', 'hook.cjs'));
}

/** Whether package.json lists bylaw, so that whoever installs the project has it. */
export function isDependency(project: string): boolean {
  try {
    const value: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> & { readonly name?: unknown } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    return ['dependencies', 'devDependencies', 'optionalDependencies'].some((kind) => value[kind]?.['bylaw'] !== undefined);
  } catch {
    return false;
  }
}

export type Ignored = 'ignored' | 'tracked' | { readonly exclude: string };

/** Whether git leaves a file alone; if not, the file that can say so without being committed. Undefined outside a repo or without git. */
export function ignoredBy(project: string, path: string): Ignored | undefined {
  const git = (...args: readonly string[]) => spawnSync('git', ['-C', project, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  if (git('ls-files', '--error-unmatch', '--', path).status === 0) return 'tracked';
  const { status } = git('check-ignore', '-q', '--', path);
  if (status === 0) return 'ignored';
  if (status !== 1) return undefined;
  const found = git('rev-parse', '--git-path', 'info/exclude');
  return found.status === 0 ? { exclude: resolve(project, found.stdout.trim()) } : undefined;
}
