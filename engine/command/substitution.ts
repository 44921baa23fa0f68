/** Turns substitutions inside words into the text they produce, walking the commands they run on the way. */
import { addOpaque, type Frame, place, spend, subshell } from './frame.ts';
import { hole, isKnown } from './hole.ts';
import { parseScript } from './parse.ts';
import type * as Ast from './parse.ts';
import { lookup } from './scope.ts';
import { walkScript } from './script.ts';
import { expandParts } from './words.ts';

/** `$(commands)`: their output without the final newlines. */
export function substitute(frame: Frame, part: Ast.CommandExpansionPart | Ast.ArithmeticCommandExpansion): string {
  if (!part.script) {
    addOpaque(frame, 'unknown-syntax', place(frame, part));
    return hole;
  }
  const inner = part.text.startsWith('${') ? { ...frame, depth: frame.depth + 1 } : subshell(frame);
  const output = walkScript(part.script.source === undefined ? inner : { ...inner, at: place(frame, part) }, part.script);
  return part.text.startsWith('${|') ? hole : output.replace(/\n+$/, '');
}

/** `<(commands)`: a file whose content is their output. */
export function substituteProcess(frame: Frame, part: Ast.ProcessSubstitutionPart): string {
  const path = `/dev/fd/${63 + frame.walk.written.size}`;
  const inner = part.operator === '<' ? subshell(frame) : { ...subshell(frame), input: frame.input ?? hole };
  const output = part.script ? walkScript(inner, part.script) : hole;
  frame.walk.written.set(path, output);
  return path;
}

/** Walks what an arithmetic expression runs and returns its value where it is a plain number. */
export function walkArithmetic(frame: Frame, expression: Ast.ArithmeticExpression | undefined): string {
  if (!expression || !spend(frame)) return hole;
  switch (expression.type) {
    case 'ArithmeticBinary': {
      const left = walkArithmetic(frame, expression.left);
      const right = walkArithmetic(frame, expression.right);
      return calculate(expression.operator, left, right);
    }
    case 'ArithmeticUnary':
      walkArithmetic(frame, expression.operand);
      return hole;
    case 'ArithmeticTernary':
      walkArithmetic(frame, expression.test);
      walkArithmetic(frame, expression.consequent);
      walkArithmetic(frame, expression.alternate);
      return hole;
    case 'ArithmeticGroup':
      return walkArithmetic(frame, expression.expression);
    case 'ArithmeticCommandExpansion':
      return substitute(frame, expression);
    case 'ArithmeticWord': {
      const text = expression.parts ? expandParts(frame, expression.parts) : expression.value;
      return evaluateAgain(frame, text);
    }
  }
}

/** Arithmetic looks into the values of variables and into subscripts: `a[$(command)]` runs the command even when quoted. */
export function evaluateAgain(frame: Frame, text: string): string {
  if (/^-?\d+$/.test(text)) return text;
  runSubstitutions(frame, text);
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
    const value = lookup(frame.scope, name);
    if (typeof value === 'string' && /^\d+$/.test(value) && name === text) return value;
    if (typeof value === 'string') runSubstitutions(frame, value);
  }
  return hole;
}

/** A name with a subscript, `a[…]`, has its subscript evaluated; other names do not. */
export function evaluateSubscript(frame: Frame, name: string): void {
  if (/^\w+\[/.test(name)) evaluateAgain(frame, name);
}

/** Expands a text a second time, as prompts and subscripts are, and returns the result. */
export function runSubstitutions(frame: Frame, text: string): string {
  if (!/[$`]/.test(text)) return text;
  const { script } = parseScript(`: <<E_O_T\n${text}\nE_O_T\n`);
  const command = script.commands[0]?.command;
  const document = command?.type === 'Command' ? command.redirects[0] : undefined;
  if (document?.type !== 'HereDoc' || frame.depth > 30) return hole;
  const inner: Frame = { ...subshell(frame), at: frame.at ?? [0, frame.walk.text.length] };
  const result = document.body.parts ? expandParts(inner, document.body.parts) : document.body.text;
  return result.replace(/\n$/, '');
}

function calculate(operator: string, left: string, right: string): string {
  if (!isKnown(left) || !isKnown(right)) return hole;
  const [a, b] = [Number(left), Number(right)];
  const value = operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : Number.NaN;
  return Number.isSafeInteger(value) ? String(value) : hole;
}
