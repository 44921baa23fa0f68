/** Patterns of a policy against values of an event: globs (minimatch) and regexes, compiled once. */
import { braceExpand, Minimatch, type MinimatchOptions } from 'minimatch';

/** What a value is, which decides how a pattern is read. */
export type Sort = 'word' | 'path' | 'agent' | 'run' | 'text';

const OPTIONS: MinimatchOptions = { dot: true, nonegate: true, nocomment: true };

/** `*` stops at `/` only in paths; an agent pattern without `:` sees what follows the last `:`. */
export function matchesGlob(glob: string, value: string, sort: Sort, anyCase: boolean): boolean {
  switch (sort) {
    case 'path':
      return compile(glob, anyCase).match(value) || (glob.endsWith('/**') && compile(glob.slice(0, -3), anyCase).match(value));
    case 'agent':
      return plain(glob, glob.includes(':') ? value : value.slice(value.lastIndexOf(':') + 1), anyCase);
    default:
      return plain(glob, value, anyCase);
  }
}

/** Whether the pattern is anywhere in the text. The pattern compiles: `check` has seen to that. */
export function matchesRegex(regex: string, text: string, anyCase: boolean): boolean {
  return regular(regex, anyCase).test(text);
}

/** The first captured group, or the whole match if there is none. */
export function capture(regex: string, text: string, anyCase: boolean): string | undefined {
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
  if (!hasMagic(glob)) return anyCase ? glob.toLowerCase() === value.toLowerCase() : glob === value;
  return compile(glob.replaceAll('/', SLASH), anyCase).match(value.replaceAll('/', SLASH));
}

const globs = new Map<string, Minimatch>();
const regexes = new Map<string, RegExp>();

function compile(glob: string, anyCase: boolean): Minimatch {
  const key = (anyCase ? 'i' : 'c') + glob;
  let made = globs.get(key);
  if (made === undefined) {
    made = new Minimatch(glob, { ...OPTIONS, nocase: anyCase });
    globs.set(key, made);
  }
  return made;
}

function regular(regex: string, anyCase: boolean): RegExp {
  const key = (anyCase ? 'i' : 'c') + regex;
  let made = regexes.get(key);
  if (made === undefined) {
    made = unicode(regex, anyCase ? 'im' : 'm');
    regexes.set(key, made);
  }
  return made;
}

/** Whole characters and `\p{…}` where the pattern allows it; patterns such as `\-` are only legal without. */
function unicode(regex: string, flags: string): RegExp {
  try {
    return new RegExp(regex, `${flags}u`);
  } catch {
    return new RegExp(regex, flags);
  }
}
