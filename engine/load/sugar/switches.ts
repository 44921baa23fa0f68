/** `level`, `active`, `on-error`, `bypass`, `final`, `opaque`: how hard a rule is, and who may soften it. */
import { DECISIONS, LEVELS, type Decision } from '../../model.ts';
import { entries, get, text, type Node } from '../node.ts';
import { isTrue } from '../matcher.ts';
import { keyOf, type Key } from './key.ts';

export const switches: Key = {
  names: ['level', 'active', 'on-error', 'bypass', 'final', 'opaque'],
  expand(rule, draft) {
    const level = LEVELS.find((each) => each === text(keyOf(rule, 'level')));
    if (level !== undefined) draft.own = level;
    if (isTrue(keyOf(rule, 'active'))) draft.active = true;
    const bypass = keyOf(rule, 'bypass');
    if (bypass?.kind === 'scalar' && bypass.value === false) draft.unbypassed = true;
    if (isTrue(keyOf(rule, 'final'))) draft.final = true;
    const opaque = keyOf(rule, 'opaque');
    if (opaque !== undefined) draft.opaque = opaquesOf(opaque);
    const file = get(rule.definition.home.source.root, 'on-error');
    draft.onError = (text(keyOf(rule, 'on-error')) ?? text(file)) === 'deny' ? 'deny' : 'allow';
  },
};

/** One word for all that can't be seen, or a word per reason. */
function opaquesOf(node: Node): Readonly<Record<string, Decision | 'ignore'>> {
  const word = (each: Node): Decision | 'ignore' => DECISIONS.find((decision) => decision === text(each)) ?? 'ignore';
  return node.kind === 'map' ? Object.fromEntries(entries(node).map((each) => [each.key, word(each.value)])) : { '*': word(node) };
}
