/** The needs of an evaluation → answers from the disk and from programs. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { matchesGlob } from '../engine/judge/match.ts';
import { shown } from '../engine/judge/paths.ts';
import type { Event, Need, Outside } from '../engine/model.ts';
import { runProgram, type Ended } from './program.ts';

const MAX_BYTES = 1_000_000;
const MAX_OUTPUT = 20_000;
/** Bytes of a program's output; more is no answer any more. */
export const MAX_PRINTED = 16 * MAX_BYTES;
/** Names looked at for one glob; a rule asks for a plan file, not for a tree. */
const MAX_NAMES = 20_000;

type RunNeed = Extract<Need, { kind: 'run' }>;

/** The shell analyser and the reader of settings are only loaded when somebody asks for them. */
export async function findOutside(need: Need, event: Event): Promise<Outside> {
  return find(need, event, event.env);
}

/** For a process that serves many sessions: programs get its own variables where the session's are not known. */
export function outsideWith(env: NodeJS.ProcessEnv): typeof findOutside {
  return (need, event) => find(need, event, { ...env, ...event.env });
}

async function find(need: Need, event: Event, env: NodeJS.ProcessEnv): Promise<Outside> {
  if (need.kind === 'run') return run(need, event, env);
  if (need.kind === 'disarms') return (await import('./disarms.ts')).findDisarms(need.wanted, event, { remembers: true });
  if (need.kind !== 'command') return look(need, event);
  const { analyseCommand } = await import('./command.ts');
  return analyseCommand(need.text, event);
}

/** Everything but shell texts, programs and settings. */
export function look(need: Exclude<Need, { kind: 'command' | 'run' | 'disarms' }>, event: Event): Outside {
  try {
    switch (need.kind) {
      case 'real':
        return { value: realOf(need.path) };
      case 'text':
      case 'json':
        return readFirst(need.paths, need.kind);
      case 'exists':
        return { value: need.globs.flatMap((glob) => existing(glob)).filter((path) => isOlder(path, need.olderThan, event.now)).map((path) => shown(path, [event.project])) };
    }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** The real path of the deepest part that exists, and the rest as it is. */
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), path.slice(parent.length));
  }
}

function readFirst(paths: readonly string[], kind: 'text' | 'json'): Outside {
  for (const path of paths) {
    if (!existsSync(path)) continue;
    if (statSync(path).size > MAX_BYTES) return { error: `${path} is larger than ${MAX_BYTES} bytes` };
    const text = readFileSync(path, 'utf8');
    if (kind === 'text') return { value: text };
    try {
      return { value: JSON.parse(text) };
    } catch {
      return { error: `${path} is not JSON` };
    }
  }
  return { value: null };
}

/** Paths that a glob finds, walked folder by folder. */
function existing(glob: string): readonly string[] {
  let looked = 0;
  const walk = (folder: string, parts: readonly string[]): readonly string[] => {
    const [part, ...rest] = parts;
    if (part === undefined) return [folder];
    if (!/[*?[{(]/.test(part.replace(/\\./g, ''))) {
      const next = join(folder, part.replace(/\\(.)/g, '$1'));
      return existsSync(next) ? walk(next, rest) : [];
    }
    const found: string[] = part === '**' ? [...walk(folder, rest)] : [];
    for (const name of namesIn(folder)) {
      if (++looked > MAX_NAMES) throw new Error(`${glob} asks for more than ${MAX_NAMES} names`);
      const next = join(folder, name);
      if (part === '**') found.push(...(isFolder(next) ? walk(next, parts) : []));
      else if (matchesGlob(part, name, 'path', false)) found.push(...walk(next, rest));
    }
    return found;
  };
  return [...new Set(walk('/', glob.split('/').filter((part) => part !== '')))];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isOlder(path: string, than: number | undefined, now: number): boolean {
  return than === undefined || now - statSync(path).mtimeMs > than;
}

async function run(need: RunNeed, event: Event, env: NodeJS.ProcessEnv): Promise<Outside> {
  try {
    return outcome(need, await runProgram(need.command, { cwd: event.project, env, timeout: need.timeout, maxBytes: MAX_PRINTED }));
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Nothing at exit 0, else what it printed. A program that is missing or too slow is no finding, but an error. */
export function outcome({ command: [program = ''] }: RunNeed, { status, signal, stdout, stderr, fault }: Ended): Outside {
  if (fault !== undefined) return { error: fault.message };
  return { value: status === 0 ? null : `${stdout}${stderr}`.trim().slice(0, MAX_OUTPUT) || `${program} ended with ${status ?? signal}` };
}
