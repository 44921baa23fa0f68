/** Policy files that a person has read and trusts, by path and content. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stateFolder } from './places.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export function trustFile(env: Environment): string {
  return join(stateFolder(env), 'trust.json');
}

/** Whether a file is trusted as it is now: a change needs a new look. */
export function trustsIn(env: Environment): (file: string) => boolean {
  const trusted = readTrust(env);
  // Asked for every fact and rule of a file; one load sees one content.
  const answers = new Map<string, boolean>();
  return (file) => {
    const before = answers.get(file);
    if (before !== undefined) return before;
    const digest = digestOf(file);
    const answer = digest !== undefined && trusted[realOf(file)] === digest;
    answers.set(file, answer);
    return answer;
  };
}

export function trust(files: readonly string[], env: Environment): void {
  const all = { ...readTrust(env) };
  for (const file of files) all[realOf(file)] = digestOf(file) ?? '';
  write(all, env);
}

export function distrust(files: readonly string[], env: Environment): void {
  const gone = new Set(files.map(realOf));
  write(Object.fromEntries(Object.entries(readTrust(env)).filter(([file]) => !gone.has(file))), env);
}

function readTrust(env: Environment): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(readFileSync(trustFile(env), 'utf8'));
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}

function write(all: Readonly<Record<string, string>>, env: Environment): void {
  const file = trustFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.tmp`, JSON.stringify(all, null, 2), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

function digestOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return undefined;
  }
}

function realOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}
