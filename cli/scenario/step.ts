/** A step as people write it (`Read src/a.ts`, `Stop saying done`) → the host's own JSON, so that it is decoded like a real call. */
import { EVENTS } from '../../engine/events.ts';
import type { Json, JsonObject } from '../../engine/model.ts';
import { didYouMean } from '../../engine/report/suggest.ts';

export type Payload = JsonObject;
export type Step = { readonly payload: Payload } | { readonly fault: string; readonly help?: string };

/** The input field that a tool's short argument stands for. */
const ARGUMENT: Readonly<Record<string, string>> = {
  Read: 'file_path', Write: 'file_path', Edit: 'file_path', MultiEdit: 'file_path', NotebookEdit: 'notebook_path',
  Bash: 'command', Monitor: 'command', Glob: 'pattern', Grep: 'pattern', LS: 'path', Task: 'subagent_type', Agent: 'subagent_type',
  Skill: 'skill', SlashCommand: 'command', WebFetch: 'url', WebSearch: 'query', TaskCreate: 'subject', SendMessage: 'to', ToolSearch: 'query',
};
const CALLS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'];

/** `by reviewer Edit src/a.ts` is the call of a subagent of that type. */
export function shortStep(text: string, lastAgent?: string): Step {
  const by = /^by (\S+) (.+)$/s.exec(text);
  if (by !== null) {
    const step = shortStep(by[2] ?? '', lastAgent);
    return 'fault' in step || by[1] === 'main' ? step : { payload: { ...step.payload, agent_id: `agent-${by[1]}`, agent_type: by[1] ?? '' } };
  }
  const [, name = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  if (CALLS.includes(name)) {
    const call = toolStep(rest);
    return 'fault' in call ? call : { payload: { ...call.payload, hook_event_name: name, ...(name === 'PostToolUse' ? { tool_response: {} } : name === 'PostToolUseFailure' ? { error: 'failed' } : {}) } };
  }
  if (Object.hasOwn(EVENTS, name)) return { payload: { hook_event_name: name, ...eventFields(name, rest, lastAgent) } };
  return toolStep(text);
}

function toolStep(text: string): Step {
  const [, tool = '', argument = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  if (!/^[A-Z]\w*(?:[.:]\w+)*$|^mcp__\w+$/.test(tool)) {
    const help = didYouMean(tool, [...Object.keys(ARGUMENT), ...Object.keys(EVENTS)]);
    return { fault: `\`${tool}\` is neither a tool nor an event`, ...(help === undefined ? {} : { help }) };
  }
  const field = Object.hasOwn(ARGUMENT, tool) ? ARGUMENT[tool] : undefined;
  if (argument !== '' && field === undefined) return { fault: `it is not known which argument of \`${tool}\` is meant`, help: `write { event: { tool: ${tool}, input: { … } }, expect: … }` };
  return { payload: { hook_event_name: 'PreToolUse', tool_name: tool, tool_input: field === undefined || argument === '' ? {} : { [field]: argument } } };
}

function eventFields(event: string, rest: string, lastAgent: string | undefined): JsonObject {
  const [, before = rest, reply] = /^(.*?)\s*\bsaying (.*)$/s.exec(rest) ?? [];
  switch (event) {
    case 'Stop':
      return { last_assistant_message: reply ?? '', stop_hook_active: /\bagain\b/.test(before) };
    case 'SubagentStart':
    case 'SubagentStop': {
      const agent = before.trim() || lastAgent || 'general-purpose';
      return { agent_id: `agent-${agent}`, agent_type: agent, ...(event === 'SubagentStop' ? { last_assistant_message: reply ?? '', stop_hook_active: false } : {}) };
    }
    case 'UserPromptSubmit':
      return { prompt: rest };
    case 'UserPromptExpansion':
      return { prompt: `/${rest}`, command_name: rest.split(' ')[0] ?? '', command_args: rest.split(' ').slice(1).join(' ') };
    case 'SessionStart':
    case 'ConfigChange':
      return { source: rest || (event === 'SessionStart' ? 'startup' : 'project_settings') };
    case 'SessionEnd':
      return { reason: rest || 'other' };
    case 'PreCompact':
      return { trigger: rest || 'manual' };
    default:
      return {};
  }
}

/** A long step in the words of the language. */
export function longStep(event: JsonObject): Payload {
  const { event: name, tool, input, output, by, agent, prompt, reply, source, again, error, cwd, host } = event;
  const kind = typeof name === 'string' ? name : 'PreToolUse';
  const isAgent = EVENTS[kind]?.about === 'agent';
  const fields: Record<string, Json | undefined> = {
    hook_event_name: kind,
    tool_name: tool,
    tool_input: input ?? (tool === undefined ? undefined : {}),
    tool_response: output,
    prompt,
    last_assistant_message: reply,
    source,
    stop_hook_active: again,
    error,
    cwd,
  };
  if (isAgent) Object.assign(fields, { agent_type: agent ?? '', agent_id: event['agent-id'] ?? `agent-${String(agent ?? 'general-purpose')}` });
  else if (typeof agent === 'string') fields['tool_input'] = { subagent_type: agent, ...(typeof prompt === 'string' ? { prompt } : {}), ...(isObject(input) ? input : {}) };
  const types = (Array.isArray(by) ? by : [by]).filter((each): each is string => typeof each === 'string' && each !== 'main');
  if (types.length > 0 && !isAgent) {
    const type = types.find((each) => each !== 'subagent');
    Object.assign(fields, { agent_id: event['agent-id'] ?? `agent-${type ?? 'general-purpose'}`, ...(type === undefined ? {} : { agent_type: type }) });
  }
  const given = Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return { ...(isObject(host) ? host : {}), ...Object.fromEntries(given) };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
