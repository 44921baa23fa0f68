/** `then`: what a rule does when it fires, beside speaking. */
import type { Effect } from '../../model.ts';
import { formOf } from '../forms.ts';
import { entries, get, items, text, type Entry, type Node } from '../node.ts';
import { readTerm, readText } from '../texts.ts';
import { didYouMean } from '../../report/suggest.ts';
import { meaningOf, report } from '../world.ts';
import { keyOf, type Key, type RuleSource } from './key.ts';

export const then: Key = {
  names: ['then'],
  expand(rule, draft) {
    const node = keyOf(rule, 'then');
    if (node === undefined) return;
    const effects: Effect[] = [];
    for (const each of entries(get(node, 'remember'))) {
      const fact = remembered(each.key, each, rule);
      if (fact !== undefined) effects.push({ do: 'remember', fact, value: readTerm(each.value, rule.scene) });
    }
    effects.push(...forgets(get(node, 'forget'), rule));
    for (const kind of ['record', 'report'] as const) {
      const written = get(node, kind);
      if (written === undefined) continue;
      const fields = entries(get(written, 'fields')).map((each) => [each.key, readTerm(each.value, rule.scene)] as const);
      effects.push({ do: kind, to: readText(written.kind === 'map' ? get(written, 'to') : written, [], rule.scene) ?? '', fields: Object.fromEntries(fields) });
    }
    draft.then = effects;
  },
};

/** `forget: fact`, a list of facts, or `{fact: value}` */
function forgets(node: Node | undefined, rule: RuleSource): readonly Effect[] {
  if (node?.kind === 'map') {
    return node.entries.flatMap((each): readonly Effect[] => {
      const fact = remembered(each.key, each, rule);
      return fact === undefined ? [] : [{ do: 'forget', fact, value: readTerm(each.value, rule.scene) }];
    });
  }
  return items(node).flatMap((item): readonly Effect[] => {
    const name = text(item) ?? '';
    const fact = remembered(name, { key: name, keyAt: item.at, value: item }, rule);
    return fact === undefined ? [] : [{ do: 'forget', fact }];
  });
}

function remembered(name: string, each: Entry, { scene: { world, prefix } }: RuleSource): string | undefined {
  const meaning = meaningOf(name, prefix, world);
  const declared = meaning?.is === 'fact' ? world.definitions.facts.get(meaning.name) : undefined;
  if (declared !== undefined && formOf(declared.node) === 'remembered') return declared.name;
  const known = [...world.definitions.facts.values()].filter((fact) => formOf(fact.node) === 'remembered').map((fact) => fact.name);
  const help = didYouMean(name, known) ?? (meaning === undefined ? `declare it under \`facts\`: ${name}: { scope: session }` : 'declare a fact of another name under `facts`: { scope: session }');
  report(world, meaning === undefined ? 'unknown-fact' : 'not-remembered', each.keyAt, meaning === undefined ? `there is no fact \`${name}\`` : `\`${name}\` is not remembered`, help);
  return undefined;
}
