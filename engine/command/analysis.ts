/** The words for what a shell text does: the programs it runs, the paths it touches and what could not be read. */

/** One word of a command line; null when its text cannot be known. */
export type Word = string | null;

/** From and to, in characters of the analysed text. */
export type Span = readonly [start: number, end: number];

/** A program, builtin or sub-command line that the text runs. */
export interface Run {
  readonly argv: readonly Word[];
  readonly at: Span;
  /** Launchers and shells it is reached through, outermost first. */
  readonly via: readonly string[];
  /** Literal beginnings of the words that are null, by index. */
  readonly heads?: Readonly<Record<number, string>>;
}

/** A file or folder that the text reads or writes. */
export interface Access {
  readonly path: string;
  readonly mode: 'read' | 'write';
  /** The redirect operator or program that touches it. */
  readonly how: string;
  readonly at: Span;
  /** Working folder at that point: '' is where it started, null when it cannot be known. */
  readonly folder: string | null;
  /** If the path is a folder, what is put into it keeps these names: `cp a b folder`. */
  readonly names?: readonly string[];
}

export type OpaqueReason =
  | 'dynamic-command'
  | 'dynamic-argument'
  | 'dynamic-script'
  | 'eval'
  | 'stdin-script'
  | 'generated-script'
  | 'script-file'
  | 'startup-file'
  | 'inline-code'
  | 'glob-command'
  | 'loader-env'
  | 'prompt-eval'
  | 'brace-with-substitution'
  | 'zsh-glob-qualifier'
  | 'unknown-syntax'
  | 'parse-error'
  | 'budget'
  | 'depth';

/** A piece of the text whose effect cannot be known from the text alone. */
export interface Opaque {
  readonly reason: OpaqueReason;
  readonly at: Span;
  readonly text: string;
  /** The program it belongs to; null when even that is unknown. */
  readonly program?: string | null;
}

export interface Analysis {
  readonly runs: readonly Run[];
  readonly paths: readonly Access[];
  readonly opaque: readonly Opaque[];
}

/** What the caller knows about the shell that will run the text. */
export interface Known {
  readonly home?: string;
  readonly variables?: Readonly<Record<string, string>>;
}
