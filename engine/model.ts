/** The nouns of bylaw: what rules, events, state and verdicts are made of. Everything here is plain JSON. */
export * from './model/words.ts';
export type * from './model/event.ts';
export type * from './model/rule.ts';
export type * from './model/state.ts';
export type * from './model/verdict.ts';
export type * from './model/problem.ts';
