/** Bad policies → the whole text a person reads, golden, and again by code, underlined text and help. UPDATE_GOLDEN=1 rewrites. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { regexChecker } from '../cli/regexes.ts';
import { readTests } from '../cli/scenario/file.ts';
import { checkCases, muteCases, playCases } from '../cli/scenario/suite.ts';
import { EVENTS } from '../engine/events.ts';
import { load, type Loaded } from '../engine/load/load.ts';
import { diskReader, projectFiles, type Reader } from '../engine/load/read.ts';
import type { Problem } from '../engine/model.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { readSchema } from '../engine/plan/compile.ts';
import { CODES } from '../engine/report/codes.ts';
import { countProblems, printProblem } from '../engine/report/frame.ts';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'problems');
const schemas = { policy: readSchema(), test: readSchema('test') };
const regexFault = await regexChecker();
const update = process.env['UPDATE_GOLDEN'] === '1';

interface Golden {
  readonly name: string;
  /** The file whose first lines hold the expectations. */
  readonly main: string;
  readonly problems: readonly Problem[];
  readonly texts: ReadonlyMap<string, string>;
}

/** Files as they lie on the disk; `# bytes: n` stands for a file of that size. The list of packs does not grow with the shipped ones. */
const reader: Reader = {
  ...diskReader,
  read(file) {
    const bytes = existsSync(file) && statSync(file).isFile() ? /^# bytes: (\d+)$/m.exec(readFileSync(file, 'latin1'))?.[1] : undefined;
    if (bytes === undefined) return diskReader.read(file);
    const temporary = mkdtempSync(join(tmpdir(), 'bylaw-problems-'));
    try {
      writeFileSync(join(temporary, 'large.yaml'), Buffer.alloc(Number(bytes), '#'));
      return diskReader.read(join(temporary, 'large.yaml'));
    } finally {
      rmSync(temporary, { recursive: true });
    }
  },
  packs: () => ['base'],
};

function loadFrom(root: string, main: string, parts: readonly string[]): Loaded {
  return load({ main, parts, label: (file) => relative(root, file) }, { reader, schema: schemas.policy, trusts: () => false, regexFault });
}

function ofPolicy(name: string): Golden {
  const main = join(folder, `${name}.yaml`);
  return { name, main, ...loadFrom(folder, main, []) };
}

function ofFolder(name: string): Golden {
  const root = join(folder, name);
  const { main, parts } = projectFiles(root);
  return { name, main, ...loadFrom(root, main, parts) };
}

function ofTests(name: string): Golden {
  const main = join(folder, `${name}.test.yaml`);
  const label = basename(main);
  const text = readFileSync(main, 'utf8');
  const texts = new Map([[label, text]]);
  const file = readTests(label, text, schemas.test);
  if (file.problems.length > 0) return { name, main, problems: file.problems, texts };
  const loaded = loadFrom(folder, join(folder, file.policies[0] ?? ''), []);
  assert.ok(loaded.core, `${name}: the policy of the tests has problems`);
  const plan = buildPlan(loaded.core);
  const problems = checkCases(file, plan);
  return { name, main, problems: problems.length > 0 ? problems : muteCases(playCases(file, plan, () => true)), texts };
}

function goldens(): readonly Golden[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): readonly Golden[] => {
    if (entry.isDirectory()) return [ofFolder(entry.name)];
    if (entry.name.endsWith('.test.yaml')) return [ofTests(entry.name.replace('.test.yaml', ''))];
    return entry.name.endsWith('.yaml') && !entry.name.endsWith('.policy.yaml') ? [ofPolicy(entry.name.replace('.yaml', ''))] : [];
  });
}

/** `# expect: unknown-key "limti" help "did you mean"`, one line for each problem, in their order. */
function expectations(main: string): readonly string[] {
  const lines = existsSync(main) ? readFileSync(main, 'utf8').split('\n') : [];
  return lines.filter((line) => line.startsWith('# expect: ')).map((line) => line.slice('# expect: '.length));
}

function described({ problems, texts }: Golden, expected: readonly string[]): readonly string[] {
  return problems.map((problem, index) => {
    const { code, at, help } = problem;
    const underlined = (texts.get(at.file) ?? '').slice(at.start, at.end);
    const wanted = /" help "(.*)"$/.exec(expected[index] ?? '')?.[1];
    const said = help === undefined ? '' : ` help "${wanted !== undefined && help.includes(wanted) ? wanted : help}"`;
    return `${code} "${underlined.length > 80 ? `${underlined.slice(0, 80)}…` : underlined.replaceAll('\n', '⏎')}"${said}`;
  });
}

function printed({ problems, texts }: Golden): string {
  return `${[...problems.map((problem) => printProblem(problem, texts)), countProblems(problems)].join('\n\n')}\n`;
}

const all = goldens();

for (const golden of all) {
  const { name, main, problems, texts } = golden;
  test(name, () => {
    const file = join(folder, `${name}.txt`);
    const text = printed(golden);
    if (update) writeFileSync(file, text);
    assert.equal(text, readFileSync(file, 'utf8'));
    const expected = expectations(main);
    if (existsSync(main)) assert.deepEqual(described(golden, expected), expected);
    assert.ok(problems.length > 0, 'a golden has at least one problem');
    for (const problem of problems) checkForm(problem, texts);
  });
}

/** Lower case, no final period, user text in backticks; an error that can be placed is placed. */
function checkForm({ message, help, at }: Problem, texts: ReadonlyMap<string, string>): void {
  for (const words of [message, ...(help === undefined ? [] : [help])]) {
    assert.doesNotMatch(words, /\.$/, words);
    assert.doesNotMatch(words, /undefined|\[object|NaN/, words);
  }
  assert.ok(/^[a-z0-9`]/.test(message) || Object.hasOwn(EVENTS, message.split(/[ ,]/)[0] ?? ''), message);
  const length = (texts.get(at.file) ?? '').length;
  assert.ok(at.start >= 0 && at.start <= at.end && at.end <= Math.max(length, 1), `${at.start}-${at.end} of ${length}`);
}

test('every code has a golden file', () => {
  const shown = new Set(all.flatMap(({ problems }) => problems.map((problem) => problem.code)));
  assert.deepEqual(Object.keys(CODES).filter((code) => !all.some(({ name }) => name === code || name.startsWith(`${code}-`)) || ![...shown].some((each) => each === code)), []);
});

test('every golden is named after a code that it shows', () => {
  const stray = all.filter(({ name, problems }) => !problems.some(({ code }) => name === code || name.startsWith(`${code}-`)));
  assert.deepEqual(stray.map(({ name }) => name), []);
});

test('every .txt has its policy', () => {
  const names = all.map(({ name }) => `${name}.txt`);
  assert.deepEqual(readdirSync(folder).filter((name) => name.endsWith('.txt') && !names.includes(name)), []);
});
