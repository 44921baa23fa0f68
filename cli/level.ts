/** `bylaw level`: a person's word on how hard the rules are, for a session, a project or everywhere. */
import { LEVELS, type Level, type LevelSetting, type Shared, type State } from '../engine/model.ts';
import { duration } from '../engine/load/world.ts';
import { nearest } from '../engine/report/suggest.ts';
import { here, policyNamed, sessionOf, type Here } from './project.ts';
import { Exit, print } from './terminal.ts';

export interface LevelOptions {
  readonly policy?: string;
  readonly session?: string | true;
  readonly project?: boolean;
  readonly user?: boolean;
  readonly for?: string;
  readonly json?: boolean;
}

type Where = 'session' | 'project' | 'user';

export function level(word: string | undefined, options: LevelOptions): void {
  const place = here();
  if (word === undefined) return showLevels(place, options);
  const wanted = LEVELS.find((each) => each === word);
  if (wanted === undefined && word !== 'default') throw new Exit(2, `there is no level ${word}; ${nearest(word, LEVELS) === undefined ? `levels: ${LEVELS.join(', ')}, or default` : `did you mean ${nearest(word, LEVELS)}?`}`);
  const policy = options.policy === undefined ? undefined : policyNamed(place.plan, options.policy);
  if (options.for !== undefined && !/^\d+(ms|s|m|h|d)$/.test(options.for)) throw new Exit(2, `${options.for} is no duration; write 30m, 2h or 1d`);
  const now = Date.now();
  const setting: LevelSetting | undefined = wanted === undefined ? undefined : { level: wanted, at: now, ...(policy === undefined ? {} : { policy }), ...(options.for === undefined ? {} : { expires: now + duration(options.for) }) };
  const where: Where = options.session !== undefined ? 'session' : options.user === true ? 'user' : 'project';
  const session = where === 'session' ? sessionOf(place.store, options.session === true ? undefined : options.session) : '';
  if (session === undefined) throw new Exit(2, 'no session is known; name one: --session ID');
  place.store.update(session, (state) => withLevels(state, where, replaced(state[where].levels, policy, setting)), { user: where === 'user' });
  const about = policy ?? 'every policy';
  const stronger = strongerThan(place, where, policy, session);
  print(setting === undefined ? `${about}: the level of its files again (${where})` : `${about}: ${setting.level} (${where}${options.for === undefined ? '' : `, for ${options.for}`})`);
  if (stronger.length > 0) print(`stronger than that: ${stronger.join('; ')}`);
}

/** Whose word still comes before the one just given. */
function strongerThan({ plan, store }: Here, where: Where, policy: string | undefined, session: string): readonly string[] {
  const state = store.read(session || (sessionOf(store, undefined) ?? ''));
  const order: readonly Where[] = ['session', 'project', 'user'];
  const settings = order.slice(0, order.indexOf(where)).flatMap((each) => state[each].levels.filter((setting) => setting.policy === policy).map((setting) => `${setting.level} of the ${each}`));
  const named = policy === undefined ? order.flatMap((each) => state[each].levels.flatMap((setting) => (setting.policy === undefined ? [] : [`${setting.level} for ${setting.policy}`]))) : [];
  const own = plan.rules.filter((rule) => rule.own !== undefined && (policy === undefined || rule.home === policy)).map((rule) => rule.home);
  return [...settings, ...named, ...(own.length > 0 ? [`the own level of ${own.length === 1 ? 'a rule' : `${own.length} rules`} of ${[...new Set(own)].join(', ')}`] : [])];
}

/** `enable`: on, at the level its files name; `disable`: off, until a person says otherwise. */
export function enable(options: LevelOptions & { readonly level?: string }): void {
  const { plan } = here();
  const policy = options.policy;
  const own: Level | undefined = policy === undefined ? undefined : plan.homes[policyNamed(plan, policy)]?.level;
  level(options.level ?? (own === undefined || own === 'disabled' ? (policy === undefined ? 'default' : 'strict') : own), options);
}

function replaced(levels: readonly LevelSetting[], policy: string | undefined, setting: LevelSetting | undefined): readonly LevelSetting[] {
  const kept = levels.filter((each) => each.policy !== policy);
  return setting === undefined ? kept : [...kept, setting];
}

function withLevels(state: State, where: Where, levels: readonly LevelSetting[]): State {
  if (where === 'session') return { ...state, session: { ...state.session, levels } };
  const shared: Shared = { ...state[where], levels };
  return where === 'project' ? { ...state, project: shared } : { ...state, user: shared };
}

function showLevels({ plan, store }: Here, options: LevelOptions): void {
  const session = sessionOf(store, options.session === true ? undefined : options.session) ?? '';
  const state = store.read(session);
  const now = Date.now();
  const rows = Object.values(plan.homes).filter((home) => plan.rules.some((rule) => rule.home === home.name)).map((home) => ({ policy: home.name, ...effective(state, home.name, home.level, now) }));
  if (options.json === true) return print(JSON.stringify(rows, null, 2));
  const width = Math.max(0, ...rows.map((row) => row.policy.length));
  for (const row of rows) print(`${row.policy.padEnd(width)}  ${row.level.padEnd(8)}  ${row.from}`);
}

/** The level in force and who set it. */
export function effective(state: State, policy: string, own: Level, now: number): { readonly level: Level; readonly from: string } {
  for (const about of [policy, undefined]) {
    for (const where of ['session', 'project', 'user'] as const) {
      const setting = state[where].levels.find((each) => each.policy === about && (each.expires === undefined || each.expires > now));
      if (setting !== undefined) return { level: setting.level, from: `set by a person (${where}${setting.expires === undefined ? '' : `, until ${new Date(setting.expires).toISOString().slice(0, 16)}Z`})` };
    }
  }
  return { level: own, from: 'its files' };
}
