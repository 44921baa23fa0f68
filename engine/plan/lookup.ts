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
  slots.push(...slots.flatMap((slot) => inFolders(slot, paths)));
  if (slots.length === 1) return { rules: pick(plan, shelf.any.rules), moving: shelf.any.moving };
  return {
    rules: pick(plan, [...new Set(slots.flatMap((slot) => slot.rules))].sort((a, b) => a - b)),
    moving: [...new Set(slots.flatMap((slot) => slot.moving))],
  };
}

function inFolders({ byFolder }: Slot, paths: Paths): readonly Slot[] {
  if (byFolder === undefined) return [];
  const known = paths();
  if (known === undefined) return Object.values(byFolder);
  return known.flatMap(foldersAbove).flatMap((folder) => (Object.hasOwn(byFolder, folder) ? (byFolder[folder] ?? []) : []));
}

function pick(plan: Plan, numbers: readonly number[]): readonly Rule[] {
  return numbers.flatMap((number) => plan.rules[number] ?? []);
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
