/** Turns `$name` and `${name…}` into the text or the list of words they stand for. */
import { addOpaque, charge, type Frame, limits, place } from './frame.ts';
import { hole, isKnown } from './hole.ts';
import { matchCost, patternSource } from './pattern.ts';
import type * as Ast from './parse.ts';
import { lookup, setVariable, type Variable } from './scope.ts';
import { evaluateAgain, runSubstitutions } from './substitution.ts';
import { expandText } from './words.ts';

/** A list is "$@" or "${array[@]}": one word each. */
export type Value = string | readonly string[];

export function expandParameter(frame: Frame, part: Ast.SimpleExpansionPart | Ast.ParameterExpansionPart): Value {
  if (part.type === 'SimpleExpansion') return valueOf(frame, part.text.slice(1), undefined) ?? hole;
  const index = part.index && part.index.text !== '@' && part.index.text !== '*' ? subscript(frame, part, part.index) : part.index?.text;
  const { operation } = part;
  if (part.prefix === '#') return operation ? hole : length(valueOf(frame, part.parameter, index));
  let value = valueOf(frame, part.parameter, index);
  if (part.prefix === '!') {
    if (operation?.type === 'Names' || index === '@' || index === '*') return hole;
    value = typeof value === 'string' && isKnown(value) ? indirect(frame, value) : hole;
  }
  return operation ? operate(frame, part, value, operation) : (value ?? hole);
}

function indirect(frame: Frame, name: string): Value | undefined {
  const match = /^(\w+)\[(.*)\]$/.exec(name);
  if (match) runSubstitutions(frame, match[2] ?? '');
  return match ? valueOf(frame, match[1] ?? '', match[2]) : valueOf(frame, name, undefined);
}

function subscript(frame: Frame, part: Ast.ParameterExpansionPart, index: Ast.Word): string {
  const text = expandText(frame, index);
  if (lookup(frame.scope, part.parameter) instanceof Map && !/[$`]/.test(text) && !/^\w+$/.test(text)) return text;
  const value = evaluateAgain(frame, text);
  return isKnown(value) ? value : text;
}

/** Undefined when the shell text does not set it: the environment may. */
function valueOf(frame: Frame, name: string, index: string | undefined): Value | undefined {
  const { positional, zero, folder } = frame.scope;
  if (name === '@' || name === '*') return positional ?? hole;
  if (name === '#') return positional ? String(positional.length) : hole;
  if (name === '0') return zero;
  if (/^\d+$/.test(name)) return positional ? (positional[Number(name) - 1] ?? '') : hole;
  const value = lookup(frame.scope, name);
  if (name === 'PWD' && typeof value === 'string')
    return folder === null ? hole : folder === '' ? value : /^[/~]/.test(folder) ? folder : `${value}/${folder}`;
  return value === undefined ? undefined : element(value, index);
}

function element(value: Variable, index: string | undefined): Value {
  if (typeof value === 'string')
    return index === undefined || index === '0' || index === '@' || index === '*' ? value : value === hole ? hole : '';
  if (index === '@' || index === '*') return [...value.values()];
  return isKnown(index ?? '')
    ? (value.get(index ?? '0') ?? (/^-\d+$/.test(index ?? '') ? ([...value.values()].at(Number(index)) ?? '') : ''))
    : hole;
}

function length(value: Value | undefined): string {
  if (value === undefined || (typeof value === 'string' && !isKnown(value))) return hole;
  return String(value.length);
}

function operate(frame: Frame, part: Ast.ParameterExpansionPart, value: Value | undefined, operation: Ast.ParameterOperation): Value {
  switch (operation.type) {
    case 'Default':
      return withDefault(frame, part, value, operation);
    case 'Transform':
      if (operation.operand.text !== 'P')
        return each(value, (text) =>
          operation.operand.text === 'L' ? text.toLowerCase() : operation.operand.text === 'U' ? text.toUpperCase() : hole,
        );
      if (typeof value !== 'string' || !isKnown(value)) addOpaque(frame, 'prompt-eval', place(frame, part));
      return each(value, (text) => runSubstitutions(frame, text));
    case 'Remove':
      return remove(frame, value, operation.operator, expandText(frame, operation.operand));
    case 'Replace': {
      const pattern = expandText(frame, operation.pattern);
      const replacement = expandText(frame, operation.replacement);
      return replace(frame, value, operation.operator, pattern, replacement);
    }
    case 'Slice': {
      const from = evaluateAgain(frame, expandText(frame, operation.offset).trim());
      const size = operation.length && evaluateAgain(frame, expandText(frame, operation.length).trim());
      return slice(frame, part, value, from, size);
    }
    case 'CaseModification':
      if (operation.operand) expandText(frame, operation.operand);
      return each(value, (text) => changeCase(text, operation.operator));
    default:
      return hole;
  }
}

function withDefault(
  frame: Frame,
  part: Ast.ParameterExpansionPart,
  value: Value | undefined,
  operation: Ast.ParameterDefaultOperation,
): Value {
  const { operator } = operation;
  const empty = value === undefined || (operator.startsWith(':') && value.length === 0);
  if (operator.endsWith('+')) {
    const text = expandText(frame, operation.operand);
    return value === undefined ? hole : empty ? '' : text;
  }
  // The operand of a variable that is set does not run.
  if (!empty && (!operator.startsWith(':') || typeof value !== 'string' || isKnown(value))) return value;
  const text = expandText(frame, operation.operand);
  if (!empty) return hole;
  if (operator.endsWith('=')) setVariable(frame.scope, part.parameter, text);
  return operator.endsWith('?') ? hole : text;
}

function each(value: Value | undefined, change: (text: string) => string): Value {
  if (value === undefined) return hole;
  const changed = (text: string): string => (isKnown(text) ? change(text) : hole);
  return typeof value === 'string' ? changed(value) : value.map(changed);
}

/** Patterns are matched by backtracking, so only where that is cheap; the cost counts against the budget. */
function affords(frame: Frame, pattern: string, text: string): boolean {
  const cost = matchCost(pattern, text);
  if (cost >= 1_000_000) return false;
  charge(frame, cost >> 8);
  return frame.walk.steps < limits.steps - 1;
}

function remove(frame: Frame, value: Value | undefined, operator: string, pattern: string): Value {
  const source = isKnown(pattern) ? patternSource(pattern, operator.length === 2) : null;
  if (source === null) return hole;
  const whole = new RegExp(`^${source}$`);
  return each(value, (text) => {
    if (!affords(frame, pattern, text)) return hole;
    if (operator.startsWith('#')) return text.replace(new RegExp(`^${source}`), '');
    if (operator === '%%') return text.replace(new RegExp(`${source}$`), '');
    // The shortest suffix: the last place from which the pattern reaches the end.
    for (let start = text.length; start >= 0; start -= 1) if (whole.test(text.slice(start))) return text.slice(0, start);
    return text;
  });
}

function replace(frame: Frame, value: Value | undefined, operator: string, pattern: string, replacement: string): Value {
  const source = isKnown(pattern) && isKnown(replacement) ? patternSource(pattern) : null;
  if (source === null || pattern === '') return pattern === '' ? (value ?? hole) : hole;
  const expression =
    operator === '//' ? new RegExp(source, 'g') : new RegExp(operator === '/#' ? `^${source}` : operator === '/%' ? `${source}$` : source);
  return each(value, (text) => (affords(frame, pattern, text) ? text.replace(expression, () => replacement) : hole));
}

function slice(frame: Frame, part: Ast.ParameterExpansionPart, value: Value | undefined, from: string, size: string | undefined): Value {
  if (value === undefined || !isKnown(from) || (size !== undefined && !isKnown(size))) return hole;
  const all = part.parameter === '@' || part.parameter === '*' ? [frame.scope.zero, ...value] : value;
  if (typeof all === 'string' && !isKnown(all)) return hole;
  const start = Number(from) < 0 ? Math.max(0, all.length + Number(from)) : Number(from);
  if (size === undefined) return all.slice(start);
  return all.slice(start, Number(size) < 0 ? Number(size) : start + Number(size));
}

function changeCase(text: string, operator: string): string {
  const change = (piece: string): string => (operator.startsWith('^') ? piece.toUpperCase() : piece.toLowerCase());
  return operator.length === 2 ? change(text) : change(text.charAt(0)) + text.slice(1);
}
