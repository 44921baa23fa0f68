/** What one key of the language brings: its meaning in the core, its checks, its texts. */
import type { Cadence, Decision, Effect, Fact, Level, Memory, OnError, Rule, Saying, Scope, Test, Trigger, Logic } from '../../model.ts';
import type { Definition } from '../extend.ts';
import type { Scene } from '../matcher.ts';
import { entry, get, type MapNode, type Node } from '../node.ts';
import type { Span } from '../../model.ts';

/** A rule on its way into the core. */
export interface RuleSource {
  readonly id: string;
  readonly definition: Definition;
  /** With what `defaults` fills in. */
  readonly node: MapNode;
  /** As the rule itself says. */
  readonly own: MapNode;
  readonly scene: Scene;
}

/** Filled in by the keys, one after the other; order does not matter but for `event` first. */
export interface Draft {
  on: readonly string[];
  match: Test;
  unless: Test;
  when?: Logic;
  until: readonly Trigger[];
  idle?: number;
  scope: Scope;
  decision?: Decision;
  says: readonly Saying[];
  cadence: Cadence;
  why?: string;
  instead?: string;
  times?: number;
  then: readonly Effect[];
  attempts?: true;
  label?: string;
  own?: Level;
  active?: true;
  unbypassed?: true;
  final?: true;
  onError: OnError;
  opaque?: Readonly<Record<string, Decision | 'ignore'>>;
  /** Facts that the rule brings along: its count, its phases, what it has said. */
  facts: Fact['form'][];
}

export interface Key {
  readonly names: readonly string[];
  readonly expand: (rule: RuleSource, draft: Draft) => void;
}

export function keyOf(rule: RuleSource, name: string): Node | undefined {
  return get(rule.node, name);
}

/** Where a key stands in the rule; the rule's name if it comes from `defaults`. */
export function keySpan(rule: RuleSource, name: string): Span {
  return entry(rule.node, name)?.keyAt ?? rule.definition.keyAt;
}

export function memoryOf(draft: Draft): Memory {
  return { scope: draft.scope, until: draft.until, ...(draft.idle === undefined ? {} : { idle: draft.idle }) };
}

/** Names of the facts that a rule brings along. */
export function factName(rule: Pick<Rule, 'id'>, form: Fact['form']): string {
  return `${rule.id}.${form.kind}`;
}
