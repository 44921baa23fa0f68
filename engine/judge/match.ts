/** Patterns of a policy against values of an event: globs (minimatch) and regexes, compiled once. */
import { braceExpand, Minimatch, type MinimatchOptions } from 'minimatch';
import { mindTheTime } from './watch.ts';

/** What a value is, which decides how a pattern is read. */
export type Sort = 'word' | 'path' | 'agent' | 'run' | 'text';

const OPTIONS: MinimatchOptions = { dot: true, nonegate: true, nocomment: true };

/** `*` stops at `/` only in paths; an agent pattern without `:` sees what follows the last `:`. */
export function matchesGlob(glob: string, value: string, sort: Sort, anyCase: boolean): boolean {
  switch (sort) {
    case 'path':
      return tester(glob, anyCase)(value) || (glob.endsWith('/**') && tester(glob.slice(0, -3), anyCase)(value));
    case 'agent':
      return plain(glob, glob.includes(':') ? value : value.slice(value.lastIndexOf(':') + 1), anyCase);
    default:
      return plain(glob, value, anyCase);
  }
}

/** Whether the pattern is anywhere in the text. The pattern compiles: `check` has seen to that. */
export function matchesRegex(regex: string, text: string, anyCase: boolean): boolean {
  mindTheTime(regex, text);
  return regular(regex, anyCase).test(text);
}

/** The first captured group, or the whole match if there is none. */
export function capture(regex: string, text: string, anyCase: boolean): string | undefined {
  mindTheTime(regex, text);
  const found = regular(regex, anyCase).exec(text);
  return found === null ? undefined : (found[1] ?? found[0]);
}

/** Why a regex can't be used, or undefined. */
export function regexFault(regex: string): string | undefined {
  const foreign = /\\[AzZQEG]|\[\[:\w+:\]\]|\(\?[imsx]+\)/.exec(regex)?.[0];
  if (foreign !== undefined) return `\`${foreign}\` means something else in JavaScript's regexes`;
  try {
    new RegExp(regex, 'mu');
    return undefined;
  } catch {
    // Patterns such as `\-` are only wrong with the u flag, and common.
  }
  try {
    new RegExp(regex, 'm');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
  }
}

/** `{a,b}` as its alternatives. */
export function alternatives(glob: string): readonly string[] {
  return braceExpand(glob);
}

export function hasMagic(glob: string): boolean {
  return /[*?[{(\\]/.test(glob);
}

const SLASH = '\uE000';

function plain(glob: string, value: string, anyCase: boolean): boolean {
  const test = kept(words, glob, anyCase, wordTester);
  if (test !== undefined) return test(value);
  return glob === value || (anyCase && glob.toLowerCase() === value.toLowerCase());
}

type Tester = (value: string) => boolean;
const MOST_KEPT = 20_000;
/** What was made of a text, apart by whether case matters. */
type Shelf<T> = readonly [Map<string, T>, Map<string, T>];

const globs: Shelf<Tester> = [new Map(), new Map()];
const words: Shelf<Tester | undefined> = [new Map(), new Map()];
const regexes: Shelf<RegExp> = [new Map(), new Map()];

function kept<T>(shelf: Shelf<T>, text: string, anyCase: boolean, make: (text: string, anyCase: boolean) => T): T {
  const map = shelf[anyCase ? 1 : 0];
  const before = map.get(text);
  if (before !== undefined || map.has(text)) return before as T;
  const made = make(text, anyCase);
  // A resident process meets the patterns of every policy that was ever edited.
  if (map.size >= MOST_KEPT) map.clear();
  map.set(text, made);
  return made;
}

function tester(glob: string, anyCase: boolean): Tester {
  return kept(globs, glob, anyCase, (text) => {
    const simple = isSimple(text) ? simpleTester(text, anyCase) : undefined;
    let full: Minimatch | undefined;
    return (value) => (simple !== undefined && isOrdinary(value, anyCase) ? simple(value) : (full ??= new Minimatch(text, { ...OPTIONS, nocase: anyCase })).match(value));
  });
}

/** Undefined for a word without wildcards. */
function wordTester(glob: string, anyCase: boolean): Tester | undefined {
  if (!hasMagic(glob)) return undefined;
  const test = tester(glob.replaceAll('/', SLASH), anyCase);
  return (value) => test(value.replaceAll('/', SLASH));
}

/**
 * Globs of letters, `*` and `**` are most of all globs. A hook process meets each once, and neither a parse by minimatch nor
 * a regex pays off for one question. The property tests compare both ways.
 */
function isSimple(glob: string): boolean {
  const parts = glob.split('/');
  return parts.every((part, index) => {
    if (part === '') return index === 0 && parts.length > 1;
    return part === '**' ? parts[index + 1] !== '**' : /^[\w.@%+=:,~ \uE000*-]+$/.test(part) && !/^\.{1,2}$|\*\*/.test(part);
  });
}

function simpleTester(glob: string, anyCase: boolean): Tester {
  const parts = (anyCase ? glob.toLowerCase() : glob).split('/');
  return (value) => partsFit(parts, (anyCase ? value.toLowerCase() : value).split('/'));
}

/** `**` is any number of names, at the end at least one. Greedy, with one place to come back to. */
function partsFit(parts: readonly string[], names: readonly string[]): boolean {
  let [at, from, star, resume] = [0, 0, -1, 0];
  while (from < names.length) {
    const part = parts[at];
    if (part === '**' && at < parts.length - 1) {
      [star, resume] = [at, from];
      at += 1;
    } else if (part === '**') return names[from] !== '';
    else if (part !== undefined && nameFits(part, names[from] ?? '')) {
      at += 1;
      from += 1;
    } else if (star < 0 || names[resume] === '') return false;
    else {
      at = star + 1;
      resume += 1;
      from = resume;
    }
  }
  return at === parts.length;
}

function nameFits(part: string, name: string): boolean {
  if (!part.includes('*')) return part === name;
  if (name === '') return false;
  const pieces = part.split('*');
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return from <= name.length - last.length;
}

/** Not `.`, `..`, or a path with such parts or empty ones, which minimatch treats in ways of its own. */
function isOrdinary(value: string, anyCase: boolean): boolean {
  return value !== '' && !ODD.test(value) && !(anyCase && /[^\0-\x7f\uE000]/.test(value));
}

const ODD = /(?:^|\/)\.{0,2}(?:\/|$)/;

function regular(regex: string, anyCase: boolean): RegExp {
  return kept(regexes, regex, anyCase, (text) => unicode(text, anyCase ? 'im' : 'm'));
}

/** Whole characters and `\p{…}` where the pattern allows it; patterns such as `\-` are only legal without. */
function unicode(regex: string, flags: string): RegExp {
  try {
    return new RegExp(regex, `${flags}u`);
  } catch {
    return new RegExp(regex, flags);
  }
}
