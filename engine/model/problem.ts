/** A mistake in a file, with its place. */
import type { Code } from '../report/codes.ts';

export interface Span {
  readonly file: string;
  /** Offsets in the file's text. */
  readonly start: number;
  readonly end: number;
}

export type Severity = 'error' | 'hint';

/** A mistake in a policy or test file, with its place and what to do about it. */
export interface Problem {
  readonly code: Code;
  readonly severity: Severity;
  readonly at: Span;
  readonly message: string;
  readonly help?: string;
  /** A second place that matters, with a word on why. */
  readonly also?: { readonly at: Span; readonly note: string };
}
