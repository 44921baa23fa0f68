/** The public API of the engine. */
export { evaluate, type Evaluation, type Trace } from './judge/evaluate.ts';
export { converge } from './judge/converge.ts';
export { load, type Loaded, type LoadOptions } from './load/load.ts';
export { buildPlan } from './plan/build.ts';
export { EMPTY_STATE } from './state/state.ts';
export type * from './model.ts';
