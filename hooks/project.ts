/** Where a call belongs: the nearest folder upwards with a bylaw.yaml. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

export interface Call {
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The event's name from the command line, for input that can't be read. */
  readonly event?: string;
}

/** The host's project folder comes first: it stays where the session began, also after `cd`. */
export function projectOf({ input, env, cwd }: Call): string | undefined {
  return findProject([env['CLAUDE_PROJECT_DIR']]) ?? findProject([cwdIn(input), cwd]);
}

export function findProject(starts: readonly (string | undefined)[]): string | undefined {
  for (const start of starts) {
    if (start === undefined || !isAbsolute(start)) continue;
    for (let folder = start; ; folder = dirname(folder)) {
      if (existsSync(join(folder, 'bylaw.yaml'))) return folder;
      if (dirname(folder) === folder) break;
    }
  }
  return undefined;
}

function cwdIn(input: string): string | undefined {
  try {
    const value: unknown = JSON.parse(input.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && 'cwd' in value && typeof value.cwd === 'string' ? value.cwd : undefined;
  } catch {
    return undefined;
  }
}
