/** Definitions → core rules and facts. Each key of the language is a file in sugar/. */
import type { Fact, Home, Problem, Rule, Span } from '../model.ts';
import type { Core } from '../plan/build.ts';
import type { Definition, HomeSource } from './extend.ts';
import { factForm } from './facts.ts';
import { readTest, type Scene } from './matcher.ts';
import { mergeMaps, withoutNulls } from './merge.ts';
import { entry, get, isNull, text, toJson, type MapNode, type Node } from './node.ts';
import { ack } from './sugar/ack.ts';
import { counting } from './sugar/counting.ts';
import { factName, memoryOf, type Draft, type Key, type RuleSource } from './sugar/key.ts';
import { matching } from './sugar/matching.ts';
import { outcome } from './sugar/outcome.ts';
import { phases } from './sugar/phases.ts';
import { switches } from './sugar/switches.ts';
import { then } from './sugar/then.ts';
import { times } from './sugar/times.ts';
import { readLogic } from './texts.ts';
import type { World } from './world.ts';

/** `matching` first: the others ask for the events. `times` last: it asks for the cadence. */
export const KEYS: readonly Key[] = [matching, outcome, counting, phases, ack, then, switches, times];

/** A rule in the core, with the nodes it came from, for the checks. */
export interface Desugared {
  readonly source: RuleSource;
  readonly rule: Rule;
  readonly draft: Draft;
  /** A mistake was reported; what was left out of the core for it says nothing about the rule. */
  readonly faulty: boolean;
}

export interface CoreSources extends Core {
  readonly desugared: readonly Desugared[];
}

export type Line = (at: Span) => string;

export function desugar(world: World, main: HomeSource, line: Line, trusted: (home: HomeSource) => boolean): CoreSources {
  const { definitions } = world;
  const facts: Fact[] = [];
  for (const definition of definitions.facts.values()) {
    const form = factForm(definition, sceneOf(definition.home, world));
    if (form !== undefined) facts.push({ name: definition.name, home: definition.home.name, at: line(definition.keyAt), form });
  }
  const desugared = [...definitions.rules.values()].map((definition) => desugarRule(definition, world, line));
  for (const { rule, draft } of desugared) {
    for (const form of draft.facts) facts.push({ name: factName(rule, form), home: rule.home, at: rule.at, form });
  }
  facts.push(...askedCounts(desugared, facts, world), ...reportedCalls(world, line));
  return {
    rules: desugared.map(({ rule }) => rule),
    facts,
    lists: Object.fromEntries([...world.lists].map(([name, items]) => [name, items.map((item) => item.text)])),
    homes: [...definitions.homes.values()].map((home) => homeOf(home, world, trusted(home))),
    audit: text(get(main.source.root, 'audit')) === 'all' ? 'all' : 'said',
    desugared,
  };
}

export function sceneOf(home: HomeSource, world: World): Scene {
  const match = get(get(home.source.root, 'defaults'), 'match');
  return { world, prefix: home.prefix, ...(match?.kind === 'map' ? { defaults: match } : {}) };
}

function desugarRule(definition: Definition, outer: World, line: Line): Desugared {
  let faulty = false;
  const report = (problem: Problem): void => {
    faulty ||= problem.severity === 'error';
    outer.report(problem);
  };
  const world: World = { ...outer, report };
  const own: MapNode = definition.node.kind === 'map' ? definition.node : { kind: 'map', entries: [], at: definition.node.at };
  const source: RuleSource = { id: definition.name, definition, own, node: withoutNulls(withDefaults(own, definition.home)), scene: sceneOf(definition.home, world) };
  const draft: Draft = { on: [], match: [], unless: [], until: [], scope: 'session', says: [], cadence: { kind: 'always' }, then: [], onError: 'allow', facts: [] };
  for (const key of KEYS) key.expand(source, draft);
  return { source, draft, rule: coreRule(source, draft, line), faulty };
}

/** What the rule does not say; a key that was removed with null stays away. `match` is filled key by key, later. */
function withDefaults(own: MapNode, home: HomeSource): MapNode {
  const defaults = get(home.source.root, 'defaults');
  if (defaults?.kind !== 'map') return own;
  const missing = defaults.entries.filter(({ key }) => key !== 'match' && key !== 'unless' && entry(own, key) === undefined);
  return mergeMaps(own, { ...defaults, entries: missing });
}

function coreRule({ id, definition }: RuleSource, draft: Draft, line: Line): Rule {
  const { decision, says, cadence, why, instead, times: most } = draft;
  const { home } = definition;
  return {
    id,
    home: definition.home.name,
    at: line(definition.keyAt),
    on: draft.on,
    match: draft.match,
    unless: draft.unless,
    ...(draft.when === undefined ? {} : { when: draft.when }),
    until: draft.until,
    cadence,
    ...(decision === undefined ? {} : { speak: { decision, says, ...(why === undefined ? {} : { why }), ...(instead === undefined ? {} : { instead }), ...(most === undefined ? {} : { times: most }) } }),
    then: draft.then,
    ...(draft.attempts === undefined ? {} : { attempts: true }),
    ...(draft.label === undefined ? {} : { label: draft.label }),
    ...(draft.opaque === undefined ? {} : { opaque: draft.opaque }),
    onError: draft.onError,
    ...(draft.own === undefined || (home.off && draft.final !== true) ? {} : { own: draft.own }),
    level: definition.level,
    ...(draft.active === true || (draft.final === true && home.changed.active) ? { active: true } : {}),
    ...(draft.unbypassed === true || (draft.final === true && home.changed.bypass) ? { unbypassed: true } : {}),
    ...(draft.final === undefined ? {} : { final: true }),
  };
}

/** `<rule>.count` of a rule that counts nothing itself: its matches are counted because somebody asks. */
function askedCounts(desugared: readonly Desugared[], facts: readonly Fact[], world: World): readonly Fact[] {
  const have = new Set(facts.map((fact) => fact.name));
  const all = JSON.stringify([facts, desugared.map(({ rule }) => rule), [...world.definitions.homes.values()].map((home) => [home.active, home.bypass, get(home.source.root, 'report')])]);
  // Names stand between quotes or braces, and may have their pack's prefix before them.
  const asked = new Set([...all.matchAll(/[^"{}]+\.count(?=["}])/g)].map(([name]) => name.replace(/^\$/, '')));
  return desugared
    .filter(({ rule }) => !have.has(`${rule.id}.count`) && asked.has(`${rule.id}.count`))
    .map(({ rule, draft }) => ({
      name: `${rule.id}.count`,
      home: rule.home,
      at: rule.at,
      form: { kind: 'count', memory: memoryOf(draft), counted: { on: rule.on, match: rule.match, unless: rule.unless, ...(rule.when === undefined ? {} : { when: rule.when }) }, rule: rule.id },
    }));
}

/** A policy with a report counts the calls of those it is about, refused ones too. */
function reportedCalls({ definitions, ...world }: World, line: Line): readonly Fact[] {
  return [...definitions.homes.values()].flatMap((home): readonly Fact[] => {
    const report = get(home.source.root, 'report');
    if (report === undefined || get(report, 'calls') !== undefined) return [];
    const match = readTest(undefined, ['PreToolUse'], sceneOf(home, { definitions, ...world }));
    const form = { kind: 'count', memory: { scope: 'session', until: [] }, counted: { on: ['PreToolUse'], match, unless: [] }, attempts: true } as const;
    return [{ name: `${home.name}.calls`, home: home.name, at: line(report.at), form }];
  });
}

function homeOf(home: HomeSource, world: World, trusted: boolean): Home {
  const scene: Scene = { world, prefix: home.prefix };
  const { root, label } = home.source;
  const test = (node: Node | undefined): Home['active'] => (node === undefined ? [] : node.kind === 'scalar' ? (node.value === true ? [[]] : []) : readTest(node, [], scene));
  const report = get(root, 'report');
  const calls = readLogic(get(report, 'calls'), scene, reported);
  const score = readLogic(get(report, 'score'), scene, (name) => reported(name) || name === 'calls');
  const pass = get(report, 'pass');
  return {
    name: home.name,
    file: label,
    active: home.active === undefined || isNull(home.active) ? [[]] : test(home.active),
    bypass: test(home.bypass),
    onError: text(get(root, 'on-error')) === 'deny' ? 'deny' : 'allow',
    level: home.level,
    trusted,
    ...(report === undefined ? {} : { report: { ...(calls === undefined ? {} : { calls }), ...(score === undefined ? {} : { score }), ...(pass === undefined ? {} : { pass: Number(toJson(pass)) }) } }),
  };
}

/** Numbers that only a report knows. */
function reported(name: string): boolean {
  return ['denied', 'advised', 'asked'].includes(name);
}
