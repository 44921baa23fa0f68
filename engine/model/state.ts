/** What rules and facts remember. */
import type { Json, Level } from './words.ts';

/** What one rule or fact remembers. */
export type Cell = { readonly changed: number } & (
  | { readonly kind: 'values'; readonly values: readonly Kept[] }
  | { readonly kind: 'count'; readonly counts: Readonly<Record<string, number>> }
  | { readonly kind: 'calls'; readonly calls: readonly (string | null)[] }
  | { readonly kind: 'moments'; readonly moments: readonly (readonly [at: number, per: string])[] }
  | { readonly kind: 'phase'; readonly phase?: string; readonly history: readonly Move[] }
  | { readonly kind: 'said'; readonly times: number; readonly token?: string }
);
export interface Kept {
  readonly value: Json;
  readonly at: number;
}
export interface Move {
  readonly agent: string;
  readonly from: string;
  readonly to: string;
  readonly at: number;
  readonly event: string;
  readonly reason?: string;
}
export type Cells = Readonly<Record<string, Cell>>;

/** A person's word on the level, of one policy or of all. */
export interface LevelSetting {
  readonly level: Level;
  readonly policy?: string;
  readonly at: number;
  readonly expires?: number;
}

export interface State {
  readonly user: Shared;
  readonly project: Shared;
  readonly session: Session;
}
export interface Shared {
  readonly cells: Cells;
  readonly levels: readonly LevelSetting[];
}
export interface Session extends Shared {
  readonly turn: Cells;
  readonly agents: Readonly<Record<string, Cells>>;
  readonly running: Readonly<Record<string, string>>;
}
