/** Claude Code's settings files, read from the disk. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { homeFolder } from '../engine/state/places.ts';
import { settingsFiles, type Source } from './hosts/claude-settings.ts';

/** Every settings file that a session in the project's folder can see, the strongest first; those that are not there have no text. */
export function readSources(project: string, env: NodeJS.ProcessEnv): readonly Source[] {
  return settingsFiles(project, { platform: process.platform, home: homeFolder(env), env }).flatMap((source) => {
    const read = withText(source);
    if (source.scope === 'managed') return [read, ...dropIns(source)];
    return source.scope === 'local' ? [read, ...localElsewhere(project)] : [read];
  });
}

/** The client also takes the local settings of the repo's root, in a worktree those of the main one. */
function localElsewhere(project: string): readonly Source[] {
  const root = mainRoot(project);
  return root === undefined || root === project ? [] : [withText({ scope: 'local', file: join(root, '.claude', 'settings.local.json') })];
}

function mainRoot(project: string): string | undefined {
  for (let folder = project; ; folder = dirname(folder)) {
    const git = join(folder, '.git');
    if (existsSync(git)) return worktreeOf(folder, readText(git)) ?? folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** In a worktree `.git` is a file that names a folder of the main one. */
function worktreeOf(folder: string, link: string | undefined): string | undefined {
  if (link === undefined) return undefined;
  const git = resolve(folder, link.replace(/^gitdir: /, '').trim());
  const common = readText(join(git, 'commondir'));
  return common === undefined ? undefined : dirname(resolve(git, common.trim()));
}

function withText(source: Source): Source {
  const text = readText(source.file);
  return text === undefined ? source : { ...source, text };
}

function dropIns({ scope, file }: Source): readonly Source[] {
  const folder = join(dirname(file), 'managed-settings.d');
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort().map((name) => withText({ scope, file: join(folder, name) }));
  } catch {
    return [];
  }
}

/** Undefined where there is no such file, or it may not be read. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
