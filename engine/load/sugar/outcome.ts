/** `deny`, `ask`, `advise`, `why`, `instead`, `label`: what a rule says, and at which counts. */
import { EVENTS } from '../../events.ts';
import { DECISIONS, type CountKey, type Decision, type Saying } from '../../model.ts';
import { entry, type Node } from '../node.ts';
import { readMessage } from '../texts.ts';
import { report } from '../world.ts';
import { keyOf, keySpan, type Draft, type Key, type RuleSource } from './key.ts';

export const outcome: Key = {
  names: ['deny', 'ask', 'advise', 'why', 'instead', 'label'],
  expand(rule, draft) {
    const { world } = rule.scene;
    const given = DECISIONS.filter((decision) => keyOf(rule, decision) !== undefined);
    const [decision, second] = given;
    if (second !== undefined) report(world, 'two-outcomes', keySpan(rule, second), `rule \`${rule.id}\` has \`${given.join('` and `')}\``, 'keep one of them, or make two rules');
    const own = ownWords(rule);
    if (decision !== undefined) {
      draft.decision = decision;
      draft.says = sayings(keyOf(rule, decision), own, rule);
      checkCarried(rule, draft, decision);
    }
    for (const name of ['why', 'instead', 'label'] as const) {
      const words = readMessage(keyOf(rule, name), own, rule.scene);
      if (words === undefined) continue;
      draft[name] = words;
      if (decision === undefined && name !== 'label' && entry(rule.own, name) !== undefined) report(world, 'idle-key', keySpan(rule, name), `\`${name}\` is never said: the rule has no outcome`, 'add `deny`, `ask` or `advise`');
    }
  },
};

/** Words that only this rule's own cadence can fill. */
function ownWords(rule: RuleSource): readonly string[] {
  const has = (name: string): boolean => keyOf(rule, name) !== undefined;
  const counted = DECISIONS.some((decision) => keyOf(rule, decision)?.kind === 'map');
  return [...(has('limit') ? ['count', 'limit'] : counted ? ['count'] : []), ...(has('phases') ? ['phase', 'allowed'] : []), ...(has('ack') ? ['token'] : [])];
}

function sayings(node: Node | undefined, own: readonly string[], rule: RuleSource): readonly Saying[] {
  if (node?.kind !== 'map') return [readMessage(node, own, rule.scene) ?? ''].map((text) => ({ text }));
  return node.entries.flatMap((each) => {
    const at = countKey(each.key);
    const text = readMessage(each.value, own, rule.scene);
    return at === undefined || text === undefined ? [] : [{ at, text }];
  });
}

/** `2` · `16 and doubling` · `12 and every 6` */
export function countKey(key: string): CountKey | undefined {
  const [, from, doubling, every] = /^(\d+)(?: and (?:(doubling)|every (\d+)))?$/.exec(key) ?? [];
  if (from === undefined) return undefined;
  return { from: Number(from), ...(doubling !== undefined ? { then: 'doubling' as const } : every !== undefined ? { then: Number(every) } : {}) };
}

/** A decision that an event can't carry would silently do nothing. */
function checkCarried(rule: RuleSource, draft: Draft, decision: Decision): void {
  for (const event of draft.on) {
    const reach = EVENTS[event];
    if (reach === undefined) continue;
    const carried = decision === 'deny' ? reach.deny !== 'no' : decision === 'ask' ? reach.ask : reach.advise !== 'no';
    if (carried) continue;
    const others = DECISIONS.filter((other) => (other === 'deny' ? reach.deny !== 'no' : other === 'ask' ? reach.ask : reach.advise !== 'no'));
    report(rule.scene.world, 'cannot-carry', keySpan(rule, decision), `${event} can not carry \`${decision}\``, others.length === 0 ? 'only effects (`then`) work there' : `use ${others.map((other) => `\`${other}\``).join(' or ')}`);
  }
}
