/** `bylaw state`: what the rules remember; a person may look, set and reset. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { cellsOf, memoryOf, writeCell } from '../engine/judge/cells.ts';
import type { Cell, Json, Move, Plan, Scope, State } from '../engine/model.ts';
import { countOf } from '../engine/report/compliance.ts';
import { drawText, mermaid, svg } from '../engine/report/graph.ts';
import { didYouMean } from '../engine/report/suggest.ts';
import { here, sessionOf, type Here } from './project.ts';
import { Exit, print } from './terminal.ts';

export interface StateOptions {
  readonly session?: string;
  readonly reason?: string;
  readonly json?: boolean;
  readonly mermaid?: string;
  readonly svg?: string;
}

export interface Held {
  readonly name: string;
  readonly scope: Scope;
  readonly thread: string;
  readonly cell: Cell;
}

/** Every cell of a state, with where it lives. */
export function heldCells(plan: Plan, state: State): readonly Held[] {
  const threads = ['main', ...Object.keys(state.session.agents).filter((id) => id !== 'main')];
  return (['user', 'project', 'session', 'turn', 'agent'] as const).flatMap((scope) =>
    (scope === 'agent' ? threads : ['main']).flatMap((thread) =>
      Object.entries(cellsOf(state, scope, thread)).filter(([name]) => memoryOf(plan, name)?.scope === scope).map(([name, cell]) => ({ name, scope, thread, cell })),
    ),
  );
}

export function showState(options: StateOptions): void {
  const { plan, store } = here();
  const session = sessionOf(store, options.session) ?? '';
  const state = store.read(session);
  const held = heldCells(plan, state);
  if (options.json === true) return print(JSON.stringify({ session, folder: store.folder, running: state.session.running, cells: held.map(({ name, scope, thread, cell }) => ({ name, scope, thread, value: valueOf(cell), cell })) }, null, 2));
  print(`session ${session || 'none'}`);
  if (held.length === 0) print('  nothing is remembered yet');
  const width = Math.max(0, ...held.map(({ name }) => name.length));
  for (const { name, scope, thread, cell } of held) print(`  ${name.padEnd(width)}  ${(scope === 'agent' ? `agent ${thread}` : scope).padEnd(8)}  ${clip(text(valueOf(cell)))}`);
  const running = Object.entries(state.session.running);
  if (running.length > 0) print(`  running: ${running.map(([id, type]) => `${type || 'agent'} (${id})`).join(', ')}`);
  print(`\nkept in ${store.folder}`);
}

/** What a cell comes to, for people. */
export function valueOf(cell: Cell): Json {
  switch (cell.kind) {
    case 'values':
      return cell.values.map((kept) => kept.value);
    case 'phase':
      return cell.phase ?? null;
    case 'said':
      return cell.token === undefined ? { said: cell.times } : { said: cell.times, token: cell.token };
    default:
      return countOf(cell);
  }
}

export function history(options: StateOptions): void {
  const { plan, store } = here();
  const state = store.read(sessionOf(store, options.session) ?? '');
  const moves = heldCells(plan, state).flatMap(({ name, cell }) => (cell.kind === 'phase' ? cell.history.map((move) => ({ rule: name.replace(/\.phase$/, ''), ...move })) : []));
  if (options.json === true) return print(JSON.stringify(moves, null, 2));
  if (moves.length === 0) print('nothing has moved yet');
  for (const move of moves) print(`${new Date(move.at).toISOString()}  ${move.rule}  ${move.from} → ${move.to}  ${move.agent}${move.reason === undefined ? '' : `  (${move.reason})`}`);
}

/** Empties what rules remember, after a backup; machines go back to their start and keep their history. */
export function reset(names: readonly string[], options: StateOptions): void {
  const place = here();
  const { plan, store } = place;
  const session = sessionOf(store, options.session) ?? '';
  for (const name of names) mustExist(plan, name);
  const chosen = (name: string): boolean => names.length === 0 || names.some((each) => name === each || name.startsWith(`${each}.`));
  const held = heldCells(plan, store.read(session)).filter((each) => chosen(each.name));
  const saved = backup(place, session);
  store.update(
    session,
    (state) => held.reduce((next, { name, scope, thread, cell }) => writeCell(next, scope, thread, name, resetCell(name, cell, plan, options.reason ?? 'reset by a person')), state),
    { user: plan.sharesUser },
  );
  print(held.length === 0 ? 'there was nothing to reset' : `reset ${held.map((each) => each.name).join(', ')}`);
  if (saved.length > 0) print(`the state before is kept in ${saved.join(', ')}`);
}

function resetCell(name: string, cell: Cell, plan: Plan, reason: string): Cell | undefined {
  const form = plan.facts[name]?.form;
  if (cell.kind !== 'phase' || form?.kind !== 'phase') return undefined;
  const now = Date.now();
  const move: Move = { agent: 'reset', from: cell.phase ?? form.start, to: form.start, at: now, event: 'reset', reason };
  return { kind: 'phase', history: [...cell.history, move], changed: now };
}

function backup({ store }: Here, session: string): readonly string[] {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const folder = join(store.folder, 'backups');
  return [`session-${session}.json`, 'project.json'].flatMap((name) => {
    const file = join(store.folder, name);
    if (!existsSync(file)) return [];
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const copy = join(folder, `${basename(name, '.json')}-${stamp}.json`);
    copyFileSync(file, copy);
    return [copy];
  });
}

/** `bylaw state set tested true` · `bylaw state set agent-pipeline.phase COMPLETE` */
export function set(name: string, values: readonly string[], options: StateOptions): void {
  const { plan, store } = here();
  mustExist(plan, name);
  const form = plan.facts[name]?.form;
  const session = sessionOf(store, options.session) ?? '';
  const now = Date.now();
  const memory = memoryOf(plan, name);
  if (memory === undefined || form === undefined) throw new Exit(2, `${name} is not remembered, it is found out anew for each event`);
  const cell = (before: Cell | undefined): Cell => {
    if (form.kind === 'remembered') return { kind: 'values', values: values.map((value) => ({ value: parsed(value), at: now })), changed: now };
    if (form.kind === 'count') return { kind: 'count', counts: { '': number(values[0]) }, changed: now };
    if (form.kind !== 'phase') throw new Exit(2, `${name} can not be set`);
    const to = values[0] ?? '';
    if (!Object.hasOwn(form.phases, to)) throw new Exit(2, `there is no phase ${to}; phases: ${Object.keys(form.phases).join(', ')}`);
    const past = before?.kind === 'phase' ? before : undefined;
    const move: Move = { agent: 'person', from: past?.phase ?? form.start, to, at: now, event: 'set', reason: options.reason ?? 'set by a person' };
    return { kind: 'phase', phase: to, history: [...(past?.history ?? []), move], changed: now };
  };
  store.update(session, (state) => writeCell(state, memory.scope, 'main', name, cell(cellsOf(state, memory.scope, 'main')[name])), { user: memory.scope === 'user' });
  print(`${name} is ${values.join(', ')} (${memory.scope})`);
}

/** The machine of a rule with its present position: text here, Mermaid and SVG into files. */
export function graph(rule: string | undefined, options: StateOptions): void {
  const { plan, store } = here();
  const machines = Object.values(plan.facts).flatMap(({ name, form }) => (form.kind === 'phase' ? [{ name, rule: name.replace(/\.phase$/, ''), form }] : []));
  const wanted = rule === undefined ? machines : machines.filter((machine) => machine.rule === rule);
  if (wanted.length === 0) throw new Exit(2, rule === undefined ? 'no rule has phases' : `rule ${rule} has no phases; rules with phases: ${machines.map((machine) => machine.rule).join(', ') || 'none'}`);
  const state = store.read(sessionOf(store, options.session) ?? '');
  for (const machine of wanted) {
    const cell = cellsOf(state, machine.form.memory.scope, 'main')[machine.name];
    const present = cell?.kind === 'phase' && cell.phase !== undefined ? cell.phase : machine.form.start;
    if (options.mermaid !== undefined) write(options.mermaid, mermaid(machine.form, present));
    if (options.svg !== undefined) write(options.svg, svg(machine.rule, machine.form, present));
    if (options.mermaid === undefined && options.svg === undefined) print(drawText(machine.rule, machine.form, present));
  }
}

function write(file: string, content: string): void {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, content);
  print(`wrote ${file}`);
}

function mustExist(plan: Plan, name: string): void {
  const names = [...Object.keys(plan.facts).filter((each) => memoryOf(plan, each) !== undefined), ...plan.rules.map((rule) => rule.id)];
  if (!names.includes(name)) throw new Exit(2, `nothing remembered is called ${name}; ${didYouMean(name, names) ?? `\`bylaw state show\` lists what is`}`);
}

function parsed(value: string): Json {
  if (/^(true|false|null|-?\d+(\.\d+)?)$/.test(value)) return JSON.parse(value);
  return value;
}

function number(value: string | undefined): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 0) throw new Exit(2, `${value ?? 'nothing'} is not a count`);
  return count;
}

function text(value: Json): string {
  return Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
}

function clip(value: string): string {
  const line = value.replaceAll('\n', ' ');
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}
