/** Follows a shell to the text it runs: `-c`, a file, standard input. */
import type { Span } from './analysis.ts';
import { addOpaque, addPath, type Frame } from './frame.ts';
import { type Field, hole, isKnown } from './hole.ts';
import { locate } from './folder.ts';
import { child, lookup } from './scope.ts';
import { walkText } from './script.ts';

export const shells = new Set('sh bash zsh dash ksh ash mksh fish rbash bash5 sh5 pdksh oksh yash tcsh csh lksh ksh93'.split(' '));

const longValues = new Set(['rcfile', 'init-file', 'init-command', 'command', 'emulate']);
const longWords = new Set(
  'norc noprofile login posix restricted verbose noediting debugger dump-strings dump-po-strings help version'.split(' '),
);

interface Reading {
  readonly command: boolean;
  readonly stdin: boolean;
  readonly quiet: boolean;
  readonly interactive: boolean;
  readonly startup: Field | undefined;
  readonly next: number;
  /** fish -c / --command=text */
  readonly text: Field | undefined;
}

export function runShell(frame: Frame, program: string, fields: readonly Field[], at: Span): string {
  const read = readShell(fields);
  if (read.startup || (read.interactive && lookup(frame.scope, 'ENV') !== undefined)) addOpaque(frame, 'startup-file', at, program);
  if (read.quiet) return hole;
  const [first, ...rest] = fields.slice(read.next);
  if (read.text) return walkNested(frame, `${program} -c`, read.text, rest, at);
  if (read.command) {
    if (!first) return hole;
    return walkNested(frame, `${program} -c`, first, rest, at);
  }
  if (
    first &&
    !read.stdin &&
    first.text !== '-' &&
    first.text !== '/dev/stdin' &&
    first.text !== '/proc/self/fd/0' &&
    first.text !== '/dev/fd/0'
  ) {
    return runFile(frame, program, first, rest, at);
  }
  const words = read.stdin || first?.text !== '-' ? (read.stdin && first ? [first, ...rest] : rest) : rest;
  return runInput(frame, program, words, at);
}

/** Runs the text on standard input, if it comes from this very text. */
export function runInput(frame: Frame, program: string, words: readonly Field[], at: Span): string {
  const { input } = frame;
  if (input === undefined) return hole;
  if (!isKnown(input)) addOpaque(frame, 'stdin-script', at, program);
  if (input.replaceAll(hole, '').trim() === '') return hole;
  return walkNested({ ...frame, input: undefined }, program, { text: input }, [{ text: program }, ...words], at, 'read');
}

/** Runs a file: one that this very text has written, or one that cannot be read here. */
export function runFile(frame: Frame, program: string, file: Field, words: readonly Field[], at: Span, same = false): string {
  const content = isKnown(file.text) ? frame.walk.written.get(locate(frame.scope.folder, file.text)) : undefined;
  if (content === undefined) {
    addPath(frame, file, 'read', program, at);
    // One quoted word alone can only be a file; more of them could be `-c` and a text.
    const isFile = isKnown(file.text) || file.pattern !== undefined || (!file.vanishes && words.length === 0);
    addOpaque(frame, isFile ? 'script-file' : 'dynamic-script', at, program);
    return hole;
  }
  if (!isKnown(content)) addOpaque(frame, 'generated-script', at, program);
  if (content.replaceAll(hole, '').trim() === '') return hole;
  if (same) return walkText(frame, content, frame.at ?? at);
  return walkNested(frame, program, { text: content }, [file, ...words], at, 'read');
}

function walkNested(frame: Frame, via: string, script: Field, words: readonly Field[], at: Span, how: 'given' | 'read' = 'given'): string {
  if (how === 'given' && script.text.includes(hole)) addOpaque(frame, 'dynamic-script', at, via.split(' ')[0] ?? via);
  const [zero, ...positional] = words.map(({ text }) => text);
  const scope = child(frame.scope, zero ?? 'bash', positional);
  if (positional.includes(hole)) scope.positional = null;
  return walkText({ ...frame, scope, via: [...frame.via, via] }, script.text, frame.at ?? at);
}

function readShell(fields: readonly Field[]): Reading {
  let [command, stdin, quiet, interactive, next] = [false, false, false, false, 1];
  let startup: Field | undefined;
  let text: Field | undefined;
  for (; next < fields.length; next += 1) {
    const word = fields[next]?.text ?? '';
    if (word === '--' || word === '-') {
      if (word === '--' || command) next += 1;
      break;
    }
    const long = /^--?([a-z][a-z-]+)(?:=([\s\S]*))?$/.exec(word);
    const name = long?.[1] ?? '';
    if (long && (word.startsWith('--') || longWords.has(name) || longValues.has(name))) {
      const value = long[2] !== undefined ? { text: long[2] } : longValues.has(name) ? fields[(next += 1)] : undefined;
      if (name === 'rcfile' || name === 'init-file') startup = value;
      if (name === 'command' || name === 'init-command') text = value;
      if (name === 'version' || name === 'help') quiet = true;
      continue;
    }
    if (!/^[-+][A-Za-z]/.test(word)) break;
    for (const letter of word.slice(1)) {
      if (letter === 'c' && word.startsWith('-')) command = true;
      if (letter === 's' && word.startsWith('-')) stdin = true;
      if (letter === 'n' && word.startsWith('-')) quiet = true;
      if (letter === 'i' && word.startsWith('-')) interactive = true;
      if (letter === 'o' || letter === 'O') next += 1;
    }
  }
  return { command, stdin, quiet, interactive, startup, next, text };
}
