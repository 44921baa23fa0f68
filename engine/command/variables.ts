/** Follows the builtins of a shell that set variables, from their words or from standard input. */
import type { Builtin } from './builtins.ts';
import { inspectVariable } from './environment.ts';
import { hole, isKnown } from './hole.ts';
import { format } from './format.ts';
import { readAll, readOptions } from './options.ts';
import { hideVariable, lookup, markExported, setFunction, setName, setVariable } from './scope.ts';
import { walkText } from './script.ts';
import { evaluateAgain, evaluateSubscript, runSubstitutions } from './substitution.ts';

const declare: Builtin = (frame, fields, at) => {
  const { options, operands } = readAll(fields, 1, {});
  const has = (letter: string): boolean => options.some(({ name }) => name === `-${letter}`);
  const exports = fields[0]?.text === 'export' || has('x');
  for (const { text } of operands) {
    const match = /^([A-Za-z_]\w*)(\[[\s\S]*\])?(\+?=)?([\s\S]*)$/.exec(text);
    if (!match) continue;
    const [, name = '', index, equals, value = ''] = match;
    if (index) evaluateAgain(frame, index);
    if (fields[0]?.text !== 'export' && fields[0]?.text !== 'readonly') hideVariable(frame.scope, name);
    if (has('i')) setName(frame.scope, `integer ${name}`, 'yes');
    if (equals && !(lookup(frame.scope, name) instanceof Map)) setVariable(frame.scope, name, equals === '=' ? value : hole);
    if (has('n')) setVariable(frame.scope, name, hole);
    if (has('i') && equals) evaluateAgain(frame, value);
    if (exports) {
      markExported(frame.scope, name);
      inspectVariable(frame, name, at);
    }
  }
  return '';
};

const read: Builtin = (frame, fields) => {
  const { options, operands } = readAll(fields, 1, { values: '-a -d -i -n -N -p -t -u' });
  const line = /^[^\n]*/.exec(frame.input ?? hole)?.[0] ?? hole;
  const words = line.trim().split(/[ \t]+/);
  const names = operands.map(({ text }) => text);
  for (const [index, name] of (names.length > 0 ? names : ['REPLY']).entries()) {
    evaluateSubscript(frame, name);
    const last = index === Math.max(names.length, 1) - 1;
    setVariable(
      frame.scope,
      name,
      options.some((option) => option.value !== undefined) || !isKnown(line)
        ? hole
        : last
          ? words.slice(index).join(' ')
          : (words[index] ?? ''),
    );
  }
  for (const { name, value } of options)
    if (name === '-a' && value)
      setVariable(frame.scope, value.text, isKnown(line) ? new Map(words.map((word, index) => [String(index), word])) : hole);
  return '';
};

const mapfile: Builtin = (frame, fields, at) => {
  const { options, operands } = readAll(fields, 1, { values: '-C -c -d -n -O -s -u' });
  for (const { name, value } of options) if (name === '-C' && value) walkText(frame, `${value.text} ${hole}`, frame.at ?? at);
  const lines = (frame.input ?? hole).replace(/\n$/, '').split('\n');
  const value = isKnown(frame.input ?? hole) ? new Map(lines.map((line, index) => [String(index), line])) : hole;
  setVariable(frame.scope, operands[0]?.text ?? 'MAPFILE', value);
  return '';
};

const set: Builtin = (frame, fields) => {
  const { options, next } = readOptions(fields, 1, { values: '-o' });
  const dashes = fields[next - 1]?.text === '--';
  const words = fields.slice(next);
  if (dashes || (words.length > 0 && !words[0]?.text.startsWith('+')))
    frame.scope.positional = words.some(({ text }) => text === hole) ? null : words.map(({ text }) => text);
  const traces = options.some(({ name, value }) => name === '-x' || value?.text === 'xtrace');
  const prompt = lookup(frame.scope, 'PS4');
  if (traces && typeof prompt === 'string') runSubstitutions(frame, prompt);
  return '';
};

const printf: Builtin = (frame, fields) => {
  const [, option, name, pattern, ...words] = fields;
  if (option?.text !== '-v' || !name) return undefined;
  evaluateSubscript(frame, name.text);
  setVariable(
    frame.scope,
    name.text,
    format(
      pattern?.text ?? '',
      words.map(({ text }) => text),
    ),
  );
  return '';
};

const unset: Builtin = (frame, fields) => {
  const functions = fields[1]?.text === '-f';
  for (const { text } of fields.slice(1)) {
    evaluateSubscript(frame, text);
    if (functions || lookup(frame.scope, text) === undefined) setFunction(frame.scope, text, []);
    if (!functions && lookup(frame.scope, text) !== undefined) setVariable(frame.scope, text, '');
  }
  return '';
};

const shift: Builtin = (frame, fields) => {
  const by = Number(fields[1]?.text ?? '1');
  frame.scope.positional = Number.isInteger(by) ? (frame.scope.positional?.slice(by) ?? null) : null;
  return '';
};

const evaluateAll: Builtin = (frame, fields) => {
  for (const { text } of fields.slice(1)) {
    evaluateAgain(frame, text);
    const name = /^([A-Za-z_]\w*)\W?=/.exec(text)?.[1];
    if (name) setVariable(frame.scope, name, hole);
  }
  return '';
};

const getopts: Builtin = (frame, fields) => {
  setVariable(frame.scope, fields[2]?.text ?? '', hole);
  return '';
};

export const variableBuiltins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ...['declare', 'typeset', 'local', 'export', 'readonly'].map((name) => [name, declare] as const),
  ['mapfile', mapfile],
  ['readarray', mapfile],
  ['set', set],
  ['read', read],
  ['printf', printf],
  ['unset', unset],
  ['shift', shift],
  ['let', evaluateAll],
  ['getopts', getopts],
]);
