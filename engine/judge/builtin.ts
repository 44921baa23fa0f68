/** The built-in facts of an event: who, which tool, which paths, which programs. */
import { analyse, type Analysis } from '../command/analyse.ts';
import type { Event, Json } from '../model.ts';
import { walkPath } from './derive.ts';
import type { Known } from './holds.ts';
import { failed, isObject, known, type Asker, type Knowledge } from './know.ts';
import type { Sort } from './match.ts';
import { absolute, shown } from './paths.ts';

const PLAIN = ['event', 'tool', 'session', 'now', 'source', 'error', 'by', 'agent', 'agent-id', 'running', 'again'] as const;
const ACTS = ['path', 'writes', 'runs'] as const;
/** A text value in a matcher on these is a regex. */
export const TEXTS: readonly string[] = ['command', 'prompt', 'content', 'reply'];
export const NAMESPACES: readonly string[] = ['input', 'output', 'env', 'host'];
export const BUILTIN: readonly string[] = [...PLAIN, 'level', ...ACTS, ...TEXTS, ...NAMESPACES];

const WRITERS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];
const SHELLS = ['Bash', 'Monitor'];

export function isEventFact(name: string): boolean {
  return BUILTIN.includes(name) || NAMESPACES.some((space) => name.startsWith(`${space}.`));
}

/** How patterns on a built-in fact are read. */
export function sortOf(name: string): Sort {
  if (name === 'path' || name === 'writes') return 'path';
  if (name === 'by' || name === 'agent' || name === 'running') return 'agent';
  if (name === 'runs') return 'run';
  return TEXTS.includes(name) ? 'text' : 'word';
}

export function builtin(knowledge: Knowledge, name: string, asker: Asker): Known {
  const { event } = knowledge;
  if (name === 'path' || name === 'writes') return paths(knowledge, name, asker);
  const dot = name.indexOf('.');
  if (dot > 0) return known(walkPath([space(event, name.slice(0, dot)) ?? null], name.slice(dot + 1).split('.')));
  if (NAMESPACES.includes(name)) return { is: 'known', sort: 'word', values: isObject(space(event, name)) ? [space(event, name) ?? null] : [] };
  if (name === 'runs') return { is: 'known', sort: 'run', values: analysis(knowledge)?.runs.map((run) => run.argv) ?? [] };
  return known(plain(knowledge, name), sortOf(name));
}

function plain({ event, state, plan }: Knowledge, name: string): Json | undefined {
  switch (name) {
    case 'event':
    case 'tool':
    case 'session':
    case 'source':
    case 'by':
    case 'agent':
    case 'again':
    case 'prompt':
    case 'reply':
      return event[name];
    case 'error':
      return event.unreadable === undefined ? event.error : 'input';
    case 'agent-id':
      return event.agentId;
    case 'now':
      return new Date(event.now).toISOString();
    case 'running':
      return Object.values(event.running ?? state.session.running);
    case 'command':
      return shellText(event, plan.lists['shell-tools'] ?? SHELLS);
    case 'content':
      return content(event);
    default:
      return undefined;
  }
}

function space(event: Event, name: string): Json | undefined {
  if (name === 'env') return event.env;
  return name === 'input' ? event.input : name === 'output' ? event.output : event.host;
}

function content({ input }: Event): Json | undefined {
  const edits = input?.['edits'];
  const several = Array.isArray(edits) ? edits.map((edit: Json) => (isObject(edit) ? (edit['new_string'] ?? null) : null)) : [];
  return [input?.['content'] ?? null, input?.['new_string'] ?? null, input?.['new_source'] ?? null, ...several].filter((text) => typeof text === 'string');
}

function shellText(event: Event, shells: readonly string[]): string | undefined {
  const command = event.input?.['command'];
  return typeof command === 'string' && event.tool !== undefined && shells.includes(event.tool) ? command : undefined;
}

const analyses = new WeakMap<object, Analysis>();

/** The shell line of an event, analysed at most once. */
export function analysis({ event, plan }: Knowledge): Analysis | undefined {
  const text = shellText(event, plan.lists['shell-tools'] ?? SHELLS);
  if (text === undefined || event.input === undefined) return undefined;
  const made = analyses.get(event.input) ?? analyse(text);
  analyses.set(event.input, made);
  return made;
}

/** As written and with symlinks resolved are two values. */
function paths(knowledge: Knowledge, name: 'path' | 'writes', asker: Asker): Known {
  const { event, needs } = knowledge;
  const roots = event.projectReal === undefined ? [event.project] : [event.project, event.projectReal];
  const values: string[] = [];
  let missing = false;
  for (const written of new Set(accesses(knowledge, name).map((path) => absolute(path, event.cwd, event.home)))) {
    values.push(shown(written, roots));
    const key = `real:${written}`;
    const answer = event.outside[key];
    if (answer === undefined) {
      missing = true;
      if (asker.cost >= 1) needs.set(key, { key, kind: 'real', path: written });
    } else if ('error' in answer) return failed(name, answer.error);
    else if (typeof answer.value === 'string') values.push(shown(answer.value, roots));
  }
  if (missing) return { is: 'unknown', cause: asker.cost >= 1 ? { kind: 'pending' } : { kind: 'later', cost: 1 } };
  return { is: 'known', sort: 'path', values: [...new Set(values)] };
}

function accesses(knowledge: Knowledge, name: 'path' | 'writes'): readonly string[] {
  const { input, tool } = knowledge.event;
  const found = (analysis(knowledge)?.paths ?? []).filter((access) => name === 'path' || access.mode === 'write').map((access) => access.path);
  if (name === 'writes' && (tool === undefined || !WRITERS.includes(tool))) return found;
  for (const field of ['file_path', 'notebook_path', 'path']) {
    const path = input?.[field];
    if (typeof path === 'string' && path !== '') found.push(path);
  }
  return found;
}
