/** An event, and what only the outside can tell about it. */
import type { Json, JsonObject } from './words.ts';

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
  /** What the host's settings, as they are now, would take away from bylaw. */
  | { readonly kind: 'disarms'; readonly wanted: Wanted }
);

/** The events that the rules need the host to send. */
export interface Wanted {
  readonly events: readonly string[];
  /** Those at which a rule refuses something. */
  readonly refusing: readonly string[];
}
