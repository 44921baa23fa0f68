/** Turns shell text into a syntax tree and the places where the tree cannot be trusted; the only file that knows the parser. */
import { forEachChild, parse, type ParsedScript, type SyntaxNode } from 'unbash';

export type * from 'unbash';

export interface Parsed {
  readonly script: ParsedScript;
  /** Offsets of syntax errors and of text the parser is known to misread. */
  readonly problems: readonly number[];
}

export function parseScript(text: string): Parsed {
  const script = parse(text);
  const problems: number[] = [];
  collect(script, problems, 0);
  return problems.length > 0 && anonymousFunction.test(text)
    ? parseScript(text.replace(anonymousFunction, '{$1\n}'))
    : { script, problems };
}

/** zsh: `() { commands }` runs at once. */
const anonymousFunction = /^\s*\(\)\s*\{(\s[\s\S]*\s)\}[^}]*$/;

const expansion = /`|\$[({\w@*#?!-]|[<>]\(/;

/** Deep enough for any honest text, and far from the end of the stack. */
const deepest = 1_000;

function collect(node: SyntaxNode, problems: number[], depth: number): void {
  if (depth > deepest) return void problems.push(node.pos);
  if (node.type === 'Script' && node.errors) for (const error of node.errors) problems.push(error.pos);
  if (node.type === 'Word' && dropsExpansion(node)) problems.push(node.pos);
  if (node.type === 'Assignment' && dropsExpansion(node)) problems.push(node.pos);
  if (node.type === 'Command') {
    const words = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix];
    for (let index = 1; index < words.length; index += 1) {
      const before = words[index - 1];
      const after = words[index];
      if (before && after && before.end === after.pos && !isRedirect(before) && !isRedirect(after)) problems.push(after.pos);
    }
  }
  forEachChild(node, (child) => collect(child, problems, depth + 1));
}

/** unbash 6.0.4 keeps some substitutions as plain text: a word without parts must not look like it has any. */
function dropsExpansion(node: Extract<SyntaxNode, { type: 'Word' | 'Assignment' }>): boolean {
  if (node.type === 'Assignment') {
    const name = node.text.slice(0, node.text.indexOf('='));
    return node.index === undefined && expansion.test(name);
  }
  if (node.parts !== undefined || !/[`$<>]/.test(node.text)) return false;
  return expansion.test(node.text.replace(/\\[\s\S]/g, ''));
}

function isRedirect(node: SyntaxNode): boolean {
  return node.type === 'Redirect' || node.type === 'HereString' || node.type === 'HereDoc';
}
