/** Bad policies and bad hook input through the built command: a clear problem, the right exit code, nothing written, no stack trace. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const temporary = mkdtempSync(join(tmpdir(), 'bylaw-bad-input-'));
/** A build of its own with packs and schemas beside it: never old, and nobody else's build takes it away. */
const tool = join(temporary, 'tool');
const command = join(tool, 'dist', 'bylaw.mjs');

before(() => {
  const done = spawnSync(process.execPath, [join(root, 'cli', 'build.mjs'), join(tool, 'dist')], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  for (const folder of ['policies', 'schema']) cpSync(join(root, folder), join(tool, folder), { recursive: true });
});
after(() => rmSync(temporary, { recursive: true, force: true }));

interface Place {
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

let places = 0;

/** A project folder with its own home, state and cache. */
function place(files: Readonly<Record<string, string | Uint8Array>>): Place {
  const folder = join(temporary, `place-${places++}`);
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  mkdirSync(join(folder, 'home'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), content);
  }
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home'), BYLAW_STATE_DIR: join(folder, 'state'), BYLAW_CACHE_DIR: join(folder, 'cache') };
  return { project, env };
}

interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run({ project, env }: Place, args: readonly string[], input = '', change: Readonly<Record<string, string | undefined>> = {}): Done {
  const done = spawnSync(process.execPath, [command, ...args], { cwd: project, env: { ...env, ...change }, input, encoding: 'utf8', maxBuffer: 64_000_000, timeout: 60_000 });
  assert.equal(done.error, undefined, String(done.error));
  assert.doesNotMatch(`${done.stdout}${done.stderr}`, /^\s+at .*[:(]\d+:\d+\)?$/m, 'a stack trace');
  return { code: done.status, stdout: done.stdout, stderr: done.stderr };
}

function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort().map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

// ---------------------------------------------------------------- bylaw check

const bomb = `bylaw: 1\na: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'.split('').map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]`).join('\n')}\n`;

const BAD: readonly { readonly name: string; readonly files: Readonly<Record<string, string | Uint8Array>>; readonly code: string; readonly says: RegExp }[] = [
  { name: 'an empty file', files: { 'bylaw.yaml': '' }, code: 'empty-file', says: /begin with `bylaw: 1`/ },
  { name: 'only white space', files: { 'bylaw.yaml': '\n  \n\n' }, code: 'empty-file', says: /begin with `bylaw: 1`/ },
  { name: 'not YAML', files: { 'bylaw.yaml': '{{{ this: is [not\nyaml' }, code: 'yaml-syntax', says: /bylaw\.yaml:\d+:\d+/ },
  { name: 'a list at the top', files: { 'bylaw.yaml': '- bylaw: 1\n' }, code: 'not-a-map', says: /this is a list/ },
  { name: 'a number', files: { 'bylaw.yaml': '1\n' }, code: 'not-a-map', says: /single value/ },
  { name: '10 MB', files: { 'bylaw.yaml': `bylaw: 1\n# ${'x'.repeat(10_000_000)}\n` }, code: 'too-large', says: /at most 1000000/ },
  { name: '100,000 brackets', files: { 'bylaw.yaml': `bylaw: ${'['.repeat(100_000)}` }, code: 'too-deep', says: /64 levels/ },
  { name: '100,000 braces', files: { 'bylaw.yaml': '{a: '.repeat(100_000) }, code: 'too-deep', says: /64 levels/ },
  { name: '100,000 dashes', files: { 'bylaw.yaml': '- '.repeat(100_000) }, code: 'too-deep', says: /64 levels/ },
  { name: '1,000 levels of indentation', files: { 'bylaw.yaml': Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n') }, code: 'too-deep', says: /64 levels/ },
  { name: 'an alias bomb', files: { 'bylaw.yaml': bomb }, code: 'alias', says: /is an alias/ },
  { name: '200,000 aliases', files: { 'bylaw.yaml': `bylaw: 1\nrules: [${'*x, '.repeat(200_000)}]\n` }, code: 'unquoted-glob', says: /is read as a YAML alias/ },
  { name: 'invalid UTF-8', files: { 'bylaw.yaml': Uint8Array.from([...Buffer.from('bylaw: 1 # '), 0xff, 0xfe, 0xc3, 0x28, 10]) }, code: 'not-utf-8', says: /save it as UTF-8/ },
  { name: 'UTF-16', files: { 'bylaw.yaml': Buffer.from('\uFEFFbylaw: 1\n', 'utf16le') }, code: 'not-utf-8', says: /save it as UTF-8/ },
  { name: 'NUL bytes', files: { 'bylaw.yaml': 'bylaw: 1\nrules:\n  x:\u0000: {}\n' }, code: '', says: /bylaw\.yaml:\d+:\d+/ },
  { name: 'a missing pack', files: { 'bylaw.yaml': 'bylaw: 1\nextends: [bylaw:nothing-of-that-name]\n' }, code: 'missing-pack', says: /there is no pack/ },
  { name: 'a missing file', files: { 'bylaw.yaml': 'bylaw: 1\nextends: [./team.yaml]\n' }, code: 'missing-pack', says: /folder of this file/ },
  { name: 'a folder as a pack', files: { 'bylaw.yaml': 'bylaw: 1\nextends: [./packs/]\n', 'packs/a.txt': '' }, code: 'missing-file', says: /it is a folder/ },
  { name: 'a cycle of extends', files: { 'bylaw.yaml': 'bylaw: 1\nextends: [./a.yaml]\n', 'a.yaml': 'bylaw: 1\nextends: [./b.yaml]\n', 'b.yaml': 'bylaw: 1\nextends: [./a.yaml]\n' }, code: 'extends-cycle', says: /b\.yaml:2:11/ },
  { name: 'a file that extends itself', files: { 'bylaw.yaml': 'bylaw: 1\nextends: [./bylaw.yaml]\n' }, code: 'extends-cycle', says: /bylaw\.yaml:2:11/ },
  { name: 'an unknown version', files: { 'bylaw.yaml': 'bylaw: 7\nrules: {}\n' }, code: 'unknown-version', says: /version 7/ },
  { name: 'a broken part', files: { 'bylaw.yaml': 'bylaw: 1\n', 'policies/team.yaml': 'bylaw: 1\nrules: [\n' }, code: 'yaml-syntax', says: /policies\/team\.yaml:\d+/ },
  { name: 'names of JavaScript', files: { 'bylaw.yaml': 'bylaw: 1\nlists: { __proto__: [a] }\nrules:\n  constructor: { match: { __proto__: a }, deny: x }\n' }, code: '', says: /bylaw\.yaml:\d+:\d+/ },
];

describe('bylaw check', () => {
  for (const { name, files, code, says } of BAD) {
    test(name, () => {
      const where = place(files);
      const was = listing(where.project);
      const { code: exit, stdout, stderr } = run(where, ['check']);
      assert.equal(exit, 2, stdout + stderr);
      assert.match(stdout, says);
      assert.match(stdout, new RegExp(`  error  ${code}`));
      assert.match(stdout, /^✗ \d+ errors?.* in \d+ files?/m);
      assert.equal(stderr, '');
      assert.deepEqual(listing(where.project), was);
      assert.equal(existsSync(where.env['BYLAW_STATE_DIR'] ?? ''), false);
    });
  }

  test('no policy at all', () => {
    const { code, stderr } = run(place({}), ['check']);
    assert.equal(code, 2);
    assert.match(stderr, /^bylaw: there is no bylaw\.yaml here or above\n$/);
  });

  test('an unknown command and an unknown option', () => {
    assert.equal(run(place({}), ['chekc']).code, 2);
    assert.equal(run(place({}), ['check', '--nothing']).code, 2);
  });

  test('problems as JSON', () => {
    const { code, stdout } = run(place({ 'bylaw.yaml': 'bylaw: 1\nrules: { a: { limti: 2 } }\n' }), ['check', '--json']);
    assert.equal(code, 2);
    assert.deepEqual(JSON.parse(stdout).problems.map((problem: { code: string; line: number; column: number }) => [problem.code, problem.line, problem.column]), [['unknown-key', 2, 15]]);
  });
});

// ---------------------------------------------------------------- bylaw hook

const SOFT = 'bylaw: 1\nrules:\n  no-direct-edits:\n    match: { tool: Edit }\n    deny: Delegate edits.\n';
const HARD = SOFT.replace('rules:', 'on-error: deny\nrules:');
const BROKEN = 'bylaw: 1\nrules:\n  no-direct-edits:\n    match: { tool: Edit }\n    denny: Delegate edits.\n';
const edit = JSON.stringify({ hook_event_name: 'PreToolUse', session_id: 's', cwd: '/', tool_name: 'Edit', tool_input: { file_path: 'src/a.ts' } });
const read = edit.replace('"Edit"', '"Read"');

/** Input that can't be read as one known event. */
const UNREADABLE: Readonly<Record<string, string>> = {
  empty: '',
  'white space': ' \n\n ',
  'not JSON': 'this is not JSON',
  'cut off': edit.slice(0, -10),
  'a list': '[1, 2]',
  'a number': '7',
  null: 'null',
  'without an event': '{"session_id":"s","tool_name":"Edit","tool_input":{}}',
  'an event that is no text': '{"hook_event_name":{},"tool_name":"Edit"}',
  '5 MB that are not JSON': `{"hook_event_name":"PreToolUse","tool_name":"Edit","x":"${'x'.repeat(5_000_000)}`,
};

function denies(stdout: string): void {
  const reply = JSON.parse(stdout);
  const reason = reply.hookSpecificOutput === undefined ? reply.reason : reply.hookSpecificOutput.permissionDecisionReason;
  assert.equal(reply.hookSpecificOutput === undefined ? reply.decision : reply.hookSpecificOutput.permissionDecision, reply.hookSpecificOutput === undefined ? 'block' : 'deny');
  assert.ok(typeof reason === 'string' && reason.trim() !== '');
}

describe('bylaw hook', () => {
  const soft = place({ 'bylaw.yaml': SOFT });
  const hard = place({ 'bylaw.yaml': HARD });

  for (const [name, input] of Object.entries(UNREADABLE)) {
    test(`input: ${name}`, () => {
      const { code, stdout, stderr } = run(soft, ['hook'], input);
      assert.deepEqual({ code, stdout, lines: lines(stderr).length }, { code: 0, stdout: '', lines: 1 }, stderr);
      assert.match(stderr, /^bylaw: the input can not be read: /);
    });

    test(`input with on-error: deny: ${name}`, () => {
      const { code, stdout, stderr } = run(hard, ['hook', 'PreToolUse'], input);
      assert.equal(code, 0);
      denies(stdout);
      assert.equal(lines(stderr).length, 1, stderr);
    });
  }

  test('an unknown event passes in both', () => {
    for (const where of [soft, hard]) {
      const { code, stdout, stderr } = run(where, ['hook'], '{"hook_event_name":"TotallyNew","session_id":"s"}');
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: 'bylaw: the event TotallyNew is not known\n' });
    }
  });

  test('unknown events that are names of JavaScript', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      const { code, stdout, stderr } = run(soft, ['hook'], JSON.stringify({ hook_event_name: name, session_id: 's', tool_name: name, tool_input: { [name]: 1 } }));
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: `bylaw: the event ${name} is not known\n` });
    }
  });

  test('a name with line breaks stays on one line', () => {
    const { stderr } = run(soft, ['hook'], '{"hook_event_name":"a\\nb","session_id":"s"}');
    assert.equal(lines(stderr).length, 1, stderr);
  });

  test('unknown fields are no problem', () => {
    const { code, stdout, stderr } = run(soft, ['hook'], read.replace('{', '{"brand_new":{"deep":[1,2]},"__proto__":{"tool_name":"Edit"},'));
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' });
  });

  test('5 MB of good input are judged', () => {
    const { code, stdout, stderr } = run(soft, ['hook'], edit.replace('src/a.ts"', `src/a.ts","new_string":"${'x'.repeat(5_000_000)}"`));
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    denies(stdout);
  });

  test('fields of wrong types are no problem', () => {
    const { code, stdout } = run(soft, ['hook'], '{"hook_event_name":"PreToolUse","session_id":7,"cwd":[],"tool_name":{},"tool_input":"x","agent_id":true}');
    assert.deepEqual({ code, stdout }, { code: 0, stdout: '' });
  });

  test('a folder without a policy is silent', () => {
    for (const input of ['', edit, 'x']) assert.deepEqual(run(place({}), ['hook'], input), { code: 0, stdout: '', stderr: '' });
  });
});

// ---------------------------------------------------------------- broken policies, odd homes

describe('a broken policy', () => {
  test('without a last good plan nothing is enforced, and a person is told', () => {
    const where = place({ 'bylaw.yaml': BROKEN });
    const { code, stdout, stderr } = run(where, ['hook'], edit);
    assert.deepEqual({ code, stdout, lines: lines(stderr).length }, { code: 0, stdout: '', lines: 1 }, stderr);
    assert.match(stderr, /run `bylaw check`/);
  });

  test('with on-error: deny it refuses, but not its own repair', () => {
    const where = place({ 'bylaw.yaml': BROKEN.replace('rules:', 'on-error: deny\nrules:') });
    const { code, stdout, stderr } = run(where, ['hook'], read);
    assert.equal(code, 0);
    denies(stdout);
    assert.match(stdout, /denny/);
    assert.equal(lines(stderr).length, 1);
    const repair = run(where, ['hook'], JSON.stringify({ hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_input: { command: 'bylaw check' } }));
    assert.deepEqual({ code: repair.code, stdout: repair.stdout }, { code: 0, stdout: '' });
    const trick = run(where, ['hook'], JSON.stringify({ hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_input: { command: 'bylaw check; rm -rf src' } }));
    denies(trick.stdout);
  });

  test('an event that can not be refused passes even then', () => {
    const where = place({ 'bylaw.yaml': BROKEN.replace('rules:', 'on-error: deny\nrules:') });
    assert.equal(run(where, ['hook'], '{"hook_event_name":"SessionStart","session_id":"s"}').stdout, '');
  });

  test('the last good plan stays in force, and the agent is told once', () => {
    const where = place({ 'bylaw.yaml': SOFT });
    denies(run(where, ['hook'], edit).stdout);
    writeFileSync(join(where.project, 'bylaw.yaml'), BROKEN);
    const still = run(where, ['hook'], edit);
    denies(still.stdout);
    assert.match(still.stdout, /Delegate edits/);
    assert.match(still.stderr, /last good plan is in force/);
    assert.equal(lines(still.stderr).length, 1);
    const told = run(where, ['hook'], read);
    assert.match(JSON.parse(told.stdout).hookSpecificOutput.additionalContext, /last good version stays in force[^]*denny/);
    assert.equal(run(where, ['hook'], read).stdout, '');
    writeFileSync(join(where.project, 'bylaw.yaml'), SOFT.replace('Edit', 'Read'));
    denies(run(where, ['hook'], read).stdout);
    assert.deepEqual(run(where, ['hook'], edit), { code: 0, stdout: '', stderr: '' });
  });

  test('a damaged cache is built anew', () => {
    const where = place({ 'bylaw.yaml': SOFT });
    denies(run(where, ['hook'], edit).stdout);
    const cache = where.env['BYLAW_CACHE_DIR'] ?? '';
    const [file = ''] = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('plan.json'));
    for (const text of ['', '{', '[]', 'null', '{"version":1,"stamps":[],"engine":"0","project":"/"}', readFileSync(join(cache, file), 'utf8').slice(0, 200)]) {
      writeFileSync(join(cache, file), text);
      denies(run(where, ['hook'], edit).stdout);
    }
  });
});

describe('odd surroundings', () => {
  const counting = 'bylaw: 1\nrules:\n  one-read:\n    match: { tool: Read }\n    limit: 1\n    deny: Delegate reading.\n  hello:\n    match: { tool: Read }\n    times: 1\n    advise: Hello.\n';

  test('without HOME', () => {
    const where = place({ 'bylaw.yaml': SOFT });
    const { code, stdout } = run(where, ['hook'], edit, { HOME: undefined });
    assert.equal(code, 0);
    denies(stdout);
    assert.equal(run(where, ['check'], '', { HOME: undefined }).code, 0);
  });

  test('a state folder that can not be written', () => {
    const where = place({ 'bylaw.yaml': counting });
    const file = join(where.env['HOME'] ?? '', 'a-file');
    writeFileSync(file, '');
    for (const _ of [1, 2, 3]) {
      const { code, stdout, stderr } = run(where, ['hook'], read, { BYLAW_STATE_DIR: join(file, 'state') });
      assert.deepEqual({ code, stdout, lines: lines(stderr).length }, { code: 0, stdout: '', lines: 1 }, stderr);
      assert.match(stderr, /state/);
    }
  });

  test('rules without memory hold although the state can not be written', () => {
    const where = place({ 'bylaw.yaml': `${counting}  no-direct-edits:\n    match: { tool: Edit }\n    deny: Delegate edits.\n` });
    const file = join(where.env['HOME'] ?? '', 'a-file');
    writeFileSync(file, '');
    denies(run(where, ['hook'], edit, { BYLAW_STATE_DIR: join(file, 'state') }).stdout);
  });

  test('a cache folder that can not be written', () => {
    for (const policy of [SOFT, HARD]) {
      const where = place({ 'bylaw.yaml': policy });
      const file = join(where.env['HOME'] ?? '', 'a-file');
      writeFileSync(file, '');
      const { code, stdout, stderr } = run(where, ['hook'], edit, { BYLAW_CACHE_DIR: join(file, 'cache') });
      assert.equal(code, 0);
      denies(stdout);
      assert.match(stderr, /^bylaw: the plan can not be kept: .*\n$/);
    }
  });

  test('a damaged state file is moved aside and said', () => {
    const where = place({ 'bylaw.yaml': counting });
    run(where, ['hook'], read);
    const state = where.env['BYLAW_STATE_DIR'] ?? '';
    const files = (): readonly string[] => readdirSync(state, { recursive: true, encoding: 'utf8' });
    const [file = ''] = files().filter((name) => /session-.*\.json$/.test(name));
    writeFileSync(join(state, file), '{"cells": [');
    const { code, stderr } = run(where, ['hook'], read);
    assert.equal(code, 0);
    assert.equal(lines(stderr).length, 1, stderr);
    assert.match(stderr, /was damaged; it was moved/);
    assert.ok(files().some((name) => name.includes('.corrupt-')));
  });
});
