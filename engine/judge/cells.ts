/** Reading and replacing the cells that rules and facts remember in. */
import type { Cell, Cells, Event, Json, Memory, Plan, Scope, Session, State } from '../model.ts';

export function cellsOf(state: State, scope: Scope, thread: string): Cells {
  switch (scope) {
    case 'turn':
      return state.session.turn;
    case 'agent':
      // An agent's id comes from the host; `__proto__` is none of ours.
      return (Object.hasOwn(state.session.agents, thread) ? state.session.agents[thread] : undefined) ?? {};
    case 'session':
      return state.session.cells;
    default:
      return state[scope].cells;
  }
}

/** The cell as it counts now: one that was left alone for `idle` is empty but for its history. */
export function readCell(state: State, event: Event, name: string, memory: Memory): Cell | undefined {
  const cells = cellsOf(state, memory.scope, event.thread);
  const cell = Object.hasOwn(cells, name) ? cells[name] : undefined;
  if (cell === undefined || memory.idle === undefined || event.now - cell.changed <= memory.idle) return cell;
  return emptied(cell, event.now);
}

/** What is left of a cell after a reset. */
export function emptied(cell: Cell, now: number): Cell | undefined {
  if (cell.kind !== 'phase' || cell.history.length === 0) return undefined;
  return { kind: 'phase', history: cell.history, changed: now };
}

export function writeCell(state: State, scope: Scope, thread: string, name: string, cell: Cell | undefined): State {
  const cells = { ...cellsOf(state, scope, thread) };
  if (cell === undefined) {
    if (!Object.hasOwn(cells, name)) return state;
    delete cells[name];
  } else cells[name] = cell;
  return withCells(state, scope, thread, cells);
}

function withCells(state: State, scope: Scope, thread: string, cells: Cells): State {
  const session = (change: Partial<Session>): State => ({ ...state, session: { ...state.session, ...change } });
  switch (scope) {
    case 'turn':
      return session({ turn: cells });
    case 'agent':
      return session({ agents: { ...state.session.agents, [thread]: cells } });
    case 'session':
      return session({ cells });
    case 'project':
      return { ...state, project: { ...state.project, cells } };
    case 'user':
      return { ...state, user: { ...state.user, cells } };
  }
}

/** A person's prompt begins a turn: what the last one remembered is gone before it is judged. */
export function settle(state: State, event: Event): State {
  if (event.event !== 'UserPromptSubmit' || event.source !== 'person' || Object.keys(state.session.turn).length === 0) return state;
  return { ...state, session: { ...state.session, turn: {} } };
}

/** How a fact remembers, if it does. */
export function memoryOf(plan: Plan, name: string): Memory | undefined {
  const form = Object.hasOwn(plan.facts, name) ? plan.facts[name]?.form : undefined;
  return form !== undefined && 'memory' in form ? form.memory : undefined;
}

/** The values a fact has: missing, null, false, empty text and empty list are absent. */
export function valuesOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null || value === false || value === '') return [];
  return Array.isArray(value) ? value.flatMap(valuesOf) : [value];
}
