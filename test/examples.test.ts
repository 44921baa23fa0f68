/** Every example and every shipped pack is clean, tested in full, and the demo says what it should. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const examples = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
const packs = readdirSync(join(root, 'policies')).filter((name) => name.endsWith('.yaml'));

const build = join(root, 'node_modules', '.cache', `bylaw-examples-${process.pid}`);
before(() => void execFileSync(process.execPath, [join(root, 'cli', 'build.mjs'), build]));
after(() => rmSync(build, { recursive: true, force: true }));

interface Checked {
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}
interface Tested {
  readonly files: readonly {
    readonly file: string;
    readonly problems: readonly { readonly message: string }[];
    readonly cases: readonly { readonly rule: string; readonly name: string; readonly passed: boolean; readonly fault?: string }[];
    readonly rules: readonly { readonly rule: string; readonly cases: number; readonly fired: boolean; readonly quiet: boolean }[];
  }[];
}

test('there are nine examples', () => assert.deepEqual(examples.map((name) => name.slice(0, 2)), ['01', '02', '03', '04', '05', '06', '07', '08', '09']));

for (const name of examples) {
  const folder = join(root, 'examples', name);
  test(`examples/${name} has no problems and no hints`, () => {
    const { code, output } = bylaw<Checked>(folder, 'check', '--json');
    assert.deepEqual({ code, problems: output.problems }, { code: 0, problems: [] });
  });
  test(`examples/${name} passes its tests, and every rule fires and stays quiet`, () => {
    const { code, output } = bylaw<Tested>(folder, 'test', '--json');
    assertTested(code, output);
  });
  test(`examples/${name} can be read by a newcomer`, () => {
    assert.ok(readFileSync(join(folder, 'README.md'), 'utf8').trimEnd().split('\n').length <= 15, 'the README has more than 15 lines');
    for (const file of yamlFiles(folder)) {
      const lines = readFileSync(file, 'utf8').split('\n');
      const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(lines[0] ?? '') ?? [];
      assert.ok(path !== '' && existsSync(join(dirname(file), path)), `${file}:1 does not name its schema`);
      const wide = lines.findIndex((line) => line.length > 80);
      assert.equal(wide, -1, `${file}:${wide + 1} is wider than 80 columns`);
    }
  });
}

for (const name of packs.filter((each) => each.endsWith('.test.yaml'))) {
  test(`policies/${name} passes, and every rule fires and stays quiet`, () => {
    const { code, output } = bylaw<Tested>(root, 'test', '--json', join('policies', name));
    assertTested(code, output);
  });
}

test('every shipped pack with rules has tests beside it', () => {
  const untested = packs.filter((name) => !name.endsWith('.test.yaml') && !packs.includes(name.replace('.yaml', '.test.yaml')));
  assert.deepEqual(untested.filter((name) => parse(readFileSync(join(root, 'policies', name), 'utf8')).rules !== undefined), []);
});

test('the demo is a timeline within 80 columns', () => {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  const output = execFileSync(process.execPath, ['--import', 'tsx', 'examples/demo.ts'], { cwd: root, encoding: 'utf8', env });
  const lines = output.trimEnd().split('\n');
  assert.deepEqual(lines.filter((line) => line.length > 80), []);
  assert.doesNotMatch(output, /\u001B|unknown|undefined/);
  assert.match(output, /^ {2}4 {2}DENY {4}Read src\/token\.ts +two-reads-then-delegate\n {13}This is read 3; at most 2/m);
  assert.match(output, /^ {2}8 {2}allow {5}planner: Read /m);
  assert.match(output, /^ 10 {2}DENY {4}Agent reviewer +plan-build-review$/m);
  assert.match(output, /^ 15 {2}ADVISE {2}Bash npm test +solo-streak$/m);
  assert.match(output, /^ 16 {2}DENY {4}Bash npm test && git push --force +history-is-kept$/m);
  assert.match(output, /^ 17 {2}DENY {4}Stop "Done\." +stop-needs-ack\n.*\n.*ACK-7Q2M\.$/m);
  assert.match(output, /^ 18 {2}allow {3}Stop .*ACK-7Q2M"$/m);
  assert.match(lines.at(-2) ?? '', /examples\//);
  assert.match(lines.at(-1) ?? '', /README\.md/);
});

/** The built command line, with what it prints and its exit code. */
function bylaw<Output>(folder: string, ...args: readonly string[]): { readonly code: number | null; readonly output: Output } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(build, 'bylaw.mjs'), ...args], { cwd: folder, encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  return { code: status, output: JSON.parse(stdout) };
}

function assertTested(code: number | null, { files }: Tested): void {
  assert.deepEqual(files.flatMap((file) => file.problems), []);
  assert.deepEqual(files.flatMap((file) => file.cases.filter((each) => !each.passed)), []);
  assert.deepEqual(files.flatMap((file) => file.rules.filter((rule) => !rule.fired || !rule.quiet)), []);
  assert.ok(files.some((file) => file.cases.length > 0), 'there are no cases');
  assert.equal(code, 0);
}

function yamlFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml')).map((name) => join(folder, name));
}
