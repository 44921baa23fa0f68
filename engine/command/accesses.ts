/** Turns the words of a program that touches files into path accesses, by the table in `touchers.ts`. */
import type { Access, Span } from './analysis.ts';
import { addPath, type Frame } from './frame.ts';
import { gitGlobals } from './git.ts';
import { type Field, field, tail } from './hole.ts';
import { isListed, type Option, readAll, readOptions } from './options.ts';
import { type Toucher, touchers } from './touchers.ts';

export function addAccesses(frame: Frame, program: string, fields: readonly Field[], at: Span): void {
  const add: Add = (path, mode, how = program, names = undefined) => {
    if (!path.text.startsWith('/dev/fd/')) addPath(frame, path, mode, how, at, names);
  };
  if (program === 'dd') return addCopied(fields, add);
  if (program === 'git') return addGit(fields, add);
  const toucher = Object.hasOwn(touchers, program) ? touchers[program] : undefined;
  if (!toucher) return;
  if (program === 'tar' || program === 'bsdtar') return addArchive(fields, toucher, add);
  const { options, operands } = readAll(fields, 1, toucher);
  if (program === 'curl' || program === 'wget') addFetched(program, options, operands, add);
  if (program === 'unzip') for (const member of operands.slice(1)) add(inside(options.find(({ name }) => name === '-d')?.value, member), 'write');
  const into = isPutting(toucher) ? baseNames(operands) : undefined;
  for (const { name, value } of options) {
    if (value && toucher.writes !== undefined && isListed(toucher.writes, name)) add(value, 'write', program, into);
    if (value && toucher.reads !== undefined && isListed(toucher.reads, name)) add(value, 'read');
  }
  if (!toucher.operands) return;
  const has = (names: string | undefined): boolean => names !== undefined && options.some(({ name }) => isListed(names, name));
  const paths = has(toucher.instead) ? operands : operands.slice(toucher.skip ?? 0);
  if (has(toucher.inPlace)) for (const path of paths) add(path, 'write', `${program} -i`);
  else addOperands(toucher, options, paths, add);
}

type Add = (path: Field, mode: Access['mode'], how?: string, names?: readonly string[]) => void;

function isPutting({ operands }: Toucher): boolean {
  return operands === 'copy' || operands === 'move' || operands === 'link';
}

/** `a/b.txt` is `b.txt` in the folder it is put into. */
function baseNames(paths: readonly Field[]): readonly string[] {
  return paths
    .map(({ text, pattern }) => tail(pattern ?? text).replace(/\/+$/, ''))
    .map((path) => path.slice(path.lastIndexOf('/') + 1))
    .filter((name) => name !== '' && name !== '.' && name !== '..');
}

function inside(folder: Field | undefined, path: Field): Field {
  return folder ? field(`${folder.text}/${path.text}`) : path;
}

/** Without a name of their own, downloads are called like the end of the address. */
function addFetched(program: string, options: readonly Option[], operands: readonly Field[], add: Add): void {
  const given = (...names: readonly string[]): Option | undefined => options.find(({ name }) => names.includes(name));
  if (program === 'curl' ? !given('-O', '--remote-name', '--remote-name-all') : given('-O', '--output-document')) return;
  const folder = given('-P', '--directory-prefix', '--output-dir')?.value;
  for (const { text, pattern } of operands) {
    const name = /^(?:\w+:\/\/)?[^/]+\/(?:[^?#]*\/)?([^/?#]+)/.exec(pattern ?? text)?.[1];
    if (name !== undefined) add(inside(folder, field(name)), 'write');
  }
}

function addOperands(toucher: Toucher, options: readonly Option[], paths: readonly Field[], add: Add): void {
  const { operands } = toucher;
  const into = options.some(({ name }) => name === '-t' || name === '--target-directory');
  for (const [index, path] of paths.entries()) {
    const last = index === paths.length - 1 && (paths.length > 1 || operands === 'link') && !into;
    if (operands === 'read' || operands === 'write') add(path, operands);
    else if (last) add(path, 'write', undefined, baseNames(paths.slice(0, -1)));
    else {
      add(path, 'read');
      if (operands === 'move') add(path, 'write');
    }
  }
}

function addCopied(fields: readonly Field[], add: Add): void {
  for (const { text } of fields.slice(1)) {
    const [, side, path] = /^(if|of)=([\s\S]+)$/.exec(text) ?? [];
    if (path !== undefined) add(field(path), side === 'of' ? 'write' : 'read');
  }
}

/** `tar xf a.tar -C folder` writes the folder, `tar cf a.tar folder` the archive. */
function addArchive(fields: readonly Field[], toucher: Toucher, add: Add): void {
  const [first, second, ...rest] = fields;
  const dashed = second && /^[A-Za-z]+$/.test(second.text) && first ? [first, field(`-${second.text}`), ...rest] : fields;
  const { options, operands } = readAll(dashed, 1, toucher);
  const has = (pattern: RegExp): boolean => options.some(({ name }) => pattern.test(name));
  const folder = options.find(({ name }) => name === '-C' || name === '--directory')?.value;
  const archive = options.find(({ name }) => name === '-f' || name === '--file')?.value;
  const extracts = has(/^(-x|--extract|--get)$/);
  const creates = has(/^(-c|-r|-u|-A|--create|--append|--update)$/);
  if (archive) add(archive, creates ? 'write' : 'read');
  if (extracts) add(folder ?? field('.'), 'write');
  if (extracts) for (const member of operands) add(inside(folder, member), 'write');
  else if (folder) add(folder, 'read');
  if (creates) for (const path of operands) add(path, 'read');
}

const gitWriters = new Set(['checkout', 'restore', 'rm', 'mv', 'clean', 'checkout-index']);
const gitValues = '-b -B --source -s -m --message -e --exclude --pathspec-from-file';

function addGit(fields: readonly Field[], add: Add): void {
  const { options, next } = readOptions(fields, 1, { values: gitGlobals.replace(' --exec-path', '') });
  const name = fields[next]?.text ?? '';
  const folder = options.find((option) => option.name === '-C' || option.name === '--work-tree')?.value;
  if (!gitWriters.has(name)) return;
  const words = fields.slice(next + 1);
  const dashes = words.findIndex(({ text }) => text === '--');
  // Without `--` the operand of checkout is a branch or a path: only what looks like a path counts.
  const operands = dashes >= 0 ? words.slice(dashes + 1) : readAll(words, 0, { values: gitValues }).operands;
  for (const [index, path] of operands.entries()) {
    // `:/x` and `:(top)x` are x; `:!x` is left out.
    const text = path.text.replace(/^:(\((?!exclude)[^)]*\)|\/)/, '');
    if (text.startsWith(':') || (name === 'checkout' && dashes < 0 && index === 0 && !/^\.|\.\w+$|\/$/.test(text))) continue;
    add(text === path.text && !folder ? path : /^[~/]/.test(text) ? field(text) : inside(folder, field(text)), 'write', `git ${name}`);
  }
}
