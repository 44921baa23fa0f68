/** The engine in process: the same replies as the command hook, many events at once, plans that follow their files. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createEngine, type Engine } from '../hooks/engine.ts';
import { makePlace, ROOT, type Place } from './place.ts';

const FIXTURES = join(ROOT, 'test', 'hosts', 'fixtures');
const COUNTS = 'bylaw: 1\nrules:\n  reads: { match: { tool: Read }, limit: 1000, deny: Too many. }\n  no-web: { match: { tool: WebFetch }, deny: No web. }\n';
const web = (place: Place, more = {}): object => ({ session_id: 's1', cwd: place.project, hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: {}, ...more });
const read = (place: Place, more = {}): object => web(place, { tool_name: 'Read', tool_input: { file_path: join(place.project, 'a.ts') }, ...more });

function engineOf(place: Place, notes: string[] = []): Engine {
  return createEngine({ env: place.env, cwd: place.project, note: (text) => notes.push(text) });
}

function reasonOf(reply: unknown): string | undefined {
  return Object(Object(reply).hookSpecificOutput).permissionDecisionReason;
}

/** The sum of a rule's counts in the state of a session. */
function counted(place: Place, fact: string, session = 's1'): number {
  const folder = join(place.env['BYLAW_STATE_DIR'] ?? '', readdirSync(place.env['BYLAW_STATE_DIR'] ?? '').find((name) => name.endsWith('-project')) ?? '');
  const state = JSON.parse(readFileSync(join(folder, `session-${session}.json`), 'utf8'));
  return Object.values<number>(state.cells[fact].counts).reduce((sum, each) => sum + each, 0);
}

test('recorded payloads get the replies of the command hook', async () => {
  const policy = 'bylaw: 1\nrules:\n  calls: { deny: "No {tool}." }\n  feedback: { event: [PostToolUse, PostToolUseFailure], deny: Look again. }\n  context: { event: [SessionStart, SubagentStart, PostToolBatch], advise: Be careful. }\n  gates: { event: [UserPromptSubmit, SubagentStop, PreCompact, TaskCreated, ConfigChange], deny: Not now. }\n  stops: { event: Stop, times: 3, deny: Not yet. }\n';
  const places = [makePlace({ 'bylaw.yaml': policy }), makePlace({ 'bylaw.yaml': policy })] as const;
  const engine = engineOf(places[1]);
  const names = readdirSync(FIXTURES).filter((name) => name.endsWith('.json') && !name.startsWith('_')).filter((_, index) => index % 5 === 0);
  let spoke = 0;
  for (const name of names) {
    const payload = JSON.parse(readFileSync(join(FIXTURES, name), 'utf8'));
    const { output } = places[0].hook({ ...payload, cwd: places[0].project });
    assert.deepEqual(await engine.answer({ ...payload, cwd: places[1].project }), output, name);
    spoke += output === undefined ? 0 : 1;
  }
  assert.ok(spoke > 5);
  await engine.close();
  for (const place of places) place.remove();
});

test('50 events of one session at once are counted exactly, also beside command hooks', async () => {
  const place = makePlace({ 'bylaw.yaml': COUNTS });
  const engine = engineOf(place);
  await Promise.all(Array.from({ length: 50 }, () => engine.answer(read(place))));
  assert.equal(counted(place, 'reads.count'), 50);
  const run = promisify(execFile);
  const command = (): Promise<unknown> => {
    const done = run(process.execPath, [join(ROOT, 'dist', 'hook.cjs')], { env: place.env, cwd: place.project });
    done.child.stdin?.end(JSON.stringify(read(place)));
    return done;
  };
  await Promise.all([...Array.from({ length: 6 }, command), ...Array.from({ length: 50 }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, index * 5));
    await engine.answer(read(place));
  })]);
  assert.equal(counted(place, 'reads.count'), 106);
  await engine.close();
  place.remove();
});

test('an edit is in force at the next event, a broken policy keeps the last good plan', async () => {
  const place = makePlace({ 'bylaw.yaml': COUNTS });
  const notes: string[] = [];
  const engine = engineOf(place, notes);
  assert.equal(reasonOf(await engine.answer(web(place))), 'No web.');
  place.write('bylaw.yaml', COUNTS.replace('No web.', 'Second text.'));
  assert.equal(reasonOf(await engine.answer(web(place))), 'Second text.');
  place.write('bylaw.yaml', COUNTS.replace('deny: No web.', 'denny: x'));
  assert.equal(reasonOf(await engine.answer(web(place))), 'Second text.');
  assert.match(notes.join('\n'), /last good plan/);
  place.write('bylaw.yaml', COUNTS);
  assert.equal(reasonOf(await engine.answer(web(place))), 'No web.');
  rmSync(place.env['BYLAW_CACHE_DIR'] ?? '', { recursive: true, force: true });
  assert.equal(reasonOf(await engine.answer(web(place))), 'No web.', 'the cache may be deleted');
  await engine.close();
  place.remove();
});

test('a plan that another process has rebuilt is taken from the cache', async () => {
  const place = makePlace({ 'bylaw.yaml': COUNTS });
  const engine = engineOf(place);
  await engine.answer(web(place));
  place.write('bylaw.yaml', COUNTS.replace('No web.', 'Other text.'));
  // The sources run under another engine version than dist/, so the same compiler is asked.
  const done = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'cli', 'main.ts'), 'compile', place.project], { env: place.env, cwd: ROOT });
  await new Promise((resolve) => done.on('close', resolve));
  const cache = place.env['BYLAW_CACHE_DIR'] ?? '';
  const file = join(cache, readdirSync(cache)[0] ?? '', 'plan.json');
  const { ino } = statSync(file);
  assert.equal(reasonOf(await engine.answer(web(place))), 'Other text.');
  assert.equal(statSync(file).ino, ino, 'nothing was compiled again');
  await engine.close();
  place.remove();
});

test('while a plan is rebuilt, other events are judged by the last good one, and the first plan is waited for', async () => {
  const place = makePlace({ 'bylaw.yaml': COUNTS });
  const engine = engineOf(place);
  const first = await Promise.all([1, 2, 3].map(() => engine.answer(web(place))));
  assert.deepEqual(first.map(reasonOf), ['No web.', 'No web.', 'No web.']);
  place.write('bylaw.yaml', COUNTS.replace('No web.', 'New text.'));
  const [saw, ...meanwhile] = await Promise.all([1, 2, 3].map(() => engine.answer(web(place))));
  assert.equal(reasonOf(saw), 'New text.');
  assert.deepEqual(meanwhile.map(reasonOf), ['No web.', 'No web.']);
  assert.equal(reasonOf(await engine.answer(web(place))), 'New text.');
  await engine.close();
  place.remove();
});

test('a slow program of one session does not hold up another', async () => {
  const slow = makePlace({ 'bylaw.yaml': 'bylaw: 1\nfacts:\n  lint: { run: [sh, -c, "sleep 1; echo bad; exit 1"], timeout: 20s }\nrules:\n  lint-is-clean: { match: { tool: WebFetch, lint: true }, deny: "Lint says {lint}." }\n' });
  const quick = makePlace({ 'bylaw.yaml': COUNTS });
  assert.equal(slow.bylaw(['trust', '.'], '', { BYLAW_STATE_DIR: slow.env['BYLAW_STATE_DIR'] ?? '' }).status, 0);
  const engine = createEngine({ env: slow.env, cwd: slow.project, note: () => undefined });
  await engine.answer(read(slow));
  await engine.answer(web(quick), { env: quick.env });
  const order: string[] = [];
  const waits = engine.answer(web(slow)).then((reply) => void order.push(reasonOf(reply) ?? 'nothing'));
  await engine.answer(web(quick), { env: quick.env }).then((reply) => order.push(reasonOf(reply) ?? 'nothing'));
  await waits;
  assert.deepEqual(order, ['No web.', 'Lint says bad.']);
  assert.deepEqual([...engine.projects()].sort(), [slow.project, quick.project].sort());
  await engine.close();
  for (const place of [slow, quick]) place.remove();
});

test('text that can not be read is judged as the hook judges it', async () => {
  const place = makePlace({ 'bylaw.yaml': 'bylaw: 1\non-error: deny\nrules:\n  no-web: { match: { tool: WebFetch }, deny: No web. }\n' });
  const engine = engineOf(place);
  const text = '{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"WebF';
  const { output } = place.hook(text);
  assert.equal(output.hookSpecificOutput.permissionDecision, 'deny');
  assert.deepEqual(await engine.answer(text), output);
  await engine.close();
  await assert.rejects(engine.answer(text), /closed/);
  place.remove();
});

test('the built library finds its compiler', async () => {
  const place = makePlace({ 'bylaw.yaml': COUNTS });
  const script = join(place.folder, 'use.mjs');
  writeFileSync(script, `import { createEngine, sdkHooks, evaluate } from ${JSON.stringify(join(ROOT, 'dist', 'index.mjs'))};
const engine = createEngine();
console.log(JSON.stringify([await engine.answer(${JSON.stringify(web(place))}), typeof sdkHooks, typeof evaluate]));
await engine.close();\n`);
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env: place.env, cwd: place.project });
  const [reply, ...kinds] = JSON.parse(stdout);
  assert.deepEqual([reasonOf(reply), ...kinds], ['No web.', 'function', 'function']);
  place.remove();
});
