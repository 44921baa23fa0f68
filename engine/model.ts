/** The nouns of bylaw: what rules, events, state and verdicts are made of. Everything here is plain JSON. */
import type { Code } from './report/codes.ts';

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export const LEVELS = ['strict', 'guidance', 'observe', 'disabled'] as const;
export type Level = (typeof LEVELS)[number];
export const DECISIONS = ['deny', 'ask', 'advise'] as const;
export type Decision = (typeof DECISIONS)[number];
export const SCOPES = ['turn', 'agent', 'session', 'project', 'user'] as const;
export type Scope = (typeof SCOPES)[number];
export type OnError = 'allow' | 'deny';

// ---------------------------------------------------------------- events

/** One hook call, as a host adapter decoded it. Time, chance, environment and outside facts come with it. */
export interface Event {
  readonly event: string;
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Four characters A-Z0-9, fresh for each event. */
  readonly random: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute folder that holds bylaw.yaml. */
  readonly project: string;
  /** The same folder with symlinks resolved, where it differs. */
  readonly projectReal?: string;
  /** Absolute folder that relative paths of this call start from. */
  readonly cwd: string;
  readonly home?: string;
  /** The file system takes upper and lower case for the same. */
  readonly foldsCase?: true;
  /** `main` or `subagent`, then the agent's type if it has one. */
  readonly by: readonly string[];
  /** The agent id of the thread that acts, or `main`. */
  readonly thread: string;
  readonly tool?: string;
  readonly input?: JsonObject;
  readonly output?: Json;
  /** The agent that is started, starting or stopping. */
  readonly agent?: string;
  readonly agentId?: string;
  readonly source?: string;
  readonly again?: boolean;
  readonly prompt?: string;
  readonly reply?: string;
  readonly error?: string;
  /** Live subagents, id to type, where the host lists them itself. */
  readonly running?: Readonly<Record<string, string>>;
  /** Why the host's input could not be read; everything above is then what could be saved. */
  readonly unreadable?: string;
  /** The host's own fields. */
  readonly host: JsonObject;
  /** Answers to the needs of an earlier call of `evaluate`, by need key. */
  readonly outside: Readonly<Record<string, Outside>>;
}

export type Outside = { readonly value: Json } | { readonly error: string };

/** A question that only the outside can answer. `key` names the answer in `Event.outside`. */
export type Need = { readonly key: string } & (
  | { readonly kind: 'real'; readonly path: string }
  | { readonly kind: 'text' | 'json'; readonly paths: readonly string[] }
  | { readonly kind: 'exists'; readonly globs: readonly string[]; readonly olderThan?: number }
  | { readonly kind: 'run'; readonly command: readonly string[]; readonly timeout: number }
  /** What a shell text does: pure, but its analyser is loaded only when somebody asks. */
  | { readonly kind: 'command'; readonly text: string }
);

// ---------------------------------------------------------------- tests

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

// ---------------------------------------------------------------- core rules and facts

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

// ---------------------------------------------------------------- state

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

// ---------------------------------------------------------------- verdicts

/** What one rule had to say about one event. */
export interface Finding {
  readonly rule: string;
  readonly home: string;
  readonly at: string;
  readonly level: Level;
  /** As written in the policy. */
  readonly written: Decision | 'none';
  /** After levels; `none` is recorded only. */
  readonly decision: Decision | 'none';
  readonly text: string;
  readonly label?: string;
  readonly bypassed?: true;
  /** The words reached the agent or the person. */
  readonly heard: boolean;
  readonly count?: number;
}

/** A rule that could not be computed, and what it did then. */
export interface Failure {
  readonly rule: string;
  readonly at: string;
  readonly fact: string;
  readonly why: string;
  readonly did: OnError;
}

/** A deed outside the state, done by the edge after the verdict. */
export type Deed =
  | { readonly do: 'record'; readonly to: string; readonly line: JsonObject; readonly rule: string }
  | { readonly do: 'report'; readonly to: string; readonly home: string; readonly fields: JsonObject; readonly rule: string };

export interface Verdict {
  readonly decision: Decision | 'none';
  /** False if the event is refused: the call did not happen. */
  readonly passes: boolean;
  /** What the agent or the person is told; empty if nothing. */
  readonly text: string;
  readonly findings: readonly Finding[];
  readonly failures: readonly Failure[];
  readonly deeds: readonly Deed[];
}

// ---------------------------------------------------------------- problems

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
