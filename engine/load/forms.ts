/** The forms of declared facts, told apart by their keys. */
import { get, type Node } from './node.ts';

const FORMS = ['count', 'first', 'regex', 'option', 'rows', 'since', 'text', 'json', 'exists', 'run'];

/** Keys that a fact of each form may have. */
export const FACT_KEYS: Readonly<Record<string, readonly string[]>> = {
  remembered: ['scope', 'last', 'keep'],
  count: ['count', 'until', 'window', 'per', 'attempts', 'scope'],
  first: ['first'],
  regex: ['regex', 'of', 'any-case'],
  option: ['option', 'of'],
  rows: ['rows', 'match', 'when', 'take'],
  since: ['since'],
  text: ['text', 'else'],
  json: ['json', 'else'],
  exists: ['exists', 'older'],
  run: ['run', 'timeout'],
};

export function hasForm(node: Node): boolean {
  return FORMS.some((form) => get(node, form) !== undefined);
}

export function formOf(node: Node): string {
  return FORMS.find((form) => get(node, form) !== undefined) ?? 'remembered';
}
