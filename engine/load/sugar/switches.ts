/** `level`, `active`, `on-error`, `bypass`, `final`: how hard a rule is, and who may soften it. */
import { LEVELS } from '../../model.ts';
import { get, text } from '../node.ts';
import { isTrue } from '../matcher.ts';
import { keyOf, type Key } from './key.ts';

export const switches: Key = {
  names: ['level', 'active', 'on-error', 'bypass', 'final'],
  expand(rule, draft) {
    const level = LEVELS.find((each) => each === text(keyOf(rule, 'level')));
    if (level !== undefined) draft.own = level;
    if (isTrue(keyOf(rule, 'active'))) draft.active = true;
    const bypass = keyOf(rule, 'bypass');
    if (bypass?.kind === 'scalar' && bypass.value === false) draft.unbypassed = true;
    if (isTrue(keyOf(rule, 'final'))) draft.final = true;
    const file = get(rule.definition.home.source.root, 'on-error');
    draft.onError = (text(keyOf(rule, 'on-error')) ?? text(file)) === 'deny' ? 'deny' : 'allow';
  },
};
