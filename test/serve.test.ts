/** The server as a process: the same answers over HTTP, who is let in, many at once, its beginning and its end. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { Agent, request as ask } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { BYLAW, makePlace, ROOT, type Place } from './place.ts';

const TOKEN = 'a-secret-of-the-tests-0123456789';
const HOOK = join(ROOT, 'dist', 'hook.cjs');
const FIXTURES = join(ROOT, 'test', 'hosts', 'fixtures');
const POLICY = 'bylaw: 1\nrules:\n  reads: { match: { tool: Read }, limit: 1000, deny: Too many. }\n  no-web: { match: { tool: WebFetch }, deny: No web. }\n';

interface Reply {
  readonly status: number;
  readonly body: any;
  /** Whether the connection had served before. */
  readonly reused: boolean;
}
interface Asked {
  readonly body?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
  readonly socket?: string;
}
interface Running {
  readonly port: number;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
}

const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill('SIGKILL');
});

function send(port: number, { body = '', path = '/hook', method = 'POST', headers = {}, agent, socket }: Asked): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const where = socket === undefined ? { host: '127.0.0.1', port } : { socketPath: socket };
    const asking = ask({ ...where, path, method, agent: agent ?? false, headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text), reused: asking.reusedSocket }));
    });
    asking.on('error', reject);
    // Node sends the body of a GET without saying where it ends.
    asking.end(method === 'GET' ? '' : body);
  });
}

const call = (place: Place, tool: string, more: object = {}): string => JSON.stringify({ session_id: 's1', cwd: place.project, hook_event_name: 'PreToolUse', tool_name: tool, tool_input: { file_path: join(place.project, 'a.ts') }, ...more });
const post = (port: number, body: string, more: Asked = {}): Promise<Reply> => send(port, { body, ...more });
const decision = ({ body }: Reply): string | undefined => body.hookSpecificOutput?.permissionDecision;

/** In the foreground, on any free port. */
async function started(place: Place, args: readonly string[] = []): Promise<Running> {
  const child = spawn(process.execPath, [BYLAW, 'serve', '--port', '0', ...args], { env: { ...place.env, CLAUDE_PROJECT_DIR: '', BYLAW_TOKEN: TOKEN }, cwd: '/' });
  running.add(child);
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)));
    child.stderr.once('data', (chunk) => reject(new Error(String(chunk))));
  });
  return { port: Number(/:(\d+)\/hook/.exec(line)?.[1]), child, exited };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = Object(server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The command hook, without stopping this process. */
function hooked(place: Place, payload: object, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<{ output: any; stderr: string }> {
  const child = spawn(process.execPath, [HOOK, ...args], { env: { ...place.env, BYLAW_TOKEN: TOKEN, ...env }, cwd: place.project });
  child.stdin.end(JSON.stringify({ session_id: 's1', cwd: place.project, ...payload }));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) => child.on('close', () => resolve({ output: stdout === '' ? undefined : JSON.parse(stdout), stderr })));
}

const stateFile = (place: Place, name: string): string => join(place.env['BYLAW_STATE_DIR'] ?? '', name);
const recordOf = (place: Place, port: number): any => JSON.parse(readFileSync(stateFile(place, `serve-${port}.json`), 'utf8'));

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) if (await holds()) return;
  assert.fail(what);
}

function stopAll(place: Place): void {
  place.bylaw(['serve', '--stop']);
}

function counted(place: Place): number {
  const folder = readdirSync(place.env['BYLAW_STATE_DIR'] ?? '').find((name) => name.endsWith('+project')) ?? '';
  const state = JSON.parse(readFileSync(stateFile(place, join(folder, 'session-s1.json')), 'utf8'));
  return Object.values<number>(state.cells['reads.count'].counts).reduce((sum, each) => sum + each, 0);
}

describe('answers', () => {
  test('recorded payloads get the replies of the command hook', async () => {
    const policy = 'bylaw: 1\nrules:\n  calls: { deny: "No {tool}." }\n  feedback: { event: [PostToolUse, PostToolUseFailure], deny: Look again. }\n  context: { event: [SubagentStart, PostToolBatch], advise: Be careful. }\n  gates: { event: [UserPromptSubmit, SubagentStop, PreCompact, TaskCreated, ConfigChange], deny: Not now. }\n  stops: { event: Stop, times: 3, deny: Not yet. }\n';
    const places = [makePlace({ 'bylaw.yaml': policy }), makePlace({ 'bylaw.yaml': policy })] as const;
    const { port, child } = await started(places[1]);
    let spoke = 0;
    for (const name of readdirSync(FIXTURES).filter((each) => each.endsWith('.json') && !each.startsWith('_')).filter((_, index) => index % 6 === 1)) {
      const payload = JSON.parse(readFileSync(join(FIXTURES, name), 'utf8'));
      const { output } = places[0].hook({ ...payload, cwd: places[0].project });
      const { status, body } = await post(port, JSON.stringify({ ...payload, cwd: places[1].project }));
      assert.deepEqual([status, body], [200, output ?? {}], name);
      spoke += output === undefined ? 0 : 1;
    }
    assert.ok(spoke > 5);
    child.kill();
    for (const place of places) place.remove();
  });

  test('several projects and sessions at once; edits are in force at the next event; a broken policy keeps the last good plan', async () => {
    const [one, two] = [makePlace({ 'bylaw.yaml': POLICY }), makePlace({ 'bylaw.yaml': POLICY.replace('No web.', 'Not here.') })];
    const { port, child } = await started(one);
    const reason = async (place: Place): Promise<string> => (await post(port, call(place, 'WebFetch'))).body.hookSpecificOutput.permissionDecisionReason;
    assert.deepEqual(await Promise.all([reason(one), reason(two), reason(one)]), ['No web.', 'Not here.', 'No web.']);
    one.write('bylaw.yaml', POLICY.replace('No web.', 'Second text.'));
    assert.deepEqual(await Promise.all([reason(one), reason(two)]), ['Second text.', 'Not here.']);
    one.write('bylaw.yaml', POLICY.replace('deny: No web.', 'denny: x'));
    assert.equal(await reason(one), 'Second text.');
    assert.match(readFileSync(stateFile(one, `serve-${port}.log`), 'utf8'), /last good plan/);
    const health = await send(port, { path: '/health', method: 'GET' });
    assert.deepEqual([health.status, health.body.projects, health.body.requests, health.body.pid], [200, 2, 6, child.pid]);
    assert.deepEqual((await post(port, JSON.stringify({ session_id: 'x', cwd: '/', hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: {} }))).body, {}, 'no project, nothing to say');
    child.kill();
    for (const place of [one, two]) place.remove();
  });

  test('50 events at once, beside command hooks, are counted exactly; a connection serves many requests', async () => {
    const place = makePlace({ 'bylaw.yaml': POLICY });
    const { port, child } = await started(place);
    await Promise.all([...Array.from({ length: 50 }, () => post(port, call(place, 'Read'))), ...Array.from({ length: 5 }, () => hooked(place, JSON.parse(call(place, 'Read')), []))]);
    assert.equal(counted(place), 55);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.equal((await post(port, call(place, 'Read'), { agent })).reused, false);
    // Longer than the 5 s after which Node would close it.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    assert.equal((await post(port, call(place, 'Read'), { agent })).reused, true);
    agent.destroy();
    child.kill();
    place.remove();
  });

  test('text that can not be read is judged as the hook judges it', async () => {
    const place = makePlace({ 'bylaw.yaml': `bylaw: 1\non-error: deny\n${POLICY.slice(9)}` });
    const { port, child } = await started(place);
    const cut = '{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"WebF';
    assert.equal((await post(port, cut)).status, 400, 'nobody can say which project it is about: a failure, which strict hooks block');
    await hooked(place, { hook_event_name: 'UserPromptSubmit', prompt: 'Hi.' }, ['UserPromptSubmit', `--serve=${port}`]);
    const reply = await post(port, cut);
    assert.deepEqual([reply.status, decision(reply)], [200, 'deny']);
    child.kill();
    place.remove();
  });

  test('the session record decides the project and the variables', async () => {
    const place = makePlace({ 'bylaw.yaml': 'bylaw: 1\nrules:\n  release: { match: { tool: WebFetch, env.STAGE: release }, deny: Not in a release. }\n' });
    const { port, child } = await started(place);
    const elsewhere = JSON.stringify({ session_id: 's1', cwd: '/', hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: {} });
    assert.deepEqual((await post(port, elsewhere)).body, {});
    await hooked(place, { hook_event_name: 'SessionStart', source: 'startup' }, ['SessionStart', `--serve=${port}`], { STAGE: 'release', OTHER: 'secret' });
    const file = stateFile(place, join('sessions', 's1.json'));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { env } = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual([env.STAGE, env.OTHER, env.BYLAW_TOKEN, env.CLAUDE_PROJECT_DIR], ['release', undefined, undefined, place.project]);
    assert.equal(decision(await post(port, elsewhere)), 'deny');
    assert.deepEqual((await post(port, elsewhere.replace('"s1"', '"s2"'))).body, {}, "another session does not see this one's");
    utimesSync(file, 1, 1);
    await hooked(place, { hook_event_name: 'SessionStart', source: 'startup', session_id: 's3' }, ['SessionStart', `--serve=${port}`]);
    assert.deepEqual(readdirSync(stateFile(place, 'sessions')), ['s3.json'], 'old records are swept');
    child.kill();
    place.remove();
  });
});

test('who is let in', async () => {
  const place = makePlace({ 'bylaw.yaml': POLICY });
  const { port, child } = await started(place);
  const body = call(place, 'WebFetch');
  const status = async (asked: Asked): Promise<number> => (await send(port, { body, ...asked })).status;
  const table: readonly (readonly [string, Asked, number])[] = [
    ['all is well', {}, 200],
    ['localhost is here too', { headers: { host: `localhost:${port}` } }, 200],
    ['no token', { headers: { authorization: '' } }, 401],
    ['a wrong token', { headers: { authorization: `Bearer ${TOKEN.slice(1)}x` } }, 401],
    ['a token that is longer', { headers: { authorization: `Bearer ${TOKEN}x` } }, 401],
    ['another host', { headers: { host: 'example.com' } }, 403],
    ['another port', { headers: { host: '127.0.0.1:1' } }, 403],
    ['a web page', { headers: { origin: 'http://127.0.0.1' } }, 403],
    ['no JSON', { headers: { 'content-type': 'text/plain' } }, 415],
    ['another path', { path: '/' }, 404],
    ['another method', { method: 'PUT' }, 405],
    ['health without a token', { path: '/health', method: 'GET', headers: { authorization: '' } }, 401],
    ['stop without a token', { path: '/stop', headers: { authorization: '' } }, 401],
    ['too large', { body: 'x'.repeat(32 * 1024 * 1024 + 1) }, 413],
    ['too large without a length', { body: 'x'.repeat(32 * 1024 * 1024 + 1), headers: { 'transfer-encoding': 'chunked' } }, 413],
    ['large', { body: call(place, 'WebFetch', { tool_input: { content: 'x'.repeat(4_000_000) } }) }, 200],
  ];
  for (const [what, asked, expected] of table) assert.equal(await status(asked), expected, what);
  child.kill();
  place.remove();
});

describe('beginning and end', () => {
  test('it needs a token, and says what to do if the port is taken', async () => {
    const place = makePlace({});
    const without = place.bylaw(['serve', '--port', '0']);
    assert.deepEqual([without.status, /set BYLAW_TOKEN/.test(without.stderr)], [2, true]);
    assert.match(place.bylaw(['serve', '--port', '0'], '', { BYLAW_TOKEN: 'short' }).stderr, /at least 16/);
    const other = createServer((socket) => socket.end('hello\r\n')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = Object(other.address());
    const child = spawn(process.execPath, [BYLAW, 'serve', '--port', String(port)], { env: { ...place.env, BYLAW_TOKEN: TOKEN } });
    let said = '';
    child.stderr.on('data', (chunk) => (said += chunk));
    assert.equal(await new Promise((resolve) => child.on('close', resolve)), 2);
    assert.match(said, /taken by another program; end that, or take another port/);
    const { output, stderr } = await hooked(place, { hook_event_name: 'UserPromptSubmit', prompt: 'Hi.' }, ['UserPromptSubmit', `--serve=${port}`]);
    assert.match(output.systemMessage, /taken by another program/);
    assert.match(stderr, /taken by another program/);
    other.close();
    place.remove();
  });

  test('a request under way is answered when it stops, and no new ones are taken', async () => {
    const place = makePlace({ 'bylaw.yaml': 'bylaw: 1\nfacts:\n  lint: { run: [sh, -c, "sleep 1; echo bad; exit 1"], timeout: 20s }\nrules:\n  lint-is-clean: { match: { tool: WebFetch, lint: true }, deny: "Lint says {lint}." }\n' });
    assert.equal(place.bylaw(['trust', '.']).status, 0);
    const { port, child, exited } = await started(place);
    await post(port, call(place, 'Read'));
    const slow = post(port, call(place, 'WebFetch'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await assert.rejects(post(port, call(place, 'Read')), /ECONNREFUSED/);
    assert.equal(decision(await slow), 'deny');
    assert.equal(await exited, 0);
    assert.equal(existsSync(stateFile(place, `serve-${port}.json`)), false);
    place.remove();
  });

  test('it ends by POST /stop, and by itself when nobody asks', async () => {
    const place = makePlace({});
    const first = await started(place);
    assert.equal((await send(first.port, { path: '/stop' })).status, 200);
    assert.equal(await first.exited, 0);
    const second = await started(place, ['--idle', '300ms']);
    assert.equal(await second.exited, 0);
    assert.equal(existsSync(stateFile(place, `serve-${second.port}.json`)), false);
    place.remove();
  });

  test('--detach, --status and --stop; what a dead server left is cleaned', async () => {
    const place = makePlace({});
    const port = String(await freePort());
    const token = { BYLAW_TOKEN: TOKEN };
    assert.deepEqual([place.bylaw(['serve', '--status']).status, place.bylaw(['serve', '--stop']).status], [1, 1]);
    assert.match(place.bylaw(['serve', '--detach', '--port', port], '', token).stdout, /^listening on http:\/\/127\.0\.0\.1:\d+\/hook, pid \d+/);
    assert.match(place.bylaw(['serve', '--detach', '--port', port], '', token).stdout, /^already listening/);
    assert.match(place.bylaw(['serve', '--status'], '', token).stdout, /pid \d+ .*0 requests, 0 projects/);
    const [server] = JSON.parse(place.bylaw(['serve', '--status', '--json'], '', token).stdout).servers;
    assert.deepEqual([server.port, server.answers, server.sameVersion, server.health.pid], [Number(port), true, true, server.pid]);
    assert.match(place.bylaw(['serve', '--stop', '--port', port]).stdout, /^stopped/);
    assert.equal(place.bylaw(['serve', '--status']).status, 1);
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => dead.on('close', resolve));
    writeFileSync(stateFile(place, 'serve-1.json'), JSON.stringify({ ...server, port: 1, pid: dead.pid }));
    assert.equal(place.bylaw(['serve', '--status']).status, 1);
    assert.equal(existsSync(stateFile(place, 'serve-1.json')), false);
    writeFileSync(stateFile(place, 'serve-1.json'), JSON.stringify({ ...server, port: 1, pid: process.pid }));
    assert.match(place.bylaw(['serve', '--stop']).stdout, /left alone/, 'a number that belongs to another process by now');
    place.remove();
  });

  test('a unix socket is the own person\'s, and needs no token', async () => {
    const place = makePlace({ 'bylaw.yaml': POLICY });
    const socket = join(place.folder, 's');
    assert.equal(place.bylaw(['serve', '--detach', '--socket', socket]).status, 0);
    assert.equal(statSync(socket).mode & 0o777, 0o600);
    const reply = await send(0, { socket, body: call(place, 'WebFetch'), headers: { host: 'localhost' } });
    assert.equal(decision(reply), 'deny');
    assert.match(place.bylaw(['serve', '--stop', '--socket', socket]).stdout, /^stopped/);
    place.write('file', '');
    assert.match(place.bylaw(['serve', '--socket', join(place.project, 'file')]).stderr, /no socket/);
    place.remove();
  });
});

describe('the command hook keeps it alive', () => {
  const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'Hi.' };

  test('five hooks at once start exactly one; a dead one is revived by the next prompt', async () => {
    const place = makePlace({ 'bylaw.yaml': POLICY });
    const port = await freePort();
    const replies = await Promise.all(Array.from({ length: 5 }, (_, index) => hooked(place, { hook_event_name: 'SessionStart', source: 'startup', session_id: `s${index}` }, ['SessionStart', `--serve=${port}`])));
    assert.deepEqual(replies.map(({ stderr }) => stderr), ['', '', '', '', '']);
    assert.equal(decision(await post(port, call(place, 'WebFetch'))), 'deny', 'the first call finds it');
    const { pid } = recordOf(place, port);
    assert.equal((await send(port, { path: '/health', method: 'GET' })).body.pid, pid);
    assert.equal(existsSync(stateFile(place, `serve-${port}.log`)), false, 'no second one failed');
    await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`]);
    assert.equal(recordOf(place, port).pid, pid, 'one that lives stays');
    process.kill(pid, 'SIGKILL');
    await until(() => post(port, call(place, 'Read')).then(() => false, () => true), 'it is dead');
    const ends = await hooked(place, { hook_event_name: 'SessionEnd', reason: 'other' }, ['SessionEnd', `--serve=${port}`]);
    assert.deepEqual([ends.output, ends.stderr], [undefined, '']);
    await assert.rejects(post(port, call(place, 'Read')), /ECONNREFUSED/, 'the end of a session starts none');
    await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`]);
    assert.notEqual(recordOf(place, port).pid, pid);
    assert.equal(decision(await post(port, call(place, 'WebFetch'))), 'deny');
    stopAll(place);
    place.remove();
  });

  test('one that stalls for a moment is kept; one that hangs is ended and replaced', async () => {
    const place = makePlace({ 'bylaw.yaml': POLICY });
    const port = await freePort();
    await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`]);
    const { pid } = recordOf(place, port);
    process.kill(pid, 'SIGSTOP');
    setTimeout(() => process.kill(pid, 'SIGCONT'), 900);
    assert.equal((await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`])).stderr, '');
    assert.equal(recordOf(place, port).pid, pid);
    process.kill(pid, 'SIGSTOP');
    await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`]);
    await until(() => existsSync(stateFile(place, `serve-${port}.json`)) && recordOf(place, port).pid !== pid, 'a new server');
    stopAll(place);
    place.remove();
  });

  test('one of another version is replaced', async () => {
    const place = makePlace({ 'bylaw.yaml': POLICY });
    const port = await freePort();
    await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`]);
    const record = recordOf(place, port);
    writeFileSync(stateFile(place, `serve-${port}.json`), JSON.stringify({ ...record, version: '0.0.1' }));
    await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`]);
    assert.notEqual(recordOf(place, port).pid, record.pid);
    assert.equal(recordOf(place, port).version, record.version);
    stopAll(place);
    place.remove();
  });

  test('without a token, or with another one, the person is told, and the event is answered all the same', async () => {
    const place = makePlace({ 'bylaw.yaml': `${POLICY}  hello: { event: SessionStart, advise: Be careful. }\n` });
    const port = await freePort();
    const none = await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`], { BYLAW_TOKEN: '' });
    assert.match(none.output.systemMessage, /BYLAW_TOKEN is not set/);
    assert.match(none.stderr, /every HTTP hook will fail/);
    const spoke = await hooked(place, { hook_event_name: 'SessionStart', source: 'startup' }, ['SessionStart', `--serve=${port}`], { BYLAW_TOKEN: '' });
    assert.deepEqual(spoke.output, { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Be careful.' } });
    assert.match((await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`], { BYLAW_TOKEN: 'short' })).output.systemMessage, /at least 16/);
    await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`]);
    const other = await hooked(place, prompt, ['UserPromptSubmit', `--serve=${port}`], { BYLAW_TOKEN: `${TOKEN}-other` });
    assert.match(other.output.systemMessage, /another BYLAW_TOKEN/);
    stopAll(place);
    place.remove();
  });
});
