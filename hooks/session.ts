/** What a server can't know of a session: its environment and where it began. Written by the command hook, read by the server. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFile } from '../engine/plan/cache.ts';
import { stateFolder } from '../engine/state/places.ts';

export interface SessionRecord {
  readonly version: 1;
  /** The folder that the command hook ran in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where things are, for the state, the plan, the shell analyser and the programs of rules. All other variables are kept only if a rule asks for them. */
const ALWAYS = ['PATH', 'HOME', 'USERPROFILE', 'USER', 'TMPDIR', 'CLAUDE_PROJECT_DIR', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'BYLAW_STATE_DIR', 'BYLAW_CACHE_DIR'];
/** A plan that asks for more is no plan about a session. */
const MOST_VARIABLES = 200;
/** Characters of one value; a longer one is left out, because half a value would be a wrong one. */
const LONGEST_VALUE = 32_768;
/** Like the state of sessions. */
const EXPIRY = 30 * 86_400_000;

export function writeSession(session: string, project: string | undefined, cwd: string, env: NodeJS.ProcessEnv): void {
  if (session === '') return;
  const names = [...ALWAYS, ...askedFor(project, env)].slice(0, ALWAYS.length + MOST_VARIABLES);
  const kept = variables(names, { ...env, CLAUDE_PROJECT_DIR: env['CLAUDE_PROJECT_DIR'] || project });
  const record: SessionRecord = { version: 1, cwd, env: kept };
  const file = fileOf(session, env);
  mkdirSync(folderOf(env), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
  renameSync(draft, file);
}

export function readSession(session: string, env: NodeJS.ProcessEnv): SessionRecord | undefined {
  if (session === '') return undefined;
  try {
    const value: Partial<SessionRecord> = JSON.parse(readFileSync(fileOf(session, env), 'utf8'));
    return value.version === 1 && typeof value.cwd === 'string' && typeof value.env === 'object' ? { version: 1, cwd: value.cwd, env: value.env } : undefined;
  } catch {
    return undefined;
  }
}

/** The environment of a session without a record: nobody knows its variables, so no rule sees another session's. */
export function unknownSession(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return variables(ALWAYS.filter((name) => name !== 'CLAUDE_PROJECT_DIR'), env);
}

/** Forgets records that no prompt has renewed for 30 days. */
export function sweepSessions(env: NodeJS.ProcessEnv, now: number): void {
  try {
    for (const name of readdirSync(folderOf(env))) {
      const file = join(folderOf(env), name);
      if (now - statSync(file).mtimeMs >= EXPIRY) rmSync(file, { force: true });
    }
  } catch {
    // Another hook sweeps too, or there is nothing to sweep.
  }
}

/** The variables that the plan's rules, facts and texts name, read off its text: `"env.X"` and `{env.X}`. */
function askedFor(project: string | undefined, env: NodeJS.ProcessEnv): readonly string[] {
  if (project === undefined) return [];
  try {
    const text = readFileSync(cacheFile(project, env), 'utf8');
    return [...new Set([...text.matchAll(/["{]env\.(\w+)/g)].map(([, name = '']) => name))];
  } catch {
    return [];
  }
}

function variables(names: readonly string[], env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined || value.length > LONGEST_VALUE ? [] : [[name, value] as const];
    }),
  );
}

function folderOf(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'sessions');
}

/** Plain ids stay readable; anything else is hashed, so that no id can name another file. */
function fileOf(session: string, env: NodeJS.ProcessEnv): string {
  const name = /^[\w-]{1,80}$/.test(session) ? session : `x${createHash('sha256').update(session).digest('hex').slice(0, 32)}`;
  return join(folderOf(env), `${name}.json`);
}
