/** Tests, core rules and core facts, and the plan they make. */
import type { Decision, Json, Level, OnError, Scope } from './words.ts';

/** Alternatives; one that holds is enough. An empty list never holds; an empty matcher always does. */
export type Test = readonly Matcher[];
/** Clauses; all must hold. */
export type Matcher = readonly Clause[];
export interface Clause {
  readonly fact: string;
  /** One that holds is enough. */
  readonly values: readonly Pattern[];
  readonly anyCase?: true;
}
export type Pattern =
  | { readonly is: 'there' }
  | { readonly is: 'absent' }
  | { readonly is: 'glob'; readonly glob: string }
  | { readonly is: 'regex'; readonly regex: string }
  | { readonly is: 'fact'; readonly fact: string };

/** JsonLogic, checked at load. */
export type Logic = Json;

/** A value that an effect stores: a fact's values, a text with placeholders, or itself. */
export type Term =
  | { readonly is: 'fact'; readonly fact: string }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'value'; readonly value: Json };



export interface Rule {
  readonly id: string;
  /** The policy (file) that first declared it. */
  readonly home: string;
  /** file:line */
  readonly at: string;
  readonly on: readonly string[];
  readonly match: Test;
  readonly unless: Test;
  readonly when?: Logic;
  readonly until: readonly Trigger[];
  /** When it fires, of the events it matches. */
  readonly cadence: Cadence;
  readonly speak?: Speak;
  readonly then: readonly Effect[];
  readonly attempts?: true;
  readonly label?: string;
  /** What to do where a shell text can't be seen through, by reason; `*` for all others. */
  readonly opaque?: Readonly<Record<string, Decision | 'ignore'>>;
  readonly onError: OnError;
  /** The rule's own level, which a person's level does not change. */
  readonly own?: Level;
  /** The level where neither the rule nor a person names one. */
  readonly level: Level;
  /** Runs although its policy is not active. */
  readonly active?: true;
  /** Not softened by its policy's bypass. */
  readonly unbypassed?: true;
  readonly final?: true;
}

export interface Trigger {
  readonly on: readonly string[];
  readonly match: Test;
}

export interface Speak {
  readonly decision: Decision;
  readonly says: readonly Saying[];
  readonly why?: string;
  readonly instead?: string;
  /** Speaks at most so often; counted in the cell `<rule>.said`. */
  readonly times?: number;
}

export interface Saying {
  readonly at?: CountKey;
  readonly text: string;
}
export interface CountKey {
  readonly from: number;
  readonly then?: 'doubling' | number;
}

export type Cadence =
  | { readonly kind: 'always' }
  | { readonly kind: 'above'; readonly limit: number; readonly count: string }
  | { readonly kind: 'keys'; readonly count: string }
  | { readonly kind: 'phase'; readonly phase: string }
  | { readonly kind: 'token'; readonly token: string };

export type Effect =
  | { readonly do: 'remember'; readonly fact: string; readonly value: Term }
  | { readonly do: 'forget'; readonly fact: string; readonly value?: Term }
  | { readonly do: 'record'; readonly to: string; readonly fields: Readonly<Record<string, Term>> }
  | { readonly do: 'report'; readonly to: string; readonly fields: Readonly<Record<string, Term>> };

export interface Fact {
  readonly name: string;
  readonly home: string;
  readonly at: string;
  readonly form: Form;
}

/** Where a cell lives and what empties it. */
export interface Memory {
  readonly scope: Scope;
  readonly until: readonly Trigger[];
  /** Milliseconds without a change after which the cell counts as empty. */
  readonly idle?: number;
}

export interface Counted {
  readonly on: readonly string[];
  readonly match: Test;
  readonly unless: Test;
  readonly when?: Logic;
}

export type Window = { readonly calls: number; readonly match: Test } | { readonly time: number };

export type Form =
  | { readonly kind: 'remembered'; readonly memory: Memory; readonly last?: number; readonly keep?: number }
  | {
      readonly kind: 'count';
      readonly memory: Memory;
      readonly counted: Counted;
      readonly window?: Window;
      readonly per?: string;
      readonly attempts?: true;
      /** The rule whose matches are counted, where it is a rule's own count. */
      readonly rule?: string;
    }
  | {
      readonly kind: 'phase';
      readonly memory: Memory;
      readonly start: string;
      readonly track: string;
      readonly moves: readonly Trigger[];
      readonly phases: Readonly<Record<string, readonly Row[]>>;
      readonly rule: string;
      /** It moves when its rule matches. */
      readonly own?: true;
    }
  | { readonly kind: 'said'; readonly memory: Memory; readonly rule: string }
  | { readonly kind: 'first'; readonly entries: readonly { readonly match: Test; readonly is: Term }[] }
  | { readonly kind: 'regex'; readonly regex: string; readonly of: string; readonly anyCase?: true }
  | { readonly kind: 'option'; readonly options: readonly string[]; readonly of: string }
  | {
      readonly kind: 'rows';
      readonly rows: readonly string[];
      readonly match: Test;
      readonly when?: Logic;
      readonly take: string;
    }
  | { readonly kind: 'since'; readonly of: string }
  | { readonly kind: 'text' | 'json'; readonly paths: readonly string[]; readonly else?: Json }
  | { readonly kind: 'exists'; readonly globs: readonly string[]; readonly older?: number }
  | { readonly kind: 'run'; readonly command: readonly string[]; readonly timeout: number };

/** One row of a phase: which agents it covers, and where they lead. Literal names come before globs. */
export interface Row {
  readonly agents: readonly string[];
  readonly to: 'stay' | { readonly phase: string } | { readonly byEvent: Readonly<Record<string, string>> };
}

/** What belongs to the rules first declared in one file. */
export interface Home {
  readonly name: string;
  readonly file: string;
  readonly active: Test;
  readonly bypass: Test;
  readonly onError: OnError;
  readonly level: Level;
  readonly trusted: boolean;
  readonly report?: { readonly calls?: Logic; readonly score?: Logic; readonly pass?: number };
}

/** All that a hook call needs to know of the policies; plain JSON, so that it can be cached. */
export interface Plan {
  readonly rules: readonly Rule[];
  readonly facts: Readonly<Record<string, Fact>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly homes: Readonly<Record<string, Home>>;
  readonly audit: 'said' | 'all';
  /** Some fact lives in scope `user`, so the user's state must be locked too. */
  readonly sharesUser: boolean;
  readonly index: Index;
}

/** Which rules, counts and machines an event can concern: by event, then by tool, then by folder where there are many. */
export type Index = Readonly<Record<string, Shelf>>;
export interface Shelf {
  readonly any: Slot;
  readonly byTool: Readonly<Record<string, Slot>>;
}
/** Positions in `Plan.rules`, and names of facts that move. */
export interface Slot {
  readonly rules: readonly number[];
  readonly moving: readonly string[];
  /** What only concerns paths in a folder, by that folder. */
  readonly byFolder?: Readonly<Record<string, Slot>>;
}
