/** The built hook as a process: real payloads in, valid replies out, nothing loaded that a hook must not load. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { build } from 'esbuild';
import { BYLAW, makePlace, ROOT, type Place } from './place.ts';

const FIXTURES = join(ROOT, 'test', 'hosts', 'fixtures');
const names = readdirSync(FIXTURES).filter((name) => name.endsWith('.json') && !name.startsWith('_'));

/** Speaks at every event that can carry something, so that every kind of reply is seen. */
const TALKATIVE = `bylaw: 1
rules:
  every-call-is-denied: { deny: 'No {tool}.' }
  feedback: { event: [PostToolUse, PostToolUseFailure], deny: Look again. }
  context: { event: [SessionStart, SubagentStart, PostToolBatch], advise: Be careful. }
  gates: { event: [UserPromptSubmit, UserPromptExpansion, SubagentStop, PreCompact, TaskCreated, TaskCompleted, ConfigChange], deny: Not now. }
  stops: { event: Stop, times: 3, deny: Not yet. }
`;

describe('recorded payloads', () => {
  let place: Place;
  before(() => {
    place = makePlace({ 'bylaw.yaml': TALKATIVE });
  });
  after(() => place.remove());
  const schema = JSON.parse(readFileSync(join(ROOT, 'test', 'hosts', 'reply.schema.json'), 'utf8'));
  const ajv = new Ajv({ strict: false }).addSchema(schema, 'reply');

  test('there are 99', () => assert.equal(names.length, 99));
  for (const name of names) {
    test(name, () => {
      const payload = { ...JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')), cwd: place.project };
      const { output, stderr, status } = place.hook(payload);
      assert.equal(status, 0);
      assert.equal(stderr, '');
      assert.doesNotMatch(JSON.stringify(output ?? {}), /"(allow|approve)"/);
      if (output === undefined) return;
      const validate = ajv.getSchema(`reply#/definitions/${payload.hook_event_name}`);
      assert.ok(validate, `no schema for ${payload.hook_event_name}`);
      assert.ok(validate(output), JSON.stringify([output, validate.errors]));
    });
  }
});

describe('the hook process', () => {
  let place: Place;
  before(() => {
    place = makePlace({ 'bylaw.yaml': 'bylaw: 1\nrules:\n  no-web: { match: { tool: WebFetch }, deny: No web. }\n  two-reads: { match: { tool: Read }, limit: 2, scope: agent, deny: "Read {count}." }\n' });
  });
  after(() => place.remove());

  test('a pass says nothing at all', () => {
    const done = place.bylaw(['hook'], JSON.stringify({ session_id: 's', cwd: place.project, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } }));
    assert.deepEqual([done.status, done.stdout, done.stderr], [0, '', '']);
  });

  test('a denial is one JSON object on one line', () => {
    const done = place.bylaw(['hook'], JSON.stringify({ session_id: 's', cwd: place.project, hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: { url: 'https://example.com' } }));
    assert.equal(done.stdout.trim().split('\n').length, 1);
    assert.deepEqual(JSON.parse(done.stdout), { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'No web.' } });
  });

  test('no bylaw.yaml upwards: silent, and no state', () => {
    const bare = makePlace({});
    const done = bare.bylaw(['hook'], JSON.stringify({ session_id: 's', cwd: bare.project, hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: {} }));
    assert.deepEqual([done.status, done.stdout, done.stderr], [0, '', '']);
    assert.equal(existsSync(bare.env['BYLAW_STATE_DIR'] ?? ''), false);
    bare.remove();
  });

  test('the project is found from a subfolder, and through a symlink', () => {
    place.write('src/deep/a.ts', '');
    const call = { session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: {} };
    assert.equal(place.hook({ ...call, cwd: join(place.project, 'src', 'deep') }, { CLAUDE_PROJECT_DIR: '' }).output.hookSpecificOutput.permissionDecision, 'deny');
    symlinkSync(place.project, join(place.folder, 'link'));
    assert.equal(place.hook({ ...call, cwd: join(place.folder, 'link') }, { CLAUDE_PROJECT_DIR: join(place.folder, 'link') }).output.hookSpecificOutput.permissionDecision, 'deny');
  });

  test('the hook is made of the engine and two packages: no yaml, no ajv, no tsx, no command line; the shell analyser comes late', async () => {
    const { metafile } = await build({ absWorkingDir: ROOT, entryPoints: { hook: 'hooks/run.ts' }, bundle: true, splitting: true, outdir: 'dist', platform: 'node', format: 'esm', write: false, metafile: true, logLevel: 'silent' });
    const outputs = new Map(Object.entries(metafile.outputs));
    const inputs = new Set<string>();
    const follow = (name: string): void => {
      Object.keys(outputs.get(name)?.inputs ?? {}).forEach((input) => inputs.add(input));
      for (const each of outputs.get(name)?.imports ?? []) if (each.kind === 'import-statement' && outputs.has(each.path)) follow(each.path);
    };
    follow('dist/hook.js');
    const packages = new Set([...inputs].flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []));
    assert.deepEqual([...packages].sort(), ['@isaacs/nonrecursive-glob-match', 'balanced-match', 'brace-expansion', 'json-logic-js', 'minimatch']);
    assert.deepEqual([...inputs].filter((input) => /^(cli|engine\/load)\//.test(input) || input.endsWith('compile.ts') || input.endsWith('command/parse.ts')), []);
  });

  test('a cwd inside the tool input does not choose the project', () => {
    const other = makePlace({});
    const call = JSON.stringify({ tool_input: { cwd: other.project }, session_id: 's', cwd: place.project, hook_event_name: 'PreToolUse', tool_name: 'WebFetch' });
    assert.match(place.bylaw(['hook'], call, { CLAUDE_PROJECT_DIR: '' }).stdout, /deny/);
    other.remove();
  });

  test('an edited policy is in force at the next call, a broken one keeps the last good plan', () => {
    const fresh = makePlace({ 'bylaw.yaml': 'bylaw: 1\nrules:\n  no-web: { match: { tool: WebFetch }, deny: First text. }\n' });
    const call = { hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: {} };
    const reason = (): string => fresh.hook(call).output.hookSpecificOutput.permissionDecisionReason;
    assert.equal(reason(), 'First text.');
    fresh.write('bylaw.yaml', 'bylaw: 1\nrules:\n  no-web: { match: { tool: WebFetch }, deny: Second text. }\n');
    assert.equal(reason(), 'Second text.');
    fresh.write('bylaw.yaml', 'bylaw: 1\nrules:\n  no-web: { match: { tool: WebFetch }, denny: Third text. }\n');
    assert.equal(reason(), 'Second text.');
    const told = fresh.hook({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } });
    assert.match(told.output.hookSpecificOutput.additionalContext, /unknown-key/);
    assert.match(told.stderr, /last good plan/);
    const again = fresh.hook({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } });
    assert.equal(again.output, undefined, 'the agent is told once per session');
    fresh.write('policies/more.yaml', 'bylaw: 1\nrules:\n  no-bash: { match: { tool: Bash }, deny: No shell. }\n');
    fresh.write('bylaw.yaml', 'bylaw: 1\n');
    assert.equal(fresh.hook({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } }).output.hookSpecificOutput.permissionDecision, 'deny', 'a new file in policies/ counts');
    fresh.remove();
  });

  test('the cache may be deleted, damaged or made older at any time', () => {
    const call = { hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: {} };
    const folder = join(place.env['BYLAW_CACHE_DIR'] ?? '', readdirSync(place.env['BYLAW_CACHE_DIR'] ?? '')[0] ?? '');
    for (const damage of ['', '{}', 'not json', '{"version":1,"engine":"0","project":"/x","stamps":[]}']) {
      writeFileSync(join(folder, 'plan.json'), damage);
      assert.equal(place.hook(call).output.hookSpecificOutput.permissionDecision, 'deny', damage);
    }
    utimesSync(join(place.project, 'bylaw.yaml'), 1, 1);
    assert.equal(place.hook(call).output.hookSpecificOutput.permissionDecision, 'deny');
  });

  test('HOME may be unset', () => {
    const env = { PATH: process.env['PATH'] ?? '', BYLAW_STATE_DIR: place.env['BYLAW_STATE_DIR'] ?? '', BYLAW_CACHE_DIR: place.env['BYLAW_CACHE_DIR'] ?? '' };
    const done = spawnSync(process.execPath, [BYLAW, 'hook'], { cwd: place.project, env, encoding: 'utf8', input: JSON.stringify({ session_id: 's', cwd: place.project, hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: {} }) });
    assert.match(done.stdout, /deny/);
    assert.equal(done.stderr, '');
  });
});
