/** State on disk: exact under many processes, whole after a crash, moved aside when damaged. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeCell } from '../../engine/judge/cells.ts';
import { openStore, StateError } from '../../engine/state/store.ts';
import { BYLAW, makePlace, ROOT } from '../place.ts';

const root = mkdtempSync(join(tmpdir(), 'bylaw-store-'));
after(() => rmSync(root, { recursive: true, force: true }));

function workers(count: number, args: (index: number) => readonly string[]): Promise<number> {
  const one = (index: number): Promise<number> =>
    new Promise((resolve) => {
      spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'test', 'state', 'worker.ts'), ...args(index)], { stdio: 'inherit', cwd: ROOT }).on('close', (code) => resolve(code ?? 1));
    });
  return Promise.all(Array.from({ length: count }, (_, index) => one(index))).then((codes) => codes.reduce((sum, code) => sum + code, 0));
}

function countIn(key: string, session: string, where: 'session' | 'user' = 'session'): number {
  const cell = openStore(root, key).read(session)[where].cells['n'];
  return cell?.kind === 'count' ? (cell.counts[''] ?? 0) : 0;
}

test('eight processes of one session count exactly', async () => {
  assert.equal(await workers(8, () => [root, 'p1', 's1', '25']), 0);
  assert.equal(countIn('p1', 's1'), 200);
  assert.deepEqual(readdirSync(join(root, 'p1')).sort(), ['session-s1.json'], 'no lock and no draft is left behind');
});

test('processes of different projects share the user\'s count exactly', async () => {
  assert.equal(await workers(4, (index) => [root, `user-${index % 2}`, 's1', '25', 'user']), 0);
  assert.equal(countIn('user-0', 's1', 'user'), 100);
});

test('parallel hooks of one session: exactly two reads pass', async () => {
  const place = makePlace({ 'bylaw.yaml': 'bylaw: 1\nrules:\n  two-reads: { match: { tool: Read }, limit: 2, deny: "Read {count}." }\n' });
  const input = JSON.stringify({ session_id: 's1', cwd: place.project, hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: 'src/a.ts' } });
  place.bylaw(['compile', place.project]);
  const outputs = await Promise.all(
    Array.from({ length: 12 }, () => new Promise<string>((resolve) => {
      const child = spawn(process.execPath, [BYLAW, 'hook'], { cwd: place.project, env: place.env });
      let text = '';
      child.stdout.on('data', (chunk) => (text += String(chunk)));
      child.on('close', () => resolve(text));
      child.stdin.end(input);
    })),
  );
  assert.equal(outputs.filter((output) => output === '').length, 2);
  assert.equal(outputs.filter((output) => output.includes('Read 3.')).length, 10);
  place.remove();
});

test('a lock whose process is gone is taken over', () => {
  const store = openStore(root, 'stale');
  store.update('s1', (state) => writeCell(state, 'session', 'main', 'n', { kind: 'said', times: 1, changed: 0 }));
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  writeFileSync(join(root, 'stale', 'lock'), `${hostname()} ${gone} 0 0`);
  const started = Date.now();
  store.update('s1', (state) => writeCell(state, 'session', 'main', 'n', { kind: 'said', times: 2, changed: 0 }));
  assert.ok(Date.now() - started < 2000);
  assert.deepEqual(store.read('s1').session.cells['n'], { kind: 'said', times: 2, changed: 0 });
});

test('a lock of a machine that is away is taken over when it is old', () => {
  const store = openStore(root, 'away');
  store.update('s1', (state) => state);
  const lock = join(root, 'away', 'lock');
  writeFileSync(lock, 'elsewhere 1 0 0');
  utimesSync(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
  store.update('s1', (state) => writeCell(state, 'session', 'main', 'n', { kind: 'said', times: 1, changed: 0 }));
  assert.equal(existsSync(lock), false);
});

test('a lock that is held for too long ends in an error that names it', () => {
  const store = openStore(root, 'held');
  store.update('s1', (state) => state);
  writeFileSync(join(root, 'held', 'lock'), `${hostname()} ${process.pid} 0 0`);
  assert.throws(() => store.update('s1', (state) => state), (error) => error instanceof StateError && /locked by another process/.test(error.message));
});

for (const [what, text] of [['half a file', '{"cells":{"n":'], ['not an object', '[]'], ['no cells', '{}'], ['nothing', ''], ['noise', '\u0000\u0001']] as const) {
  test(`damaged state is moved aside and reported: ${what}`, () => {
    const key = `damaged-${what.replaceAll(' ', '-')}`;
    mkdirSync(join(root, key), { recursive: true });
    writeFileSync(join(root, key, 'session-s1.json'), text);
    const store = openStore(root, key);
    assert.deepEqual(store.read('s1').session.cells, {});
    assert.match(store.notes().join(), /damaged; it was moved to/);
    const aside = readdirSync(join(root, key)).find((name) => name.includes('.corrupt-'));
    assert.equal(readFileSync(join(root, key, aside ?? ''), 'utf8'), text, 'nothing is lost');
    assert.deepEqual(store.notes(), [], 'said once');
  });
}

test('a cell of the wrong shape is left out, the others stay', () => {
  mkdirSync(join(root, 'cells'), { recursive: true });
  writeFileSync(join(root, 'cells', 'session-s1.json'), JSON.stringify({ cells: { a: { kind: 'said', times: 1, changed: 1 }, b: { kind: 'count', counts: { x: 'many' }, changed: 1 }, c: 7 }, levels: [{ level: 'loud' }], turn: {}, agents: {}, running: { a1: 'reviewer', a2: 4 } }));
  const { session } = openStore(root, 'cells').read('s1');
  assert.deepEqual(Object.keys(session.cells), ['a']);
  assert.deepEqual(session.running, { a1: 'reviewer' });
  assert.deepEqual(session.levels, []);
});

test('a session id can not name another file', () => {
  const store = openStore(root, 'ids');
  for (const id of ['../../etc/passwd', 'a/b', '', '.', 'x'.repeat(300), '日本']) store.update(id, (state) => writeCell(state, 'session', 'main', 'n', { kind: 'said', times: 1, changed: 0 }));
  assert.ok(readdirSync(join(root, 'ids')).every((name) => /^session-[\w-]*\.json$/.test(name)));
  assert.equal(readdirSync(join(root, 'ids')).length, 6);
});

test('sessions that nothing touched for 30 days are forgotten', () => {
  const store = openStore(root, 'sweep');
  for (const id of ['old', 'new']) store.update(id, (state) => writeCell(state, 'session', 'main', 'n', { kind: 'said', times: 1, changed: 0 }));
  const month = new Date(Date.now() - 31 * 86_400_000);
  utimesSync(join(root, 'sweep', 'session-old.json'), month, month);
  store.sweep(Date.now());
  assert.deepEqual(readdirSync(join(root, 'sweep')), ['session-new.json']);
});

test('a state folder that can not be made is an error, not a crash', () => {
  writeFileSync(join(root, 'file'), '');
  assert.throws(() => openStore(join(root, 'file'), 'p').update('s1', (state) => state), StateError);
});

test('where the state can not be kept, a one-time stop does not repeat for ever, and other rules hold', () => {
  const place = makePlace({ 'bylaw.yaml': 'bylaw: 1\nrules:\n  once: { match: { tool: Read }, times: 1, deny: Once. }\n  no-web: { match: { tool: WebFetch }, deny: No web. }\n' });
  writeFileSync(join(place.folder, 'file'), '');
  const env = { BYLAW_STATE_DIR: join(place.folder, 'file', 'state') };
  const read = place.hook({ hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: 'a' } }, env);
  assert.equal(read.output, undefined);
  assert.match(read.stderr, /state folder .* can not be made/);
  assert.equal(place.hook({ hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: {} }, env).output.hookSpecificOutput.permissionDecision, 'deny');
  place.remove();
});
