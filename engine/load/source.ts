/** Files of a project, and all that they extend → parsed sources. */
import type { Problem, Span } from '../model.ts';
import type { Code } from '../report/codes.ts';
import { didYouMean } from '../report/suggest.ts';
import { get, items, text, type MapNode, type Node } from './node.ts';
import { parse } from './parse.ts';
import type { Reader } from './read.ts';
import { validate, type Schema } from './validate.ts';

/** One policy file. */
export interface Source {
  /** Absolute path. */
  readonly file: string;
  /** As people see it: relative to the project, or `bylaw:pack`. */
  readonly label: string;
  readonly root: MapNode;
  readonly shipped: boolean;
  readonly extends: readonly Extension[];
}

export interface Extension {
  readonly source: Source;
  /** `x/` before the pack's names, or empty. */
  readonly prefix: string;
  /** The entry, where it says more than the pack's name. */
  readonly entry?: MapNode;
}

export interface Gathered {
  readonly main?: Source;
  readonly problems: readonly Problem[];
  /** Texts by label, for code frames. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface Project {
  readonly main: string;
  /** Files that are part of it without being named. */
  readonly parts: readonly string[];
  readonly label: (file: string) => string;
  /** The pack that comes with any other shipped one, unless the main file names it itself. */
  readonly guard?: string;
}

/** A shipped pack that judges, however it was reached. */
function bringsRules(source: Source): boolean {
  return (source.shipped && get(source.root, 'rules') !== undefined) || source.extends.some((each) => bringsRules(each.source));
}

const HELP = {
  'missing-file': 'a policy is a file such as `bylaw.yaml`',
  'too-large': 'split it; every file in `policies/` is read too',
  'not-utf-8': 'save it as UTF-8',
} as const;

/** stages read, parse and validate, following `extends` */
export function gather(project: Project, reader: Reader, schema: Schema): Gathered {
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  const done = new Map<string, Source | undefined>();
  const report = (code: Code, at: Span, message: string, help?: string): void => {
    problems.push({ code, severity: 'error', at, message, ...(help === undefined ? {} : { help }) });
  };

  const open = (file: string, label: string, shipped: boolean, stack: readonly string[], from: Span, parts: readonly string[]): Source | undefined => {
    if (done.has(file)) return done.get(file);
    const read = reader.read(file);
    if ('fault' in read) {
      texts.set(label, texts.get(label) ?? '');
      report(read.fault, from, `\`${label}\` can not be read: ${read.why}`, HELP[read.fault]);
      done.set(file, undefined);
      return undefined;
    }
    texts.set(label, read.text);
    const parsed = parse(label, read.text);
    problems.push(...parsed.problems);
    const faults = parsed.root === undefined || parsed.problems.length > 0 ? [] : validate(parsed.root, schema);
    problems.push(...faults);
    if (parsed.root === undefined) {
      done.set(file, undefined);
      return undefined;
    }
    const found: Extension[] = [];
    for (const node of items(get(parsed.root, 'extends'))) {
      const source = follow(node, file, [...stack, file]);
      if (source !== undefined) found.push(source);
    }
    for (const part of parts) {
      const source = open(part, project.label(part), false, [...stack, file], parsed.root.at, []);
      if (source !== undefined && !found.some((each) => each.source === source)) found.push({ source, prefix: '' });
    }
    if (file === project.main && project.guard !== undefined && found.some((each) => bringsRules(each.source)) && !found.some((each) => each.source.label === project.guard)) {
      const guard = reader.locate(project.guard, file);
      const source = guard === undefined ? undefined : open(guard, project.guard, true, [...stack, file], parsed.root.at, []);
      if (source !== undefined) found.push({ source, prefix: '' });
    }
    const source: Source = { file, label, root: parsed.root, shipped, extends: found };
    done.set(file, source);
    return source;
  };

  const follow = (node: Node, from: string, stack: readonly string[]): Extension | undefined => {
    const nameNode = node.kind === 'map' ? get(node, 'pack') : node;
    const name = text(nameNode);
    if (name === undefined || nameNode === undefined) return undefined;
    const packs = reader.packs();
    if (!/^(bylaw:|\.\.?\/)/.test(name) && !/\.ya?ml$/.test(name)) {
      const help = packs.includes(name) ? `did you mean \`bylaw:${name}\`?` : 'write `bylaw:<pack>` or a relative path such as `./packs/team.yaml`';
      report('unsupported-source', nameNode.at, `\`${name}\` is neither a shipped pack nor a path`, help);
      return undefined;
    }
    const file = reader.locate(name, from);
    if (file === undefined) {
      const help = name.startsWith('bylaw:') ? (didYouMean(name, packs.map((pack) => `bylaw:${pack}`)) ?? `shipped packs: ${packs.join(', ')}`) : 'the path starts at the folder of this file';
      report('missing-pack', nameNode.at, `there is no pack \`${name}\``, help);
      return undefined;
    }
    if (stack.includes(file)) {
      report('extends-cycle', nameNode.at, `\`${name}\` extends this file again`, `remove one of the \`extends\``);
      return undefined;
    }
    const shipped = name.startsWith('bylaw:') || packs.some((pack) => reader.locate(`bylaw:${pack}`, from) === file);
    const source = open(file, name.startsWith('bylaw:') ? name : project.label(file), shipped, stack, nameNode.at, []);
    if (source === undefined) return undefined;
    const as = text(get(node, 'as'));
    return { source, prefix: as === undefined ? '' : `${as}/`, ...(node.kind === 'map' ? { entry: node } : {}) };
  };

  const label = project.label(project.main);
  const main = open(project.main, label, false, [], { file: label, start: 0, end: 0 }, project.parts);
  return { ...(main === undefined ? {} : { main }), problems, texts };
}
