/** `bylaw show`: the merged rule as it is in force, with the origin of every key; or its core form. */
import type { Definition } from '../engine/load/extend.ts';
import type { Loaded } from '../engine/load/load.ts';
import { entries, toJson, type Entry, type Node } from '../engine/load/node.ts';
import { toYaml } from '../engine/load/parse.ts';
import { plural, positionOf } from '../engine/report/frame.ts';
import { didYouMean } from '../engine/report/suggest.ts';
import { loadNamed } from './check.ts';
import { Exit, paintFor, print } from './terminal.ts';

export interface ShowOptions {
  readonly core?: boolean;
  readonly json?: boolean;
  readonly project?: string;
}

export function show(id: string | undefined, options: ShowOptions): void {
  const { loaded } = loadNamed(options.project);
  const { definitions, core } = loaded;
  if (definitions === undefined || core === undefined) throw new Exit(2, 'the policy has errors; run `bylaw check`');
  if (id === undefined) return list(loaded, options);
  const definition = definitions.rules.get(id) ?? definitions.facts.get(id) ?? definitions.lists.get(id);
  if (definition === undefined) {
    const known = [...definitions.rules.keys(), ...definitions.facts.keys(), ...definitions.lists.keys()];
    throw new Exit(2, `there is no rule, fact or list ${id}; ${didYouMean(id, known) ?? '`bylaw show` lists them'}`);
  }
  if (options.core === true) return print(JSON.stringify({ rule: core.rules.find((rule) => rule.id === id), facts: core.facts.filter((fact) => fact.name === id || fact.name.startsWith(`${id}.`)) }, null, 2));
  if (options.json === true) return print(JSON.stringify({ name: id, home: definition.home.name, level: definition.level, chain: definition.chain, value: toJson(definition.node) }, null, 2));
  print(withOrigins(id, definition, loaded));
}

/** Every key with the file and line it comes from. */
function withOrigins(id: string, definition: Definition, { texts }: Loaded): string {
  const paint = paintFor(process.stdout);
  const lines: (readonly [string, string])[] = [[`${id}:`, placeOf(definition.keyAt.file, definition.keyAt.start)]];
  const walk = (entry: Entry, indent: number): void => {
    const pad = ' '.repeat(indent);
    const at = placeOf(entry.keyAt.file, entry.keyAt.start);
    if (entry.value.kind === 'map' && !isShort(entry.value)) {
      lines.push([`${pad}${entry.key}:`, at]);
      for (const each of entries(entry.value)) walk(each, indent + 2);
    } else {
      const [first = '', ...rest] = `${entry.key}: ${oneLine(entry.value)}`.split('\n');
      lines.push([`${pad}${first}`, at], ...rest.map((line) => [`${pad}  ${line}`, ''] as const));
    }
  };
  if (definition.node.kind === 'map') for (const each of definition.node.entries) walk(each, 2);
  else lines.push([`  ${oneLine(definition.node)}`, '']);
  const width = Math.min(60, Math.max(...lines.map(([text]) => text.length)));
  const level = definition.node.kind === 'map' ? `\nlevel ${definition.level} · declared in ${definition.home.name}${definition.chain.length > 1 ? ` · changed by ${definition.chain.slice(1).join(', ')}` : ''}` : '';
  return lines.map(([text, at]) => (at === '' ? text : `${text.padEnd(width)}  ${paint.dim(`# ${at}`)}`)).join('\n') + level;

  function placeOf(file: string, offset: number): string {
    return `${file}:${positionOf(texts.get(file) ?? '', offset).line}`;
  }
}

function isShort(node: Node): boolean {
  return oneLine(node).length <= 50 && !oneLine(node).includes('\n');
}

function oneLine(node: Node): string {
  return toYaml(toJson(node));
}

function list({ core, definitions }: Loaded, { json }: ShowOptions): void {
  const rules = core?.rules ?? [];
  if (json === true) return print(JSON.stringify({ rules, facts: core?.facts.map((fact) => fact.name), lists: core?.lists }, null, 2));
  const paint = paintFor(process.stdout);
  const width = Math.max(4, ...rules.map((rule) => rule.id.length));
  for (const rule of [...rules].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    print(`${rule.id.padEnd(width)}  ${(rule.speak?.decision ?? 'does').padEnd(6)}  ${(rule.own ?? rule.level).padEnd(8)}  ${paint.dim(rule.at)}`);
  }
  print(paint.dim(`\n${plural(rules.length, 'rule')}, ${plural(definitions?.facts.size ?? 0, 'fact')}, ${plural(definitions?.lists.size ?? 0, 'list')} · bylaw show <name> prints one with the origin of every key`));
}
