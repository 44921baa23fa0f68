/** Walks one simple command: its assignments, words and redirects, then what it runs. */
import { addOpaque, charge, type Frame, limits, place } from './frame.ts';
import { applyEnvironment } from './environment.ts';
import { type Field, hole, isKnown } from './hole.ts';
import type * as Ast from './parse.ts';
import { withRedirects } from './redirects.ts';
import { run } from './run.ts';
import { hideVariable, lookup, markExported, restoreVariable, setName, setVariable, standsFor, type Variable } from './scope.ts';
import { walkText } from './script.ts';
import { evaluateAgain } from './substitution.ts';
import { expandText, expandWord } from './words.ts';

export function walkCommand(frame: Frame, node: Ast.Command): string {
  const at = place(frame, node);
  const alias =
    node.name && node.name.parts === undefined && node.name.text === node.name.value
      ? standsFor(frame.scope, 'alias', node.name.value)
      : undefined;
  if (alias !== undefined && node.name) {
    const used = expandAlias(frame, node, node.name, alias);
    if (frame.scope.aliases) return used;
  }
  const fields: Field[] = node.name ? [...expandWord(frame, node.name)] : [];
  for (const argument of node.args) {
    if (argument.type === 'Word') for (const field of expandWord(frame, argument)) fields.push(field);
    else {
      if (/^(local|declare|typeset)$/.test(fields[0]?.text ?? '')) hideVariable(frame.scope, argument.name);
      fields.push({ text: `${argument.name}${argument.append ? '+' : ''}=${assign(frame, argument)}` });
    }
  }
  const assignments = node.prefix.filter((entry) => entry.type === 'Assignment');
  return withRedirects(frame, node.redirects, (inner) => {
    if (fields.length === 0) {
      for (const assignment of assignments) assign(inner, assignment);
      return fileRead(inner, node);
    }
    const before = assignments.map((assignment) => [assignment.name, lookup(inner.scope, assignment.name)] as const);
    for (const assignment of assignments) assign(inner, assignment);
    const names = assignments.map(({ name }) => name);
    for (const name of names) markExported(inner.scope, name);
    const output = applyEnvironment(inner, names, fields, at, () => run(inner, fields, at));
    for (const [name, value] of before) restoreVariable(inner.scope, name, value);
    return output;
  });
}

/** `$(<file)` prints the file. */
function fileRead(frame: Frame, node: Ast.Command): string {
  const [only] = node.redirects;
  return node.redirects.length === 1 && only?.type === 'Redirect' && only.operator === '<' ? (frame.input ?? hole) : '';
}

function assign(frame: Frame, assignment: Ast.Assignment): string {
  const { name, append, index, value } = assignment;
  const key = index ? expandText(frame, index) : undefined;
  if (key !== undefined) evaluateAgain(frame, key);
  const before = lookup(frame.scope, name);
  if (value.type === 'ArrayValue') {
    setVariable(frame.scope, name, arrayValue(frame, value, append ? before : undefined));
    return hole;
  }
  const text = bounded(frame, expandText(frame, value));
  if (standsFor(frame.scope, 'integer', name) !== undefined) evaluateAgain(frame, text);
  if (key !== undefined) setVariable(frame.scope, name, new Map(before instanceof Map ? before : []).set(isKnown(key) ? key : hole, text));
  else if (append)
    setVariable(frame.scope, name, typeof before === 'string' ? bounded(frame, before + text) : before === undefined ? hole + text : hole);
  else setVariable(frame.scope, name, text);
  return text;
}

/** Values that grow with every assignment end as unknown. */
function bounded(frame: Frame, text: string): string {
  charge(frame, text.length >> 8);
  return text.length > limits.text ? hole : text;
}

function arrayValue(frame: Frame, value: Ast.ArrayValue, before: Variable | undefined): Variable {
  const entries = new Map<string, string>(before instanceof Map ? before : typeof before === 'string' ? [['0', before]] : []);
  let next = entries.size;
  for (const element of value.elements) {
    const keyed = /^\[([^\]]*)\]=/.exec(element.text);
    if (keyed) {
      evaluateAgain(frame, keyed[1] ?? '');
      entries.set(keyed[1]?.replace(/^(['"])(.*)\1$/, '$2') ?? hole, expandText(frame, element).replace(/^\[[^\]]*\]=/, ''));
      continue;
    }
    for (const { text } of expandWord(frame, element)) entries.set(String(next++), text);
  }
  return entries;
}

/** An alias is text put in the place of the name; the name does not expand again inside it. */
function expandAlias(frame: Frame, node: Ast.Command, name: Ast.Word, alias: string): string {
  const { scope, walk } = frame;
  if (frame.at !== null || !isKnown(alias)) {
    addOpaque(frame, 'dynamic-command', place(frame, node), null);
    return hole;
  }
  const saved = scope.names?.get(`alias ${name.value}`);
  setName(scope, `alias ${name.value}`, '');
  const output = walkText(frame, alias + walk.text.slice(name.end, node.end), place(frame, node));
  if (saved !== undefined) setName(scope, `alias ${name.value}`, saved);
  return output;
}
