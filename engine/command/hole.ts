/** Marks the unknown pieces of a text with one character, so that text with gaps can be passed on and parsed like any other. */
import type { Word } from './analysis.ts';

/** A Unicode noncharacter: never part of honest text, and unknown if it is. */
export const hole = '\uFDD0';

/** A gap that xargs or find fills with one name: unknown like a hole, but not a text of unknown commands. */
export const item = '\uFDD1';

/** A word of a command line after expansion. */
export interface Field {
  /** Its text, with a hole for every unknown piece. */
  readonly text: string;
  /** The glob it was written as, when it is one. */
  readonly pattern?: string;
  /** It is wholly unknown and unquoted, so it may also be no word at all. */
  readonly vanishes?: true;
}

const gap = /[\uFDD0\uFDD1]/;

export function isKnown(text: string): boolean {
  return !gap.test(text);
}

export function toWord(field: Field): Word {
  return isKnown(field.text) ? field.text : null;
}

/** The literal text before the first hole. */
export function head(text: string): string {
  const end = text.search(gap);
  return end < 0 ? text : text.slice(0, end);
}

/** The text after the last gap. */
export function tail(text: string): string {
  return text.slice(Math.max(text.lastIndexOf(hole), text.lastIndexOf(item)) + 1);
}

export function field(text: string): Field {
  return { text };
}
