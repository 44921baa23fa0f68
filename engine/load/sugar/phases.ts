/** `start`, `phases`, `moves`, `track`: a machine that agents move along. */
import { EVENTS } from '../../events.ts';
import { hasMagic } from '../../judge/match.ts';
import type { Row, Trigger } from '../../model.ts';
import { didYouMean } from '../../report/suggest.ts';
import { readTriggers } from '../matcher.ts';
import { withoutNulls } from '../merge.ts';
import { entries, isNull, text, type Entry, type Node } from '../node.ts';
import { globsOverlap } from '../overlap.ts';
import { factNamed, hint, meaningOf, report } from '../world.ts';
import { keyOf, keySpan, memoryOf, type Key, type RuleSource } from './key.ts';

interface Written extends Row {
  readonly entry: Entry;
}

export const phases: Key = {
  names: ['start', 'phases', 'moves', 'track'],
  expand(rule, draft) {
    const written = keyOf(rule, 'phases');
    if (written?.kind !== 'map') return;
    const node = withoutNulls(written);
    const { world, prefix } = rule.scene;
    const names = entries(node).map((each) => each.key);
    const startNode = keyOf(rule, 'start');
    const start = text(startNode) ?? names[0] ?? '';
    if (startNode !== undefined && !names.includes(start)) report(world, 'unknown-phase', startNode.at, `there is no phase \`${start}\``, didYouMean(start, names) ?? `phases: ${names.join(', ')}`);
    const table = Object.fromEntries(entries(node).map((each) => [each.key, rowsOf(each, names, rule)]));
    const trackNode = keyOf(rule, 'track');
    const track = trackNode === undefined ? 'agent' : (factNamed(text(trackNode) ?? '', trackNode.at, prefix, world) ?? 'agent');
    const movesNode = keyOf(rule, 'moves');
    const own: readonly Trigger[] = [{ on: draft.on, match: draft.match }];
    const moves = movesNode === undefined ? own : readTriggers(movesNode, rule.scene, draft.on).triggers;
    draft.facts.push({ kind: 'phase', memory: memoryOf(draft), start, track, moves, phases: table, rule: rule.id, ...(movesNode === undefined ? { own: true } : {}) });
    draft.cadence = { kind: 'phase', phase: `${rule.id}.phase` };
    if (names.includes(start)) hintPhases(rule, node, start, table);
  },
};

/** Literal names come first, so that they beat globs. */
function rowsOf(phase: Entry, names: readonly string[], rule: RuleSource): readonly Row[] {
  const written = entries(phase.value).filter(({ value }) => !isNull(value)).flatMap((each): readonly Written[] => {
    const agents = agentsOf(each, rule);
    const to = targetOf(each.value, names, rule);
    if (to === undefined) return [];
    const literal = agents.filter((agent) => !hasMagic(agent));
    const globs = agents.filter(hasMagic);
    return [literal.filter((agent) => agent.includes(':')), literal.filter((agent) => !agent.includes(':')), globs].filter((part) => part.length > 0).map((part) => ({ agents: part, to, entry: each }));
  });
  checkOverlap(written, rule);
  return [...written].sort((a, b) => breadth(a) - breadth(b)).map(({ agents, to }) => ({ agents, to }));
}

/** A name with its plugin comes before a plain name, a plain name before a glob. */
function breadth({ agents }: Row): number {
  return agents.some(hasMagic) ? 2 : agents.every((agent) => agent.includes(':')) ? 0 : 1;
}

function agentsOf(each: Entry, { scene }: RuleSource): readonly string[] {
  if (!each.key.startsWith('$')) return [each.key];
  const meaning = meaningOf(each.key.slice(1), scene.prefix, scene.world);
  if (meaning?.is === 'list') return meaning.items.map((item) => item.text);
  report(scene.world, 'unknown-list', each.keyAt, `there is no list \`${each.key.slice(1)}\``, didYouMean(each.key.slice(1), scene.world.lists.keys()));
  return [];
}

function targetOf(node: Node, names: readonly string[], { scene: { world } }: RuleSource): Row['to'] | undefined {
  const known = (name: string, at: Node): string | undefined => {
    if (names.includes(name)) return name;
    report(world, 'unknown-phase', at.at, `there is no phase \`${name}\``, didYouMean(name, [...names, 'stay']) ?? `phases: ${names.join(', ')}`);
    return undefined;
  };
  const word = text(node);
  if (word === 'stay') return 'stay';
  if (word !== undefined) {
    const phase = known(word, node);
    return phase === undefined ? undefined : { phase };
  }
  const byEvent = entries(node).flatMap((each) => {
    if (!Object.hasOwn(EVENTS, each.key)) report(world, 'unknown-event', each.keyAt, `there is no event \`${each.key}\``, didYouMean(each.key, Object.keys(EVENTS)));
    const phase = known(text(each.value) ?? '', each.value);
    return phase === undefined ? [] : [[each.key, phase] as const];
  });
  return { byEvent: Object.fromEntries(byEvent) };
}

function checkOverlap(rows: readonly Written[], { scene: { world } }: RuleSource): void {
  rows.forEach((row, index) => {
    for (const other of rows.slice(0, index)) {
      if (other.entry === row.entry || JSON.stringify(other.to) === JSON.stringify(row.to)) continue;
      const both = row.agents.flatMap((a) => other.agents.filter((b) => hasMagic(a) === hasMagic(b) && globsOverlap(a, b)).map((b) => `\`${a}\`${a === b ? '' : ` and \`${b}\``}`));
      if (both[0] !== undefined) report(world, 'overlapping-agents', row.entry.keyAt, `${both[0]} can be one agent, but lead to different phases`, 'make them disjoint, or let them lead to one phase');
    }
  });
}

function hintPhases(rule: RuleSource, node: Node, start: string, table: Readonly<Record<string, readonly Row[]>>): void {
  const { world } = rule.scene;
  const ways = (rows: readonly Row[]): readonly string[] => rows.flatMap(({ to }) => (to === 'stay' ? [] : 'phase' in to ? [to.phase] : Object.values(to.byEvent)));
  const reached = new Set([start]);
  for (const name of reached) ways(table[name] ?? []).forEach((each) => reached.add(each));
  for (const each of entries(node)) {
    if (!reached.has(each.key)) hint(world, 'unreachable-phase', each.keyAt, `no row leads to \`${each.key}\``, `only a person gets there: \`bylaw state set ${rule.id}.phase ${each.key}\``);
    else if (keyOf(rule, 'until') === undefined && ways(table[each.key] ?? []).every((to) => to === each.key)) hint(world, 'dead-end-phase', each.keyAt, `no row leads on from \`${each.key}\``, 'give it a way on, or let `until` start again');
  }
  if (keyOf(rule, 'start') === undefined && entries(node).length > 0) hint(world, 'unknown-phase', keySpan(rule, 'phases'), `\`start\` is missing; the machine starts in \`${start}\``, `write \`start: ${start}\``);
}
