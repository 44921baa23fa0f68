/** What one original system means in bylaw: its pack, its readings, its state files and its command. */
import type { Cell, Cells, Json, JsonObject, Scope, State } from '../../engine/model.ts';
import { cellsOf, writeCell } from '../../engine/judge/cells.ts';
import type { Store } from '../../engine/state/store.ts';
import type { Came } from './compare.ts';

/** A case being played, in folders of its own. */
export interface Stage {
  /** The folder that the case calls ${PROJECT}. */
  readonly project: string;
  readonly home: string;
  /** The folder that holds bylaw.yaml. */
  readonly root: string;
  readonly store: Store;
  /** The name of the reading it is played in. */
  readonly reading: string;
  /** The session of the case's default event. */
  readonly session: string;
  /** Every event of the case, as it will be sent. */
  readonly events: readonly JsonObject[];
  /** The last session an event came from. */
  readonly lastSession: () => string;
  /** Runs a bylaw command in the project. */
  readonly bylaw: (...args: readonly string[]) => Promise<Came>;
  /** What the adapter noted while the case was set up. */
  readonly notes: Map<string, Json>;
}

export interface Reading {
  readonly name: string;
  /** Tiers that may be read so; `core` cases are always read by default. */
  readonly tiers: readonly string[];
  /** What bylaw.yaml says beside `extends`. */
  readonly yaml: string;
  /** Instead of the pack's name under `extends`. */
  readonly entry?: string;
}

export interface Adapter {
  readonly system: string;
  readonly pack: string;
  readonly readings: readonly Reading[];
  /** Takes a state file of the original over into bylaw's store; false if the file belongs to the outside world. */
  readonly seed: (path: string, content: Json | undefined, stage: Stage) => boolean;
  /** The original's state as bylaw holds it. `expected` tells which of two equal forms (absent, or all defaults) is asked for. */
  readonly state: (stage: Stage, expected: JsonObject) => JsonObject;
  /** A state file of the original as bylaw holds it: its text, or null if it would not exist; undefined if it is a real file. */
  readonly file: (path: string, stage: Stage) => string | null | undefined;
  /** The original's own command, done with bylaw's. */
  readonly command: (args: readonly string[], stage: Stage) => Promise<Came>;
  /** Why what is expected of a file can't exist in bylaw. */
  readonly skips?: (path: string) => string | undefined;
}

/** Changes the state as a person or an import would. */
export function put(stage: Stage, name: string, cell: Cell | undefined, scope: Scope = 'session', session: string = stage.session): void {
  stage.store.update(session, (state) => writeCell(state, scope, 'main', name, cell));
}

export function change(stage: Stage, to: (state: State) => State, session: string = stage.session): void {
  stage.store.update(session, to);
}

export function cellsIn(stage: Stage, scope: Scope, session: string = stage.session): Cells {
  return cellsOf(stage.store.read(session), scope, 'main');
}

export function valuesIn(stage: Stage, name: string, scope: Scope, session: string = stage.session): readonly Json[] {
  const cell = cellsIn(stage, scope, session)[name];
  return cell?.kind === 'values' ? cell.values.map((kept) => kept.value) : [];
}

export function countIn(stage: Stage, name: string, scope: Scope = 'session', session: string = stage.session): number {
  const cell = cellsIn(stage, scope, session)[name];
  return cell?.kind === 'count' ? Object.values(cell.counts).reduce((sum, count) => sum + count, 0) : 0;
}

export function valuesCell(values: readonly Json[], at: number = Date.now()): Cell {
  return { kind: 'values', values: values.map((value) => ({ value, at })), changed: at };
}

export function countCell(count: number): Cell {
  return { kind: 'count', counts: { '': count }, changed: Date.now() };
}

/** JSON as the original would read it: an object, or undefined. */
export function record(content: Json | undefined): JsonObject | undefined {
  let value = content;
  if (typeof content === 'string') {
    try {
      value = JSON.parse(content);
    } catch {
      return undefined;
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as JsonObject : undefined;
}

/** The words of the original's command, then what bylaw printed. */
export function worded(words: string, came: Came): Came {
  return { ...came, stdout: `${came.code === 0 ? `${words}\n` : ''}${came.stdout}` };
}
