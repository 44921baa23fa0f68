/** Keeps what a shell remembers between commands: variables, functions, aliases, positional words and the working folder. */
import type { Known } from './analysis.ts';
import { hole } from './hole.ts';
import type * as Ast from './parse.ts';

/** A text, or an array by key. */
export type Variable = string | ReadonlyMap<string, string>;

export type Body = Ast.Function['body'];

export interface Scope {
  readonly parent: Scope | null;
  // Made when first written to: most scopes are forks that never are.
  variables: Map<string, Variable> | null;
  /** More than one body when branches define it differently. */
  functions: Map<string, readonly Body[]> | null;
  /** `alias x`, `hash x`, `git x`, `copy x`, `integer x`: what a name stands for. */
  names: Map<string, string> | null;
  exported: Set<string> | null;
  /** $1 and on; null when they cannot be known. */
  positional: readonly string[] | null;
  /** $0 */
  zero: string;
  folder: string | null;
  /** Folders to come back to, the nearest first. */
  folders: readonly (string | null)[];
  /** What the local variables of the running function hide; null outside of functions. */
  hidden: Map<string, Variable | undefined> | null;
  /** `shopt -s expand_aliases` was given. */
  aliases: boolean;
}

export function startScope(known: Known): Scope {
  const scope = blank(null);
  setVariable(scope, 'IFS', ' \t\n');
  setVariable(scope, 'SHELL', '/bin/bash');
  setVariable(scope, 'BASH', '/bin/bash');
  setVariable(scope, 'HOME', known.home ?? '~');
  for (const [name, value] of Object.entries(known.variables ?? {})) setVariable(scope, name, value);
  for (const name of scope.variables?.keys() ?? []) markExported(scope, name);
  return scope;
}

/** A scope that sees everything of its parent and changes nothing in it: a subshell or a branch. */
export function fork(parent: Scope): Scope {
  const scope = blank(parent);
  scope.positional = parent.positional;
  scope.zero = parent.zero;
  scope.folder = parent.folder;
  scope.folders = parent.folders;
  scope.aliases = parent.aliases;
  scope.hidden = parent.hidden;
  return scope;
}

/** The scope of a new shell process: only what is exported. */
export function child(parent: Scope, zero: string, positional: readonly string[]): Scope {
  const scope = blank(null);
  scope.positional = positional;
  scope.zero = zero;
  scope.folder = parent.folder;
  for (let from: Scope | null = parent; from; from = from.parent) {
    for (const name of from.exported ?? []) {
      const value = lookup(parent, name);
      const bodies = functionBodies(parent, name);
      if (value !== undefined) setVariable(scope, name, value);
      if (bodies) setFunction(scope, name, bodies);
      markExported(scope, name);
    }
  }
  setVariable(scope, 'IFS', ' \t\n');
  return scope;
}

/** Brings what a branch that may have run changed back to its parent. */
export function join(scope: Scope, branch: Scope, folder: 'sure' | 'maybe'): void {
  for (const [name, value] of branch.variables ?? []) {
    const before = lookup(scope, name);
    setVariable(scope, name, before === undefined || before === value ? value : hole);
  }
  for (const [name, bodies] of branch.functions ?? []) {
    setFunction(scope, name, [...new Set([...(functionBodies(scope, name) ?? []), ...bodies])]);
  }
  for (const [name, text] of branch.names ?? []) setName(scope, name, text);
  for (const name of branch.exported ?? []) markExported(scope, name);
  if (branch.folder !== scope.folder) scope.folder = folder === 'sure' ? branch.folder : null;
  if (branch.positional !== scope.positional) scope.positional = folder === 'sure' ? branch.positional : null;
  scope.folders = branch.folders;
  scope.aliases ||= branch.aliases;
}

export function lookup(scope: Scope, name: string): Variable | undefined {
  for (let at: Scope | null = scope; at; at = at.parent) {
    const value = at.variables?.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function functionBodies(scope: Scope, name: string): readonly Body[] | undefined {
  for (let at: Scope | null = scope; at; at = at.parent) {
    const bodies = at.functions?.get(name);
    if (bodies) return bodies.length > 0 ? bodies : undefined;
  }
  return undefined;
}

export function standsFor(scope: Scope, kind: 'alias' | 'hash' | 'git' | 'copy' | 'integer', name: string): string | undefined {
  for (let at: Scope | null = scope; at; at = at.parent) {
    const text = at.names?.get(`${kind} ${name}`);
    if (text !== undefined) return text === '' ? undefined : text;
  }
  return undefined;
}

export function setVariable(scope: Scope, name: string, value: Variable): void {
  (scope.variables ??= new Map()).set(name, value);
}

/** Makes a variable local to the running function. */
export function hideVariable(scope: Scope, name: string): void {
  if (scope.hidden && !scope.hidden.has(name)) scope.hidden.set(name, lookup(scope, name));
}

/** Ends a function: its local variables get back what they hid. */
export function restoreVariable(scope: Scope, name: string, value: Variable | undefined): void {
  if (value === undefined) scope.variables?.delete(name);
  else setVariable(scope, name, value);
}

export function setFunction(scope: Scope, name: string, bodies: readonly Body[]): void {
  (scope.functions ??= new Map()).set(name, bodies);
}

export function setName(scope: Scope, key: string, text: string): void {
  (scope.names ??= new Map()).set(key, text);
}

export function markExported(scope: Scope, name: string): void {
  (scope.exported ??= new Set()).add(name);
}

function blank(parent: Scope | null): Scope {
  return {
    parent,
    variables: null,
    functions: null,
    names: null,
    exported: null,
    positional: [],
    zero: 'bash',
    folder: '',
    folders: [],
    hidden: null,
    aliases: false,
  };
}
