/** Changes of files: checked before, backed up, written whole, undone together if one fails. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Exit } from '../terminal.ts';

/** `undefined` is a file that is not there. */
export interface Change {
  /** Absolute, with links resolved. */
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** For the owner alone: it holds a secret. */
  readonly secret?: true;
}

export interface Applied {
  readonly backups: readonly string[];
  /** Made for the files, the outermost first. */
  readonly folders: readonly string[];
}

const ANY_WRITE = 0o222;

/** The file that a path stands for: a link is followed, also one whose file is not there yet. */
export function targetOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return existsSync(parent) ? join(realpathSync.native(parent), basename(path)) : path;
  }
}

/** The text of a file, or undefined if there is none. */
export function textOf(file: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return danglingFault(file);
    throw new Exit(2, `${file} can not be read (${codeOf(error)}); nothing was changed`);
  }
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw new Exit(2, `${file} is not UTF-8 text; nothing was changed`);
  return text;
}

/** A link to nowhere is somebody's mistake, and not for us to replace. */
function danglingFault(file: string): undefined {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw new Exit(2, `${file} is a link to a file that is not there; nothing was changed`);
  return undefined;
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** All or nothing: what can be known to fail is found before the first write. */
export function apply(changes: readonly Change[], backupFolder: string): Applied {
  for (const change of changes) check(change);
  const backups = changes.flatMap((change) => backup(change, backupFolder));
  const folders: string[] = [];
  const done: Change[] = [];
  try {
    for (const change of changes) {
      folders.push(...makeFolder(dirname(change.file)));
      write(change);
      done.push(change);
    }
  } catch (error) {
    for (const change of done.reverse()) write({ ...change, before: change.after, after: change.before });
    removeEmpty(folders);
    throw new Exit(2, `${error instanceof Error ? error.message : String(error)}; nothing was changed`);
  }
  return { backups, folders };
}

function check({ file, before }: Change): void {
  if (before === undefined) return;
  if (((statSync(file, { throwIfNoEntry: false })?.mode ?? ANY_WRITE) & ANY_WRITE) === 0) throw new Exit(2, `${file} is read-only; nothing was changed. To let bylaw write it: chmod u+w '${file}'`);
}

function backup({ file, before }: Change, folder: string): readonly string[] {
  if (before === undefined) return [];
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const copy = join(folder, `${stamp}-${digestOf(file).slice(0, 6)}-${basename(file)}`);
  writeFileSync(copy, before, { mode: 0o600 });
  return [copy];
}

function makeFolder(folder: string): readonly string[] {
  const made: string[] = [];
  for (let each = folder; !existsSync(each); each = dirname(each)) made.unshift(each);
  mkdirSync(folder, { recursive: true });
  return made;
}

/** Through a draft beside it, so that nobody reads half a file. */
function write({ file, after, secret }: Change): void {
  if (after === undefined) {
    rmSync(file, { force: true });
    return;
  }
  const draft = `${file}.${process.pid}.tmp`;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  try {
    writeFileSync(draft, after, { mode: secret === true ? 0o600 : 0o666 });
    if (mode !== undefined) chmodSync(draft, mode & 0o777);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new Error(`${file} can not be written (${codeOf(error)})`, { cause: error });
  }
}

/** Folders that are empty, the innermost first. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      // Somebody put something into it.
    }
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
