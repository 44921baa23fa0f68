/** Carries one analysis through the walk: what was found, what may still be spent, and where in the text we are. */
import type { Access, Opaque, OpaqueReason, Run, Span } from './analysis.ts';
import { type Field, head, isKnown, tail, toWord } from './hole.ts';
import { fork, type Scope } from './scope.ts';

export const limits = {
  steps: 20_000,
  depth: 40,
  braces: 256,
  text: 65_536,
  items: 64,
  opaque: 200,
  nesting: 150,
  ticks: 2_000,
  documents: 1_000,
} as const;

/** Everything found so far, and the budget all parts share. */
export interface Walk {
  readonly text: string;
  readonly runs: Run[];
  readonly paths: Access[];
  readonly opaque: Opaque[];
  /** Files the text itself writes, with their content where it is known. */
  readonly written: Map<string, string>;
  steps: number;
}

export interface Frame {
  readonly walk: Walk;
  readonly scope: Scope;
  readonly via: readonly string[];
  /** Where nested text stands in the analysed text; null while offsets are those of the analysed text. */
  readonly at: Span | null;
  readonly depth: number;
  /** Text on standard input; undefined when nothing is connected. */
  readonly input: string | undefined;
}

export function place(frame: Frame, node: { readonly pos: number; readonly end: number }): Span {
  return frame.at ?? [node.pos, node.end];
}

export function deeper(frame: Frame): Frame {
  return { ...frame, depth: frame.depth + 1 };
}

export function subshell(frame: Frame, input = frame.input): Frame {
  const { walk, scope, via, at, depth } = frame;
  return { walk, scope: fork(scope), via, at, depth: depth + 1, input };
}

/** False when the budget is spent; said once. */
export function spend(frame: Frame): boolean {
  const { walk } = frame;
  walk.steps += 1;
  if (walk.steps < limits.steps) return true;
  if (walk.steps === limits.steps) walk.opaque.push({ reason: 'budget', at: [0, walk.text.length], text: '' });
  return false;
}

/** Spends several steps at once; the next `spend` says so when that was too much. */
export function charge(frame: Frame, steps: number): void {
  const { walk } = frame;
  if (walk.steps < limits.steps) walk.steps = Math.min(walk.steps + steps, limits.steps - 1);
}

/** False when the nesting is too deep to go on. */
export function withinDepth(frame: Frame, at: Span): boolean {
  if (frame.depth < limits.depth) return true;
  if (!frame.walk.opaque.some((entry) => entry.reason === 'depth')) addOpaque(frame, 'depth', at);
  return false;
}

export function addOpaque(frame: Frame, reason: OpaqueReason, at: Span, program?: string | null): void {
  const { opaque, text } = frame.walk;
  if (opaque.length >= limits.opaque || opaque.some((entry) => entry.reason === reason && entry.at[0] === at[0] && entry.at[1] === at[1]))
    return;
  opaque.push({ reason, at, text: text.slice(at[0], at[1]), ...(program === undefined ? {} : { program }) });
}

export function addRun(frame: Frame, fields: readonly Field[], at: Span): void {
  charge(frame, 2 + (fields.length >> 3));
  const argv = fields.map(toWord);
  const heads: Record<number, string> = {};
  let partial = false;
  for (const [index, { text }] of fields.entries()) {
    if (isKnown(text)) continue;
    const start = head(text);
    if (start === '') continue;
    heads[index] = start;
    partial = true;
  }
  frame.walk.runs.push({ argv, at, via: frame.via, ...(partial ? { heads } : {}) });
}

export function addPath(frame: Frame, target: Field, mode: Access['mode'], how: string, at: Span, names?: readonly string[]): void {
  const text = target.pattern ?? target.text;
  const path = tail(text);
  if (path === '' || path === '-') return;
  if (path === text) frame.walk.paths.push({ path, mode, how, at, folder: frame.scope.folder, ...(names === undefined ? {} : { names }) });
  // An unknown folder with a known name in it, such as "$X/.env".
  else if (path.startsWith('/') && path !== '/') frame.walk.paths.push({ path: path.slice(1), mode, how, at, folder: null });
}
