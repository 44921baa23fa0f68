/** Where bylaw keeps what it remembers: outside every repo, one folder per project. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

export function homeFolder(env: Environment): string {
  const home = env['HOME'] ?? env['USERPROFILE'];
  if (home !== undefined && home !== '') return home;
  try {
    return homedir();
  } catch {
    return join(tmpdir(), `bylaw-${userInfo().uid}`);
  }
}

export function stateFolder(env: Environment): string {
  return env['BYLAW_STATE_DIR'] || join(env['XDG_STATE_HOME'] || join(homeFolder(env), '.local', 'state'), 'bylaw');
}

export function cacheFolder(env: Environment): string {
  return env['BYLAW_CACHE_DIR'] || join(env['XDG_CACHE_HOME'] || join(homeFolder(env), '.cache'), 'bylaw');
}

/** Names of files are at most this long on every system. */
const LONGEST = 200;

/** One project has one key, however its folder is reached: its path, with `-` between the parts. */
export function projectKey(folder: string): string {
  let real = folder;
  try {
    real = realpathSync.native(folder);
  } catch {
    // A folder that can't be resolved is known by its name.
  }
  const key = real.replace(/[^\w./]/gu, (sign) => `%${sign.codePointAt(0)?.toString(16)}.`).replaceAll('/', '-');
  return key.length <= LONGEST ? key : `${key.slice(-LONGEST / 2)}-${createHash('sha256').update(real).digest('hex')}`;
}
