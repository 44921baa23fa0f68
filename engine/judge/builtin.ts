/** The built-in facts of an event: who, which tool, which paths, which programs. */
import type { Access, Analysis, Opaque } from '../command/analysis.ts';
import type { Event, Json, Outside, Plan } from '../model.ts';
import { walkPath } from './derive.ts';
import { disarms } from './disarms.ts';
import { textOf, type Known } from './holds.ts';
import { hasMagic, matchesGlob } from './match.ts';
import { isObject, known, knownList, type Asker, type Knowledge } from './know.ts';
import type { Sort } from './match.ts';
import { absolute, shown } from './paths.ts';

const PLAIN = ['event', 'tool', 'session', 'now', 'source', 'error', 'by', 'agent', 'agent-id', 'running', 'again', 'disarms'] as const;
const ACTS = ['path', 'writes', 'runs'] as const;
const SEVERAL: ReadonlySet<string> = new Set(['by', 'running', 'content']);
/** A text value in a matcher on these is a regex. */
export const TEXTS: readonly string[] = ['command', 'prompt', 'content', 'reply'];
export const NAMESPACES: readonly string[] = ['input', 'output', 'env', 'host'];
export const BUILTIN: readonly string[] = [...PLAIN, 'level', ...ACTS, ...TEXTS, ...NAMESPACES];

/** The person's home folder and the project's, for path globs; no words of the language. */
const HOME = '~';
/** Whether paths are compared without regard to case; no word of the language. */
export const FOLDS = '#case';
const PROJECT = '.';

export const WRITERS: readonly string[] = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];
/** Tools that carry shell text, unless a list `shell-tools` says otherwise. */
export const SHELLS: readonly string[] = ['Bash', 'Monitor'];

export function isEventFact(name: string): boolean {
  return name === HOME || name === PROJECT || name === FOLDS || BUILTIN.includes(name) || NAMESPACES.some((space) => name.startsWith(`${space}.`));
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
  if (dot > 0) {
    const found = walkPath([space(event, name.slice(0, dot)) ?? null], name.slice(dot + 1).split('.'));
    return Array.isArray(found) && (found.length > 1 || found.some((value: Json) => Array.isArray(value))) ? knownList(found) : known(found);
  }
  if (NAMESPACES.includes(name)) return { is: 'known', sort: 'word', values: isObject(space(event, name)) ? [space(event, name) ?? null] : [] };
  if (name === 'runs') return runs(knowledge, asker);
  if (name === 'disarms') return disarms(knowledge, asker);
  return SEVERAL.has(name) ? knownList(plain(knowledge, name), sortOf(name)) : known(plain(knowledge, name), sortOf(name));
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
    case HOME:
      return event.home;
    case FOLDS:
      return event.foldsCase;
    case PROJECT:
      return event.project;
    case 'agent-id':
      return event.agentId;
    case 'now':
      return new Date(event.now).toISOString();
    case 'running':
      // An agent whose type is not known runs all the same.
      return Object.values(event.running ?? state.session.running).map((type) => type || 'unknown');
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

/** Whether a tool's input is shell text. */
export function carriesShell(tool: string, plan: Plan): boolean {
  return isOneOf(tool, plan.lists['shell-tools'] ?? SHELLS);
}

function isOneOf(tool: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matchesGlob(glob, tool, 'word', false));
}

function shellText(event: Event, shells: readonly string[]): string | undefined {
  const { tool } = event;
  if (tool === undefined || !isOneOf(tool, shells)) return undefined;
  return ['command', 'cmd', 'script'].map((field) => event.input?.[field]).find((text) => typeof text === 'string');
}

/** What the shell line of an event does; undefined if it has none. */
function analysis({ event, plan, needs }: Knowledge, asker: Asker): Analysis | Extract<Known, { is: 'unknown' }> | undefined {
  const text = shellText(event, plan.lists['shell-tools'] ?? SHELLS);
  if (text === undefined) return undefined;
  const key = `command:${text}`;
  const answer = event.outside[key];
  if (answer === undefined) return ask(asker, () => needs.set(key, { key, kind: 'command', text }));
  return asAnalysis(answer);
}

/** The edge ran our own analyser; its answer is JSON of the same shape. */
function asAnalysis(answer: Outside): Analysis {
  const nothing: Analysis = { runs: [], paths: [], opaque: [{ reason: 'budget', at: [0, 0], text: '' }] };
  return 'error' in answer || !isObject(answer.value) ? nothing : { ...nothing, opaque: [], ...answer.value };
}

function ask(asker: Asker, need: () => void): Extract<Known, { is: 'unknown' }> {
  if (asker.cost < 1) return { is: 'unknown', cause: { kind: 'later', cost: 1 } };
  need();
  return { is: 'unknown', cause: { kind: 'pending' } };
}

function runs(knowledge: Knowledge, asker: Asker): Known {
  const found = analysis(knowledge, asker);
  if (found === undefined) return { is: 'known', sort: 'run', list: true, values: [] };
  if ('is' in found) return found;
  const values = found.runs.map((run): Json => ({ argv: run.argv, ...(run.heads === undefined ? {} : { heads: run.heads }) }));
  return { is: 'known', sort: 'run', list: true, values, ...(found.opaque.length > 0 ? { opaque: found.opaque } : {}) };
}

interface Touched {
  readonly path: string;
  /** A folder that is removed or moved with all that is in it. */
  readonly tree: boolean;
  /** The shell expands it. */
  readonly glob: boolean;
  /** What is put into it, if it is a folder. */
  readonly names: readonly string[];
}

/** As written and with symlinks resolved are two values. */
function paths(knowledge: Knowledge, name: 'path' | 'writes', asker: Asker): Known {
  const { event, needs } = knowledge;
  const touched = accesses(knowledge, name, asker);
  if ('is' in touched) return touched;
  const roots = event.projectReal === undefined ? [event.project] : [event.project, event.projectReal];
  const values: Json[] = [];
  let waiting: Extract<Known, { is: 'unknown' }> | undefined;
  const resolve = (written: string, tree: boolean): void => {
    const add = (path: string): void => {
      values.push(tree ? { path: shown(path, roots), tree: true } : shown(path, roots));
      // With a folder around the project the project goes too.
      if (tree && roots.some((root) => root.startsWith(path === '/' ? '/' : `${path}/`))) values.push({ path: '.', tree: true });
    };
    add(written);
    const key = `real:${written}`;
    const answer = event.outside[key];
    if (answer === undefined) waiting = ask(asker, () => needs.set(key, { key, kind: 'real', path: written }));
    else if (!('error' in answer) && typeof answer.value === 'string') add(answer.value);
  };
  for (const { path, tree, glob, names } of touched) {
    const written = absolute(path, event.cwd, event.home);
    if (glob) {
      const key = `exists:${written}`;
      const answer = event.outside[key];
      if (answer === undefined) waiting = ask(asker, () => needs.set(key, { key, kind: 'exists', globs: [written] }));
      else if (!('error' in answer) && Array.isArray(answer.value)) for (const found of answer.value) resolve(absolute(String(found), event.project, event.home), tree);
    }
    resolve(written, tree);
    if (names.length === 0 || glob) continue;
    const key = `exists:${written}/*`;
    const answer = event.outside[key];
    const isFolder = /(^|\/)\.{0,2}$/.test(path) || (answer !== undefined && !('error' in answer) && Array.isArray(answer.value) && answer.value.length > 0);
    if (isFolder) for (const name of names) resolve(`${written}/${name}`, false);
    else if (answer === undefined) waiting = ask(asker, () => needs.set(key, { key, kind: 'exists', globs: [`${written}/*`] }));
  }
  if (waiting !== undefined) return waiting;
  const seen = new Set<string>();
  const opaque = unseenPaths(knowledge, asker);
  return { is: 'known', sort: 'path', list: true, ...(opaque.length > 0 ? { opaque } : {}), values: values.filter((value) => !seen.has(textOf(value)) && seen.add(textOf(value))) };
}

/** What may touch a path that can't be known. A rule looks at it only if it says what to do then. */
function unseenPaths(knowledge: Knowledge, asker: Asker): readonly Opaque[] {
  const shell = analysis(knowledge, asker);
  if (shell === undefined || 'is' in shell) return [];
  const dynamic = (text: string): Opaque => ({ reason: 'dynamic-argument', at: [0, 0], text });
  return [
    ...shell.opaque,
    ...shell.runs.filter(({ argv }) => argv.slice(1).includes(null)).map(({ argv }) => dynamic(argv.map((word) => word ?? '?').join(' '))),
    ...shell.paths.filter(({ folder }) => folder === null).map(({ path }) => dynamic(path)),
  ];
}

/** Programs that take a whole folder away. */
const REMOVERS = ['rm', 'mv', 'rmdir', 'unlink', 'shred', 'srm', 'trash', 'trash-put', 'rimraf', 'del-cli', 'find -delete', 'git clean', 'git rm', 'git mv'];
/** Programs that bring back a whole folder. All of it at once is what going to another commit does too. */
const RESTORERS = ['git checkout', 'git restore'];

function isWhole({ mode, how, path, names }: Access): boolean {
  if (mode !== 'write' || names !== undefined) return false;
  return REMOVERS.includes(how) || (RESTORERS.includes(how) && !/^[./]*$/.test(path));
}

function accesses(knowledge: Knowledge, name: 'path' | 'writes', asker: Asker): readonly Touched[] | Extract<Known, { is: 'unknown' }> {
  const { input, tool } = knowledge.event;
  const shell = analysis(knowledge, asker);
  if (shell !== undefined && 'is' in shell) return shell;
  const found = (shell?.paths ?? [])
    .filter((access) => name === 'path' || access.mode === 'write')
    .map((access): Touched => ({ path: inFolder(access.path, access.folder), tree: isWhole(access), glob: hasMagic(access.path), names: access.names ?? [] }));
  if (name === 'writes' && (tool === undefined || !WRITERS.includes(tool))) return found;
  for (const field of ['file_path', 'notebook_path', 'path']) {
    const path = input?.[field];
    if (typeof path === 'string' && path !== '') found.push({ path, tree: false, glob: false, names: [] });
  }
  return found;
}

/** After a `cd` that can't be known, a path is taken from where the line began. */
function inFolder(path: string, folder: string | null): string {
  return folder === null || folder === '' || /^[~/]/.test(path) ? path : `${folder}/${path}`;
}
