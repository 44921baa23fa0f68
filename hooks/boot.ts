/** Loads the rest of the hook from V8's cache of compiled code, if this Node made one for this build; else compiles it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { cacheFolder } from '../engine/state/places.ts';
import { ENGINE } from '../engine/version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Files of the build that are loaded in this way. */
export const PARTS: readonly string[] = ['hook-main.cjs', 'hook-command.cjs', 'hook-glob.cjs', 'hook-logic.cjs'];

export interface Part {
  readonly exports: unknown;
  readonly script: Script;
}

/** The build is plain ASCII, which needs no decoding. `from` is the folder of the build; parts find each other through it, and each is loaded once. */
export function loadPart(name: string, from: string, env: Environment, require: NodeJS.Require, parts = new Map<string, Part>()): Part {
  const before = parts.get(name);
  if (before !== undefined) return before;
  const file = join(from, name);
  const cachedData = read(codeFile(name, env));
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
  const module = { exports: {} };
  const requirePart = (wanted: string): unknown => (PARTS.includes(wanted.slice(2)) ? loadPart(wanted.slice(2), from, env, require, parts).exports : require(wanted));
  script.runInThisContext()(module.exports, requirePart, module, file, from);
  const part = { exports: module.exports, script };
  parts.set(name, part);
  return part;
}

/** One per build and Node; V8 itself refuses what another version made. */
export function codeFile(name: string, env: Environment): string {
  return join(cacheFolder(env), 'code', `${ENGINE}-${process.version}-${process.arch}-${name}.bin`);
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
