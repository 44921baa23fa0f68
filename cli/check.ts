/** `bylaw check`: every mistake in the policies, explained. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Problem } from '../engine/model.ts';
import type { Loaded } from '../engine/load/load.ts';
import type { World } from '../engine/load/world.ts';
import { loadProject, readSchema } from '../engine/plan/compile.ts';
import { cacheFile, readCache } from '../engine/plan/cache.ts';
import { countProblems, plural, positionOf, printProblem } from '../engine/report/frame.ts';
import { findProject } from '../hooks/project.ts';
import { regexChecker } from './regexes.ts';
import { teamSchema } from './team-schema.ts';
import { Exit, paintFor, print } from './terminal.ts';

export interface CheckOptions {
  readonly format?: 'text' | 'json' | 'github';
  readonly json?: boolean;
  readonly schema?: string | true;
}

export async function check(path: string | undefined, options: CheckOptions): Promise<void> {
  const { loaded, folder } = loadNamed(path, await regexChecker());
  const errors = loaded.problems.filter((problem) => problem.severity === 'error');
  const format = options.json === true ? 'json' : (options.format ?? 'text');
  if (format === 'json') print(JSON.stringify({ ok: errors.length === 0, rules: loaded.core?.rules.length ?? 0, problems: loaded.problems.map((problem) => jsonProblem(problem, loaded)) }, null, 2));
  else if (format === 'github') for (const problem of loaded.problems) print(githubProblem(problem, loaded));
  else printText(loaded, path !== undefined && statSync(resolve(path)).isFile() ? undefined : errors.every((problem) => problem.code === 'slow-regex') ? 'in force all the same, under a time limit' : readCache(cacheFile(folder, process.env))?.plan === undefined ? 'no rule is in force' : 'the last good plan stays in use');
  if (errors.length > 0) throw new Exit(2);
  if (options.schema !== undefined) {
    const file = options.schema === true ? join(folder, '.bylaw.schema.json') : resolve(options.schema);
    writeFileSync(file, `${JSON.stringify(teamSchema(readSchema(), loaded), null, 2)}\n`);
    if (format === 'text') print(`wrote ${file}; name it in the first line of your policies:\n# yaml-language-server: $schema=${file}`);
  }
}

/** A project folder, a single policy file, or the project around the present folder. */
export function loadNamed(path: string | undefined, regexFault?: World['regexFault']): { readonly loaded: Loaded; readonly folder: string } {
  const more = regexFault === undefined ? {} : { regexFault };
  const named = path === undefined ? undefined : resolve(path);
  if (named !== undefined && !existsSync(named)) throw new Exit(2, `there is no file or folder ${path}`);
  if (named !== undefined && !statSync(named).isDirectory()) return { loaded: loadProject(process.cwd(), process.env, named, more), folder: process.cwd() };
  const folder = named ?? findProject([process.cwd()]);
  if (folder === undefined || !existsSync(join(folder, 'bylaw.yaml'))) throw new Exit(2, `there is no bylaw.yaml ${named === undefined ? 'here or above' : `in ${path}`}`);
  return { loaded: loadProject(folder, process.env, undefined, more), folder };
}

function printText(loaded: Loaded, inForce: string | undefined): void {
  const paint = paintFor(process.stdout);
  for (const problem of loaded.problems) print(`${printProblem(problem, loaded.texts, paint)}\n`);
  if (loaded.core === undefined) print(`${paint.bad('✗')} ${countProblems(loaded.problems)}${inForce === undefined ? '' : ` · ${inForce}`}`);
  else {
    const rules = plural(loaded.core.rules.length, 'rule');
    const files = plural(loaded.texts.size, 'file');
    print(`${paint.good('✓')} ${rules} in ${files}${loaded.problems.length > 0 ? ` · ${countProblems(loaded.problems)}` : ''}`);
  }
}

function jsonProblem(problem: Problem, { texts }: Loaded): unknown {
  const text = texts.get(problem.at.file) ?? '';
  return { code: problem.code, severity: problem.severity, file: problem.at.file, ...positionOf(text, problem.at.start), end: positionOf(text, problem.at.end), message: problem.message, help: problem.help };
}

function githubProblem(problem: Problem, { texts }: Loaded): string {
  const { line, column } = positionOf(texts.get(problem.at.file) ?? '', problem.at.start);
  const text = `${problem.message}${problem.help === undefined ? '' : ` (help: ${problem.help})`}`.replaceAll('%', '%25').replaceAll('\n', '%0A');
  return `::${problem.severity === 'error' ? 'error' : 'notice'} file=${problem.at.file},line=${line},col=${column},title=bylaw ${problem.code}::${text}`;
}

