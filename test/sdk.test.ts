/** The adapter for the Agent SDK: it fits the SDK's types, says what the command hook says, and its example runs. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HookEvent, HookJSONOutput, Options } from '@anthropic-ai/claude-agent-sdk';
import { EVENTS } from '../engine/events.ts';
import { SDK_EVENTS, sdkHooks, type SdkReply } from '../hooks/sdk.ts';
import { makePlace, ROOT } from './place.ts';

/** These lines are the test: they only compile if the types fit. */
const fits = (hooks: ReturnType<typeof sdkHooks>): Options => ({ hooks });
const fitsReply = (reply: SdkReply): HookJSONOutput => reply;
const fitsEvents: readonly HookEvent[] = SDK_EVENTS;
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

const TALKATIVE = `bylaw: 1
rules:
  every-call-is-denied: { deny: 'No {tool}.' }
  feedback: { event: [PostToolUse, PostToolUseFailure], deny: Look again. }
  context: { event: [SessionStart, SubagentStart, PostToolBatch, Setup, PostModelSwitch], advise: Be careful. }
  gates: { event: [UserPromptSubmit, UserPromptExpansion, SubagentStop, PreCompact, TaskCreated, TaskCompleted, ConfigChange], deny: Not now. }
`;

test('every known event is registered but two', () => {
  assert.equal(fitsEvents.length, SDK_EVENTS.length);
  assert.deepEqual(Object.keys(EVENTS).filter((name) => !SDK_EVENTS.some((each) => each === name)).sort(), ['MessageDisplay', 'WorktreeCreate']);
  const strict = fits(sdkHooks({ onFailure: 'block' })).hooks;
  assert.equal(strict?.PreToolUse?.[0]?.onFailure, 'block');
  assert.equal(strict?.PostToolBatch?.[0]?.onFailure, undefined, 'it would end the loop');
});

test('recorded payloads get the replies of the command hook, and never an allow', async () => {
  const places = [makePlace({ 'bylaw.yaml': TALKATIVE }), makePlace({ 'bylaw.yaml': TALKATIVE })] as const;
  const hooks = sdkHooks({ env: places[1].env, cwd: places[1].project, note: () => undefined });
  const folder = join(ROOT, 'test', 'hosts', 'fixtures');
  const seen = new Set<string>();
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json') && !each.startsWith('_'))) {
    const payload = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const event = SDK_EVENTS.find((each) => each === payload.hook_event_name);
    if (event === undefined || seen.has(event)) continue;
    seen.add(event);
    const reply = await hooks[event]?.[0]?.hooks[0]?.({ ...payload, cwd: places[1].project });
    assert.ok(reply);
    const { output } = places[0].hook({ ...payload, cwd: places[0].project });
    assert.deepEqual(fitsReply(reply), output ?? {}, name);
    assert.doesNotMatch(JSON.stringify(reply), /"(allow|approve)"/);
  }
  assert.ok(seen.size > 15, [...seen].join(' '));
  for (const place of places) place.remove();
});

test('the project is the one of the query, also after a cd', async () => {
  const place = makePlace({ 'bylaw.yaml': TALKATIVE });
  const hooks = sdkHooks({ env: { ...place.env, CLAUDE_PROJECT_DIR: undefined }, cwd: place.project, note: () => undefined });
  const reply = await hooks.PreToolUse?.[0]?.hooks[0]?.({ session_id: 's', cwd: '/', hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: {} });
  assert.deepEqual(reply, { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'No Read.' } });
  place.remove();
});

test('the example runs without network', () => {
  const output = execFileSync(process.execPath, ['--import', 'tsx', 'examples/09-agent-sdk/agent.ts'], { cwd: ROOT, encoding: 'utf8' });
  assert.deepEqual(output.trimEnd().split('\n'), [
    'Read  nothing to say',
    'Read  nothing to say',
    'Read  deny: This is read 3; at most 2 before you delegate. Send an Explore agent to read the rest.',
    'Bash  deny: This rewrites history that others may have. Make a new commit.',
  ]);
});

test('a TypeScript project gets types, also without the SDK', () => {
  const place = makePlace({
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions: { target: 'ES2023', lib: ['ES2023'], module: 'NodeNext', strict: true, noEmit: true, types: ['node'] } }),
    'use.ts': `import { createEngine, sdkHooks, type Event } from 'bylaw';
const engine = createEngine({ cwd: '/' });
const reply = await engine.answer({ hook_event_name: 'Stop' });
const session: Event['session'] = 's';
// @ts-expect-error a number is no payload
await engine.answer(5);
console.log(reply?.['decision'], session, Object.keys(sdkHooks()).length);
`,
  });
  const installed = join(place.project, 'node_modules', 'bylaw');
  mkdirSync(installed, { recursive: true });
  const types = spawnSync(process.execPath, [TSC, '-p', join(ROOT, 'tsconfig.types.json'), '--outDir', join(installed, 'dist', 'types')], { encoding: 'utf8' });
  assert.equal(types.status, 0, types.stdout);
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'bylaw', type: 'module', types: manifest.types, exports: manifest.exports }));
  // What npm would have put there too; not the SDK.
  for (const name of ['yaml', 'ajv', 'minimatch', '@types', 'undici-types']) symlinkSync(join(ROOT, 'node_modules', name), join(place.project, 'node_modules', name));
  const compiled = spawnSync(process.execPath, [TSC, '-p', place.project], { encoding: 'utf8' });
  assert.equal(compiled.status, 0, compiled.stdout);
  place.write('use.ts', "import { createEngine } from 'bylaw';\ncreateEngine({ cwd: 5 });\n");
  assert.match(spawnSync(process.execPath, [TSC, '-p', place.project], { encoding: 'utf8' }).stdout, /TS2322/);
  place.remove();
});
