/** Where policies come from: the only file of load that touches the disk. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Read = { readonly text: string } | { readonly fault: 'missing-file' | 'too-large' | 'not-utf-8'; readonly why: string };

/** What load asks the outside for; tests give it a map of texts instead. */
export interface Reader {
  read(file: string): Read;
  /** Absolute path of what `from` calls `name`: `bylaw:base` or a relative path. */
  locate(name: string, from: string): string | undefined;
  /** Names of the shipped packs. */
  packs(): readonly string[];
}

const MAX_BYTES = 1_000_000;

export const diskReader: Reader = {
  read(file) {
    try {
      const { size } = statSync(file);
      if (size > MAX_BYTES) return { fault: 'too-large', why: `it has ${size} bytes, at most ${MAX_BYTES} are read` };
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) };
    } catch (error) {
      if (error instanceof TypeError) return { fault: 'not-utf-8', why: 'it is not UTF-8 text' };
      return { fault: 'missing-file', why: reasonOf(error) };
    }
  },
  locate(name, from) {
    const file = placeOf(name, from);
    return existsSync(file) ? file : undefined;
  },
  packs() {
    return readdirSync(packFolder()).filter((file) => file.endsWith('.yaml') && !file.endsWith('.test.yaml')).map((file) => file.slice(0, -'.yaml'.length));
  },
};

/** The disk, with every file that was asked for noted before it is read. */
export function notingReader(note: (file: string) => void): Reader {
  return {
    ...diskReader,
    read(file) {
      note(file);
      return diskReader.read(file);
    },
    locate(name, from) {
      note(placeOf(name, from));
      return diskReader.locate(name, from);
    },
  };
}

function placeOf(name: string, from: string): string {
  return name.startsWith('bylaw:') ? join(packFolder(), `${name.slice('bylaw:'.length)}.yaml`) : resolve(dirname(from), name);
}

/** The shipped packs lie beside the engine, in the sources and in the installed package alike. */
export function packFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'policies', 'base.yaml')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'policies');
}

/** The files of a project: bylaw.yaml and policies/*.yaml beside it. */
export function projectFiles(folder: string): { readonly main: string; readonly parts: readonly string[] } {
  const policies = join(folder, 'policies');
  const names = existsSync(policies) ? readdirSync(policies) : [];
  const parts = names.filter((name) => /\.ya?ml$/.test(name) && !/\.test\.ya?ml$/.test(name)).sort();
  return { main: join(folder, 'bylaw.yaml'), parts: parts.map((name) => join(policies, name)) };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'it may not be read';
  return code === 'EISDIR' ? 'it is a folder' : String(error);
}
