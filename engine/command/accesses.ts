/** Turns the words of a program that touches files into path accesses, by the table in `touchers.ts`. */
import type { Access, Span } from './analysis.ts';
import { addPath, type Frame } from './frame.ts';
import { gitGlobals } from './git.ts';
import { type Field, field } from './hole.ts';
import { isListed, type Option, readAll, readOptions } from './options.ts';
import { type Toucher, touchers } from './touchers.ts';

export function addAccesses(frame: Frame, program: string, fields: readonly Field[], at: Span): void {
  const add = (path: Field, mode: Access['mode'], how = program): void => {
    if (!path.text.startsWith('/dev/fd/')) addPath(frame, path, mode, how, at);
  };
  if (program === 'dd') return addCopied(fields, add);
  if (program === 'git') return addGit(fields, add);
  const toucher = Object.hasOwn(touchers, program) ? touchers[program] : undefined;
  if (!toucher) return;
  if (program === 'tar') return addArchive(fields, toucher, add);
  const { options, operands } = readAll(fields, 1, toucher);
  for (const { name, value } of options) {
    if (value && toucher.writes !== undefined && isListed(toucher.writes, name)) add(value, 'write');
    if (value && toucher.reads !== undefined && isListed(toucher.reads, name)) add(value, 'read');
  }
  if (!toucher.operands) return;
  const has = (names: string | undefined): boolean => names !== undefined && options.some(({ name }) => isListed(names, name));
  const paths = has(toucher.instead) ? operands : operands.slice(toucher.skip ?? 0);
  if (has(toucher.inPlace)) for (const path of paths) add(path, 'write', `${program} -i`);
  else addOperands(toucher, options, paths, add);
}

type Add = (path: Field, mode: Access['mode'], how?: string) => void;

function addOperands(toucher: Toucher, options: readonly Option[], paths: readonly Field[], add: Add): void {
  const { operands } = toucher;
  const into = options.some(({ name }) => name === '-t' || name === '--target-directory');
  for (const [index, path] of paths.entries()) {
    const last = index === paths.length - 1 && (paths.length > 1 || operands === 'link') && !into;
    if (operands === 'read' || operands === 'write') add(path, operands);
    else if (last) add(path, 'write');
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
  else if (folder) add(folder, 'read');
  if (creates) for (const path of operands) add(path, 'read');
}

const gitWriters = new Set(['checkout', 'restore', 'rm', 'mv', 'clean']);
const gitValues = '-b -B --source -s -m --message -e --exclude --pathspec-from-file';

function addGit(fields: readonly Field[], add: Add): void {
  const { next } = readOptions(fields, 1, { values: gitGlobals.replace(' --exec-path', '') });
  const name = fields[next]?.text ?? '';
  if (!gitWriters.has(name)) return;
  const words = fields.slice(next + 1);
  const dashes = words.findIndex(({ text }) => text === '--');
  // Without `--` the operand of checkout is a branch or a path: only what looks like a path counts.
  const operands = dashes >= 0 ? words.slice(dashes + 1) : readAll(words, 0, { values: gitValues }).operands;
  for (const path of operands) if (name !== 'checkout' || dashes >= 0 || /^\.|\.\w+$/.test(path.text)) add(path, 'write', `git ${name}`);
}
