/** `bylaw status` and `bylaw statusline`: what is in force right now, at a glance. */
import { readFileSync } from 'node:fs';
import { cellsOf } from '../engine/judge/cells.ts';
import { createKnowledge } from '../engine/judge/know.ts';
import { isActive } from '../engine/judge/level.ts';
import type { Event, Plan, State } from '../engine/model.ts';
import { countOf } from '../engine/report/compliance.ts';
import { plural } from '../engine/report/frame.ts';
import { homeFolder, projectKey, stateFolder } from '../engine/state/places.ts';
import { openStore } from '../engine/state/store.ts';
import { readAudit, type Entry } from '../hooks/audit.ts';
import { lookOutside } from './outside.ts';
import { planInForce } from '../hooks/plan.ts';
import { findProject } from '../hooks/project.ts';
import { effective } from './level.ts';
import { here, sessionOf } from './project.ts';
import { heldCells } from './state.ts';
import { paintFor, print } from './terminal.ts';

export interface StatusOptions {
  readonly session?: string;
  readonly json?: boolean;
}

export function status(options: StatusOptions): void {
  const { folder, plan, store, broken } = here();
  const session = sessionOf(store, options.session) ?? '';
  const state = store.read(session);
  const now = Date.now();
  const policies = Object.values(plan.homes)
    .map((home) => ({ name: home.name, file: home.file, rules: plan.rules.filter((rule) => rule.home === home.name).length, active: activeNow(plan, state, home.name, folder, session), ...effective(state, home.name, home.level, now) }))
    .filter((policy) => policy.rules > 0);
  const phases = phasesOf(plan, state);
  const counts = heldCells(plan, state).flatMap(({ name, cell }) => (['count', 'calls', 'moments'].includes(cell.kind) ? [{ name: name.replace(/\.count$/, ''), count: countOf(cell) }] : []));
  const audit = readAudit(store.folder, session === '' ? undefined : session);
  const verdicts = audit.slice(-5);
  const refused = audit.findLast((entry) => entry.event === 'ConfigChange' && !entry.passes);
  if (options.json === true) return print(JSON.stringify({ project: folder, session, broken: broken ?? null, policies, phases, counts, running: state.session.running, verdicts, state: store.folder }, null, 2));
  const paint = paintFor(process.stdout);
  print(paint.strong(folder));
  if (broken !== undefined) print(`${paint.bad('the policy has errors')}; the last good plan is in force; \`bylaw check\` shows them`);
  const width = Math.max(0, ...policies.map((policy) => policy.name.length));
  for (const policy of policies) {
    const level = policy.active ? policy.level : 'off';
    const colour = level === 'strict' ? paint.good : level === 'guidance' ? paint.warn : paint.dim;
    print(`  ${policy.name.padEnd(width)}  ${colour(level.padEnd(8))}  ${plural(policy.rules, 'rule').padEnd(9)} ${paint.dim(policy.active ? policy.from : 'not active')}`);
  }
  print(`\nsession ${session || 'none yet'}`);
  for (const { rule, phase } of phases) print(`  ${rule}: ${phase}`);
  for (const { name, count } of counts) print(`  ${name}: ${count}`);
  const running = Object.values(state.session.running);
  if (running.length > 0) print(`  running: ${running.map((type) => type || 'agent').join(', ')}`);
  if (refused !== undefined) print(`  ${paint.bad('a change of settings was refused')} (${refused.time.slice(11, 19)}, ${refused.rules.map(({ rule }) => rule).join(', ')}); \`bylaw doctor\` says more`);
  if (verdicts.length > 0) print(`\nlast verdicts`);
  for (const entry of verdicts) print(`  ${verdictLine(entry)}`);
}

export function verdictLine(entry: Entry): string {
  const what = [entry.event, entry.tool, entry.agent].filter((part) => part !== undefined).join(' ');
  const rules = entry.rules.filter((rule) => rule.decision === entry.decision || entry.decision === 'none').map((rule) => rule.rule + (rule.bypassed === true ? ' (bypassed)' : ''));
  return `${entry.time.slice(11, 19)}  ${(entry.decision === 'none' ? 'noted' : entry.decision).padEnd(6)}  ${what.padEnd(24)} ${rules.join(', ')}`.slice(0, 110);
}

/** Whether a policy is on, as a tool call of the main agent would see it. */
function activeNow(plan: Plan, state: State, name: string, project: string, session: string): boolean {
  const home = plan.homes[name];
  if (home === undefined) return false;
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
  let event: Event = { event: 'PreToolUse', session, now: Date.now(), random: '', env, project, cwd: project, home: homeFolder(process.env), by: ['main'], thread: 'main', host: {}, outside: {} };
  for (let round = 0; round < 8; round++) {
    const knowledge = createKnowledge(plan, state, event);
    const answer = isActive(home, knowledge);
    if (knowledge.needs.size === 0) return answer.is === 'yes';
    const given = event;
    event = { ...given, outside: { ...given.outside, ...Object.fromEntries([...knowledge.needs.values()].map((need) => [need.key, lookOutside(need, given)])) } };
  }
  return false;
}

function phasesOf(plan: Plan, state: State): readonly { readonly rule: string; readonly phase: string }[] {
  return Object.values(plan.facts).flatMap(({ name, form }) => {
    if (form.kind !== 'phase') return [];
    const cell = cellsOf(state, form.memory.scope, 'main')[name];
    return [{ rule: name.replace(/\.phase$/, ''), phase: cell?.kind === 'phase' && cell.phase !== undefined ? cell.phase : form.start }];
  });
}

const BARS = '▁▂▃▄▅▆▇█';

/** Small columns, scaled from the least to the most; all equal stand in the middle. */
export function sparkline(values: readonly number[]): string {
  const least = Math.min(...values);
  const most = Math.max(...values);
  return values.map((value) => BARS[most === least ? 3 : Math.round(((value - least) / (most - least)) * (BARS.length - 1))] ?? '').join('');
}

/** One line for the host's status bar; the host's JSON comes on stdin. Never fails: a status bar is no place for errors. */
export async function statusline(): Promise<void> {
  const input = process.stdin.isTTY ? {} : parse(readFileSync(0, 'utf8'));
  const workspace: Record<string, unknown> = Object(input['workspace']);
  const folder = findProject([text(workspace['project_dir']), text(input['cwd']), process.env['CLAUDE_PROJECT_DIR'], process.cwd()]);
  if (folder === undefined) return;
  const { cached } = await planInForce(folder, process.env);
  if (cached?.plan === undefined) return print('bylaw: the policy has errors');
  const { plan } = cached;
  const session = text(input['session_id']) ?? '';
  const state = openStore(stateFolder(process.env), projectKey(folder)).read(session);
  const now = Date.now();
  const levels = new Set(Object.values(plan.homes).filter((home) => plan.rules.some((rule) => rule.home === home.name)).map((home) => effective(state, home.name, home.level, now).level));
  const held = heldCells(plan, state);
  const streak = Math.max(0, ...held.map(({ cell }) => (cell.kind === 'count' ? countOf(cell) : 0)));
  const series = held.flatMap(({ cell }) => (cell.kind === 'values' ? [cell.values.map((kept) => kept.value).filter((value): value is number => typeof value === 'number')] : [])).filter((values) => values.length > 1);
  const parts = [`bylaw ${[...levels].join('+') || 'idle'}`, ...phasesOf(plan, state).map(({ phase }) => phase), ...(streak > 0 ? [`streak ${streak}`] : []), ...series.map((values) => `${sparkline(values)} ${span(values.at(-1) ?? 0)}`), ...(cached.broken === undefined ? [] : ['policy broken'])];
  print(parts.join(' · '));
}

/** `45s`, `1m 23s`, `2h 5m` */
export function span(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = Math.floor(seconds % 60);
  if (hours > 0) return minutes > 0 ? `${hours}h ${minutes}m` : `${hours}h`;
  if (minutes > 0) return rest > 0 ? `${minutes}m ${rest}s` : `${minutes}m`;
  return `${rest}s`;
}

function parse(source: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(source));
  } catch {
    return {};
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
