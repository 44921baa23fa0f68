/** Core rules and facts → a plan with an index by event, tool and folder. */
import { SHELLS } from '../judge/builtin.ts';
import { hasMagic } from '../judge/match.ts';
import type { Clause, Fact, Home, Index, Plan, Rule, Slot, Test, Trigger } from '../model.ts';
import { folderOf } from './folder.ts';

export interface Core {
  readonly rules: readonly Rule[];
  readonly facts: readonly Fact[];
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly homes: readonly Home[];
  readonly audit: 'said' | 'all';
}

/** From this many on, rules about folders are found by folder; fewer are tried faster than looked up. */
const MANY = 8;

/** Sorted by name throughout, so that the order of files and rules can't matter. */
export function buildPlan(core: Core, many = MANY): Plan {
  const rules = [...core.rules].sort((a, b) => compare(a.id, b.id));
  const facts = [...core.facts].sort((a, b) => compare(a.name, b.name));
  return {
    rules,
    facts: Object.fromEntries(facts.map((fact) => [fact.name, fact])),
    lists: core.lists,
    homes: Object.fromEntries(core.homes.map((home) => [home.name, home])),
    audit: core.audit,
    sharesUser: facts.some(({ form }) => 'memory' in form && form.memory.scope === 'user'),
    index: buildIndex(rules, facts, core.homes, core.lists['shell-tools'] ?? SHELLS, many),
  };
}

function buildIndex(rules: readonly Rule[], facts: readonly Fact[], homes: readonly Home[], shells: readonly string[], many: number): Index {
  // Maps, because a tool may be called `constructor`.
  const shelves = new Map<string, { readonly any: Draft; readonly byTool: Map<string, Draft> }>();
  // A policy whose `active` can't be computed may speak whatever the path.
  const steady = new Set(homes.filter(({ active }) => active.some((matcher) => matcher.length === 0)).map(({ name }) => name));
  const put = (home: string, on: readonly string[], test: Test, add: (slot: Draft) => void): void => {
    const tools = toolsOf(test, shells);
    const folders = steady.has(home) ? foldersOf(test) : undefined;
    const addTo = (slot: Draft): void => {
      if (folders === undefined) add(slot);
      else for (const folder of folders) add(ensure(slot.byFolder, folder, emptySlot));
    };
    for (const event of on) {
      const shelf = ensure(shelves, event, () => ({ any: emptySlot(), byTool: new Map() }));
      if (tools === undefined) addTo(shelf.any);
      else for (const tool of tools) addTo(ensure(shelf.byTool, tool, emptySlot));
    }
  };
  rules.forEach((rule, number) => put(rule.home, rule.on, rule.match, (slot) => slot.rules.add(number)));
  for (const fact of facts) {
    for (const trigger of movesOf(fact)) put(fact.home, trigger.on, trigger.match, (slot) => slot.moving.add(fact.name));
  }
  const finish = (slot: Draft): Slot => finishSlot(slot, many);
  return Object.fromEntries([...shelves].map(([event, { any, byTool }]) => [event, { any: finish(any), byTool: Object.fromEntries([...byTool].map(([tool, slot]) => [tool, finish(slot)])) }]));
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

interface Draft {
  readonly rules: Set<number>;
  readonly moving: Set<string>;
  readonly byFolder: Map<string, Draft>;
}

function emptySlot(): Draft {
  return { rules: new Set(), moving: new Set(), byFolder: new Map() };
}

function finishSlot({ rules, moving, byFolder }: Draft, many: number): Slot {
  const plain = (ofRules: Iterable<number>, ofMoving: Iterable<string>): Slot => ({ rules: [...new Set(ofRules)].sort((a, b) => a - b), moving: [...new Set(ofMoving)].sort(compare) });
  const folders = [...byFolder.values()];
  if (folders.length < many) return plain([...rules, ...folders.flatMap((each) => [...each.rules])], [...moving, ...folders.flatMap((each) => [...each.moving])]);
  return { ...plain(rules, moving), byFolder: Object.fromEntries([...byFolder].map(([folder, each]) => [folder, plain(each.rules, each.moving)])) };
}

/** The tools a test can hold for, or undefined if they can't be listed. */
function toolsOf(test: Test, shells: readonly string[]): readonly string[] | undefined {
  const tools = new Set<string>();
  for (const matcher of test) {
    const clause = matcher.find(({ fact }) => fact === 'tool');
    if (clause === undefined && matcher.some(asksForShell) && !shells.some(hasMagic)) {
      shells.forEach((tool) => tools.add(tool));
      continue;
    }
    if (clause === undefined || clause.anyCase === true) return undefined;
    for (const pattern of clause.values) {
      if (pattern.is !== 'glob' || hasMagic(pattern.glob)) return undefined;
      tools.add(pattern.glob);
    }
  }
  return [...tools];
}

/** Only tools that carry shell text run programs. */
function asksForShell({ fact, values }: Clause): boolean {
  return (fact === 'runs' || fact === 'command') && !values.some((pattern) => pattern.is === 'absent');
}

/** The folders a path must lie in for a test to hold, or undefined if they can't be listed. */
function foldersOf(test: Test): readonly string[] | undefined {
  const folders = new Set<string>();
  for (const matcher of test) {
    const clause = matcher.find(({ fact, anyCase }) => (fact === 'path' || fact === 'writes') && anyCase !== true);
    if (clause === undefined) return undefined;
    for (const pattern of clause.values) {
      const folder = pattern.is === 'glob' ? folderOf(pattern.glob) : undefined;
      if (folder === undefined) return undefined;
      folders.add(folder);
    }
  }
  return [...folders];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
