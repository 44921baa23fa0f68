/** Three-valued answers: a fact that is not known yet, or can't be known, never becomes a silent no. */

import type { Opaque } from '../command/analysis.ts';

/** What a question costs: the event and the state, a look at files, the run of a program. */
export type Cost = 0 | 1 | 2;

export type Cause =
  /** Dearer than allowed so far: ask again with more. */
  | { readonly kind: 'later'; readonly cost: Cost }
  /** Asked for; the edge will bring it. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'failed'; readonly fact: string; readonly why: string }
  /** A shell text that can't be seen through. */
  | { readonly kind: 'opaque'; readonly fact: string; readonly parts: readonly Opaque[] };

export type Answer =
  | { readonly is: 'yes' }
  | { readonly is: 'no'; readonly because?: string }
  | { readonly is: 'unknown'; readonly cause: Cause };

export const YES: Answer = { is: 'yes' };
export const NO: Answer = { is: 'no' };

/** All must hold: one no decides, else one unknown does. */
export function every<T>(items: Iterable<T>, ask: (item: T) => Answer): Answer {
  let unknown: Answer | undefined;
  for (const item of items) {
    const answer = ask(item);
    if (answer.is === 'no') return answer;
    if (answer.is === 'unknown') unknown = prefer(unknown, answer);
  }
  return unknown ?? YES;
}

/** One must hold: one yes decides, else one unknown does. */
export function some<T>(items: Iterable<T>, ask: (item: T) => Answer): Answer {
  let unknown: Answer | undefined;
  let no: Answer = NO;
  for (const item of items) {
    const answer = ask(item);
    if (answer.is === 'yes') return answer;
    if (answer.is === 'unknown') unknown = prefer(unknown, answer);
    else no = answer;
  }
  return unknown ?? no;
}

const FIRST: readonly Cause['kind'][] = ['later', 'pending', 'failed', 'opaque'];

/** Something that can still be found out comes before something that can't. */
export function prefer(first: Answer | undefined, second: Answer): Answer {
  if (first?.is !== 'unknown' || second.is !== 'unknown') return second;
  return FIRST.indexOf(first.cause.kind) <= FIRST.indexOf(second.cause.kind) ? first : second;
}
