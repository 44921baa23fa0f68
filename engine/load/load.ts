/** Policy files → core rules and facts, or every problem at once. The stages, in order. */
import type { Problem } from '../model.ts';
import { positionOf } from '../report/frame.ts';
import { check } from './check.ts';
import { desugar, type CoreSources } from './desugar.ts';
import { extend, type Definitions, type HomeSource } from './extend.ts';
import { expandLists } from './lists.ts';
import type { Reader } from './read.ts';
import { gather, type Project } from './source.ts';
import type { Schema } from './validate.ts';
import type { World } from './world.ts';

export interface Loaded {
  /** Absent if there is an error. */
  readonly core?: CoreSources;
  readonly definitions?: Definitions;
  readonly world?: World;
  readonly problems: readonly Problem[];
  readonly texts: ReadonlyMap<string, string>;
}

export interface LoadOptions {
  readonly reader: Reader;
  readonly schema: Schema;
  /** Whether a person trusts a policy file; shipped packs always are. */
  readonly trusts: (file: string) => boolean;
  readonly regexFault?: World['regexFault'];
}

export function load(project: Project, { reader, schema, trusts, regexFault }: LoadOptions): Loaded {
  // read · parse · validate
  const { main, problems: found, texts } = gather(project, reader, schema);
  const problems: Problem[] = [...found];
  if (main === undefined || isBroken(problems)) return { problems: sorted(problems), texts };
  const report = (problem: Problem): void => void problems.push(problem);

  // extend
  const definitions = extend(main, report);

  // lists
  const world: World = { definitions, lists: expandLists(definitions, report), texts, report, ...(regexFault === undefined ? {} : { regexFault }) };

  // desugar
  const trusted = ({ source }: HomeSource): boolean => source.shipped || trusts(source.file);
  const home = [...definitions.homes.values()].find((each) => each.source === main);
  if (home === undefined) throw new Error('the main file has no home');
  const core = desugar(world, home, (at) => `${at.file}:${positionOf(texts.get(at.file) ?? '', at.start).line}`, trusted);

  // check
  check(core, world, trusted);

  const all = sorted(problems.filter((problem) => problem.severity === 'error' || !isShipped(problem, definitions)));
  return { ...(isBroken(all) ? {} : { core }), definitions, world, problems: all, texts };
}

function isBroken(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

/** Hints are for the people who can follow them. */
function isShipped(problem: Problem, { homes }: Definitions): boolean {
  return [...homes.values()].some((home) => home.source.shipped && home.source.label === problem.at.file);
}

function sorted(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems
    .filter((problem) => {
      const key = `${problem.code} ${problem.at.file} ${problem.at.start} ${problem.message}`;
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => (a.at.file === b.at.file ? a.at.start - b.at.start || (a.code < b.code ? -1 : 1) : a.at.file < b.at.file ? -1 : 1));
}
