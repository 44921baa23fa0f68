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

/**
 * The host's project folder comes first: it stays where the session began, also after `cd`. A session that began above
 * several projects belongs to none; a call that names a file of one of them is judged by that one.
 */
export function projectOf({ input, env, cwd }: Call): string | undefined {
  return findProject([env['CLAUDE_PROJECT_DIR']]) ?? findProject([...foldersIn(input), cwd]);
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

function foldersIn(input: string): readonly string[] {
  try {
    const payload: unknown = JSON.parse(input.replace(/^\uFEFF/, ''));
    const named = textIn(payload, 'tool_input', 'file_path') ?? textIn(payload, 'tool_input', 'notebook_path') ?? textIn(payload, 'tool_input', 'path');
    const cwd = textIn(payload, 'cwd');
    return [named, cwd].flatMap((each) => each ?? []);
  } catch {
    return [];
  }
}

function textIn(value: unknown, ...keys: readonly string[]): string | undefined {
  let found: unknown = value;
  for (const key of keys) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  return typeof found === 'string' ? found : undefined;
}
