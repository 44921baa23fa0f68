/** An event → the rules and moving facts it can concern, by event, tool and folder. */
import type { Event, Plan, Rule, Slot } from '../model.ts';
import { foldersAbove } from './folder.ts';

export interface Found {
  readonly rules: readonly Rule[];
  /** Names of counts and phases that may move. */
  readonly moving: readonly string[];
}

/** The paths of the event; undefined if they are not known, or are more than can be listed. */
export type Paths = () => readonly string[] | undefined;

/** An unreadable event may be any; the strictest reading is a tool call. */
export function lookup(plan: Plan, event: Event, paths: Paths = () => undefined): Found {
  const name = event.event === '' ? 'PreToolUse' : event.event;
  const shelf = Object.hasOwn(plan.index, name) ? plan.index[name] : undefined;
  if (shelf === undefined) return { rules: [], moving: [] };
  const slots: Slot[] = [shelf.any];
  if (event.tool === undefined) {
    if (event.unreadable !== undefined) slots.push(...Object.values(shelf.byTool));
  } else if (Object.hasOwn(shelf.byTool, event.tool)) {
    const slot = shelf.byTool[event.tool];
    if (slot !== undefined) slots.push(slot);
  }
  if (slots.some(({ byFolder }) => byFolder !== undefined)) slots.push(...slots.flatMap((slot) => inFolders(slot, paths)));
  return { rules: pick(plan, together(slots, ({ rules }) => rules, (a, b) => a - b)), moving: together(slots, ({ moving }) => moving, byName) };
}

function inFolders({ byFolder }: Slot, paths: Paths): readonly Slot[] {
  if (byFolder === undefined) return [];
  const known = paths();
  if (known === undefined) return Object.values(byFolder);
  return known.flatMap(foldersAbove).flatMap((folder) => (Object.hasOwn(byFolder, folder) ? (byFolder[folder] ?? []) : []));
}

/** What several slots hold, each once and in order; most often only one of them holds something. */
function together<T>(slots: readonly Slot[], of: (slot: Slot) => readonly T[], order: (a: T, b: T) => number): readonly T[] {
  const lists = slots.map(of).filter((list) => list.length > 0);
  if (lists.length <= 1) return lists[0] ?? [];
  return [...new Set(lists.flat())].sort(order);
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function pick(plan: Plan, numbers: readonly number[]): readonly Rule[] {
  const found: Rule[] = [];
  for (const number of numbers) {
    const rule = plan.rules[number];
    if (rule !== undefined) found.push(rule);
  }
  return found;
}

/** Rules are sorted by id. */
export function findRule(plan: Plan, id: string): Rule | undefined {
  let low = 0;
  let high = plan.rules.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const rule = plan.rules[middle];
    if (rule === undefined || rule.id === id) return rule;
    if (rule.id < id) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
