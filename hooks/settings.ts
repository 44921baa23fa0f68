/** Claude Code's settings files, read from the disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeFolder } from '../engine/state/places.ts';
import { settingsFiles, type Source } from './hosts/claude-settings.ts';

/** Every settings file that a session in the project's folder can see, the strongest first; those that are not there have no text. */
export function readSources(project: string, env: NodeJS.ProcessEnv): readonly Source[] {
  return settingsFiles(project, { platform: process.platform, home: homeFolder(env), env }).flatMap((source) => {
    const read = withText(source);
    return source.scope === 'managed' ? [read, ...dropIns(source)] : [read];
  });
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
