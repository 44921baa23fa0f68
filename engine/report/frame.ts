/** A problem → the lines people read: place, code frame, what is wrong, what to do. */
import type { Problem, Span } from '../model.ts';

export interface Position {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export function positionOf(text: string, offset: number): Position {
  const starts = startsOf(text);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** Every rule of a file asks for its line; the last file asked about is kept. */
let last: { readonly text: string; readonly starts: readonly number[] } = { text: '', starts: [0] };

function startsOf(text: string): readonly number[] {
  if (last.text !== text) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    last = { text, starts };
  }
  return last.starts;
}

/** How words are coloured; plain where colours would disturb. */
export interface Paint {
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly strong: (text: string) => string;
}
export const PLAIN: Paint = { bad: same, good: same, warn: same, dim: same, strong: same };

function same(text: string): string {
  return text;
}

export function printProblem(problem: Problem, texts: ReadonlyMap<string, string>, paint: Paint = PLAIN): string {
  const severity = problem.severity === 'error' ? paint.bad('error') : paint.warn('hint');
  const shown = frame(problem.at, texts, paint);
  const lines = [`${placeOf(problem.at, texts)}  ${severity}  ${paint.strong(problem.code)}`, '', ...shown, ...(shown.length > 0 ? [''] : [])];
  lines.push(`  ${problem.message}`);
  if (problem.help !== undefined) lines.push(`  help: ${problem.help}`);
  if (problem.also !== undefined) lines.push('', `  ${problem.also.note}: ${placeOf(problem.also.at, texts)}`, ...frame(problem.also.at, texts, paint));
  return lines.join('\n');
}

export function placeOf(at: Span, texts: ReadonlyMap<string, string>): string {
  const { line, column } = positionOf(texts.get(at.file) ?? '', at.start);
  return `${at.file}:${line}:${column}`;
}

const AROUND = 2;
const WIDTH = 110;

/** Two lines before, the line with the smallest wrong thing underlined, one after. */
export function frame(at: Span, texts: ReadonlyMap<string, string>, paint: Paint = PLAIN, note = ''): readonly string[] {
  const text = texts.get(at.file) ?? '';
  if (text === '') return [];
  const lines = text.split('\n');
  const { line, column } = positionOf(text, at.start);
  const first = Math.max(1, line - AROUND);
  const last = Math.min(lines.length, line + 1);
  const gutter = String(last).length;
  // A long line is shown from shortly before the wrong thing.
  const cut = column > WIDTH - 10 ? column - 40 : 0;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const content = (lines[number - 1] ?? '').replace(/\r$/, '');
    const mark = number === line;
    if (number > line && content.trim() === '') continue;
    shown.push(`${mark ? paint.bad(' >') : '  '} ${paint.dim(`${String(number).padStart(gutter)} |`)} ${clip(content, mark ? cut : 0)}`.trimEnd());
    if (!mark) continue;
    const length = Math.max(1, Math.min(at.end - at.start, content.length - column + 1));
    const from = column - cut;
    shown.push(`   ${paint.dim(`${' '.repeat(gutter)} |`)} ${' '.repeat(from - 1)}${paint.bad('^'.repeat(Math.min(length, WIDTH - from + 1)))}${note === '' ? '' : ` ${note}`}`);
  }
  return shown;
}

function clip(content: string, from: number): string {
  const rest = from > 0 ? `…${content.slice(from + 1)}` : content;
  return rest.length > WIDTH ? `${rest.slice(0, WIDTH)}…` : rest;
}

/** `2 errors, 1 hint in 1 file` */
export function countProblems(problems: readonly Problem[]): string {
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const hints = problems.length - errors;
  const files = new Set(problems.map((problem) => problem.at.file)).size;
  return `${[errors > 0 ? plural(errors, 'error') : '', hints > 0 ? plural(hints, 'hint') : ''].filter((part) => part !== '').join(', ')} in ${plural(files, 'file')}`;
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
