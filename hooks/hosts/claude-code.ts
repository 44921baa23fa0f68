/** Turns what Claude Code writes to a hook into an Event, and a Verdict into the reply that Claude Code reads. */

import { EVENTS } from '../../engine/events.ts';
import type { Event, Json, JsonObject, Verdict } from '../../engine/model.ts';

/** What the edge knows besides the host's text. */
export interface Given {
  readonly now: number;
  readonly random: string;
  readonly env: Readonly<Record<string, string>>;
  readonly project: string;
  readonly home?: string;
  readonly cwd: string;
  /** The event the hook was registered for, where its command line says so. */
  readonly event?: string;
}

// ---------------------------------------------------------------- decode

/** Never throws: what can't be read is an Event with `unreadable` and whatever could be saved. */
export function decode(text: string, given: Given): Event {
  const { payload, host, unreadable } = read(text);
  const event = word(payload.hook_event_name) ?? given.event ?? '';
  const toolName = word(payload.tool_name);
  const tool = toolName === 'Task' ? DELEGATION : toolName;
  const input = event === 'UserPromptExpansion' ? expansion(payload) : object(payload.tool_input);
  const output = payload.tool_response;
  const prompt = promptOf(event, tool, payload, input);
  const source = sourceOf(event, payload, prompt);
  const subject = subjectOf(event, tool, payload, input);
  const running = event === 'Stop' ? runningOf(payload.background_tasks) : undefined;
  const reply = string(payload.last_assistant_message);
  const error = string(payload.error);
  const again = payload.stop_hook_active;
  const cwd = string(payload.cwd);

  return {
    event,
    session: word(payload.session_id) ?? word(given.env.CLAUDE_CODE_SESSION_ID) ?? '',
    now: given.now,
    random: given.random,
    env: given.env,
    project: given.project,
    cwd: cwd !== undefined && ABSOLUTE.test(cwd) ? cwd : given.cwd,
    ...(given.home !== undefined && { home: given.home }),
    by: byOf(event, payload),
    thread: word(payload.agent_id) ?? 'main',
    ...(tool !== undefined && { tool }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(subject.agent !== undefined && { agent: subject.agent }),
    ...(subject.agentId !== undefined && { agentId: subject.agentId }),
    ...(source !== undefined && { source }),
    ...(typeof again === 'boolean' && { again }),
    ...(prompt !== undefined && { prompt }),
    ...(reply !== undefined && { reply }),
    ...(error !== undefined && { error }),
    ...(running !== undefined && { running }),
    ...(unreadable !== undefined && { unreadable }),
    host,
    outside: {},
  };
}

const DELEGATION = 'Agent';
const ABSOLUTE = /^(?:\/|\\\\|[A-Za-z]:[\\/])/;

interface Reading {
  /** The fields to decode. */
  readonly payload: JsonObject;
  /** The fields that rules may ask for as `host.x`. */
  readonly host: JsonObject;
  readonly unreadable?: string;
}

function read(text: string): Reading {
  if (text.trim() === '') return { payload: {}, host: {}, unreadable: 'empty input' };
  let value: Json;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { payload: salvage(text), host: {}, unreadable: 'not JSON' };
  }
  const payload = object(value);
  if (payload === undefined) return { payload: {}, host: {}, unreadable: 'not a JSON object' };
  if (word(payload.hook_event_name) === undefined) return { payload, host: payload, unreadable: 'no hook_event_name' };
  return { payload, host: payload };
}

const SAVED = /"(hook_event_name|tool_name|session_id|agent_id|agent_type)"\s*:\s*"([^"\\]+)"/y;

/**
 * Names from JSON that is cut off or wrong somewhere. Strings are skipped and only the outermost object is looked at,
 * because a tool's input may hold the same words.
 */
function salvage(text: string): JsonObject {
  const saved = new Map<string, string>();
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
    if (sign !== '"') continue;
    if (depth === 1) {
      SAVED.lastIndex = at;
      const [, key, value] = SAVED.exec(text) ?? [];
      if (key !== undefined && value !== undefined && !saved.has(key)) saved.set(key, value);
    }
    at = endOfString(text, at);
  }
  return Object.fromEntries(saved);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Only an agent id makes a subagent: the main thread under `--agent` has a type too. */
function byOf(event: string, payload: JsonObject): readonly string[] {
  const inside = isAboutAgent(event) || word(payload.agent_id) !== undefined;
  const type = word(payload.agent_type);
  return [inside ? 'subagent' : 'main', ...(type === undefined ? [] : [type])];
}

interface Subject {
  readonly agent?: string | undefined;
  readonly agentId?: string | undefined;
}

/** The agent that the event starts, or that starts or stops. */
function subjectOf(event: string, tool: string | undefined, payload: JsonObject, input: JsonObject | undefined): Subject {
  if (isAboutAgent(event)) return { agent: word(payload.agent_type), agentId: word(payload.agent_id) };
  if (tool !== DELEGATION) return {};
  const started = event === 'PostToolUse' ? object(payload.tool_response)?.agentId : undefined;
  return { agent: word(input?.subagent_type), agentId: word(started) };
}

function isAboutAgent(event: string): boolean {
  return EVENTS[event]?.about === 'agent';
}

function promptOf(
  event: string,
  tool: string | undefined,
  payload: JsonObject,
  input: JsonObject | undefined,
): string | undefined {
  if (event === 'UserPromptSubmit' || event === 'UserPromptExpansion') return string(payload.prompt);
  return tool === DELEGATION ? string(input?.prompt) : undefined;
}

/** A prompt that could not be read is neither a person's nor a notification. */
function sourceOf(event: string, payload: JsonObject, prompt: string | undefined): string | undefined {
  if (event !== 'UserPromptSubmit') return string(payload.source);
  if (prompt === undefined) return undefined;
  return prompt.trimStart().startsWith('<task-notification>') ? 'notification' : 'person';
}

/** What a typed `/command` is, as input, so that rules can ask for `input.command_name`. */
function expansion(payload: JsonObject): JsonObject {
  const fields = ['command_name', 'command_args', 'command_source', 'expansion_type'];
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = string(payload[field]);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

function runningOf(tasks: Json | undefined): Readonly<Record<string, string>> | undefined {
  if (!isList(tasks)) return undefined;
  return Object.fromEntries(
    tasks.flatMap((entry) => {
      const task = object(entry);
      const id = word(task?.id);
      return task?.type === 'subagent' && id !== undefined ? [[id, string(task.agent_type) ?? '']] : [];
    }),
  );
}

function string(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A string that is not empty. */
function word(value: Json | undefined): string | undefined {
  return value === '' ? undefined : string(value);
}

function object(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isList(value) ? value : undefined;
}

/** `Array.isArray` does not tell readonly lists from objects. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

// ---------------------------------------------------------------- encode

/** Undefined when there is nothing to say. Never an explicit allow: that would skip the host's own permission check. */
export function encode(event: Event, verdict: Verdict): JsonObject | undefined {
  const { decision, text } = verdict;
  if (decision === 'none' || text === '') return undefined;
  const name = event.event;
  const reach = EVENTS[name];
  // Forms without the event's name: a wrong name would void the reply, and the call would go through.
  if (reach === undefined) return decision === 'advise' ? { systemMessage: text } : block(text);
  if (name === 'PreToolUse' && decision !== 'advise') {
    return specific(name, { permissionDecision: decision, permissionDecisionReason: text });
  }
  if (decision === 'deny' && reach.deny !== 'no') return block(text);
  if (reach.advise === 'agent') return specific(name, { additionalContext: cut(text) });
  return reach.advise === 'person' ? { systemMessage: text } : undefined;
}

function block(reason: string): JsonObject {
  return { decision: 'block', reason };
}

function specific(hookEventName: string, fields: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName, ...fields } };
}

/** Above this the client saves the text to a file and shows only its beginning. */
const CONTEXT_LIMIT = 10_000;
const CUT_NOTE = '\n[cut here: the text is longer than 10,000 characters]';

function cut(text: string): string {
  if (text.length <= CONTEXT_LIMIT) return text;
  const kept = text.slice(0, CONTEXT_LIMIT - CUT_NOTE.length);
  return kept.replace(/[\uD800-\uDBFF]$/, '') + CUT_NOTE;
}
