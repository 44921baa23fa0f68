/** The words and values that everything else is made of. */

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
