/** Lists with `$others` in them → flat lists of texts, each with its place. */
import type { Problem, Span } from '../model.ts';
import { didYouMean } from '../report/suggest.ts';
import { scoped, type Definition, type Definitions } from './extend.ts';
import { items } from './node.ts';

export interface Item {
  readonly text: string;
  readonly at: Span;
}
export type Lists = ReadonlyMap<string, readonly Item[]>;

export function expandLists({ lists }: Definitions, report: (problem: Problem) => void): Lists {
  const done = new Map<string, readonly Item[]>();
  const expand = (definition: Definition, stack: readonly string[]): readonly Item[] => {
    const ready = done.get(definition.name);
    if (ready !== undefined) return ready;
    const found = items(definition.node).flatMap((node): readonly Item[] => {
      if (node.kind !== 'scalar') return [];
      const text = String(node.value);
      if (!text.startsWith('$')) return [{ text, at: node.at }];
      const name = scoped(definition.home.prefix, text.slice(1), (full) => lists.has(full));
      const other = lists.get(name);
      if (other === undefined) {
        const help = didYouMean(text.slice(1), lists.keys());
        report({ code: 'unknown-list', severity: 'error', at: node.at, message: `there is no list \`${text.slice(1)}\``, help: help ?? 'declare it under `lists`' });
        return [];
      }
      if ([...stack, definition.name].includes(name)) {
        report({ code: 'list-cycle', severity: 'error', at: node.at, message: `list \`${name}\` contains itself`, help: 'remove this entry, or write out what is meant' });
        return [];
      }
      return expand(other, [...stack, definition.name]);
    });
    done.set(definition.name, found);
    return found;
  };
  for (const definition of lists.values()) expand(definition, []);
  return done;
}
