/** What an event comes to. */
import type { Decision, JsonObject, Level, OnError } from './words.ts';

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
