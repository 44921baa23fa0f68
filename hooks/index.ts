/** The library: `import { createEngine } from 'bylaw'`. */
export * from '../engine/index.ts';
export { createEngine, type CallOptions, type Engine, type EngineOptions } from './engine.ts';
export { sdkHooks, type SdkHooks, type SdkMatcher, type SdkOptions, type SdkReply } from './sdk.ts';
