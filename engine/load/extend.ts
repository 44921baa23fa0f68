/** Sources → one set of definitions: packs left to right, the file's own on top. */
import { LEVELS, type Level, type Problem, type Span } from '../model.ts';
import { didYouMean } from '../report/suggest.ts';
import { edit, idleRemovals, isEdit, merge, sameJson } from './merge.ts';
import { formOf, hasForm } from './forms.ts';
import { entries, get, isNull, items, text, toJson, type Entry, type Node } from './node.ts';
import type { Source } from './source.ts';

/** A list, fact or rule after all overrides. */
export interface Definition {
  readonly name: string;
  readonly node: Node;
  readonly keyAt: Span;
  readonly home: HomeSource;
  /** Every file that contributed, the first declaration first. */
  readonly chain: readonly string[];
  /** The level where neither the rule nor a person names one. */
  readonly level: Level;
}

/** The file that first declared something, as it was brought in. */
export interface HomeSource {
  readonly name: string;
  readonly source: Source;
  readonly prefix: string;
  readonly level: Level;
  readonly active?: Node;
  readonly bypass?: Node;
  /** The entry that brought it in changed one of them; final rules do not follow. */
  readonly changed: { readonly active: boolean; readonly bypass: boolean };
  /** The entry that brought it in switched it off as a whole. */
  readonly off: boolean;
}

export interface Definitions {
  readonly lists: ReadonlyMap<string, Definition>;
  readonly facts: ReadonlyMap<string, Definition>;
  readonly rules: ReadonlyMap<string, Definition>;
  readonly homes: ReadonlyMap<string, HomeSource>;
}

type Section = 'lists' | 'facts' | 'rules';
const SECTIONS: readonly Section[] = ['lists', 'facts', 'rules'];
type Layer = Record<Section, Map<string, Definition>> & { homes: Map<string, HomeSource> };

interface Inherited {
  readonly entry?: Level;
  readonly file?: Level;
  readonly active?: Node;
  readonly bypass?: Node;
}

export function extend(main: Source, report: (problem: Problem) => void): Definitions {
  const names = policyNames(main);
  const conflicts = new Set<string>();
  return layer(main, '', {});

  function layer(source: Source, prefix: string, inherited: Inherited): Layer {
    const own = levelOf(get(source.root, 'level'));
    const file = inherited.file ?? own;
    const result: Layer = { lists: new Map(), facts: new Map(), rules: new Map(), homes: new Map() };
    for (const each of source.extends) {
      const level = levelOf(get(each.entry, 'level'));
      const active = get(each.entry, 'active');
      const bypass = get(each.entry, 'bypass');
      join(result, layer(each.source, prefix + each.prefix, {
        ...(inherited.entry ?? level ? { entry: inherited.entry ?? level ?? 'strict' } : {}),
        ...(file === undefined ? {} : { file }),
        ...(active === undefined ? {} : { active }),
        ...(bypass === undefined ? {} : { bypass }),
      }));
    }
    const active = inherited.active ?? get(source.root, 'active');
    const bypass = inherited.bypass ?? get(source.root, 'bypass');
    const home: HomeSource = {
      name: prefix + (names.get(source) ?? source.label),
      source,
      prefix,
      level: inherited.entry ?? file ?? 'strict',
      off: inherited.entry === 'disabled',
      changed: { active: inherited.active !== undefined, bypass: inherited.bypass !== undefined },
      ...(active === undefined ? {} : { active }),
      ...(bypass === undefined ? {} : { bypass }),
    };
    result.homes.set(home.name, home);
    for (const section of SECTIONS) for (const each of entries(get(source.root, section))) put(result, section, each, home);
    return result;
  }

  /** Beside each other: equal definitions are one, an override beats what it overrides, anything else is a conflict. */
  function join(into: Layer, from: Layer): void {
    for (const [name, home] of from.homes) into.homes.set(name, stricterHome(into.homes.get(name), home));
    for (const section of SECTIONS) {
      for (const [name, definition] of from[section]) {
        const other = into[section].get(name);
        into[section].set(name, other === undefined ? definition : choose(other, definition, section));
      }
    }
  }

  function choose(a: Definition, b: Definition, section: Section): Definition {
    const level = stricter(a.level, b.level);
    if (isPrefix(a.chain, b.chain)) return { ...b, level };
    if (isPrefix(b.chain, a.chain) || sameJson(a.node, b.node)) return { ...a, level };
    const key = `${section} ${a.name}`;
    if (!conflicts.has(key)) {
      conflicts.add(key);
      const [first, second] = a.home.name < b.home.name ? [a, b] : [b, a];
      report({
        code: 'conflicting-definitions', severity: 'error', at: second.keyAt,
        message: `${section.slice(0, -1)} \`${a.name}\` is defined differently by \`${first.home.name}\` and \`${second.home.name}\``,
        help: `bring one of them in under another name: { pack: …, as: x }`,
        also: { at: first.keyAt, note: 'the other definition' },
      });
    }
    return a;
  }

  function put(into: Layer, section: Section, each: Entry, home: HomeSource): void {
    const name = scoped(home.prefix, each.key, (full) => into[section].has(full));
    const old = into[section].get(name);
    if (old === undefined) return declare(into, section, { ...each, key: name }, home);
    if (section === 'rules' && isFinal(old)) return reportFinal(old, each);
    if (isNull(each.value)) return void into[section].delete(name);
    const over = section === 'rules' ? asRule(each.value) : each.value;
    reportIdleRemovals(old.node, over);
    if (section === 'rules') hintNarrower(old.node, over, each);
    // A fact of another form replaces it; keys without a form change the one it has.
    const node = section === 'facts' && hasForm(over) && formOf(old.node) !== formOf(over) ? over : merge(old.node, over);
    into[section].set(name, { ...old, node, chain: [...old.chain, home.name] });
  }

  function declare(into: Layer, section: Section, each: Entry, home: HomeSource): void {
    const { key: name, keyAt, value } = each;
    if (isNull(value) || (section === 'rules' && text(value) !== undefined)) {
      const help = didYouMean(name, into[section].keys());
      report({ code: section === 'rules' ? 'unknown-rule' : section === 'lists' ? 'unknown-list' : 'unknown-fact', severity: 'error', at: keyAt, message: `there is no ${section.slice(0, -1)} \`${name}\` to change`, ...(help === undefined ? {} : { help }) });
      return;
    }
    if (isEdit(value)) {
      const help = didYouMean(name, into[section].keys());
      report({ code: 'unknown-list', severity: 'error', at: keyAt, message: `there is no list \`${name}\` to edit`, help: help ?? 'write the list out, or extend the pack that has it' });
    }
    // Files that extend a final rule do not soften it.
    const level = section === 'rules' && isFinal({ node: value, home }) ? (levelOf(get(home.source.root, 'level')) ?? 'strict') : home.level;
    into[section].set(name, { name, node: isEdit(value) ? edit(undefined, value) : value, keyAt, home, chain: [home.name], level });
  }

  function reportFinal(old: Definition, each: Entry): void {
    report({ code: 'final-rule', severity: 'error', at: each.keyAt, message: `rule \`${old.name}\` is final`, help: `it is declared in \`${old.home.name}\` and can not be changed here`, also: { at: old.keyAt, note: 'declared here' } });
  }

  function reportIdleRemovals(old: Node, over: Node): void {
    if (isEdit(over)) {
      for (const node of idleRemovals(old, over)) {
        const known = items(old).flatMap((item) => (item.kind === 'scalar' ? [String(item.value)] : []));
        const help = (node.kind === 'scalar' ? didYouMean(String(node.value), known) : undefined) ?? 'it is removed as it is written there, word for word';
        report({ code: 'unknown-word', severity: 'error', at: node.at, message: `there is no ${node.kind === 'scalar' ? `\`${String(node.value)}\`` : 'such entry'} to remove`, help });
      }
    } else if (old.kind === 'map' && over.kind === 'map') {
      for (const each of over.entries) {
        const before = get(old, each.key);
        if (before !== undefined) reportIdleRemovals(before, each.value);
      }
    }
  }

  function hintNarrower(old: Node, over: Node, each: Entry): void {
    const before = get(old, 'unless');
    const after = get(over, 'unless');
    if (before?.kind !== 'map' || after?.kind !== 'map' || isEdit(after)) return;
    const added = after.entries.find((one) => get(before, one.key) === undefined);
    if (added === undefined) return;
    report({ code: 'narrower-unless', severity: 'hint', at: added.keyAt, message: `the exception of \`${each.key}\` now also needs \`${added.key}\``, help: 'to add an exception write `unless: { add: [{ … }] }`' });
  }
}

/** `guidance` alone is `{level: guidance}`. */
function asRule(node: Node): Node {
  if (text(node) === undefined) return node;
  const level: Entry = { key: 'level', keyAt: node.at, value: node };
  return { kind: 'map', entries: [level], at: node.at };
}

/** The name as this scope sees it: the longest prefix under which it exists, else the scope's own. */
export function scoped(prefix: string, name: string, exists: (full: string) => boolean): string {
  const parts = prefix.split('/').slice(0, -1);
  for (let length = parts.length; length >= 0; length--) {
    const full = [...parts.slice(0, length), name].join('/');
    if (exists(full)) return full;
  }
  return prefix + name;
}

/** Said by the rule, or by the defaults of its file. */
function isFinal({ node, home }: Pick<Definition, 'node' | 'home'>): boolean {
  const final = get(node, 'final') ?? get(get(home.source.root, 'defaults'), 'final');
  return final?.kind === 'scalar' && final.value === true;
}

function levelOf(node: Node | undefined): Level | undefined {
  return LEVELS.find((level) => level === text(node));
}

function stricter(a: Level, b: Level): Level {
  return LEVELS.indexOf(a) <= LEVELS.indexOf(b) ? a : b;
}

function stricterHome(a: HomeSource | undefined, b: HomeSource): HomeSource {
  if (a === undefined) return b;
  // Brought in twice: on where one of them is on, off only where both are, softened only as both say.
  const { active: _, bypass: __, ...rest } = a;
  const active = a.active === undefined || b.active === undefined ? undefined : joined(a.active, b.active);
  const bypass = a.bypass !== undefined && b.bypass !== undefined && sameJson(a.bypass, b.bypass) ? a.bypass : undefined;
  return {
    ...rest,
    level: stricter(a.level, b.level),
    off: a.off && b.off,
    changed: { active: a.changed.active || b.changed.active, bypass: a.changed.bypass || b.changed.bypass },
    ...(active === undefined ? {} : { active }),
    ...(bypass === undefined ? {} : { bypass }),
  };
}

/** Either; `true` is always. */
function joined(a: Node, b: Node): Node {
  if (a.kind === 'scalar' || b.kind === 'scalar') return a.kind === 'scalar' ? a : b;
  const all = [...items(a), ...items(b)].map((node) => ({ node, key: JSON.stringify(toJson(node)) }));
  return { kind: 'list', items: all.sort((x, y) => (x.key < y.key ? -1 : 1)).map(({ node }) => node), at: a.at };
}

function isPrefix(a: readonly string[], b: readonly string[]): boolean {
  return a.length <= b.length && a.every((name, index) => name === b[index]);
}

/** A policy is called after its file; files of one name are called by their labels. */
function policyNames(main: Source): ReadonlyMap<Source, string> {
  const all = new Set<Source>();
  const visit = (source: Source): void => {
    if (all.has(source)) return;
    all.add(source);
    source.extends.forEach((each) => visit(each.source));
  };
  visit(main);
  const stem = (source: Source): string => source.label.replace(/^bylaw:/, '').replace(/^.*\//, '').replace(/\.ya?ml$/, '');
  return new Map([...all].map((source) => [source, [...all].some((other) => other !== source && stem(other) === stem(source)) ? source.label : stem(source)]));
}

