/** `event`, `match`, `unless`, `when`, `until`, `scope`: what a rule is about, and how long it remembers. */
import { SCOPES } from '../../model.ts';
import { readTest, readTriggers } from '../matcher.ts';
import { items, text } from '../node.ts';
import { readLogic } from '../texts.ts';
import { eventNames } from '../world.ts';
import { keyOf, type Key } from './key.ts';

export const matching: Key = {
  names: ['event', 'match', 'unless', 'when', 'until', 'scope'],
  expand(rule, draft) {
    const { scene } = rule;
    const event = keyOf(rule, 'event');
    draft.on = event === undefined ? ['PreToolUse'] : eventNames(items(event), scene.world);
    draft.match = readTest(keyOf(rule, 'match'), draft.on, scene);
    const { defaults: _, ...bare } = scene;
    const unless = keyOf(rule, 'unless');
    draft.unless = unless === undefined ? [] : readTest(unless, draft.on, bare);
    const when = readLogic(keyOf(rule, 'when'), scene);
    if (when !== undefined) draft.when = when;
    const { triggers, idle } = readTriggers(keyOf(rule, 'until'), scene);
    draft.until = triggers;
    if (idle !== undefined) draft.idle = idle;
    draft.scope = SCOPES.find((scope) => scope === text(keyOf(rule, 'scope'))) ?? 'session';
  },
};
