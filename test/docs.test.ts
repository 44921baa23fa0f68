/**
 * The docs are run. Fenced blocks, in the order they stand:
 *   yaml  a file of a project: `# file: <path>` in the first line names it, else it is bylaw.yaml; policies must load
 *         without problems, a block with the top key `tests` is played and must pass
 *   sh    lines that begin with `$ ` are run in that project, with `bylaw` on the PATH; what follows is what they print:
 *         `…` stands for anything on the line, a line `...` for any lines; no output in the doc: it must end with 0
 *   json  must parse · ts must type-check, and is run if its first line is `// run` · text is left alone
 * `#` and `##` begin a new project; `###` goes on with it. A doc beside a bylaw.yaml begins with a copy of its folder.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const LANGUAGES = ['yaml', 'sh', 'json', 'ts', 'text'];

/** Commands that are shown and not run: they need the network, a person, or minutes. */
const NOT_RUN = new Set([
  'npm ci && npm start',
  'npm ci && npm test',
  'npm run bench',
  'npm ci',
  'npm run e2e',
  'claude plugin marketplace add <this repo>',
  'claude plugin install bylaw@bylaw',
  'npm run check',
  'npm run unit -- cases',
]);
const NEEDS_MORE = /^(npm|npx|claude|git clone)\b/;

interface Block {
  readonly doc: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly lines: readonly string[];
}
interface Section {
  readonly doc: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}
interface Project {
  readonly folder: string;
  /** Where the shell is; `cd` in one line holds for the next. */
  cwd: string;
}

const docs = ['README.md', 'CONTRIBUTING.md', 'DESIGN.md', 'SECURITY.md', ...readdirSync(join(root, 'examples')).sort().map((name) => `examples/${name}/README.md`)].filter((doc) => existsSync(join(root, doc)));
const sections = docs.flatMap((doc) => sectionsOf(doc, readFileSync(join(root, doc), 'utf8')));

const home = realpathSync(mkdtempSync(join(tmpdir(), 'bylaw-docs-')));
const build = join(root, 'node_modules', '.cache', `bylaw-docs-${process.pid}`);

before(() => {
  execFileSync(process.execPath, [join(root, 'cli', 'build.mjs'), build]);
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin', 'bylaw'), `#!/bin/sh\nexec '${process.execPath}' '${join(build, 'bylaw.mjs')}' "$@"\n`);
  chmodSync(join(home, 'bin', 'bylaw'), 0o755);
});
after(() => {
  rmSync(home, { recursive: true, force: true });
  rmSync(build, { recursive: true, force: true });
});

for (const [number, { doc, title, blocks }] of sections.entries()) {
  test(`${doc} › ${title}`, async (context) => {
    const folder = join(home, `project-${number}`);
    const beside = dirname(join(root, doc));
    if (existsSync(join(beside, 'bylaw.yaml'))) cpSync(beside, folder, { recursive: true });
    else mkdirSync(folder);
    const project: Project = { folder, cwd: folder };
    for (const block of blocks) await context.test(`${doc}:${block.line} ${block.language}`, () => runBlock(block, project));
  });
}

test('commands that are not run are all in the docs', () => {
  const shown = new Set(sections.flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'sh').flatMap(({ lines }) => lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)))));
  assert.deepEqual([...NOT_RUN].filter((command) => !shown.has(command)), []);
});

test('a README of one screen comes first', () => {
  const [screen = ''] = readFileSync(join(root, 'README.md'), 'utf8').split(/^## /m, 1);
  const lines = screen.trimEnd().split('\n');
  assert.ok(lines.length <= 40, `README.md has ${lines.length} lines before its first section; 40 are a screen`);
});

test('docs are within 80 columns', () => {
  const wide = docs.filter((doc) => doc === 'README.md' || doc.startsWith('examples/')).flatMap((doc) =>
    readFileSync(join(root, doc), 'utf8').split('\n').flatMap((line, index) => (line.length > 80 && !line.startsWith('{') ? [`${doc}:${index + 1}`] : [])),
  );
  assert.deepEqual(wide, []);
});

// ---------------------------------------------------------------- the harness itself

test('output is compared line by line, with … and ...', () => {
  const table: readonly (readonly [boolean, string, string])[] = [
    [true, 'a\nb', 'a\nb'],
    [false, 'a\nb', 'a\nc'],
    [false, 'a', 'a\nb'],
    [true, 'a\n...', 'a\nb\nc'],
    [true, 'a\n...\nd', 'a\nb\nc\nd'],
    [false, 'a\n...\nd', 'a\nb\nc'],
    [true, 'at …:4', 'at bylaw.yaml:4'],
    [false, 'at …:4', 'at bylaw.yaml:5'],
    [true, '1 case · 0.2 s', '1 case · 11.4 s'],
    [false, 'a.c', 'abc'],
  ];
  for (const [fits, expected, printed] of table) assert.equal(isPrinted(expected.split('\n'), printed.split('\n')), fits, `${expected} against ${printed}`);
});

test('blocks are found with their lines and sections', () => {
  const found = sectionsOf('x.md', '# X\n\n```yaml\nbylaw: 1\n```\n### on\n```sh\n$ # no heading\n```\n## Y\n````text\n```sh\n````\n');
  assert.deepEqual(found.map(({ title, blocks }) => [title, blocks.map(({ line, language, lines }) => [line, language, lines])]), [
    ['X', [[3, 'yaml', ['bylaw: 1']], [7, 'sh', ['$ # no heading']]]],
    ['Y', [[11, 'text', ['```sh']]]],
  ]);
  assert.throws(() => sectionsOf('x.md', '# X\n```sh\n$ ls\n'), /x\.md:2: .*not closed/);
});

test('what is wrong in a doc is found, with file and line', () => {
  const folder = join(home, 'wrong');
  mkdirSync(folder);
  const project: Project = { folder, cwd: folder };
  const table: readonly (readonly [string, string, RegExp])[] = [
    ['bash', 'ls', /x\.md:7: .*`bash` is not one of/],
    ['', 'ls', /x\.md:7: /],
    ['json', '{ a: 1 }', /x\.md:7: not JSON/],
    ['yaml', 'rules:\n  x: {}', /x\.md:7: a fragment/],
    ['yaml', 'bylaw: 1\nrules:\n  x: { limti: 2 }', /x\.md:7: .*[\s\S]*unknown-key/],
    ['yaml', '# file: ../x.yaml\nbylaw: 1', /x\.md:7: .*outside/],
    ['sh', 'ls', /x\.md:8: .*begin with `\$ `/],
    ['sh', '$ npx something', /x\.md:8: .*NOT_RUN/],
    ['sh', '$ true\n$ echo a\nb', /x\.md:9: /],
    ['sh', '$ false', /x\.md:8: .*ended with 1/],
  ];
  for (const [language, text, message] of table) assert.throws(() => runBlock({ doc: 'x.md', line: 7, language, lines: text.split('\n') }, project), message, text);
});

// ---------------------------------------------------------------- reading

function sectionsOf(doc: string, text: string): readonly Section[] {
  const found: { doc: string; title: string; blocks: Block[] }[] = [];
  let open: { fence: string; block: Block & { lines: string[] } } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (open !== undefined) {
      if (line.trim() === open.fence) open = undefined;
      else open.block.lines.push(line);
      continue;
    }
    const [, title] = /^##? (.+)$/.exec(line) ?? [];
    if (title !== undefined) found.push({ doc, title, blocks: [] });
    const [, fence, language] = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? [];
    if (fence === undefined) continue;
    open = { fence, block: { doc, line: index + 1, language: language ?? '', lines: [] } };
    if (found.length === 0) found.push({ doc, title: 'top', blocks: [] });
    found.at(-1)!.blocks.push(open.block);
  }
  if (open !== undefined) assert.fail(`${doc}:${open.block.line}: the block is not closed`);
  return found.filter(({ blocks }) => blocks.length > 0);
}

// ---------------------------------------------------------------- running

function runBlock(block: Block, project: Project): void {
  const { language, lines } = block;
  if (!LANGUAGES.includes(language)) fail(block, 0, `\`${language}\` is not one of ${LANGUAGES.join(', ')}`);
  if (language === 'json') {
    try {
      JSON.parse(lines.join('\n'));
    } catch (error) {
      fail(block, 0, `not JSON: ${String(error)}`);
    }
  }
  if (language === 'yaml') writeYaml(block, project);
  if (language === 'sh') runShell(block, project);
  if (language === 'ts') runTypeScript(block, project);
}

function writeYaml(block: Block, project: Project): void {
  const { lines } = block;
  const [, named] = /^# file: (\S+)/.exec(lines[0] ?? '') ?? [];
  const content: unknown = parseDocument(lines.join('\n')).toJS();
  const keys = typeof content === 'object' && content !== null ? Object.keys(content) : [];
  const isTest = keys.includes('tests');
  if (named === undefined && !isTest && !(lines[0] ?? '').includes('bylaw: 1')) fail(block, 0, 'a fragment that can not stand alone is ```text; a policy begins with `bylaw: 1` or `# file: <path>`');
  const path = named ?? (isTest ? 'policies/doc.test.yaml' : 'bylaw.yaml');
  const file = join(project.cwd, path);
  if (!file.startsWith(`${home}/`) || path.split('/').includes('..')) fail(block, 0, `${path} lies outside the project`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
  if (!keys.includes('bylaw') && !isTest) return;
  // A pack on its own is checked as a file; everything else as the project it belongs to.
  const alone = !existsSync(join(project.cwd, 'bylaw.yaml'));
  const { code, output } = shell(isTest ? `bylaw test ${path}` : `bylaw check ${alone ? path : ''}`, project);
  if (code !== 0 || /\d hints?\b/.test(output)) fail(block, 0, `this does not ${isTest ? 'pass' : 'load cleanly'}\n\n${output}`);
}

function runShell(block: Block, project: Project): void {
  const { lines } = block;
  if (!(lines[0] ?? '').startsWith('$ ')) fail(block, 1, 'commands begin with `$ `');
  const starts = lines.flatMap((line, index) => (line.startsWith('$ ') ? [index] : []));
  for (const [number, start] of starts.entries()) {
    const command = lines[start]!.slice(2);
    if (NOT_RUN.has(command)) continue;
    if (NEEDS_MORE.test(command)) fail(block, start + 1, `\`${command}\` is not run; list it in NOT_RUN of test/docs.test.ts`);
    const expected = lines.slice(start + 1, starts[number + 1]);
    const { code, output } = shell(command, project);
    const printed = output.trimEnd().split('\n');
    while (expected.at(-1) === '') expected.pop();
    if (expected.length === 0) {
      if (code !== 0) fail(block, start + 1, `\`${command}\` ended with ${code}\n\n${output}`);
    } else if (!isPrinted(expected, printed)) {
      fail(block, start + 1, `\`${command}\` prints something else\n\n--- it prints\n${printed.join('\n')}\n--- the doc says\n${expected.join('\n')}\n`);
    }
  }
}

function shell(command: string, project: Project): { readonly code: number; readonly output: string } {
  const place = join(home, 'cwd');
  const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`, LANG: 'C.UTF-8', PLACE: place };
  const { status, stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${command}\ncode=$?\npwd > "$PLACE"\nexit $code`], { cwd: project.cwd, env, encoding: 'utf8', input: '', timeout: 60_000 });
  if (existsSync(place)) project.cwd = readFileSync(place, 'utf8').trim();
  return { code: status ?? 1, output: stdout };
}

function isPrinted(expected: readonly string[], printed: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return printed.length === 0;
  if (first === '...') return isPrinted(rest, printed) || (printed.length > 0 && isPrinted(expected, printed.slice(1)));
  return printed[0] !== undefined && lineFits(first, printed[0]) && isPrinted(rest, printed.slice(1));
}

function lineFits(expected: string, printed: string): boolean {
  const timeless = (line: string): string => line.replaceAll(/\b\d+(\.\d+)? (ms|s)\b/g, '0 s').trimEnd();
  const parts = timeless(expected).split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(timeless(printed));
}

/** The package is found as an installed one would be. */
function runTypeScript(block: Block, project: Project): void {
  const folder = join(project.folder, `ts-${block.line}`);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules', 'bylaw'));
  symlinkSync(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'block.ts'), block.lines.join('\n'));
  const compilerOptions = { ...JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions, noUnusedLocals: false };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['block.ts'] }));
  const types = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder], { encoding: 'utf8' });
  if (types.status !== 0) fail(block, 0, `this does not type-check\n\n${types.stdout}`);
  if (!(block.lines[0] ?? '').startsWith('// run')) return;
  const ran = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), 'block.ts'], { cwd: folder, encoding: 'utf8' });
  if (ran.status !== 0) fail(block, 0, `this does not run\n\n${ran.stderr}`);
}

function fail(block: Block, offset: number, message: string): never {
  assert.fail(`${block.doc}:${block.line + offset}: ${message}`);
}
