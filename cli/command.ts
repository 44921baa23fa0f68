/** `bylaw command`: what a shell text really does, for people and programs. */
import { readFileSync } from 'node:fs';
import { analyse, type Analysis, type Run } from '../engine/command/analyse.ts';
import { paintFor, print } from './terminal.ts';
import type { Paint } from '../engine/report/frame.ts';

export interface CommandOptions {
  readonly json?: boolean;
  readonly jsonl?: boolean;
}

export function command(words: readonly string[], options: CommandOptions): void {
  if (options.jsonl === true) {
    // One JSON string per line in, one result per line out.
    const lines = readFileSync(0, 'utf8').split('\n').filter((line) => line.trim() !== '');
    return print(lines.map((line) => JSON.stringify(resultOf(analyse(textOf(line))))).join('\n'));
  }
  const text = words.length > 0 ? words.join(' ') : readFileSync(0, 'utf8');
  const found = analyse(text, { home: process.env['HOME'] ?? '~' });
  if (options.json === true) return print(JSON.stringify(resultOf(found), null, 2));
  print(tree(found, paintFor(process.stdout)));
}

/** A line that is no JSON string is taken as it is. */
function textOf(line: string): string {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'string') return value;
  } catch {
    // Not JSON.
  }
  return line;
}

function resultOf({ runs, paths, opaque }: Analysis): unknown {
  return {
    runs: runs.map((run) => run.argv),
    paths: paths.map(({ path, mode, how, folder }) => ({ path, mode, how, folder })),
    opaque: opaque.map(({ reason, text }) => ({ reason, text })),
  };
}

function tree({ runs, paths, opaque }: Analysis, paint: Paint): string {
  const lines = [paint.strong('runs')];
  if (runs.length === 0) lines.push('  nothing');
  for (const run of runs) lines.push(`${'  '.repeat(1 + run.via.length)}${words(run)}${run.via.length > 0 ? paint.dim(`  through ${run.via.join(', ')}`) : ''}`);
  if (paths.length > 0) lines.push('', paint.strong('touches'));
  for (const access of paths) lines.push(`  ${access.mode === 'write' ? paint.warn('write') : 'read '}  ${access.folder === null ? '?/' : access.folder === '' || /^[~/]/.test(access.path) ? '' : `${access.folder}/`}${access.path}${paint.dim(`  by ${access.how}`)}`);
  if (opaque.length > 0) lines.push('', paint.strong('can not be seen'));
  for (const part of opaque) lines.push(`  ${paint.bad(part.reason)}  ${part.text.replaceAll('\n', ' ').slice(0, 60)}`);
  return lines.join('\n');
}

function words({ argv }: Run): string {
  return argv.map((word) => (word === null ? '?' : /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}
