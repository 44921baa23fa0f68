/** Claude Code's settings: reading them, finding bylaw in them, and the client's own rules for hooks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../engine/model.ts';
import { covers, disablers, eventsToRegister, faultsOf, handlerFor, isOurs, isReadable, parseSettings, registered, settingsFiles, type Registration, type Source } from '../hooks/hosts/claude-settings.ts';

const hook = (command: string, args?: readonly string[]): JsonObject => ({ type: 'command', command, ...(args === undefined ? {} : { args }) });
const http = (url: string, more: JsonObject = { allowedEnvVars: ['BYLAW_TOKEN'] }): JsonObject => ({ type: 'http', url, ...more });
const source = (settings: unknown, scope: Source['scope'] = 'project'): Source => ({ scope, file: `/${scope}.json`, text: JSON.stringify(settings) });
const entry = (event: string, handler: JsonObject, matcher?: string): JsonObject => ({ hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }] } });

describe('ours', () => {
  for (const handler of [
    hook('node', ['${CLAUDE_PROJECT_DIR}/.claude/bylaw.cjs', 'PreToolUse']),
    hook('/usr/bin/node', ['/opt/x/dist/hook.cjs', 'PreToolUse']),
    hook('/usr/bin/node', ['/opt/x/dist/hook.cjs', 'SessionStart', '--serve=47615']),
    hook('C:\\Program Files\\nodejs\\node.exe', ['C:\\a b\\node_modules\\bylaw\\dist\\hook.cjs', 'Stop']),
    hook('node', ['${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs', 'Stop']),
    hook('bylaw', ['hook', 'Stop']),
    hook('bylaw hook'),
    hook('npx bylaw hook'),
    hook('npx --no-install bylaw@0.1.0 hook PreToolUse'),
    hook('pnpm exec bylaw hook'),
    hook('node node_modules/bylaw/dist/bylaw.mjs hook'),
    hook('node "/home/a b/bylaw/dist/hook.cjs" PreToolUse'),
    hook('BYLAW_STATE_DIR=/tmp/x ./node_modules/.bin/bylaw hook'),
    http('http://127.0.0.1:47615/hook'),
    http('http://localhost:9/hook', { headers: { Authorization: 'Bearer $BYLAW_TOKEN' } }),
  ]) {
    test(JSON.stringify(handler), () => assert.ok(isOurs(handler)));
  }
});

describe('not ours', () => {
  for (const handler of [
    hook('echo bylaw hook'),
    hook('bylaw check'),
    hook('node', ['/opt/other/dist/hook.cjs']),
    hook('node', ['.claude/hooks/guard.cjs', 'PreToolUse']),
    hook('my-bylaw hook'),
    http('http://127.0.0.1:47615/hook', {}),
    http('https://example.com/hook'),
    http('http://127.0.0.1:47615/other'),
    { type: 'prompt', prompt: 'bylaw hook' },
    'bylaw hook',
    null,
  ]) {
    test(JSON.stringify(handler), () => assert.ok(!isOurs(handler)));
  }
});

describe('reading', () => {
  test('comments, a byte order mark and a last comma are tolerated', () => {
    const reading = parseSettings('\uFEFF{\r\n  // why\r\n  "a": [1, 2,],\r\n}\r\n');
    assert.ok(isReadable(reading));
    assert.deepEqual(reading.value, { a: [1, 2] });
  });
  test('an empty file is an empty object', () => assert.deepEqual(parseSettings(' \n'), { value: {} }));
  for (const [text, line, column] of [['{\n  "a": 1\n  "b": 2\n}', 3, 3], ['[1]', 1, 1], ['{"a": 1,\n "a": 2}', 2, 2], ['{ "a": ', 1, 8]] as const) {
    test(`a mistake has its place: ${JSON.stringify(text)}`, () => {
      const reading = parseSettings(text);
      assert.ok(!isReadable(reading));
      assert.deepEqual(reading.at, { line, column });
    });
  }
  test('the files of each scope', () => {
    const files = settingsFiles('/repo', { platform: 'linux', home: '/home/a', env: {} });
    assert.deepEqual(files.map(({ scope, file }) => `${scope} ${file}`), ['managed /etc/claude-code/managed-settings.json', 'local /repo/.claude/settings.local.json', 'project /repo/.claude/settings.json', 'user /home/a/.claude/settings.json']);
    assert.equal(settingsFiles('/repo', { platform: 'darwin', home: '/h', env: { CLAUDE_CONFIG_DIR: '/c' } }).at(-1)?.file, '/c/settings.json');
  });
  test('where we are registered', () => {
    const found = registered([source(entry('Stop', hook('bylaw hook'), 'x'), 'local'), source(entry('Stop', hook('true'))), { scope: 'user', file: '/u', text: '{' }, { scope: 'user', file: '/v' }]);
    assert.deepEqual(found, [{ scope: 'local', file: '/local.json', event: 'Stop', matcher: 'x', handler: hook('bylaw hook') }]);
  });
});

describe('the matcher', () => {
  for (const [matcher, value, fits] of [
    [undefined, 'Bash', true], ['', 'Bash', true], ['*', 'Bash', true], ['Bash', 'Bash', true], ['Ba', 'Bash', false], ['bash', 'Bash', false], ['Edit|Bash', 'Bash', true],
    ['Edit, Bash', 'Bash', true], ['B*', 'Bash', true], ['^Ba', 'Bash', true], ['(?!Edit).*', 'Bash', true], ['Bash(', 'Bash', false], ['mcp__server', 'mcp__server__x', false],
    ['mcp__server__.*', 'mcp__server__x', true], ['Task', 'Agent', true],
  ] as const) {
    test(`${matcher} ${value}`, () => assert.equal(covers(matcher, value), fits));
  }
});

describe("the client's rules", () => {
  for (const [handler, at] of [
    [{ ...hook('x'), onFailure: 'deny' }, 'onFailure'],
    [{ ...hook('x'), timeout: 0 }, 'timeout'],
    [{ ...hook('x'), timeout: '5' }, 'timeout'],
    [{ type: 'comand', command: 'x' }, 'type'],
    [{ type: 'command' }, 'command'],
    [hook('x', [1] as never), 'args'],
    [http('${user_config.x}'), 'url'],
    [{ ...http('http://127.0.0.1:1/hook'), headers: { a: 1 } }, 'headers'],
  ] as const) {
    test(JSON.stringify(handler), () => {
      const [fault, ...more] = faultsOf(entry('PreToolUse', handler));
      assert.deepEqual([fault?.at, fault?.discards, more.length], [`hooks.PreToolUse[0].hooks[0].${at}`, true, 0]);
      assert.deepEqual(faultsOf(entry('Stop', handler)).map(({ discards }) => discards), [false]);
    });
  }
  test('wrong shapes', () => {
    assert.deepEqual(faultsOf({ hooks: [] }).map(({ at, discards }) => [at, discards]), [['hooks', true]]);
    assert.deepEqual(faultsOf({ hooks: { PreToolUse: {} } }).map(({ at }) => at), ['hooks.PreToolUse']);
    assert.deepEqual(faultsOf({ hooks: { PreToolUse: [hook('x')] } }).map(({ at }) => at), ['hooks.PreToolUse[0].hooks']);
    assert.deepEqual(faultsOf({ hooks: { PreToolUse: [7] } }).map(({ at }) => at), ['hooks.PreToolUse[0]']);
  });
  test('what silently does nothing', () => {
    assert.match(faultsOf(entry('PreToolUse', hook('x'), 'Bash('))[0]?.message ?? '', /never matches/);
    assert.match(faultsOf(entry('SessionStart', http('http://127.0.0.1:1/hook')))[0]?.message ?? '', /never calls a url/);
    assert.match(faultsOf(entry('Stop', { ...hook('x'), if: 'Bash(rm *)' }))[0]?.message ?? '', /never runs/);
  });
  test('unknown events and keys are tolerated', () => assert.deepEqual(faultsOf(entry('Someday', { ...hook('x'), colour: 'red' })), []));
});

describe('what switches us off', () => {
  const ours = source(entry('PreToolUse', hook('bylaw hook')));
  const kinds = (...sources: readonly Source[]): readonly string[] => disablers(sources).map(({ kind, scope }) => `${scope} ${kind}`);
  test('nothing', () => assert.deepEqual(kinds(ours, source({ model: 'x' }, 'user')), []));
  test('disableAllHooks anywhere', () => assert.deepEqual(kinds(ours, source({ disableAllHooks: true }, 'local')), ['local disable-all-hooks']));
  test('managed only', () => {
    assert.deepEqual(kinds(ours, source({ allowManagedHooksOnly: true }, 'managed')), ['managed managed-hooks-only']);
    assert.deepEqual(kinds(ours, source({ allowManagedHooksOnly: true }, 'user')), []);
  });
  test('a wrong handler beside ours', () => {
    const file = source({ hooks: { PreToolUse: [{ hooks: [hook('bylaw hook'), { ...hook('x'), timeout: 0 }] }] } });
    assert.deepEqual(kinds(file), ['project discarded']);
  });
  test('a file that can not be read', () => assert.deepEqual(kinds({ scope: 'project', file: '/p', text: '{"hooks":' }), ['project unreadable']));
  test('urls and variables that are not allowed', () => {
    const file = source(entry('PreToolUse', http('http://127.0.0.1:47615/hook')));
    assert.deepEqual(kinds(file, source({ allowedHttpHookUrls: ['https://*'], httpHookAllowedEnvVars: ['X'] }, 'user')), ['user http-url-not-allowed', 'user http-token-not-allowed']);
    assert.deepEqual(kinds(file, source({ allowedHttpHookUrls: ['http://127.0.0.1:*'], httpHookAllowedEnvVars: ['BYLAW_TOKEN'] }, 'user')), []);
  });
});

describe('what is registered', () => {
  const base: Registration = { program: { command: 'node', args: ['x/.claude/bylaw.cjs'] }, transport: 'command', port: 47_615, strict: ['PreToolUse', 'PostToolBatch', 'Stop'] };
  test('a command', () => {
    assert.deepEqual(handlerFor('PreToolUse', base), { type: 'command', command: 'node', args: ['x/.claude/bylaw.cjs', 'PreToolUse'], timeout: 120, onFailure: 'block' });
    assert.equal(handlerFor('PostToolBatch', base)['onFailure'], undefined);
    assert.equal(handlerFor('UserPromptSubmit', base)['onFailure'], undefined);
  });
  test('a url, and commands that start the server', () => {
    const registration: Registration = { ...base, transport: 'http', port: 5000 };
    assert.deepEqual(handlerFor('PreToolUse', registration), { type: 'http', url: 'http://127.0.0.1:5000/hook', headers: { Authorization: 'Bearer $BYLAW_TOKEN' }, allowedEnvVars: ['BYLAW_TOKEN'], timeout: 120, onFailure: 'block' });
    assert.deepEqual(handlerFor('SessionStart', registration)['args'], ['x/.claude/bylaw.cjs', 'SessionStart', '--serve=5000']);
    assert.deepEqual(eventsToRegister(['Stop', 'PreToolUse'], 'http'), ['PreToolUse', 'UserPromptSubmit', 'SessionStart', 'Stop']);
    assert.deepEqual(eventsToRegister(['Stop', 'PreToolUse'], 'command'), ['PreToolUse', 'Stop']);
  });
  test('all of it is ours, and right', () => {
    for (const transport of ['command', 'http'] as const) {
      for (const event of ['PreToolUse', 'SessionStart', 'UserPromptSubmit', 'Stop', 'ConfigChange']) {
        const handler = handlerFor(event, { ...base, transport });
        assert.ok(isOurs(handler));
        assert.deepEqual(faultsOf(entry(event, handler)), []);
      }
    }
  });
});
