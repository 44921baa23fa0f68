/** Texts and stored values of a policy: placeholders checked, references resolved. */
import { placeholders } from '../judge/fill.ts';
import { logicFaults, regexesOf, variables } from '../judge/logic.ts';
import type { Json, Logic, Term } from '../model.ts';
import { didYouMean, nearest } from '../report/suggest.ts';
import { OPERATORS } from '../judge/logic.ts';
import { entries, nodeAt, text, toJson, type Node } from './node.ts';
import { checkRegex, type Scene } from './matcher.ts';
import { factNamed, factNames, hint, meaningOf, report } from './world.ts';

/** Characters that the client still shows whole. */
const LONGEST = 10_000;

/** A text for people: one that a comment cuts short was probably meant to go on. */
export function readMessage(node: Node | undefined, own: readonly string[], scene: Scene): string | undefined {
  if (node?.kind === 'scalar' && node.cut === true) hint(scene.world, 'cut-text', { ...node.at, start: node.at.end, end: node.at.end + 2 }, 'the text ends here: ` #` begins a comment', 'quote the text if it should go on');
  return readText(node, own, scene);
}

/** A text with placeholders; `own` are the words that only this rule can fill. Names are made full. */
export function readText(node: Node | undefined, own: readonly string[], scene: Scene): string | undefined {
  const written = text(node) ?? (node?.kind === 'scalar' && node.value !== null ? String(node.value) : undefined);
  if (written === undefined || node === undefined) return undefined;
  const { world } = scene;
  if (written.length > LONGEST) report(world, 'long-text', node.at, `the text has ${written.length} characters, the client shows ${LONGEST}`, 'shorten it; a long guide goes into a file that the text names');
  let full = written;
  for (const name of new Set(placeholders(written))) {
    if (own.includes(name)) continue;
    const meaning = meaningOf(name, scene.prefix, world);
    if (meaning === undefined) reportPlaceholder(name, node, own, scene);
    else if (meaning.is === 'fact' && meaning.name !== name) full = full.replaceAll(`{${name}}`, `{${meaning.name}}`);
    else if (meaning.is === 'list') full = full.replaceAll(`{${name}}`, meaning.items.map((item) => item.text).join(', '));
  }
  return full;
}

const OWN: Readonly<Record<string, string>> = {
  count: 'the rule counts nothing: it has no `limit` and no counted texts',
  limit: 'the rule has no `limit`',
  phase: 'the rule has no `phases`; another rule\'s phase is `{rule-id.phase}`',
  allowed: 'the rule has no `phases`',
  token: 'the rule has no `ack`',
  random: 'only `ack` uses chance',
};

function reportPlaceholder(name: string, node: Node, own: readonly string[], { world }: Scene): void {
  const offset = (world.texts.get(node.at.file) ?? '').slice(node.at.start, node.at.end).indexOf(`{${name}}`);
  const start = node.at.start + offset;
  const at = offset < 0 ? { ...node.at, end: node.at.start + 1 } : { ...node.at, start, end: start + name.length + 2 };
  const help = Object.hasOwn(OWN, name) ? OWN[name] : (didYouMean(name, [...own, ...factNames(world), ...world.lists.keys()]) ?? `to print braces write \`{{${name}}}\``);
  report(world, 'unknown-placeholder', at, `nothing is called \`${name}\``, help);
}

/** A value that is stored: `$fact`, a text with placeholders, or itself. */
export function readTerm(node: Node, scene: Scene): Term {
  const word = text(node);
  if (word?.startsWith('$') === true) {
    const meaning = meaningOf(word.slice(1), scene.prefix, scene.world);
    if (meaning?.is === 'list') return { is: 'value', value: meaning.items.map((item) => item.text) };
    const fact = factNamed(word.slice(1), node.at, scene.prefix, scene.world);
    return fact === undefined ? { is: 'value', value: null } : { is: 'fact', fact };
  }
  if (word !== undefined && placeholders(word).length > 0) return { is: 'text', text: readText(node, [], scene) ?? '' };
  return { is: 'value', value: toJson(node) };
}

/** JsonLogic with its faults reported and its variables made full; `local` names are not facts. */
export function readLogic(node: Node | undefined, scene: Scene, local?: (name: string) => boolean): Logic | undefined {
  if (node === undefined) return undefined;
  const logic = toJson(node);
  const { world } = scene;
  const faults = logicFaults(logic);
  for (const fault of faults) {
    const found = nodeAt(node, fault.kind === 'unknown-operator' ? fault.path.slice(0, -1) : fault.path);
    const key = entries(found)[0]?.keyAt ?? found.at;
    switch (fault.kind) {
      case 'unknown-operator':
        report(world, 'unknown-operator', entries(found).find((each) => each.key === fault.operator)?.keyAt ?? key, `there is no operator \`${fault.operator}\``, nearest(fault.operator, OPERATORS) === undefined ? `operators: ${OPERATORS.join(' ')}` : didYouMean(fault.operator, OPERATORS));
        break;
      case 'several-operators':
        report(world, 'several-operators', entries(found)[1]?.keyAt ?? { ...found.at, end: found.at.start + 1 }, fault.operators.length === 0 ? 'an empty object is no logic' : `one object has the operators ${fault.operators.map((name) => `\`${name}\``).join(' and ')}`, 'join them: { and: [ …, … ] }');
        break;
      case 'forbidden-name':
        report(world, 'unsafe-name', found.at, `\`${fault.name}\` is not a fact`, 'such names belong to JavaScript, not to the event');
        break;
      case 'dynamic-name':
        report(world, 'unsafe-name', found.at, 'the name of a fact can not be computed', 'write it out: { var: name }');
        break;
      case 'dynamic-pattern':
        report(world, 'bad-regex', found.at, `the pattern of \`${fault.operator}\` is written out`, `write { ${fault.operator}: [{ var: … }, '…'] }`);
        break;
      case 'too-deep':
        report(world, 'too-deep', { ...found.at, end: found.at.start + 1 }, 'the logic is nested more than 32 levels deep', 'split it into several rules or facts');
    }
  }
  if (faults.length > 0) return undefined;
  for (const { regex, path } of regexesOf(logic)) checkRegex(regex, nodeAt(node, path).at, world);
  const names = new Map<string, string>();
  for (const { fact, path } of variables(logic)) {
    if (fact === '' || local?.(fact) === true) continue;
    const full = factNamed(fact, nodeAt(node, path).at, scene.prefix, world);
    if (full !== undefined) names.set(fact, full);
  }
  return rename(logic, names);
}

function rename(logic: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(logic)) return logic.map((item: Json) => rename(item, names));
  if (typeof logic !== 'object' || logic === null) return logic;
  return Object.fromEntries(
    Object.entries(logic).map(([operator, args]: [string, Json]): [string, Json] => {
      if (operator !== 'var') return [operator, rename(args, names)];
      if (Array.isArray(args)) return [operator, args.map((item: Json, index) => (index === 0 && typeof item === 'string' ? (names.get(item) ?? item) : item))];
      return [operator, typeof args === 'string' ? (names.get(args) ?? args) : args];
    }),
  );
}
