/** `bylaw test`: plays the scenarios beside the policies and shows the step that went wrong. */
import { existsSync, readdirSync, readFileSync, statSync, watch, type Dirent } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Plan, Problem } from '../engine/model.ts';
import type { Loaded } from '../engine/load/load.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { loadProject, readSchema } from '../engine/plan/compile.ts';
import { quietReason } from '../engine/report/explain.ts';
import { countProblems, frame, placeOf, plural, printProblem, type Paint } from '../engine/report/frame.ts';
import { findProject } from '../hooks/project.ts';
import { readTests, type Case, type TestFile } from './scenario/file.ts';
import { checkCases, coverageOf, muteCases, playCases, type CaseResult, type Coverage } from './scenario/suite.ts';
import { Exit, paintFor, print } from './terminal.ts';

export interface TestOptions {
  readonly test?: string;
  readonly json?: boolean;
  readonly watch?: boolean;
}

interface FileResult {
  readonly label: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  readonly results: readonly CaseResult[];
  readonly coverage: readonly Coverage[];
}

export function test(paths: readonly string[], options: TestOptions): void {
  if (options.watch === true) return watchTests(paths, options);
  const code = runTests(paths, options);
  if (code !== 0) throw new Exit(code);
}

function runTests(paths: readonly string[], options: TestOptions): 0 | 1 | 2 {
  const started = performance.now();
  const files = findTests(paths);
  if (files.length === 0) throw new Exit(2, 'there are no tests here; put them beside the policy: policies/x.test.yaml');
  const wanted = (each: Case): boolean => options.test === undefined || `${each.rule} › ${each.name}`.includes(options.test);
  const done = files.map((file) => runFile(file, wanted));
  if (options.test !== undefined && done.every((file) => file.results.length === 0 && file.problems.length === 0)) throw new Exit(2, `no case has ${JSON.stringify(options.test)} in its name`);
  const seconds = (performance.now() - started) / 1000;
  if (options.json === true) print(JSON.stringify(asJson(done, seconds), null, 2));
  else printResults(done, seconds, options.test !== undefined);
  if (done.some((file) => file.problems.some((problem) => problem.severity === 'error'))) return 2;
  return done.some((file) => file.results.some((result) => result.failed !== undefined)) ? 1 : 0;
}

/** Test files named, below the named folders, or of the project around. */
function findTests(paths: readonly string[]): readonly string[] {
  const project = findProject([process.cwd()]) ?? process.cwd();
  const below = (folder: string): readonly string[] =>
    entriesOf(folder)
      .filter((entry) => entry.name !== 'node_modules' && !entry.name.startsWith('.'))
      .flatMap((entry) => (entry.isDirectory() ? below(join(folder, entry.name)) : /\.test\.ya?ml$/.test(entry.name) ? [join(folder, entry.name)] : []));
  const named = paths.length > 0 ? paths.map((path) => resolve(path)) : existsSync(join(project, 'bylaw.yaml')) ? [project] : existsSync('policies') ? ['policies'].map((path) => resolve(path)) : readdirSync('.').filter((name) => /\.test\.ya?ml$/.test(name)).map((path) => resolve(path));
  return named.flatMap((path) => {
    if (!existsSync(path)) throw new Exit(2, `there is no file or folder ${path}`);
    return statSync(path).isDirectory() ? below(path) : [path];
  });
}

/** A folder that may not be read holds no tests of ours. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function runFile(path: string, wanted: (each: Case) => boolean): FileResult {
  const label = relative(process.cwd(), path) || basename(path);
  const source = readFileSync(path, 'utf8');
  const file = readTests(label, source, readSchema('test'));
  const texts = new Map([[label, source]]);
  if (file.problems.length > 0) return { label, texts, problems: file.problems, results: [], coverage: [] };
  const loaded = loadPolicy(path, file);
  const all = new Map([...texts, ...loaded.texts]);
  const errors = loaded.problems.filter((problem) => problem.severity === 'error');
  if (loaded.core === undefined) return { label, texts: all, problems: errors, results: [], coverage: [] };
  const plan: Plan = buildPlan(loaded.core);
  const problems = checkCases(file, plan);
  if (problems.length > 0) return { label, texts: all, problems, results: [], coverage: [] };
  const results = playCases(file, plan, wanted);
  const own = plan.rules.filter((rule) => ownHomes(loaded, path).has(rule.home));
  return { label, texts: all, problems: muteCases(results), results, coverage: coverageOf({ ...plan, rules: own }, results) };
}

/** The policy a test file is about: the one it names, the one beside it, or the project. */
function loadPolicy(path: string, file: TestFile): Loaded {
  const [named] = file.policies;
  const beside = path.replace(/\.test(\.ya?ml)$/, '$1');
  const policy = named !== undefined ? resolve(dirname(path), named) : existsSync(beside) ? beside : undefined;
  const folder = findProject([dirname(path)]) ?? dirname(path);
  if (policy === undefined || basename(policy) === 'bylaw.yaml') return loadProject(policy === undefined ? folder : dirname(policy), process.env);
  return loadProject(process.cwd(), process.env, policy);
}

/** Policies whose rules this test file answers for: not the packs they extend, nor a policy with a test file of its own. */
function ownHomes(loaded: Loaded, path: string): ReadonlySet<string> {
  const folder = dirname(path);
  const answersFor = (file: string): boolean => {
    const test = file.replace(/(\.ya?ml)$/, '.test$1');
    return test === path || !existsSync(test);
  };
  const homes = [...(loaded.definitions?.homes.values() ?? [])].filter((home) => dirname(home.source.file) === folder || dirname(home.source.file) === dirname(folder) || !home.source.shipped);
  return new Set(homes.filter((home) => answersFor(home.source.file) && (!home.source.shipped || dirname(home.source.file) === folder)).map((home) => home.name));
}

function printResults(done: readonly FileResult[], seconds: number, filtered: boolean): void {
  const paint = paintFor(process.stdout);
  for (const file of done) {
    const failed = file.results.filter((result) => result.failed !== undefined);
    if (file.problems.length > 0) print(`${file.label}   ${paint.bad(countProblems(file.problems))}\n`);
    else print(`${file.label}   ${plural(file.results.length, 'case')} · ${paint.good(`${file.results.length - failed.length} passed`)}${failed.length > 0 ? ` · ${paint.bad(`${failed.length} failed`)}` : ''}`);
    for (const problem of file.problems) print(`${printProblem(problem, file.texts, paint)}\n`);
    for (const result of failed) print(`\n${printFailure(result, file, paint)}`);
  }
  const coverage = done.flatMap((file) => file.coverage);
  if (!filtered && coverage.length > 0) print(`\n${coverageText(coverage)} · ${seconds.toFixed(1)} s`);
}

function printFailure({ test: { rule, name }, failed, played }: CaseResult, file: FileResult, paint: Paint): string {
  if (failed === undefined) return '';
  const { step, fault = '', trials, verdict } = failed;
  const lines = [`${paint.bad('✗')} ${paint.strong(`${rule} › ${name}`)}`, `  ${placeOf(step.at, file.texts)}`, '', ...frame(step.at, file.texts, paint, fault), ''];
  const spoke = verdict.findings.filter((finding) => finding.heard);
  for (const finding of spoke) lines.push(`  why   ${finding.rule}: ${finding.text.split('\n').join('\n        ')}`, `  rule  ${finding.at}`);
  if (spoke.length === 0) {
    const quiet = trials.filter(({ trial }) => rule === 'all' || trial.rule.id === rule);
    for (const { trial, knowledge } of quiet.slice(0, 8)) lines.push(`  why   ${trial.rule.id} stayed quiet: ${quietReason(trial, knowledge)}`, `  rule  ${trial.rule.at}`);
    if (quiet.length === 0) lines.push(rule === 'all' ? `  why   no rule looks at ${step.text}` : `  why   ${rule} does not look at ${step.text}; other rules speak only under \`all\``);
  }
  const before = played.slice(0, played.indexOf(failed));
  if (before.length > 0) lines.push(paint.dim(`  before: ${before.map((each) => `${each.step.text} → ${each.got}`).join(', ')}`));
  return lines.join('\n');
}

function coverageText(coverage: readonly Coverage[]): string {
  const covered = coverage.filter((each) => each.cases > 0 || each.fired);
  const list = (rules: readonly Coverage[]): string => rules.map((each) => each.rule).join(', ');
  const never = coverage.filter((each) => !each.fired);
  const loud = coverage.filter((each) => !each.quiet);
  return [
    `${covered.length} of ${plural(coverage.length, 'rule')} ${covered.length === 1 ? 'has' : 'have'} cases`,
    never.length === 0 ? 'every rule fired' : `never fired: ${list(never)}`,
    loud.length === 0 ? 'every rule stayed quiet once' : `never quiet: ${list(loud)}`,
  ].join(' · ');
}

function asJson(done: readonly FileResult[], seconds: number): unknown {
  return {
    seconds: Number(seconds.toFixed(3)),
    files: done.map((file) => ({
      file: file.label,
      problems: file.problems.map((problem) => ({ code: problem.code, at: placeOf(problem.at, file.texts), message: problem.message, help: problem.help })),
      cases: file.results.map(({ test: { rule, name }, failed }) => ({ rule, name, passed: failed === undefined, ...(failed === undefined ? {} : { at: placeOf(failed.step.at, file.texts), step: failed.step.text, fault: failed.fault, says: failed.verdict.text }) })),
      rules: file.coverage,
    })),
  };
}

function watchTests(paths: readonly string[], options: TestOptions): void {
  const again = (): void => {
    print('\u001Bc');
    try {
      runTests(paths, options);
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      print(error.message);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const folders = paths.length > 0 ? paths : [findProject([process.cwd()]) ?? process.cwd()];
  for (const folder of folders) {
    watch(folder, { recursive: true }, (_, name) => {
      if (name === null || !/\.ya?ml$/.test(name)) return;
      clearTimeout(timer);
      timer = setTimeout(again, 100);
    });
  }
  again();
}
