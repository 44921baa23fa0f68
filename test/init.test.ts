/** `bylaw init`: what it writes, what it leaves alone, that it works, and that it can be undone to the byte. */
import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { openAsker, type Asker } from '../cli/init/ask.ts';
import { register, unregister, withoutToken, withToken } from '../cli/init/edit.ts';
import { unifiedDiff } from '../cli/init/diff.ts';
import { isPassing } from '../cli/init/where.ts';
import type { JsonObject } from '../engine/model.ts';
import { faultsOf, handlerFor, handlersIn, isOurs, isReadable, parseSettings } from '../hooks/hosts/claude-settings.ts';
import { BYLAW, ROOT } from './place.ts';

const HOOK = join(ROOT, 'dist', 'hook.cjs');
const root = realpathSync(mkdtempSync(join(tmpdir(), 'bylaw-init-')));
after(() => rmSync(root, { recursive: true, force: true }));
let number = 0;

interface Repo {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly init: (...args: readonly string[]) => SpawnSyncReturns<string>;
  readonly bylaw: (args: readonly string[], cwd?: string, env?: Record<string, string>) => SpawnSyncReturns<string>;
  readonly read: (path: string) => string;
  readonly write: (path: string, text: string) => void;
  readonly settings: (path?: string) => JsonObject;
}

/** An empty git repo with a home of its own. */
function makeRepo(git = true): Repo {
  const top = join(root, String(++number));
  const folder = join(top, 'repo');
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(top, 'home'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(top, 'home'), GIT_CONFIG_NOSYSTEM: '1', BYLAW_STATE_DIR: join(top, 'state'), BYLAW_CACHE_DIR: join(top, 'cache') };
  if (git) assert.equal(spawnSync('git', ['init', '-q', folder], { env }).status, 0);
  const bylaw: Repo['bylaw'] = (args, cwd = folder, more = {}) => spawnSync(process.execPath, [BYLAW, ...args], { cwd, env: { ...env, ...more }, encoding: 'utf8', input: '' });
  return {
    folder,
    env,
    bylaw,
    init: (...args) => bylaw(['init', ...args]),
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    write: (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    settings: (path = '.claude/settings.json') => {
      const reading = parseSettings(readFileSync(join(folder, path), 'utf8'));
      assert.ok(isReadable(reading));
      return reading.value;
    },
  };
}

/** Every file below a folder with its text, without git's own. */
function snapshot(folder: string): Readonly<Record<string, string>> {
  const walk = (path: string): readonly (readonly [string, string])[] =>
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
      const name = join(path, entry.name);
      if (name === '.git') return [];
      return entry.isDirectory() ? [[`${name}/`, ''] as const, ...walk(name)] : [[name, readFileSync(join(folder, name), 'latin1')] as const];
    });
  return Object.fromEntries(walk(''));
}

/** Runs a registered handler as the client does: exec form, placeholders filled, the event on stdin. */
function call(handler: JsonObject, payload: JsonObject, { cwd, env, project }: { cwd: string; env: Record<string, string>; project: string }): { readonly output: any; readonly status: number | null; readonly stderr: string } {
  const fill = (text: unknown): string => String(text).replaceAll('${CLAUDE_PROJECT_DIR}', project);
  const args = Array.isArray(handler['args']) ? handler['args'].map(fill) : [];
  const done = spawnSync(fill(handler['command']), args, { cwd, env: { ...env, CLAUDE_PROJECT_DIR: project, CLAUDECODE: '1' }, encoding: 'utf8', input: JSON.stringify({ session_id: 's1', cwd, ...payload }) });
  return { output: done.stdout === '' ? undefined : JSON.parse(done.stdout), status: done.status, stderr: done.stderr };
}

function handlerOf(settings: JsonObject, event: string): JsonObject {
  const found = handlersIn(settings).find((each) => each.event === event && isOurs(each.handler))?.handler;
  assert.ok(found !== undefined, `no handler of ours for ${event}`);
  return found;
}

const SECRET = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: '.env' } };
const HARMLESS = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: 'src/a.ts' } };
const decisionOf = (output: any): string | undefined => output?.hookSpecificOutput?.permissionDecision;

const RICH = `{
\t// our model
\t"model": "opus", /* not the small one */
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{
\t\t\t\t"matcher": "Bash", // only the shell
\t\t\t\t"hooks": [{ "type": "command", "command": "./guard.sh" }]
\t\t\t}
\t\t\t// more to come
\t\t],
\t\t"Notification": []
\t},
\t"permissions": { "deny": ["Read(./secrets/**)"] } // last
}`;

describe('an empty repo', () => {
  const repo = makeRepo();
  test('gets a policy with a test, and hooks for what it uses', () => {
    const done = repo.init('--yes');
    assert.equal(done.status, 0, done.stderr);
    assert.deepEqual(Object.keys(snapshot(repo.folder)).sort(), ['.claude/', '.claude/bylaw.cjs', '.claude/settings.json', 'bylaw.yaml', 'policies/', 'policies/first-rule.test.yaml', 'policies/first-rule.yaml']);
    const { hooks } = repo.settings();
    assert.ok(Object.keys(Object(hooks)).includes('PreToolUse'));
    assert.ok(!Object.keys(Object(hooks)).includes('PostToolUse'));
    assert.deepEqual(handlerOf(repo.settings(), 'PreToolUse'), { type: 'command', command: 'node', args: ['${CLAUDE_PROJECT_DIR}/.claude/bylaw.cjs', 'PreToolUse'], timeout: 120, onFailure: 'block' });
    assert.deepEqual(faultsOf(repo.settings()), []);
  });
  test('the words fit a terminal: at most 8 lines of next steps, 80 columns', () => {
    const { stdout } = makeRepo().init('--yes');
    const steps = stdout.slice(stdout.indexOf('bylaw is registered')).trimEnd().split('\n');
    assert.ok(steps.length <= 8, stdout);
    for (const line of steps) assert.ok(line.length <= 80, line);
    assert.match(stdout, /bylaw test/);
    assert.match(stdout, /bylaw doctor/);
    assert.match(stdout, /teammates do not get it/);
  });
  test('what was written passes check and test', () => {
    assert.match(repo.bylaw(['check']).stdout, /^✓/m);
    const played = repo.bylaw(['test']);
    assert.equal(played.status, 0, played.stdout);
    assert.match(played.stdout, /2 cases · 2 passed/);
  });
  test('no comment names a schema that is not there', () => assert.doesNotMatch(repo.read('bylaw.yaml'), /yaml-language-server/));
  test('the registered command denies what the rule denies, and nothing else', () => {
    const where = { cwd: repo.folder, env: repo.env, project: repo.folder };
    const handler = handlerOf(repo.settings(), 'PreToolUse');
    const denied = call(handler, SECRET, where);
    assert.equal(decisionOf(denied.output), 'deny', denied.stderr);
    assert.match(denied.output.hookSpecificOutput.permissionDecisionReason, /may hold secrets/);
    assert.deepEqual(call(handler, HARMLESS, where), { output: undefined, status: 0, stderr: '' });
  });
  test('a second time changes nothing', () => {
    const before = snapshot(repo.folder);
    const done = repo.init('--yes');
    assert.match(done.stdout, /in place already/);
    assert.deepEqual(snapshot(repo.folder), before);
  });
  test('from a subfolder the same project is meant', () => {
    mkdirSync(join(repo.folder, 'src', 'deep'), { recursive: true });
    assert.match(repo.bylaw(['init', '--yes'], join(repo.folder, 'src', 'deep')).stdout, /in place already/);
    const fresh = makeRepo();
    mkdirSync(join(fresh.folder, 'src'));
    assert.equal(fresh.bylaw(['init', '--yes'], join(fresh.folder, 'src')).status, 0);
    assert.ok(existsSync(join(fresh.folder, 'bylaw.yaml')));
  });
  test('--remove takes all of it back', () => {
    const done = repo.init('--remove', '--yes');
    assert.equal(done.status, 0, done.stderr);
    rmSync(join(repo.folder, 'src'), { recursive: true });
    assert.deepEqual(snapshot(repo.folder), {});
    assert.match(repo.init('--remove', '--yes').stdout, /nothing to take back/);
  });
});

describe('flags', () => {
  test('--dry-run shows a diff and writes nothing, anywhere', () => {
    const repo = makeRepo();
    const done = repo.init('--dry-run', '--pack', 'shell-safety');
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, /^\+\+\+ \.claude\/settings\.json$/m);
    assert.match(done.stdout, /^\+extends: \[bylaw:shell-safety, bylaw:self-protection\]$/m);
    assert.deepEqual(snapshot(repo.folder), {});
    assert.ok(!existsSync(repo.env['BYLAW_STATE_DIR'] ?? ''));
  });
  test('--pack and --level are in the policy, and events follow the packs', () => {
    const repo = makeRepo();
    assert.equal(repo.init('--pack', 'pipeline', 'bylaw:turn-times', '--level', 'guidance', '--json').status, 0);
    assert.match(repo.read('bylaw.yaml'), /^level: guidance$/m);
    const events = Object.keys(Object(repo.settings()['hooks']));
    for (const event of ['PreToolUse', 'SubagentStop', 'UserPromptSubmit', 'Stop']) assert.ok(events.includes(event), event);
    assert.equal(handlerOf(repo.settings(), 'PreToolUse')['onFailure'], undefined, 'guidance fails open');
    assert.match(repo.read('.claude/bylaw.cjs'), /STRICT = false/);
    assert.equal(repo.bylaw(['check']).status, 0);
    assert.equal(repo.bylaw(['test']).status, 0);
  });
  test('--json says what was done', () => {
    const told = JSON.parse(makeRepo().init('--json').stdout);
    assert.equal(told.scope, 'project');
    assert.equal(told.strict, true);
    assert.deepEqual(told.changes.at(-1), { file: '.claude/settings.json', does: 'create' });
  });
  for (const [args, says] of [
    [['--scope', 'repo'], /--scope repo is not known; it is one of project, local, user/],
    [['--transport', 'pipe'], /--transport pipe/],
    [['--level', 'hard'], /--level hard/],
    [['--port', '99999', '--transport', 'http'], /--port 99999 is no port/],
    [['--pack', 'shel-safety'], /there is no pack `shel-safety`.*shell-safety/],
  ] as const) {
    test(`wrong use: ${args.join(' ')}`, () => {
      const repo = makeRepo();
      const done = repo.init('--yes', ...args);
      assert.equal(done.status, 2);
      assert.match(done.stderr, says);
      assert.deepEqual(snapshot(repo.folder), {});
    });
  }
  test('an agent may add, and may not take back', () => {
    const repo = makeRepo();
    assert.equal(repo.bylaw(['init', '--yes'], repo.folder, { CLAUDECODE: '1' }).status, 0);
    const done = repo.bylaw(['init', '--remove'], repo.folder, { CLAUDECODE: '1' });
    assert.equal(done.status, 2);
    assert.match(done.stderr, /for people/);
    assert.ok(existsSync(join(repo.folder, '.claude/settings.json')));
  });
  test('a bylaw in the cache of a package runner is known by its path', () => {
    assert.ok(isPassing('/home/a/.npm/_npx/0f1e/node_modules/bylaw/dist/hook.cjs'));
    assert.ok(!isPassing('/home/a/x/node_modules/bylaw/dist/hook.cjs'));
    const repo = makeRepo();
    const cache = join(root, 'cache', '_npx', '1', 'node_modules', 'bylaw');
    for (const part of ['dist', 'policies', 'schema', 'package.json']) cpSync(join(ROOT, part), join(cache, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(cache, 'node_modules'));
    const done = spawnSync(process.execPath, [join(cache, 'dist', 'bylaw.mjs'), 'init', '--yes'], { cwd: repo.folder, env: repo.env, encoding: 'utf8' });
    assert.equal(done.status, 2, done.stdout);
    assert.match(done.stderr, /may vanish at any time.*npm i -D bylaw/);
    assert.deepEqual(snapshot(repo.folder), {});
  });
});

describe('a policy that is there', () => {
  test('stays as it is, and only its events are registered', () => {
    const repo = makeRepo();
    repo.write('bylaw.yaml', 'bylaw: 1\nrules:\n  think:\n    event: Stop\n    deny: No.\n');
    const done = repo.init('--yes', '--pack', 'pipeline');
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, /left as it is/);
    assert.equal(repo.read('bylaw.yaml'), 'bylaw: 1\nrules:\n  think:\n    event: Stop\n    deny: No.\n');
    assert.ok(!existsSync(join(repo.folder, 'policies')));
    assert.deepEqual(Object.keys(Object(repo.settings()['hooks'])), ['Stop']);
    assert.equal(handlerOf(repo.settings(), 'Stop')['onFailure'], undefined, 'the client ignores it there');
  });
  test('with errors: nothing is done', () => {
    const repo = makeRepo();
    repo.write('bylaw.yaml', 'bylaw: 1\nruls: {}\n');
    const done = repo.init('--yes');
    assert.equal(done.status, 2);
    assert.match(done.stderr, /have errors; nothing was changed[^]*bylaw\.yaml:2:1/);
    assert.deepEqual(Object.keys(snapshot(repo.folder)), ['bylaw.yaml']);
  });
  test('an event that is no longer used is taken out, a new one is added', () => {
    const repo = makeRepo();
    repo.write('bylaw.yaml', 'bylaw: 1\nrules:\n  think:\n    event: Stop\n    deny: No.\n');
    repo.init('--yes');
    repo.write('bylaw.yaml', 'bylaw: 1\nrules:\n  think:\n    event: PreCompact\n    deny: No.\n');
    repo.init('--yes');
    assert.deepEqual(Object.keys(Object(repo.settings()['hooks'])), ['PreCompact']);
  });
  test('a rule on WorktreeCreate is warned about', () => {
    const repo = makeRepo();
    repo.write('bylaw.yaml', 'bylaw: 1\nfacts:\n  seen: { scope: session }\nrules:\n  tree:\n    event: WorktreeCreate\n    then: { remember: { seen: true } }\n');
    assert.match(repo.init('--yes').stdout, /WorktreeCreate is registered because of tree/);
  });
});

describe('settings that are there', () => {
  test('keep comments, other hooks, order and indentation', () => {
    const repo = makeRepo();
    repo.write('.claude/settings.json', RICH);
    assert.equal(repo.init('--yes').status, 0);
    const text = repo.read('.claude/settings.json');
    const ours = new Set(text.split('\n').filter((line) => !RICH.split('\n').includes(line)));
    // No line of theirs is gone.
    assert.deepEqual(RICH.split('\n').filter((line) => !text.split('\n').includes(line)), []);
    assert.ok([...ours].every((line) => line.startsWith('\t') || line === '}'), [...ours].join('\n'));
    const settings = repo.settings();
    assert.deepEqual(Object.keys(settings), ['model', 'hooks', 'permissions']);
    assert.equal(handlersIn(settings).filter(({ handler }) => !isOurs(handler)).length, 1);
    assert.ok(readdirSync(join(repo.env['BYLAW_STATE_DIR'] ?? '', 'backups')).some((name) => name.endsWith('settings.json')));
    repo.init('--remove', '--yes');
    assert.equal(repo.read('.claude/settings.json'), RICH);
  });
  for (const [name, text] of [
    ['windows line ends and a byte order mark', `\uFEFF${RICH.replaceAll('\n', '\r\n')}\r\n`],
    ['one line', '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}'],
    ['an empty object', '{}'],
    ['an empty file', ''],
    ['odd indentation', '{\n     "hooks" : { "PreToolUse":[ ]\n     }\n\n\n}\n\n'],
    ['a last comma', '{\n  "hooks": {\n    "PreToolUse": [\n      { "hooks": [] }, // none yet\n    ],\n  },\n}\n'],
    ['only comments', '{\n  // nothing yet\n}\n'],
  ] as const) {
    test(`${name}: merged, idempotent, and back to the byte`, () => {
      const repo = makeRepo();
      repo.write('.claude/settings.json', text);
      assert.equal(repo.init('--yes').status, 0);
      const merged = repo.read('.claude/settings.json');
      assert.deepEqual(faultsOf(repo.settings()), []);
      assert.ok(isOurs(handlerOf(repo.settings(), 'PreToolUse')));
      if (text.includes('\r\n')) assert.doesNotMatch(merged, /[^\r]\n/);
      assert.equal(merged.startsWith('\uFEFF'), text.startsWith('\uFEFF'));
      repo.init('--yes');
      assert.equal(repo.read('.claude/settings.json'), merged);
      assert.equal(repo.init('--remove', '--yes').status, 0);
      assert.equal(repo.read('.claude/settings.json'), text);
      assert.deepEqual(Object.keys(snapshot(repo.folder)), ['.claude/', '.claude/settings.json']);
    });
  }
  for (const [name, text, says] of [
    ['broken JSON', '{\n  "model": "opus"\n  "hooks": {}\n}\n', /settings\.json:3:3  it is not JSON; nothing was changed/],
    ['hooks of the wrong kind', '{ "hooks": [] }', /`hooks` must be an object of events/],
    ['a list that is none', '{ "hooks": { "PreToolUse": {} } }', /`hooks\.PreToolUse` must be a list/],
    ['a handler that disarms the file', '{ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "x", "timeout": 0 }] }] } }', /timeout` must be a number of seconds above 0; the client throws the whole file away/],
    ['a key that is there twice', '{ "hooks": {}, "hooks": {} }', /there twice/],
  ] as const) {
    test(`${name}: refused, and nothing is changed`, () => {
      const repo = makeRepo();
      repo.write('.claude/settings.json', text);
      const done = repo.init('--yes');
      assert.equal(done.status, 2, done.stdout);
      assert.match(done.stderr, says);
      assert.deepEqual(snapshot(repo.folder), { '.claude/': '', '.claude/settings.json': text });
    });
  }
  test('read-only: a clear word, and nothing is changed', () => {
    const repo = makeRepo();
    repo.write('.claude/settings.json', '{}');
    chmodSync(join(repo.folder, '.claude/settings.json'), 0o444);
    const done = repo.init('--yes');
    assert.equal(done.status, 2);
    assert.match(done.stderr, /is read-only; nothing was changed/);
    assert.deepEqual(Object.keys(snapshot(repo.folder)), ['.claude/', '.claude/settings.json']);
  });
  test('a link is followed, and stays one', () => {
    const repo = makeRepo();
    repo.write('dotfiles/claude.json', '{\n  "model": "opus"\n}\n');
    mkdirSync(join(repo.folder, '.claude'));
    symlinkSync('../dotfiles/claude.json', join(repo.folder, '.claude/settings.json'));
    assert.equal(repo.init('--yes').status, 0);
    assert.ok(lstatSync(join(repo.folder, '.claude/settings.json')).isSymbolicLink());
    assert.ok(isOurs(handlerOf(repo.settings('dotfiles/claude.json'), 'PreToolUse')));
    repo.init('--remove', '--yes');
    assert.equal(repo.read('dotfiles/claude.json'), '{\n  "model": "opus"\n}\n');
    assert.ok(lstatSync(join(repo.folder, '.claude/settings.json')).isSymbolicLink());
  });
  test('an older registration is replaced, and only that', () => {
    const repo = makeRepo();
    const other = { type: 'command', command: './guard.sh' };
    repo.write('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [other, { type: 'command', command: 'npx bylaw hook' }] }, { hooks: [{ type: 'command', command: 'bylaw hook', timeout: 5 }] }], PostToolUse: [{ hooks: [{ type: 'command', command: 'node /old/bylaw/dist/bylaw.mjs hook' }] }] } }, null, 2));
    assert.equal(repo.init('--yes').status, 0);
    const all = handlersIn(repo.settings());
    assert.deepEqual(all.filter(({ handler }) => !isOurs(handler)), [{ event: 'PreToolUse', matcher: 'Bash', handler: other }]);
    const ours = all.filter(({ event, handler }) => event === 'PreToolUse' && isOurs(handler));
    assert.equal(ours.length, 1);
    assert.equal(ours[0]?.matcher, undefined);
    assert.ok(!all.some(({ event }) => event === 'PostToolUse'));
  });
  test('changed since: only our part goes', () => {
    const repo = makeRepo();
    repo.init('--yes');
    repo.write('.claude/settings.json', repo.read('.claude/settings.json').replace('{', '{\n  "model": "opus", // mine'));
    repo.write('bylaw.yaml', `${repo.read('bylaw.yaml')}# mine\n`);
    const done = repo.init('--remove', '--yes');
    assert.match(done.stdout, /bylaw\.yaml was changed since, and[ \n]+stays/);
    assert.deepEqual(Object.keys(snapshot(repo.folder)), ['.claude/', '.claude/settings.json', 'bylaw.yaml']);
    assert.deepEqual(repo.settings(), { model: 'opus' });
    assert.match(repo.read('.claude/settings.json'), /\/\/ mine/);
  });
  test("what another machine's init wrote is found without a record", () => {
    const repo = makeRepo();
    repo.write('.claude/settings.json', RICH);
    repo.init('--yes');
    rmSync(repo.env['BYLAW_STATE_DIR'] ?? '', { recursive: true });
    repo.init('--remove', '--yes');
    assert.ok(!existsSync(join(repo.folder, '.claude/bylaw.cjs')));
    assert.ok(existsSync(join(repo.folder, 'bylaw.yaml')), 'a policy is kept');
    const before = parseSettings(RICH);
    assert.ok(isReadable(before));
    assert.deepEqual(repo.settings(), before.value);
  });
});

describe('scopes', () => {
  test('user: absolute paths in a home of its own, shared by projects', () => {
    const repo = makeRepo();
    const file = join(repo.env['HOME'] ?? '', '.claude/settings.json');
    assert.equal(repo.init('--yes', '--scope', 'user').status, 0);
    const read = (): JsonObject => JSON.parse(readFileSync(file, 'utf8'));
    const handler = handlerOf(read(), 'PreToolUse');
    assert.deepEqual([handler['command'], handler['args']], [process.execPath, [HOOK, 'PreToolUse']]);
    assert.ok(!existsSync(join(repo.folder, '.claude')));
    const inside = join(repo.folder, 'src');
    mkdirSync(inside);
    assert.equal(decisionOf(call(handler, SECRET, { cwd: inside, env: repo.env, project: inside }).output), 'deny');

    const second = join(repo.folder, '..', 'second');
    mkdirSync(second);
    writeFileSync(join(second, 'bylaw.yaml'), 'bylaw: 1\nrules:\n  think:\n    event: Stop\n    deny: No.\n');
    assert.equal(repo.bylaw(['init', '--yes', '--scope', 'user'], second).status, 0);
    assert.ok(['PreToolUse', 'Stop'].every((event) => isOurs(handlerOf(read(), event))), 'events of both');
    assert.equal(handlerOf(read(), 'PreToolUse')['onFailure'], 'block', 'the first project is still strict');

    const kept = repo.bylaw(['init', '--remove', '--yes'], second);
    assert.match(kept.stdout, /hooks in your own settings stay/);
    assert.ok(existsSync(file));
    assert.equal(repo.init('--remove', '--yes').status, 0);
    assert.ok(!existsSync(file));
    assert.ok(!existsSync(dirname(file)));
  });
  test('CLAUDE_CONFIG_DIR is where the user settings are', () => {
    const repo = makeRepo();
    const config = join(repo.folder, '..', 'config');
    assert.equal(repo.bylaw(['init', '--yes', '--scope', 'user'], repo.folder, { CLAUDE_CONFIG_DIR: config }).status, 0);
    assert.ok(existsSync(join(config, 'settings.json')));
  });
  test('local: git does not see it', () => {
    const repo = makeRepo();
    const done = repo.init('--yes', '--scope', 'local');
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, /info\/exclude/);
    const status = spawnSync('git', ['status', '--short', '--untracked-files=all'], { cwd: repo.folder, env: repo.env, encoding: 'utf8' }).stdout;
    assert.doesNotMatch(status, /settings\.local/);
    const exclude = join(repo.folder, '.git/info/exclude');
    const text = readFileSync(exclude, 'utf8');
    repo.init('--yes', '--scope', 'local');
    assert.equal(readFileSync(exclude, 'utf8'), text, 'the line is added once');
    repo.init('--remove', '--yes');
    assert.doesNotMatch(readFileSync(exclude, 'utf8'), /bylaw/);
    assert.deepEqual(snapshot(repo.folder), {});
  });
  test('twice would count twice: refused', () => {
    const repo = makeRepo();
    repo.init('--yes');
    const done = repo.init('--yes', '--scope', 'local');
    assert.equal(done.status, 2);
    assert.match(done.stderr, /registered in .*settings\.json already[^]*--remove --scope project/);
    assert.match(repo.init('--yes').stdout, /in place already/, 'without a scope it is the one that is there');
  });
});

describe('http', () => {
  test('urls for calls, commands that start the server, a token that is not committed', () => {
    const repo = makeRepo();
    const done = repo.init('--yes', '--transport', 'http', '--port', '5123');
    assert.equal(done.status, 0, done.stderr);
    const settings = repo.settings();
    assert.equal(handlerOf(settings, 'PreToolUse')['url'], 'http://127.0.0.1:5123/hook');
    for (const event of ['SessionStart', 'UserPromptSubmit']) assert.deepEqual(handlerOf(settings, event)['args'], ['${CLAUDE_PROJECT_DIR}/.claude/bylaw.cjs', event, '--serve=5123']);
    const token = String(Object(repo.settings('.claude/settings.local.json')['env'])['BYLAW_TOKEN']);
    assert.match(token, /^[0-9a-f]{64}$/);
    assert.ok(!done.stdout.includes(token), 'the diff hides it');
    assert.ok(!repo.read('.claude/settings.json').includes(token));
    assert.equal(lstatSync(join(repo.folder, '.claude/settings.local.json')).mode & 0o077, 0);
    const untracked = spawnSync('git', ['status', '--short', '--untracked-files=all'], { cwd: repo.folder, env: repo.env, encoding: 'utf8' }).stdout;
    assert.doesNotMatch(untracked, /settings\.local/);

    assert.match(repo.init('--yes').stdout, /in place already/, 'it stays http on its port');
    const second = join(repo.folder, '..', 'second');
    mkdirSync(second);
    repo.bylaw(['init', '--yes', '--transport', 'http'], second);
    assert.equal(JSON.parse(readFileSync(join(second, '.claude/settings.local.json'), 'utf8')).env.BYLAW_TOKEN, token, 'one server, one token');
    repo.init('--remove', '--yes');
    assert.deepEqual(snapshot(repo.folder), {});
  });
  test('back to commands', () => {
    const repo = makeRepo();
    repo.init('--yes', '--transport', 'http');
    repo.init('--yes', '--transport', 'command');
    assert.ok(handlersIn(repo.settings()).every(({ handler }) => handler['type'] === 'command' && !JSON.stringify(handler).includes('--serve')));
  });
  test('committed local settings: refused', () => {
    const repo = makeRepo();
    repo.write('.claude/settings.local.json', '{}');
    spawnSync('git', ['add', '-f', '.claude/settings.local.json'], { cwd: repo.folder, env: repo.env });
    const done = repo.init('--yes', '--transport', 'http');
    assert.equal(done.status, 2);
    assert.match(done.stderr, /is committed in this repo/);
  });
});

describe('the launcher', () => {
  const launch = (repo: Repo, event: string, payload: JsonObject, env = repo.env) => call({ command: process.execPath, args: [join(repo.folder, '.claude/bylaw.cjs'), event] }, payload, { cwd: repo.folder, env, project: repo.folder });
  /** A state folder that knows of no installation. */
  const unknown = (repo: Repo): Record<string, string> => ({ ...repo.env, BYLAW_STATE_DIR: join(repo.folder, '..', 'nothing') });

  test('bylaw is not installed, strict: calls are refused with what to do, installing is not', () => {
    const repo = makeRepo();
    repo.init('--yes');
    const { output, status } = launch(repo, 'PreToolUse', HARMLESS, unknown(repo));
    assert.equal(status, 0);
    assert.equal(decisionOf(output), 'deny');
    assert.match(output.hookSpecificOutput.permissionDecisionReason, /not installed on this machine[^]*npm ci/);
    const repair = launch(repo, 'PreToolUse', { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'npm ci' } }, unknown(repo));
    assert.deepEqual(Object.keys(repair.output), ['systemMessage']);
    const more = launch(repo, 'PreToolUse', { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'npm ci; rm -rf x' } }, unknown(repo));
    assert.equal(decisionOf(more.output), 'deny');
    assert.match(launch(repo, 'SessionStart', {}, unknown(repo)).output.systemMessage, /not installed/);
  });
  test('bylaw is not installed, guidance: the person is told', () => {
    const repo = makeRepo();
    repo.init('--yes', '--level', 'guidance');
    assert.deepEqual(Object.keys(launch(repo, 'PreToolUse', SECRET, unknown(repo)).output), ['systemMessage']);
  });
  test('without a home it still answers', () => {
    const repo = makeRepo();
    repo.init('--yes');
    const { HOME: _, BYLAW_STATE_DIR: __, ...env } = repo.env;
    assert.equal(launch(repo, 'PreToolUse', SECRET, env).status, 0);
  });
  test('it finds bylaw in node_modules above, and in those of the main worktree', () => {
    const repo = makeRepo();
    mkdirSync(join(repo.folder, 'node_modules'));
    symlinkSync(ROOT, join(repo.folder, 'node_modules/bylaw'));
    repo.write('.gitignore', 'node_modules\n');
    assert.equal(repo.init('--yes').status, 0);
    assert.match(repo.read('bylaw.yaml'), /^# yaml-language-server: \$schema=node_modules\/bylaw\/schema\/policy\.schema\.json$/m);
    assert.equal(decisionOf(launch(repo, 'PreToolUse', SECRET, unknown(repo)).output), 'deny');
    const git = (...args: readonly string[]): void => {
      const done = spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: repo.folder, env: repo.env, encoding: 'utf8' });
      assert.equal(done.status, 0, done.stderr);
    };
    git('add', '-A');
    git('commit', '-qm', 'first');
    git('worktree', 'add', '-q', '../tree');
    const tree = join(repo.folder, '..', 'tree');
    const handler = handlerOf(repo.settings(), 'PreToolUse');
    const denied = call(handler, SECRET, { cwd: tree, env: unknown(repo), project: tree });
    assert.match(denied.output.hookSpecificOutput.permissionDecisionReason, /may hold secrets/, denied.stderr);
    assert.match(repo.bylaw(['init', '--yes'], tree).stdout, /in place already/);
  });
  test('the local settings of the main worktree count in every worktree', () => {
    const repo = makeRepo();
    repo.init('--yes', '--scope', 'local');
    const tree = join(repo.folder, '..', 'tree');
    for (const args of [['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'first'], ['worktree', 'add', '-q', tree]]) assert.equal(spawnSync('git', args, { cwd: repo.folder, env: repo.env }).status, 0);
    const done = repo.bylaw(['init', '--yes', '--scope', 'project'], tree);
    assert.equal(done.status, 2);
    assert.match(done.stderr, /repo\/\.claude\/settings\.local\.json already/);
    repo.bylaw(['init', '--remove', '--yes'], tree);
    assert.ok(existsSync(join(repo.folder, '.claude/settings.local.json')), 'a worktree does not take it from the main one');
  });
});

describe('edits of a settings text', () => {
  const registration = { program: { command: 'node', args: ['${CLAUDE_PROJECT_DIR}/.claude/bylaw.cjs'] }, transport: 'command' as const, port: 1, strict: ['PreToolUse'] };
  const handlers = new Map(['PreToolUse', 'Stop', 'ConfigChange'].map((event): [string, JsonObject] => [event, handlerFor(event, registration)]));
  const foreign = fc.record({ type: fc.constant('command'), command: fc.constantFrom('./a.sh', 'echo "}"', 'x // y') });
  const group = fc.record({ matcher: fc.constantFrom('Bash', '*', 'Edit|Write'), hooks: fc.array(foreign, { minLength: 1, maxLength: 2 }) }, { requiredKeys: ['hooks'] });
  const settings = fc.record(
    {
      model: fc.string(),
      env: fc.dictionary(fc.constantFrom('A', 'B', '__proto__'), fc.string(), { maxKeys: 2 }),
      hooks: fc.dictionary(fc.constantFrom('PreToolUse', 'Stop', 'Notification'), fc.array(group, { minLength: 1, maxLength: 3 }), { maxKeys: 3 }),
      permissions: fc.record({ deny: fc.array(fc.string(), { maxLength: 3 }) }),
    },
    { requiredKeys: [] },
  );
  /** A text of the settings in some style, with comments where they may be. */
  const text = fc.tuple(settings, fc.constantFrom('  ', '\t', '    ', ''), fc.boolean(), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\n')).map(([value, indent, comments, eol, end]) => {
    const plain = JSON.stringify(value, null, indent);
    const lines = plain.split('\n').map((line, index) => (comments && indent !== '' && index > 0 ? `${line} // ${index}, "x" }` : line));
    return (lines.join('\n') + end).replaceAll('\n', eol);
  });
  const seed = Number(process.env['FC_SEED'] ?? 1);
  const valueOf = (written: string): JsonObject => {
    const reading = parseSettings(written);
    assert.ok(isReadable(reading), written);
    return reading.value;
  };
  const theirs = (value: JsonObject): unknown => ({ ...value, hooks: handlersIn(value).filter(({ handler }) => !isOurs(handler)) });

  test('add ours, keep theirs, twice is once', () => {
    fc.assert(
      fc.property(text, (before) => {
        const merged = register(before, handlers);
        const value = valueOf(merged);
        assert.deepEqual(theirs(value), theirs(valueOf(before)));
        assert.deepEqual(handlersIn(value).filter(({ handler }) => isOurs(handler)).map(({ event }) => event).sort(), [...handlers.keys()].sort());
        assert.equal(register(merged, handlers), merged);
        for (const [comment] of before.matchAll(/\/\/ \d+, "x" }/g)) assert.ok(merged.includes(comment));
      }),
      { seed, numRuns: 300 },
    );
  });
  test('taking ours out again leaves what was there, without any record', () => {
    fc.assert(
      fc.property(text, (before) => {
        const after = withoutToken(unregister(withToken(register(before, handlers), 'f'.repeat(64))));
        const pruned = (value: JsonObject): unknown => {
          const { hooks, env, ...rest } = value;
          return { ...rest, hooks: Object.keys(Object(hooks)).length === 0 ? undefined : hooks, env: Object.keys(Object(env)).length === 0 ? undefined : env };
        };
        assert.deepEqual(pruned(valueOf(after)), pruned(valueOf(before)));
        for (const [comment] of before.matchAll(/\/\/ \d+, "x" }/g)) assert.ok(after.includes(comment), `${comment} is gone`);
      }),
      { seed, numRuns: 300 },
    );
  });
  test('init and remove, as commands, give the same bytes', () => {
    const repo = makeRepo(false);
    for (const before of fc.sample(text, { seed, numRuns: 6 })) {
      repo.write('.claude/settings.json', before);
      assert.equal(repo.init('--yes').status, 0, before);
      assert.notEqual(repo.read('.claude/settings.json'), before);
      assert.equal(repo.init('--remove', '--yes').status, 0);
      assert.equal(repo.read('.claude/settings.json'), before);
    }
  });
  test('a diff that patch understands', () => {
    const folder = join(root, 'patched');
    mkdirSync(folder);
    const before = RICH;
    const after = register(before, handlers);
    writeFileSync(join(folder, 'a.json'), before);
    const done = spawnSync('git', ['apply', '--whitespace=nowarn', '-p0', '-'], { cwd: folder, input: `${unifiedDiff('a.json', before, after)}\n`, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', GIT_CEILING_DIRECTORIES: root } });
    assert.equal(done.status, 0, done.stderr);
    assert.equal(readFileSync(join(folder, 'a.json'), 'utf8'), after);
  });
});

describe('questions', () => {
  const answers = async <T>(typed: string, ask: (asker: Asker) => Promise<T>): Promise<T> => {
    const input = new PassThrough();
    const output = new PassThrough();
    const lines = typed.split('\n').slice(0, -1);
    // A line for each question; then the person leaves.
    output.on('data', (asked) => {
      if (!String(asked).endsWith('] ')) return;
      const line = lines.shift();
      if (line === undefined) input.end();
      else input.write(`${line}\n`);
    });
    const asker = openAsker(input, output);
    try {
      return await ask(asker);
    } finally {
      asker.close();
    }
  };
  test('Enter takes the standard, a beginning is enough, nonsense is asked again', async () => {
    const choose = (asker: Asker) => asker.choose('Where', ['project', 'local', 'user'], 'project');
    assert.equal(await answers('\n', choose), 'project');
    assert.equal(await answers('l\n', choose), 'local');
    assert.equal(await answers('here\nuser\n', choose), 'user');
    assert.deepEqual(await answers('x\na, b\n', (asker) => asker.words('Packs', ['a', 'b'])), ['a', 'b']);
    assert.deepEqual(await answers('\n', (asker) => asker.words('Packs', ['a', 'b'])), []);
    assert.equal(await answers('n\n', (asker) => asker.confirm('Write?')), false);
    assert.equal(await answers('\n', (asker) => asker.confirm('Write?')), true);
  });
  test('no answer changes nothing', async () => {
    await assert.rejects(answers('', (asker) => asker.confirm('Write?')), /nothing was changed/);
  });
});

test('from an empty repo to the first denial, with the install', { timeout: 240_000 }, (context) => {
  const repo = makeRepo();
  // Only what npm itself needs; a folder of its own for the tarball.
  const npm = (args: readonly string[], cwd: string) => spawnSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd, env: { ...process.env, CLAUDECODE: '' }, encoding: 'utf8', timeout: 100_000 });
  const packed = npm(['pack', ROOT, '--pack-destination', join(repo.folder, '..'), '--json'], repo.folder);
  if (packed.status !== 0) return context.skip(`npm pack does not work here: ${packed.stderr.slice(0, 200)}`);
  const tarball = join(repo.folder, '..', JSON.parse(packed.stdout)[0].filename);
  writeFileSync(join(repo.folder, 'package.json'), '{ "name": "project", "private": true }\n');
  const began = performance.now();
  const installed = npm(['i', '-D', tarball], repo.folder);
  if (installed.status !== 0) return context.skip(`npm can not install here (no network and an empty cache?): ${installed.stderr.slice(0, 200)}`);
  const bylaw = join(repo.folder, 'node_modules/.bin/bylaw');
  const done = spawnSync(bylaw, ['init', '--yes'], { cwd: repo.folder, env: repo.env, encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  assert.doesNotMatch(done.stdout, /teammates do not get it/);
  const denied = call(handlerOf(repo.settings(), 'PreToolUse'), SECRET, { cwd: repo.folder, env: repo.env, project: repo.folder });
  const seconds = (performance.now() - began) / 1000;
  assert.equal(decisionOf(denied.output), 'deny', denied.stderr);
  context.diagnostic(`npm i, init and the first denial took ${seconds.toFixed(1)} s`);
  assert.ok(seconds < 60, `${seconds} s`);
});
