/** The rules for the Claude Agent SDK: the value of its option `hooks`, answered in process. */
import { EVENTS } from '../engine/events.ts';
import { createEngine, type Engine, type EngineOptions } from './engine.ts';

export interface SdkOptions extends EngineOptions {
  /** The option `cwd` of the query: the project stays the one the session began in, also after `cd`. */
  readonly cwd?: string;
  /** An engine to share between queries; made from the other options if there is none. */
  readonly engine?: Engine;
  /** What the SDK does if a callback itself fails. `block` needs a Claude Code that knows it. */
  readonly onFailure?: 'continue' | 'block';
}

/** The types are our own, so that a project without the SDK can compile; a test holds them against the SDK's. */
export interface SdkReply {
  decision?: 'block';
  reason?: string;
  systemMessage?: string;
  hookSpecificOutput?: Refusal | Advice;
}
interface Refusal {
  hookEventName: 'PreToolUse';
  permissionDecision: 'deny' | 'ask';
  permissionDecisionReason: string;
}
interface Advice {
  hookEventName: 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure' | 'PostToolBatch' | 'UserPromptSubmit' | 'UserPromptExpansion' | 'SessionStart' | 'Setup' | 'SubagentStart' | 'PostModelSwitch';
  additionalContext: string;
}

export interface SdkMatcher {
  hooks: ((input: object) => Promise<SdkReply>)[];
  onFailure?: 'continue' | 'block';
}

/** Whatever is answered at WorktreeCreate is taken for a path, and MessageDisplay comes with every line of text. */
export const SDK_EVENTS = [
  'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'PermissionRequest', 'PermissionDenied', 'UserPromptSubmit', 'UserPromptExpansion', 'SessionStart', 'Setup', 'SessionEnd',
  'Stop', 'StopFailure', 'SubagentStart', 'SubagentStop', 'PreCompact', 'PostCompact', 'PreModelSwitch', 'PostModelSwitch', 'TaskCreated', 'TaskCompleted', 'TeammateIdle',
  'ConfigChange', 'Elicitation', 'ElicitationResult', 'CwdChanged', 'FileChanged', 'Notification', 'InstructionsLoaded', 'DirectoryAdded', 'WorktreeRemove',
] as const;

export type SdkHooks = Partial<Record<(typeof SDK_EVENTS)[number], SdkMatcher[]>>;

/** `query({ prompt, options: { cwd, hooks: sdkHooks({ cwd }) } })` */
export function sdkHooks({ engine, cwd, onFailure, ...options }: SdkOptions = {}): SdkHooks {
  const own = engine ?? createEngine({ ...options, ...(cwd === undefined ? {} : { cwd }) });
  const env = { ...(options.env ?? process.env), ...(cwd === undefined ? {} : { CLAUDE_PROJECT_DIR: cwd }) };
  const answer = async (input: object): Promise<SdkReply> => {
    const output = await own.answer(input, { env, ...(cwd === undefined ? {} : { cwd }) });
    // The SDK gets a copy of its own, in the words that `encode` writes.
    return JSON.parse(JSON.stringify(output ?? {}));
  };
  const matchers = (name: string): SdkMatcher[] => [{ hooks: [answer], ...(onFailure === undefined || EVENTS[name]?.deny !== 'prevents' ? {} : { onFailure }) }];
  const hooks: SdkHooks = {};
  for (const name of SDK_EVENTS) hooks[name] = matchers(name);
  return hooks;
}
