/** Core rules and facts → a plan with an index by event and tool. */
import { hasMagic } from '../judge/match.ts';
import type { Fact, Home, Index, Plan, Rule, Slot, Test, Trigger } from '../model.ts';

export interface Core {
  readonly rules: readonly Rule[];
  readonly facts: readonly Fact[];
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly homes: readonly Home[];
  readonly audit: 'said' | 'all';
}

/** Sorted by name throughout, so that the order of files and rules can't matter. */
export function buildPlan(core: Core): Plan {
  const rules = [...core.rules].sort((a, b) => compare(a.id, b.id));
  const facts = [...core.facts].sort((a, b) => compare(a.name, b.name));
  return {
    rules,
    facts: Object.fromEntries(facts.map((fact) => [fact.name, fact])),
    lists: core.lists,
    homes: Object.fromEntries(core.homes.map((home) => [home.name, home])),
    audit: core.audit,
    sharesUser: facts.some(({ form }) => 'memory' in form && form.memory.scope === 'user'),
    index: buildIndex(rules, facts),
  };
}

function buildIndex(rules: readonly Rule[], facts: readonly Fact[]): Index {
  // Maps, because a tool may be called `constructor`.
  const shelves = new Map<string, { readonly any: Draft; readonly byTool: Map<string, Draft> }>();
  const put = (on: readonly string[], test: Test, add: (slot: Draft) => void): void => {
    const tools = toolsOf(test);
    for (const event of on) {
      const shelf = ensure(shelves, event, () => ({ any: emptySlot(), byTool: new Map() }));
      if (tools === undefined) add(shelf.any);
      else for (const tool of tools) add(ensure(shelf.byTool, tool, emptySlot));
    }
  };
  rules.forEach((rule, number) => put(rule.on, rule.match, (slot) => slot.rules.push(number)));
  for (const fact of facts) {
    for (const trigger of movesOf(fact)) put(trigger.on, trigger.match, (slot) => slot.moving.includes(fact.name) || slot.moving.push(fact.name));
  }
  return Object.fromEntries([...shelves].map(([event, { any, byTool }]) => [event, { any, byTool: Object.fromEntries(byTool) }]));
}

function ensure<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** When a fact changes by itself. A window of calls sees every call. */
function movesOf({ form }: Fact): readonly Trigger[] {
  if (form.kind === 'phase') return form.moves;
  if (form.kind !== 'count') return [];
  const inCalls = form.window !== undefined && 'calls' in form.window;
  return [{ on: form.counted.on, match: inCalls ? form.window.match : form.counted.match }];
}

type Draft = { -readonly [K in keyof Slot]: Slot[K][number][] };

function emptySlot(): Draft {
  return { rules: [], moving: [] };
}

/** The tools a test can hold for, or undefined if they can't be listed. */
function toolsOf(test: Test): readonly string[] | undefined {
  const tools = new Set<string>();
  for (const matcher of test) {
    const clause = matcher.find(({ fact }) => fact === 'tool');
    if (clause === undefined || clause.anyCase === true) return undefined;
    for (const pattern of clause.values) {
      if (pattern.is !== 'glob' || hasMagic(pattern.glob)) return undefined;
      tools.add(pattern.glob);
    }
  }
  return [...tools];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
