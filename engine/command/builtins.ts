/** Follows the builtins of a shell that run text, change what names stand for or change the folder. */
import type { Span } from './analysis.ts';
import { addOpaque, type Frame, subshell } from './frame.ts';
import { type Field, head, hole, isKnown } from './hole.ts';
import { locate } from './folder.ts';
import { readAll, readOptions } from './options.ts';
import { lookup, setName } from './scope.ts';
import { walkText } from './script.ts';
import { runFile } from './shell.ts';
import { evaluateSubscript, runSubstitutions } from './substitution.ts';

/** Returns what it prints; undefined when that is for others to say. */
export type Builtin = (frame: Frame, fields: readonly Field[], at: Span) => string | undefined;

const source: Builtin = (frame, fields, at) => {
  const file = fields[fields[1]?.text === '--' ? 2 : 1];
  if (!file) return '';
  if (!/^\/(dev\/stdin|dev\/fd\/0|proc\/self\/fd\/0)$/.test(file.text))
    return runFile(frame, fields[0]?.text ?? '.', file, fields.slice(2), at, true);
  if (frame.input === undefined || !isKnown(frame.input)) addOpaque(frame, 'stdin-script', at, '.');
  return frame.input === undefined ? hole : walkText({ ...frame, input: undefined }, frame.input, frame.at ?? at);
};

const changeFolder: Builtin = (frame, fields) => {
  const { scope } = frame;
  const { operands } = readAll(fields, 1, {});
  const home = lookup(scope, 'HOME');
  const [target] = operands;
  const back = scope.folders[0] ?? null;
  const path = target?.text ?? (typeof home === 'string' ? home : hole);
  const next =
    fields[0]?.text === 'popd' || path === '-'
      ? back
      : isKnown(path) && (scope.folder !== null || /^[/~]/.test(path))
        ? locate(scope.folder, path)
        : null;
  scope.folders = fields[0]?.text === 'popd' ? scope.folders.slice(1) : [scope.folder, ...scope.folders].slice(0, 16);
  scope.folder = next;
  return '';
};

const alias: Builtin = (frame, fields) => {
  for (const { text } of fields.slice(1)) {
    const equals = text.indexOf('=');
    if (equals > 0) setName(frame.scope, `alias ${text.slice(0, equals)}`, text.slice(equals + 1));
  }
  return undefined;
};

const trap: Builtin = (frame, fields, at) => {
  const { next } = readOptions(fields, 1, {});
  const text = fields[next]?.text ?? '';
  if (fields.length - next > 1 && text !== '-') {
    if (!isKnown(text)) addOpaque(frame, 'dynamic-script', at, 'trap');
    walkText({ ...subshell(frame), via: [...frame.via, 'trap'] }, text, frame.at ?? at);
  }
  return '';
};

const evaluate: Builtin = (frame, fields, at) => {
  const words = fields.slice(fields[1]?.text === '--' ? 2 : 1).map(({ text, pattern }) => pattern ?? text);
  const text = words.join(' ');
  if (!isKnown(text)) addOpaque(frame, 'eval', at, 'eval');
  // All of it is unknown: that is said already.
  if (text === hole) return hole;
  return walkText({ ...frame, via: [...frame.via, 'eval'] }, text, frame.at ?? at);
};

const test: Builtin = (frame, fields) => {
  for (const [index, { text }] of fields.entries())
    if (text === '-v' || text === '-R') evaluateSubscript(frame, fields[index + 1]?.text ?? '');
  return '';
};

export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ...['cd', 'pushd', 'popd', 'chdir'].map((name) => [name, changeFolder] as const),
  ...['source', '.'].map((name) => [name, source] as const),
  ...['test', '['].map((name) => [name, test] as const),
  ['eval', evaluate],
  ['trap', trap],
  ['alias', alias],
  [
    'unalias',
    (frame, fields) => {
      for (const { text } of fields.slice(1)) setName(frame.scope, `alias ${text}`, '');
      return '';
    },
  ],
  [
    'hash',
    (frame, fields) => {
      const [, option, path, name] = fields;
      if (option?.text === '-p' && path && name) setName(frame.scope, `hash ${name.text}`, path.text);
      return '';
    },
  ],
  [
    'shopt',
    (frame, fields) => {
      if (fields.some(({ text }) => text === 'expand_aliases')) frame.scope.aliases = fields.some(({ text }) => /^-\w*s/.test(text));
      return '';
    },
  ],
  [
    'enable',
    (frame, fields, at) => {
      if (fields.some(({ text }) => head(text).startsWith('-f'))) addOpaque(frame, 'loader-env', at, 'enable');
      return '';
    },
  ],
  [
    'compgen',
    (frame, fields, at) => {
      const { options } = readAll(fields, 1, { values: '-C -W -F -A -G -P -S -X -o' });
      for (const { name, value } of options) {
        if (value && (name === '-C' || name === '-F')) walkText(subshell(frame), value.text, frame.at ?? at);
        if (value && name === '-W') runSubstitutions(frame, value.text);
      }
      return hole;
    },
  ],
]);
