/** Decides whether a command pattern of a rule, such as `git push --force`, covers a run. */
import type { Run, Word } from './analysis.ts';
import { type Argument, readArguments } from './arguments.ts';
import { equivalents, normalise } from './spellings.ts';
import { patternWords, wordMatches } from './wordpattern.ts';

export type Covers = 'yes' | 'no' | 'unknown';

/**
 * The first word of the pattern is the program, further words its leading arguments in order, and words with a dash
 * must be among its options. A word that cannot be known and could decide makes the answer 'unknown'.
 */
export function covers(pattern: string, run: Run, anyCase = false): Covers {
  const { program, operands, options } = readPattern(pattern);
  if (program === undefined) return 'no';
  const name = run.argv[0];
  if (name === undefined) return 'no';
  if (name === null) return 'unknown';
  if (program !== name && !programMatches(program, name, anyCase)) return 'no';
  if (operands.length === 0 && options.length === 0) return 'yes';
  const { base, list } = readRun(name, run);
  return both(operandsMatch(base, operands, list, anyCase), () => optionsMatch(base, options, list, anyCase));
}

interface PatternParts {
  readonly program: string | undefined;
  readonly operands: readonly string[];
  readonly options: readonly string[];
}

const patterns = new Map<string, PatternParts>();

function readPattern(pattern: string): PatternParts {
  const before = patterns.get(pattern);
  if (before !== undefined) return before;
  const [program, ...words] = patternWords(pattern);
  const parts = { program, operands: words.filter((word) => !isOption(word)), options: words.filter(isOption) };
  patterns.set(pattern, parts);
  return parts;
}

const runs = new WeakMap<Run, { readonly base: string; readonly list: readonly Argument[] }>();

/** Made once: many patterns are asked about the same run. */
function readRun(name: string, run: Run): { readonly base: string; readonly list: readonly Argument[] } {
  let read = runs.get(run);
  if (read === undefined) {
    const base = baseName(name).toLowerCase();
    read = { base, list: readArguments(base, run) };
    runs.set(run, read);
  }
  return read;
}

function programMatches(pattern: string, name: string, anyCase: boolean): boolean {
  const plain = name.replace(/\.exe$/i, '');
  if (pattern.includes('/')) return wordMatches(pattern, name, anyCase) || wordMatches(pattern, plain, anyCase);
  return wordMatches(pattern, baseName(plain), anyCase) || wordMatches(pattern, baseName(name), anyCase);
}

function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
}

function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

function both(first: Covers, second: () => Covers): Covers {
  if (first === 'no') return 'no';
  const other = second();
  return other === 'no' ? 'no' : first === 'unknown' || other === 'unknown' ? 'unknown' : 'yes';
}

function operandsMatch(program: string, patterns: readonly string[], list: readonly Argument[], anyCase: boolean): Covers {
  if (patterns.length === 0) return 'yes';
  const operands = list.filter(({ kind }) => kind !== 'option').map(({ word, kind, head }) => ({ word, head, open: kind === 'open' }));
  const direct = sequenceMatches(patterns, operands, anyCase);
  if (direct === 'yes') return direct;
  const words = operands.map(({ word }) => word);
  const other = normalise(program, words);
  const wanted = normalise(program, patterns);
  if (other === words && wanted === patterns) return direct;
  const renamed = operands.slice(operands.length - other.length).map((operand, index) => ({ ...operand, word: other[index] ?? null }));
  const changed = sequenceMatches(wanted.map(String), renamed, anyCase);
  return changed === 'no' ? direct : changed;
}

interface Operand {
  readonly word: Word;
  readonly head: string | undefined;
  /** It may be any number of words, or an option. */
  readonly open: boolean;
}

function sequenceMatches(patterns: readonly string[], operands: readonly Operand[], anyCase: boolean): Covers {
  let certain = true;
  for (const [index, pattern] of patterns.entries()) {
    const operand = operands[index];
    if (!operand) return 'no';
    if (operand.word !== null) {
      if (!wordMatches(pattern, operand.word, anyCase)) return 'no';
    } else if (operand.open) return 'unknown';
    else if (!couldStart(pattern, operand.head, anyCase)) return 'no';
    else certain &&= pattern === '*';
  }
  return certain ? 'yes' : 'unknown';
}

/** Whether a word that begins with the head could match the pattern. */
function couldStart(pattern: string, head: string | undefined, anyCase: boolean): boolean {
  const literal = /^[^*?[{(\\]*/.exec(pattern)?.[0] ?? '';
  const [a, b] = anyCase ? [literal.toLowerCase(), (head ?? '').toLowerCase()] : [literal, head ?? ''];
  return literal === pattern ? a.startsWith(b) : a.startsWith(b) || b.startsWith(a);
}

function optionsMatch(program: string, patterns: readonly string[], list: readonly Argument[], anyCase: boolean): Covers {
  let certain = true;
  const subcommand = list.find(({ kind }) => kind === 'operand')?.word ?? '';
  for (const pattern of patterns.flatMap((word) => splitCluster(program, word))) {
    const names = equivalents(program, subcommand, pattern);
    const given = list.some(
      ({ kind, word, head }) => kind === 'option' && names.some((name) => optionMatches(name, word ?? head ?? '', anyCase)),
    );
    if (given) continue;
    if (
      !list.some(
        (argument) =>
          argument.kind === 'open' || (argument.kind === 'option' && argument.word === null && !(argument.head ?? '').includes('=')),
      )
    )
      return 'no';
    certain = false;
  }
  return certain ? 'yes' : 'unknown';
}

/** `-rf` in a pattern is `-r -f`, unless the program has long options with one dash. */
function splitCluster(program: string, pattern: string): readonly string[] {
  const cluster = /^-([A-Za-z]{2,})$/.exec(pattern)?.[1];
  return cluster === undefined || /^(find|java|javac|terraform|go|openssl|gcc|clang|ffmpeg|screen)$/.test(program)
    ? [pattern]
    : [...cluster].map((letter) => `-${letter}`);
}

function optionMatches(pattern: string, word: string, anyCase: boolean): boolean {
  if (pattern.includes('=') || !word.includes('=')) return wordMatches(pattern, word, anyCase);
  return wordMatches(pattern, word.slice(0, word.indexOf('=')), anyCase);
}
