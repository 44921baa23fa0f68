/** A declared fact → its core form. */
import { SCOPES, type Form, type Scope, type Test } from '../model.ts';
import type { Definition } from './extend.ts';
import { FACT_KEYS, formOf } from './forms.ts';
import { checkRegex, isTrue, patternsOf, readTest, readTriggers, type Scene } from './matcher.ts';
import { entries, get, isNull, items, text, toJson, type Node } from './node.ts';
import { countForm } from './sugar/counting.ts';
import { readLogic, readTerm, readText } from './texts.ts';
import { duration, eventNames, factNamed, meaningOf, report } from './world.ts';

const TIMEOUT = 30_000;

/** Undefined if a problem was reported instead. */
export function factForm(definition: Definition, scene: Scene): Form | undefined {
  const { node } = definition;
  if (!checkKeys(definition, scene)) return undefined;
  const { defaults: _, ...bare } = scene;
  const named = (name: string): string | undefined => {
    const at = get(node, name);
    return at === undefined ? undefined : factNamed(text(at) ?? '', at.at, scene.prefix, scene.world);
  };
  switch (formOf(node)) {
    case 'count':
      return count(node, scene);
    case 'first':
      return { kind: 'first', entries: items(get(node, 'first')).map((each) => firstEntry(each, bare)) };
    case 'regex': {
      const regex = get(node, 'regex');
      const pattern = text(regex) ?? '';
      if (regex === undefined || !checkRegex(pattern, regex.at, scene.world)) return undefined;
      const of = named('of');
      return of === undefined ? undefined : { kind: 'regex', regex: pattern, of, ...(isTrue(get(node, 'any-case')) ? { anyCase: true } : {}) };
    }
    case 'option':
      return { kind: 'option', options: items(get(node, 'option')).map((each) => text(each) ?? ''), of: text(get(node, 'of')) ?? '' };
    case 'rows':
      return rows(node, bare);
    case 'since': {
      const of = named('since');
      return of === undefined ? undefined : { kind: 'since', of };
    }
    case 'text':
    case 'json': {
      const kind = get(node, 'text') === undefined ? 'json' : 'text';
      const otherwise = get(node, 'else');
      return { kind, paths: texts(get(node, kind), bare), ...(otherwise === undefined ? {} : { else: toJson(otherwise) }) };
    }
    case 'exists': {
      const older = text(get(node, 'older'));
      return { kind: 'exists', globs: texts(get(node, 'exists'), bare), ...(older === undefined ? {} : { older: duration(older) }) };
    }
    case 'run': {
      const timeout = text(get(node, 'timeout'));
      return { kind: 'run', command: texts(get(node, 'run'), bare), timeout: timeout === undefined ? TIMEOUT : duration(timeout) };
    }
    default: {
      const last = get(node, 'last');
      const keep = text(get(node, 'keep'));
      return {
        kind: 'remembered',
        memory: { scope: scopeOf(node), until: [] },
        ...(last?.kind === 'scalar' ? { last: Number(last.value) } : {}),
        ...(keep === undefined ? {} : { keep: duration(keep) }),
      };
    }
  }
}

/** After all overrides, its keys must fit its form. */
function checkKeys({ name, node, keyAt }: Definition, { world }: Scene): boolean {
  const form = formOf(node);
  const allowed = FACT_KEYS[form] ?? [];
  const strange = entries(node).filter(({ key, value }) => !allowed.includes(key) && !isNull(value));
  const bare = form === 'remembered' && get(node, 'scope') === undefined;
  for (const { key, keyAt: at } of bare ? [] : strange) report(world, 'unknown-key', at, `fact \`${name}\` is of the form \`${form}\`, which has no key \`${key}\``, `its keys: ${allowed.join(', ')}`);
  if (bare) report(world, 'missing-key', keyAt, `fact \`${name}\` needs the key \`scope\``, strange.length > 0 ? `or the key of another form: ${Object.keys(FACT_KEYS).slice(1).join(', ')}` : 'say how long it is remembered: `scope: session`');
  return !bare && strange.length === 0;
}

export function scopeOf(node: Node): Scope {
  return SCOPES.find((scope) => scope === text(get(node, 'scope'))) ?? 'session';
}

function count(node: Node, scene: Scene): Form {
  const what = get(node, 'count');
  const alternatives = items(what);
  const on = [...new Set(alternatives.flatMap((each) => (get(each, 'event') === undefined ? ['PreToolUse'] : eventNames(items(get(each, 'event')), scene.world))))];
  const { triggers, idle } = readTriggers(get(node, 'until'), scene);
  const memory = { scope: scopeOf(node), until: triggers, ...(idle === undefined ? {} : { idle }) };
  return countForm(node, { on, match: countedTest(alternatives, on, scene), unless: [] }, memory, scene);
}

/** Alternatives may be about different events, so each keeps its own. */
function countedTest(alternatives: readonly Node[], on: readonly string[], scene: Scene): Test {
  return alternatives.flatMap((each) => {
    const named = get(each, 'event');
    const events = named === undefined ? ['PreToolUse'] : items(named).map((node) => text(node) ?? '');
    const without: Node = { kind: 'map', entries: entries(each).filter(({ key }) => key !== 'event'), at: each.at };
    const test = readTest(without, events, scene);
    return on.length === 1 ? test : test.map((matcher) => [...matcher, { fact: 'event', values: events.map((glob) => ({ is: 'glob' as const, glob })) }]);
  });
}

function firstEntry(each: Node, scene: Scene): Extract<Form, { kind: 'first' }>['entries'][number] {
  const is = get(each, 'is');
  return { match: readTest(get(each, 'match'), [], scene), is: is === undefined ? { is: 'value', value: true } : readTerm(is, scene) };
}

/** Keys of `match` and variables of `when` are fields of the rows first. */
function rows(node: Node, scene: Scene): Form | undefined {
  const sources = items(get(node, 'rows')).flatMap((each) => {
    const name = text(each) ?? '';
    const base = name.includes('.') ? name.slice(0, name.indexOf('.')) : name;
    const full = factNamed(base, each.at, scene.prefix, scene.world);
    return full === undefined ? [] : [full + name.slice(base.length)];
  });
  const match: Test = get(node, 'match') === undefined ? [[]] : items(get(node, 'match')).map((each) =>
    entries(each).filter(({ key }) => key !== 'any-case').map((field) => ({
      fact: field.key,
      values: items(field.value).flatMap((value) => patternsOf(value, 'field', false, scene)),
      ...(isTrue(get(each, 'any-case')) ? { anyCase: true as const } : {}),
    })),
  );
  const when = readLogic(get(node, 'when'), scene, (name) => meaningOf(name, scene.prefix, scene.world)?.is !== 'fact');
  return { kind: 'rows', rows: sources, match, ...(when === undefined ? {} : { when }), take: text(get(node, 'take')) ?? '' };
}

/** Paths, globs or words of a command; `$list` stands for its entries. */
function texts(node: Node | undefined, scene: Scene): readonly string[] {
  return items(node).flatMap((each) => {
    const word = text(each);
    if (word?.startsWith('$') !== true) return readText(each, [], scene) ?? [];
    const meaning = meaningOf(word.slice(1), scene.prefix, scene.world);
    if (meaning?.is === 'list') return meaning.items.map((item) => item.text);
    report(scene.world, 'unknown-list', each.at, `there is no list \`${word.slice(1)}\``);
    return [];
  });
}

