/** `limit`, counted texts, `of`, `window`, `per`, `attempts`: how a rule counts. */
import { formOf } from '../forms.ts';
import { get, text, type Node } from '../node.ts';
import type { Counted, Fact, Memory, Window } from '../../model.ts';
import { duration, factNamed, report } from '../world.ts';
import type { Scene } from '../matcher.ts';
import { isTrue } from '../matcher.ts';
import { keyOf, keySpan, memoryOf, type Draft, type Key, type RuleSource } from './key.ts';

export const counting: Key = {
  names: ['limit', 'of', 'window', 'per', 'attempts'],
  expand(rule, draft) {
    const { world, prefix } = rule.scene;
    const limit = keyOf(rule, 'limit');
    const keyed = draft.says.some((saying) => saying.at !== undefined);
    const of = keyOf(rule, 'of');
    if (isTrue(keyOf(rule, 'attempts'))) draft.attempts = true;
    let count = `${rule.id}.count`;
    if (of !== undefined) {
      const name = factNamed(text(of) ?? '', of.at, prefix, world) ?? '';
      const declared = world.definitions.facts.get(name);
      const isCount = name.endsWith('.count') || (declared !== undefined && formOf(declared.node) === 'count');
      if (name !== '' && !isCount) report(world, 'not-a-count', of.at, `\`${text(of) ?? ''}\` is not a count`, 'declare it with `count: { … }` under `facts`');
      if (isCount) count = name;
    } else if (limit !== undefined || keyed) draft.facts.push(countForm(rule.node, counted(draft), memoryOf(draft), rule.scene, rule.id));
    if (limit?.kind === 'scalar') draft.cadence = { kind: 'above', limit: Number(limit.value), count };
    else if (keyed) draft.cadence = { kind: 'keys', count };
    checkWindow(rule, draft, limit);
  },
};

export function counted(draft: Draft): Counted {
  return { on: draft.on, match: draft.match, unless: draft.unless, ...(draft.when === undefined ? {} : { when: draft.when }) };
}

/** The core form of a count, a rule's or a declared fact's. */
export function countForm(node: Node, what: Counted, memory: Memory, scene: Scene, rule?: string): Fact['form'] {
  const windowNode = get(node, 'window');
  const perNode = get(node, 'per');
  const window = windowOf(windowNode, what);
  const per = perNode === undefined ? undefined : factNamed(text(perNode) ?? '', perNode.at, scene.prefix, scene.world);
  return {
    kind: 'count',
    memory,
    counted: what,
    ...(window === undefined ? {} : { window }),
    ...(per === undefined ? {} : { per }),
    ...(isTrue(get(node, 'attempts')) ? { attempts: true } : {}),
    ...(rule === undefined ? {} : { rule }),
  };
}

/** A window of calls sees every call of the same events by the same agents, whatever the tool. */
function windowOf(node: Node | undefined, what: Counted): Window | undefined {
  if (node?.kind !== 'scalar') return undefined;
  if (typeof node.value === 'string') return { time: duration(node.value) };
  return { calls: Number(node.value), match: what.match.map((matcher) => matcher.filter((clause) => clause.fact === 'by')) };
}

/** A window of n calls never holds more than n; counts begin at 1. */
function checkWindow(rule: RuleSource, draft: Draft, limit: Node | undefined): void {
  const { world } = rule.scene;
  const counted = keyOf(rule, 'of') === undefined ? keyOf(rule, 'window') : get(world.definitions.facts.get(draft.cadence.kind === 'above' || draft.cadence.kind === 'keys' ? draft.cadence.count : '')?.node, 'window');
  const calls = counted?.kind === 'scalar' && typeof counted.value === 'number' ? counted.value : undefined;
  if (calls !== undefined && draft.cadence.kind === 'above' && calls <= draft.cadence.limit) report(world, 'never-fires', keySpan(rule, keyOf(rule, 'window') === undefined && limit !== undefined ? 'limit' : 'window'), `of ${calls} calls never more than ${draft.cadence.limit} are counted`, 'make the window larger than the limit');
  for (const { at } of draft.says) {
    if (at === undefined) continue;
    const where = keySpan(rule, draft.decision ?? '');
    if (at.from === 0 || at.then === 0) report(world, 'never-fires', where, `counts begin at 1, so \`${at.from}${at.then === 0 ? ' and every 0' : ''}\` never comes`, 'write `1`, or `5 and every 5`');
    else if (calls !== undefined && at.from > calls) report(world, 'never-fires', where, `of ${calls} calls never ${at.from} are counted`, 'make the window larger, or the count smaller');
  }
}
