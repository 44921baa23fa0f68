/** Where a call belongs: the nearest folder upwards with a bylaw.yaml. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** The host's project folder comes first: it stays where the session began, also after `cd`. */
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
