/** The state's shape: empty, and read back from JSON with what does not fit left out. */
import { LEVELS, type Cell, type Cells, type Json, type JsonObject, type LevelSetting, type Session, type Shared, type State } from '../model.ts';

export const EMPTY_SHARED: Shared = { cells: {}, levels: [] };
export const EMPTY_SESSION: Session = { ...EMPTY_SHARED, turn: {}, agents: {}, running: {} };
export const EMPTY_STATE: State = { user: EMPTY_SHARED, project: EMPTY_SHARED, session: EMPTY_SESSION };

/** Undefined if the value is no state at all. */
export function asShared(value: unknown): Shared | undefined {
  if (!isObject(value)) return undefined;
  const cells = asCells(value['cells']);
  return cells === undefined ? undefined : { cells, levels: asLevels(value['levels']) };
}

export function asSession(value: unknown): Session | undefined {
  const shared = asShared(value);
  if (shared === undefined || !isObject(value)) return undefined;
  const turn = asCells(value['turn']);
  const agents = value['agents'];
  const running = value['running'];
  if (turn === undefined || !isObject(agents) || !isObject(running)) return undefined;
  const threads = Object.entries(agents).map(([id, cells]) => [id, asCells(cells) ?? {}] as const);
  const live = Object.entries(running).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { ...shared, turn, agents: Object.fromEntries(threads), running: Object.fromEntries(live) };
}

function asCells(value: unknown): Cells | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Cell & JsonObject] => isCell(entry[1])));
}

function isCell(value: unknown): value is Cell {
  if (!isObject(value) || typeof value['changed'] !== 'number') return false;
  switch (value['kind']) {
    case 'values':
      return Array.isArray(value['values']) && value['values'].every((kept) => isObject(kept) && typeof kept['at'] === 'number' && 'value' in kept);
    case 'count':
      return isObject(value['counts']) && Object.values(value['counts']).every((count) => typeof count === 'number');
    case 'calls':
      return Array.isArray(value['calls']);
    case 'moments':
      return Array.isArray(value['moments']) && value['moments'].every((moment) => Array.isArray(moment) && typeof moment[0] === 'number');
    case 'phase':
      return Array.isArray(value['history']);
    case 'said':
      return typeof value['times'] === 'number';
    default:
      return false;
  }
}

function asLevels(value: unknown): readonly LevelSetting[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is LevelSetting => isObject(each) && LEVELS.some((level) => level === each['level']) && typeof each['at'] === 'number');
}

function isObject(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
