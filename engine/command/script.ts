/** Walks the statements of a script in the order a shell runs them and returns the text they print, with holes. */
import type { Span } from './analysis.ts';
import { walkCommand } from './command.ts';
import { maybe, walkCase, walkFor, walkIf, walkLoop, walkTest } from './branches.ts';
import { addOpaque, charge, deeper, type Frame, limits, place, spend, subshell, withinDepth } from './frame.ts';
import { hole } from './hole.ts';
import { parseScript } from './parse.ts';
import type * as Ast from './parse.ts';
import { withRedirects } from './redirects.ts';
import { fork, functionBodies, join, restoreVariable, setFunction } from './scope.ts';
import { walkArithmetic } from './substitution.ts';

/** Parses and walks a text; `at` is where it stands in the analysed text, null for that text itself. */
export function walkText(frame: Frame, text: string, at: Span | null): string {
  const span: Span = at ?? [0, text.length];
  if (!withinDepth(frame, span) || !spend(frame)) return hole;
  // Text that is parsed again costs in proportion to its length.
  if (at) charge(frame, text.length >> 3);
  if (text.length > limits.text) {
    addOpaque(frame, 'budget', span);
    return hole;
  }
  const { script, problems } = parseScript(text);
  for (const problem of problems.slice(0, 5)) addOpaque(frame, 'parse-error', at ?? [Math.min(problem, text.length), text.length]);
  return walkScript({ ...frame, at, depth: frame.depth + 1 }, script);
}

export function walkScript(frame: Frame, script: Ast.Script): string {
  return withinDepth(frame, place(frame, script)) ? walkList(frame, script.commands) : hole;
}

export function walkList(frame: Frame, statements: readonly Ast.Statement[]): string {
  let output = '';
  for (const statement of statements) {
    if (!spend(frame)) return hole;
    output += walkNode(statement.background ? subshell(frame) : frame, statement.command);
  }
  return output;
}

type Node = Ast.Statement['command'] | Ast.CompoundList;

export function walkNode(frame: Frame, node: Node): string {
  if (!withinDepth(frame, place(frame, node))) return hole;
  switch (node.type) {
    case 'Command':
      return walkCommand(frame, node);
    case 'Pipeline':
      return walkPipeline(frame, node);
    case 'AndOr':
      return walkChain(frame, node);
    case 'CompoundList':
      return walkList(frame, node.commands);
    case 'BraceGroup':
      return walkList(deeper(frame), node.body.commands);
    case 'Subshell':
      return walkList(subshell(frame), node.body.commands);
    case 'Redirected':
      return withRedirects(frame, node.redirects, (inner) => walkNode(inner, node.command));
    case 'If':
      return walkIf(frame, node);
    case 'For':
    case 'Select':
      return walkFor(frame, node);
    case 'While':
      return walkLoop(frame, [node.clause, node.body]);
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) if (part) walkArithmetic(frame, part);
      return walkLoop(frame, [node.body]);
    case 'Case':
      return walkCase(frame, node);
    case 'Function':
      setFunction(frame.scope, node.name.value, [node.body]);
      // Called for every name the shell does not find.
      if (/^command_not_found_handler?$/.test(node.name.value)) walkNode(subshell(frame), node.body);
      return '';
    case 'Coproc':
      walkNode({ ...subshell(frame), input: hole }, node.body);
      return '';
    case 'TestCommand':
      walkTest(frame, node.expression);
      return '';
    case 'ArithmeticCommand':
      walkArithmetic(frame, node.expression);
      return '';
  }
}

function walkPipeline(frame: Frame, node: Ast.Pipeline): string {
  const [only] = node.commands;
  if (node.commands.length === 1 && only) return walkNode(frame, only);
  let input = frame.input;
  for (const command of node.commands) {
    if (!spend(frame)) return hole;
    input = walkNode(subshell(frame, input), command);
  }
  return input ?? hole;
}

/** `a && b`: later parts see what earlier ones changed, but what they change themselves may not happen. */
function walkChain(frame: Frame, node: Ast.AndOr): string {
  const [first, ...others] = node.commands;
  if (!first) return '';
  let output = walkNode(frame, first);
  const chain: Frame = { ...deeper(frame), scope: fork(frame.scope) };
  for (const [index, command] of others.entries()) {
    if (!spend(frame)) return hole;
    if (node.operators[index] === '&&') output += walkNode(chain, command);
    else {
      const otherwise = { ...chain, scope: fork(chain.scope) };
      output += maybe(walkNode(otherwise, command));
      join(chain.scope, otherwise.scope, 'maybe');
    }
  }
  join(frame.scope, chain.scope, 'sure');
  return output;
}

/** Calls a function of the script; undefined when there is none of that name. */
export function callFunction(frame: Frame, name: string, words: readonly string[], at: Span): string | undefined {
  const bodies = functionBodies(frame.scope, name);
  if (!bodies) return undefined;
  if (!withinDepth(frame, at) || !spend(frame)) return hole;
  const { scope } = frame;
  const { positional, hidden } = scope;
  let output = '';
  for (const body of bodies) {
    scope.positional = words.includes(hole) ? null : words;
    scope.hidden = new Map();
    output += walkNode({ ...deeper(frame), via: [...frame.via, `${name}()`], at: frame.at ?? at }, body);
    for (const [variable, value] of scope.hidden) restoreVariable(scope, variable, value);
  }
  scope.positional = positional;
  scope.hidden = hidden;
  return bodies.length === 1 ? output : hole;
}
