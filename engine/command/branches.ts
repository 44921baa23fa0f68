/** Walks the branches and loops of a script: everything that may run, with what it changes unknown where branches differ. */
import { deeper, type Frame, limits } from './frame.ts';
import { hole } from './hole.ts';
import type * as Ast from './parse.ts';
import { fork, join, lookup, type Scope, setVariable } from './scope.ts';
import { walkList } from './script.ts';
import { evaluateAgain, evaluateSubscript } from './substitution.ts';
import { expandText, expandWord } from './words.ts';

/** Text that may or may not be printed. */
export function maybe(output: string): string {
  return output === '' ? '' : output + hole;
}

export function walkIf(frame: Frame, node: Ast.If): string {
  let output = walkList(frame, node.clause.commands);
  const branches: Scope[] = [];
  const walkBranch = (body: Ast.CompoundList, clause?: Ast.CompoundList): void => {
    const inner = { ...deeper(frame), scope: fork(frame.scope) };
    if (clause) walkList(inner, clause.commands);
    output += maybe(walkList(inner, body.commands));
    branches.push(inner.scope);
  };
  walkBranch(node.then);
  for (const branch of node.elif) walkBranch(branch.then, branch.clause);
  if (node.else) walkBranch(node.else);
  for (const branch of branches) join(frame.scope, branch, 'maybe');
  return output;
}

export function walkFor(frame: Frame, node: Ast.For | Ast.Select): string {
  const words = node.wordlist
    ? node.wordlist.flatMap((word) => expandWord(frame, word))
    : (frame.scope.positional ?? [hole]).map((text) => ({ text }));
  const items = [...new Set(words.map(({ text }) => text))];
  let output = '';
  const inner = deeper(frame);
  for (const item of items.length > limits.items || node.type === 'Select' ? [hole] : items) {
    setVariable(frame.scope, node.name.value, item);
    output += walkList(inner, node.body.commands);
  }
  return words.length === items.length ? output : output + hole;
}

/** Walks the body as a first round, and again with everything it changes unknown. */
export function walkLoop(frame: Frame, lists: readonly Ast.CompoundList[]): string {
  const { runs, paths } = frame.walk;
  const starts = [runs.length, paths.length] as const;
  const round = (): boolean => {
    const inner = { ...deeper(frame), scope: fork(frame.scope) };
    for (const list of lists) walkList(inner, list.commands);
    const changed =
      inner.scope.positional !== frame.scope.positional ||
      [...(inner.scope.variables ?? [])].some(([name, value]) => lookup(frame.scope, name) !== value);
    join(frame.scope, inner.scope, 'maybe');
    return changed;
  };
  if (round()) {
    const ends = [runs.length, paths.length] as const;
    round();
    dropRepeated(runs, starts[0], ends[0]);
    dropRepeated(paths, starts[1], ends[1]);
  }
  return hole;
}

function dropRepeated(list: unknown[], start: number, end: number): void {
  const seen = new Set(list.slice(start, end).map((entry) => JSON.stringify(entry)));
  const fresh = list.slice(end).filter((entry) => !seen.has(JSON.stringify(entry)));
  list.splice(end, list.length - end, ...fresh);
}

export function walkCase(frame: Frame, node: Ast.Case): string {
  expandText(frame, node.word);
  let output = '';
  const branches: Scope[] = [];
  for (const item of node.items) {
    for (const pattern of item.pattern) expandText(frame, pattern);
    const inner = { ...deeper(frame), scope: fork(frame.scope) };
    output += maybe(walkList(inner, item.body.commands));
    branches.push(inner.scope);
  }
  for (const branch of branches) join(frame.scope, branch, 'maybe');
  return output;
}

const arithmetic = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

export function walkTest(frame: Frame, expression: Ast.TestExpression): void {
  switch (expression.type) {
    case 'TestUnary': {
      const text = expandText(frame, expression.operand);
      if (expression.operator === '-v' || expression.operator === '-R') evaluateSubscript(frame, text);
      break;
    }
    case 'TestBinary':
      for (const word of [expression.left, expression.right]) {
        const text = expandText(frame, word);
        if (arithmetic.has(expression.operator)) evaluateAgain(frame, text);
      }
      break;
    case 'TestLogical':
      for (const operand of expression.operands) walkTest(frame, operand);
      break;
    case 'TestNot':
      walkTest(frame, expression.operand);
      break;
    case 'TestGroup':
      walkTest(frame, expression.expression);
  }
}
