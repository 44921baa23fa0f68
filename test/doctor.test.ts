/** Broken installations, each found by its own code, and healthy ones in which nothing is found. Everything is real: settings, processes, a server. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { FINDINGS, type FindingCode } from '../cli/doctor/codes.ts';
import { checkRegistration } from '../cli/doctor/registration.ts';
import { sceneOf } from '../cli/doctor/scene.ts';
import { disablers } from '../hooks/hosts/claude-settings.ts';
import { makePlace, ROOT, type Place } from './place.ts';

const POLICY = `bylaw: 1
extends: [bylaw:self-protection]
rules:
  no-web: { match: { tool: WebFetch }, deny: No web. }
  three-reads: { match: { tool: Read }, limit: 3, deny: 'Read {count}.' }
  a-last-look: { event: Stop, times: 1, deny: Look again. }
`;
const HOOK = join(ROOT, 'dist', 'hook.cjs');
const SETTINGS = '.claude/settings.json';
const LOCAL = '.claude/settings.local.json';

const places: Place[] = [];
after(() => {
  for (const place of places) {
    place.bylaw(['serve', '--stop']);
    spawnSync('chmod', ['-R', 'u+rwX', place.folder]);
    place.remove();
  }
});

interface Report {
  readonly status: number | null;
  readonly findings: readonly { readonly code: FindingCode; readonly severity: string; readonly what: string; readonly why: string; readonly fix?: string }[];
  readonly done?: readonly string[];
  readonly codes: readonly string[];
  readonly stderr: string;
}

/** A fresh project with the hooks registered, and a client on the PATH that says its version. */
function installed(scope: 'project' | 'local' | 'user' = 'project', policy = POLICY, more: readonly string[] = []): Place {
  const place = makePlace({ 'bylaw.yaml': policy, 'src/a.ts': '' });
  places.push(place);
  client(place, '2.1.326');
  const plain = scope === 'project' && policy === POLICY && more.length === 0;
  if (plain && template !== undefined) {
    for (const [path, text] of Object.entries(template)) place.write(path, text);
    return place;
  }
  const done = place.bylaw(['init', '--yes', '--scope', scope, ...more]);
  assert.equal(done.status, 0, done.stderr);
  if (plain) template = Object.fromEntries([SETTINGS, '.claude/bylaw.cjs', '../state/install.json'].map((path) => [path, readFileSync(join(place.project, path), 'utf8')]));
  return place;
}

/** What init wrote for the same policy before: the same files do. */
let template: Readonly<Record<string, string>> | undefined;

function client(place: Place, version: string): void {
  const bin = join(place.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho '${version} (Claude Code)'\n`, { mode: 0o755 });
  if (!existsSync(join(bin, 'node'))) symlinkSync(process.execPath, join(bin, 'node'));
  place.env['PATH'] = `${bin}:/usr/bin:/bin`;
}

function examine(place: Place, args: readonly string[] = [], env: Record<string, string> = {}): Report {
  const { status, stdout, stderr } = place.bylaw(['doctor', '--json', ...args], '', env);
  assert.notEqual(stdout, '', stderr);
  const report = JSON.parse(stdout);
  return { status, stderr, ...report, codes: report.findings.filter((each: { severity: string }) => each.severity !== 'note').map((each: { code: string }) => each.code) };
}

function edit(place: Place, path: string, change: (settings: any) => void): void {
  const settings = JSON.parse(readFileSync(join(place.project, path), 'utf8'));
  change(settings);
  place.write(path, JSON.stringify(settings, null, 2));
}

const handler = (settings: any, event = 'PreToolUse'): any => settings.hooks[event][0].hooks[0];

interface Broken {
  readonly name: string;
  readonly code: FindingCode;
  readonly breaks: (place: Place) => void;
  readonly scope?: 'project' | 'local' | 'user';
  readonly policy?: string;
  /** What exit code the finding alone must lead to; 1 if a denied call could get through. */
  readonly exit?: 0 | 1;
  /** `--fix` claims to mend it. */
  readonly mends?: true;
  /** Other findings that follow from the same defect. */
  readonly also?: readonly FindingCode[];
  readonly says?: RegExp;
}

const BROKEN: readonly Broken[] = [
  { name: 'no policy at all', code: 'no-policy', breaks: (place) => rmSync(join(place.project, 'bylaw.yaml')) },
  { name: 'a policy that never could be read', code: 'policy-unusable', breaks: (place) => { place.write('bylaw.yaml', 'bylaw: 1\nruels: {}\n'); rmSync(place.env['BYLAW_CACHE_DIR'] ?? '', { recursive: true, force: true }); } },
  { name: 'a policy with a new error', code: 'policy-broken', exit: 0, breaks: (place) => { place.bylaw(['status']); place.write('bylaw.yaml', `${POLICY}ruels: {}\n`); }, says: /unknown-key/ },
  { name: 'a policy without rules', code: 'policy-empty', exit: 0, policy: 'bylaw: 1\nrules: { a: { match: { tool: Read }, deny: no } }\n', breaks: (place) => place.write('bylaw.yaml', 'bylaw: 1\n') },
  { name: 'self-protection switched off by a person', code: 'self-protection-off', exit: 0, breaks: (place) => assert.equal(place.bylaw(['disable', '--policy', 'self-protection']).status, 0) },
  { name: 'settings that are gone', code: 'not-registered', mends: true, breaks: (place) => rmSync(join(place.project, SETTINGS)) },
  { name: 'settings that an agent emptied', code: 'not-registered', mends: true, breaks: (place) => place.write(SETTINGS, '{}') },
  { name: 'local settings that are gone', code: 'not-registered', scope: 'local', mends: true, breaks: (place) => rmSync(join(place.project, LOCAL)) },
  { name: 'one event less', code: 'event-not-registered', mends: true, breaks: (place) => edit(place, SETTINGS, (settings) => delete settings.hooks.Stop), says: /Stop, which a-last-look, people-hear-of-refused-settings need$/ },
  { name: 'a rule on a new event', code: 'event-not-registered', exit: 0, mends: true, breaks: (place) => place.write('bylaw.yaml', `${POLICY}  new: { event: PostToolUse, match: { tool: Edit }, advise: noted }\n`), says: /PostToolUse, which new needs/ },
  { name: 'hooks disabled in local settings', code: 'hooks-disabled', breaks: (place) => place.write(LOCAL, '{ "disableAllHooks": true }'), says: /settings\.local\.json/ },
  { name: 'hooks disabled for the user', code: 'hooks-disabled', breaks: (place) => user(place, { disableAllHooks: true }) },
  { name: 'a client without hooks by its variable', code: 'hooks-disabled', breaks: (place) => user(place, { env: { CLAUDE_CODE_SIMPLE: '1' } }), says: /CLAUDE_CODE_SIMPLE/ },
  { name: 'settings that are no JSON', code: 'settings-unreadable', also: ['not-registered'], breaks: (place) => place.write(SETTINGS, readFileSync(join(place.project, SETTINGS), 'utf8').slice(0, -4)) },
  { name: "somebody else's wrong handler, which makes the client discard the file", code: 'settings-discarded', breaks: (place) => edit(place, SETTINGS, (settings) => settings.hooks.PreToolUse.push({ hooks: [{ type: 'command', command: 'true', timeout: 0 }] })), says: /PreToolUse\[1\]\.hooks\[0\]\.timeout/ },
  { name: 'a handler that the client drops', code: 'handler-ignored', mends: true, breaks: (place) => edit(place, SETTINGS, (settings) => (handler(settings, 'Stop').timeout = 0)) },
  { name: 'a matcher that never matches', code: 'handler-ignored', mends: true, breaks: (place) => edit(place, SETTINGS, (settings) => (settings.hooks.PreToolUse[0].matcher = 'Bash(')) },
  { name: 'a matcher for one tool', code: 'matcher-too-narrow', mends: true, breaks: (place) => edit(place, SETTINGS, (settings) => (settings.hooks.PreToolUse[0].matcher = 'Bash')), says: /leaves out/ },
  { name: 'a filter with `if`', code: 'handler-filtered', mends: true, breaks: (place) => edit(place, SETTINGS, (settings) => (handler(settings).if = 'Bash(rm *)')) },
  { name: 'an asynchronous handler', code: 'handler-async', mends: true, breaks: (place) => edit(place, SETTINGS, (settings) => (handler(settings).async = true)) },
  { name: 'a strict policy whose handler fails open', code: 'no-on-failure', exit: 0, mends: true, breaks: (place) => edit(place, SETTINGS, (settings) => delete handler(settings).onFailure) },
  { name: 'registered for the project and for the user', code: 'registered-twice', exit: 0, breaks: (place) => user(place, { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: process.execPath, args: [HOOK, 'PreToolUse'], onFailure: 'block' }] }] } }), says: /settings\.json and .*settings\.json call bylaw in different ways at PreToolUse/ },
  { name: 'registered by the plugin and in settings', code: 'plugin-and-settings', exit: 0, breaks: (place) => plugin(place) },
  { name: 'a Node that is not there', code: 'node-missing', scope: 'local', mends: true, breaks: (place) => edit(place, LOCAL, (settings) => { for (const event of Object.keys(settings.hooks)) handler(settings, event).command = '/opt/node-18/bin/node'; }) },
  { name: 'a Node that is too old', code: 'node-too-old', scope: 'local', mends: true, breaks: (place) => { fake(place, 'node', 'echo v18.20.4'); edit(place, LOCAL, (settings) => (handler(settings).command = join(place.folder, 'fake', 'node'))); }, also: ['registered-twice'] },
  { name: 'a hook file that is gone', code: 'hook-missing', scope: 'local', mends: true, breaks: (place) => edit(place, LOCAL, (settings) => { for (const event of Object.keys(settings.hooks)) handler(settings, event).args[0] = '/opt/bylaw/dist/hook.cjs'; }) },
  { name: 'a launcher that is gone', code: 'launcher-missing', mends: true, breaks: (place) => rmSync(join(place.project, '.claude/bylaw.cjs')) },
  { name: 'a launcher that was edited', code: 'launcher-changed', exit: 0, mends: true, breaks: (place) => place.write('.claude/bylaw.cjs', `${readFileSync(join(place.project, '.claude/bylaw.cjs'), 'utf8')}// edited\n`) },
  { name: 'a launcher that finds no bylaw', code: 'launcher-finds-nothing', mends: true, breaks: (place) => rmSync(join(place.env['BYLAW_STATE_DIR'] ?? '', 'install.json')) },
  { name: 'a launcher that crashes', code: 'hook-fails', also: ['launcher-changed'], mends: true, breaks: (place) => place.write('.claude/bylaw.cjs', 'throw new Error("half an edit");\n'), says: /exit 1 .*half an edit/ },
  { name: 'a launcher that does nothing', code: 'hook-silent', also: ['launcher-changed'], mends: true, breaks: (place) => place.write('.claude/bylaw.cjs', '// nothing\n'), says: /should deny/ },
  { name: 'a launcher that prints something else', code: 'hook-answers-otherwise', also: ['launcher-changed'], mends: true, breaks: (place) => place.write('.claude/bylaw.cjs', 'console.log("debug"); require("node:fs").readFileSync(0);\n') },
  { name: 'a launcher that allows', code: 'hook-answers-otherwise', also: ['launcher-changed'], mends: true, breaks: (place) => place.write('.claude/bylaw.cjs', 'console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } }));\n'), says: /answers allow to PreToolUse/ },
  { name: 'a client that ignores onFailure', code: 'client-without-on-failure', exit: 0, breaks: (place) => client(place, '2.1.197') },
  { name: 'a client that does not know args', code: 'client-too-old', breaks: (place) => client(place, '2.1.58') },
  { name: 'state that can not be written', code: 'state-not-writable', breaks: (place) => { rmSync(place.env['BYLAW_STATE_DIR'] ?? '', { recursive: true }); writeFileSync(place.env['BYLAW_STATE_DIR'] ?? '', 'a file'); }, also: ['launcher-finds-nothing'] },
  { name: 'an audit that can not be written', code: 'audit-not-writable', exit: 0, breaks: (place) => mkdirSync(join(stateOf(place), 'audit.jsonl'), { recursive: true }) },
  { name: 'a cache that can not be written', code: 'cache-not-writable', exit: 0, breaks: (place) => { rmSync(place.env['BYLAW_CACHE_DIR'] ?? '', { recursive: true, force: true }); writeFileSync(place.env['BYLAW_CACHE_DIR'] ?? '', 'a file'); } },
];

function stateOf(place: Place): string {
  const { state } = JSON.parse(place.bylaw(['status', '--json']).stdout);
  return state;
}

function user(place: Place, settings: object): void {
  const file = join(place.env['HOME'] ?? '', '.claude', 'settings.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
}

function fake(place: Place, name: string, script: string): void {
  const folder = join(place.folder, 'fake');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** As the client installs it from a marketplace: a copy in its cache, switched on in the settings of the user. */
function plugin(place: Place): void {
  const root = join(place.env['HOME'] ?? '', '.claude', 'plugins', 'cache', 'bylaw', 'bylaw', '1.0.0');
  mkdirSync(join(root, 'hooks'), { recursive: true });
  symlinkSync(join(ROOT, 'dist'), join(root, 'dist'));
  const events = ['PreToolUse', 'ConfigChange', 'Stop', 'SessionStart', 'PostToolUse'];
  writeFileSync(join(root, 'hooks', 'hooks.json'), JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: 'command', command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs', event] }] }]])) }));
  user(place, { enabledPlugins: { 'bylaw@bylaw': true } });
}

describe('healthy installations: nothing is found', () => {
  for (const scope of ['project', 'local', 'user'] as const) {
    test(`the hooks in the settings of the ${scope}`, () => {
      const place = installed(scope);
      assert.deepEqual(examine(place).findings, []);
      const { status, stdout } = place.bylaw(['doctor']);
      assert.equal(status, 0);
      assert.match(stdout, /✓ bylaw is registered, and what it says reaches the client\n$/);
    });
  }

  test('the plugin alone', () => {
    const place = makePlace({ 'bylaw.yaml': POLICY });
    places.push(place);
    client(place, '2.1.326');
    plugin(place);
    const { status, findings } = examine(place);
    assert.deepEqual([status, findings.filter(({ severity }) => severity !== 'note')], [0, []]);
  });

  test('from a subfolder, with other hooks around, and with rules that only advise', () => {
    const place = installed('project', 'bylaw: 1\nrules:\n  edits-are-noted: { match: { tool: Edit }, advise: noted }\n');
    edit(place, SETTINGS, (settings) => settings.hooks.PreToolUse.push({ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }));
    const done = spawnSync(process.execPath, [join(ROOT, 'dist', 'bylaw.mjs'), 'doctor', '--json'], { cwd: join(place.project, 'src'), env: place.env, encoding: 'utf8' });
    assert.deepEqual([done.status, JSON.parse(done.stdout).findings.map(({ code, severity }: any) => `${severity} ${code}`).sort()], [0, ['note self-protection-off', 'note subfolder-not-covered']]);
  });

  test('the state of sessions is not touched', () => {
    const place = installed();
    examine(place);
    assert.equal(existsSync(join(stateOf(place), 'audit.jsonl')) && readFileSync(join(stateOf(place), 'audit.jsonl'), 'utf8'), '');
    assert.deepEqual(spawnSync('find', [place.env['BYLAW_STATE_DIR'] ?? '', '-name', 'session-*'], { encoding: 'utf8' }).stdout, '');
  });
});

describe('broken installations', () => {
  const seen = new Set<FindingCode>();
  for (const { name, code, breaks, scope, policy, exit = 1, mends, also = [], says } of BROKEN) {
    test(`${name}: ${code}`, () => {
      const place = installed(scope, policy);
      breaks(place);
      const { status, findings, codes } = examine(place);
      const found = findings.find((each) => each.code === code);
      assert.ok(found, `found ${codes.join(', ') || 'nothing'}`);
      assert.deepEqual([...new Set(codes)].filter((each) => each !== code && !also.some((other) => other === each)), [], JSON.stringify(findings, null, 1));
      assert.equal(status, exit, JSON.stringify(findings, null, 1));
      assert.equal(found.why, FINDINGS[code][1]);
      assert.ok((found.fix ?? '') !== '');
      if (says !== undefined) assert.match(found.what, says);
      if (mends !== true) return;
      const mended = examine(place, ['--fix']);
      assert.ok((mended.done ?? []).length > 0);
      assert.deepEqual([mended.status, mended.codes], [0, []], JSON.stringify(mended, null, 1));
    });
    seen.add(code);
  }

  test('there are enough of them', () => assert.ok(seen.size >= 18, `${seen.size}`));
});

describe('what needs its own stage', () => {
  test('managed settings that allow only their own hooks', () => {
    const place = installed();
    const scene = sceneOf(place.project, place.env);
    assert.ok(scene);
    const sources = [{ scope: 'managed' as const, file: '/etc/claude-code/managed-settings.json', text: '{"allowManagedHooksOnly":true}' }, ...scene.sources];
    const [found] = checkRegistration({ ...scene, sources, disablers: disablers(sources) });
    assert.deepEqual([found?.code, found?.severity], ['managed-only', 'open']);
  });

  test('folders that lost their permissions are mended, for who is bound by them', { skip: process.getuid?.() === 0 ? 'root may write everywhere' : false }, () => {
    const place = installed();
    assert.deepEqual(examine(place).findings, []);
    chmodSync(stateOf(place), 0o500);
    chmodSync(place.env['BYLAW_STATE_DIR'] ?? '', 0o500);
    assert.ok(examine(place).codes.includes('state-not-writable'));
    assert.deepEqual(examine(place, ['--fix']).codes, []);
  });

  test('notes do not fail: softened levels, policies above and below, damaged state', () => {
    const place = installed();
    place.bylaw(['level', 'guidance', '--policy', 'bylaw']);
    place.write('packages/a/bylaw.yaml', 'bylaw: 1\n');
    writeFileSync(join(place.folder, 'bylaw.yaml'), 'bylaw: 1\n');
    writeFileSync(join(stateOf(place), 'project.json.corrupt-1'), '{');
    const { status, findings } = examine(place);
    assert.equal(status, 0);
    assert.deepEqual(findings.map(({ code, severity }) => `${severity} ${code}`).sort(), ['note policy-above', 'note policy-below', 'note policy-softened', 'note state-damaged']);
  });

  test('no probe can be made: said, not hidden', () => {
    const place = installed('project', 'bylaw: 1\nrules:\n  many: { match: { tool: Read }, limit: 50, deny: no }\n');
    const { status, findings } = examine(place);
    assert.equal(status, 0);
    assert.ok(findings.some(({ code }) => code === 'no-probe'));
    assert.match(place.bylaw(['doctor']).stdout, /✓ bylaw is registered and its hook starts\n$/);
  });

  test('no client on the PATH is a note', () => {
    const place = installed();
    rmSync(join(place.folder, 'bin', 'claude'));
    assert.deepEqual(examine(place).findings.map(({ code, severity }) => [code, severity]), [['client-unknown', 'note']]);
  });

  test('text: at most 80 columns, what, why, mend, and an ending that counts', () => {
    const place = installed();
    place.write(LOCAL, '{ "disableAllHooks": true }');
    edit(place, SETTINGS, (settings) => delete settings.hooks.Stop);
    const { status, stdout } = place.bylaw(['doctor']);
    assert.equal(status, 1);
    assert.deepEqual(stdout.split('\n').filter((line) => line.length > 80 && line.includes(' ', 20)), []);
    assert.match(stdout, /\nopen {3}hooks-disabled\n {7}\.claude\/settings\.local\.json: `disableAllHooks`[\s\S]*\n {7}mend: take the line/);
    assert.match(stdout, /\n✗ 2 ways for a denied call to get through\nSome of it mends itself: bylaw doctor --fix\n$/);
  });

  test('every code is explained, and listed in the help', () => {
    const place = installed();
    assert.match(place.bylaw(['explain', 'matcher-too-narrow']).stdout, /^matcher-too-narrow\n\n {2}Calls that the matcher/);
    const { stdout } = place.bylaw(['doctor', '--help']);
    assert.deepEqual(Object.keys(FINDINGS).filter((code) => !stdout.includes(code)), []);
  });
});

describe('over http', () => {
  const PORT = 47_000 + (process.pid % 500);
  const http = (port: number): Place => installed('project', POLICY, ['--transport', 'http', '--port', String(port)]);

  test('a server that lives: nothing is found; one that died is found and started again; one of another token too', () => {
    const place = http(PORT);
    const down = examine(place);
    assert.ok(down.codes.includes('server-down'), down.codes.join());
    const started = examine(place, ['--fix']);
    assert.deepEqual([started.status, started.codes], [0, []], JSON.stringify(started, null, 1));
    assert.deepEqual(examine(place).findings, []);
    edit(place, LOCAL, (settings) => (settings.env.BYLAW_TOKEN = 'f'.repeat(64)));
    assert.deepEqual(examine(place).codes, ['server-refuses']);
    assert.deepEqual(examine(place, ['--fix']).codes, []);
    edit(place, LOCAL, (settings) => (settings.allowedHttpHookUrls = ['https://example.com/*']));
    assert.ok(examine(place).codes.includes('url-not-allowed'));
    edit(place, LOCAL, (settings) => { delete settings.allowedHttpHookUrls; settings.httpHookAllowedEnvVars = ['OTHER']; });
    assert.ok(examine(place).codes.includes('token-not-allowed'));
    edit(place, LOCAL, (settings) => { delete settings.httpHookAllowedEnvVars; delete settings.env; });
    assert.deepEqual([...examine(place).codes], ['token-missing']);
    assert.deepEqual(examine(place, ['--fix']).codes.filter((code) => code === 'token-missing'), []);
    edit(place, SETTINGS, (settings) => (settings.env = { BYLAW_TOKEN: 'f'.repeat(64) }));
    assert.ok(examine(place).codes.includes('token-committed'));
    edit(place, SETTINGS, (settings) => { delete settings.env; for (const event of ['SessionStart', 'UserPromptSubmit']) handler(settings, event).args.pop(); });
    assert.ok(examine(place).codes.includes('no-starter'));
  });

  test('another program on the port', async () => {
    const place = http(PORT + 1);
    const other = createServer((_, response) => response.end('{}'));
    await new Promise<void>((resolve) => other.listen(PORT + 1, '127.0.0.1', resolve));
    // The doctor runs in a process that this one would wait for, so it is asked from a third one that does not block.
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, [join(ROOT, 'dist', 'bylaw.mjs'), 'doctor', '--json'], { cwd: place.project, env: place.env });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await new Promise((resolve) => child.on('close', resolve));
    other.close();
    assert.ok(JSON.parse(text).findings.some(({ code }: any) => code === 'server-foreign'), text);
  });

});
