/** Settings that change under a running session, with the built hook as a process: what would switch bylaw off is refused, kept and told. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { makePlace, ROOT, type Place } from './place.ts';

const HOOK = join(ROOT, 'dist', 'hook.cjs');
const EVENTS = ['PreToolUse', 'ConfigChange', 'Stop', 'PostToolUse'];

function settings(events: readonly string[] = EVENTS, more: object = {}): string {
  return JSON.stringify({ ...more, hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: 'command', command: process.execPath, args: [HOOK, event] }] }]])) });
}

const places: Place[] = [];
after(() => places.forEach((place) => place.remove()));

function installed(): Place {
  const place = makePlace({
    'bylaw.yaml': 'bylaw: 1\nextends: [bylaw:self-protection]\nrules:\n  edits-are-noted: { event: PostToolUse, match: { tool: Edit }, advise: noted }\n',
    '.claude/settings.json': settings(),
  });
  places.push(place);
  return place;
}

function changed(place: Place, source = 'project_settings', env: Record<string, string> = {}): { output: any; stderr: string; status: number | null } {
  return place.hook({ hook_event_name: 'ConfigChange', source, file_path: join(place.project, '.claude', source === 'local_settings' ? 'settings.local.json' : 'settings.json') }, env);
}

describe('a change of settings', () => {
  test('that empties the file is blocked, remembered, told to the agent and the person once, and in the audit and the status', () => {
    const place = installed();
    place.write('.claude/settings.json', '{}');
    const { output, stderr, status } = changed(place);
    assert.deepEqual([output.decision, stderr, status], ['block', '', 0]);
    assert.match(output.reason, /no handler of bylaw is left for ConfigChange, PreToolUse/);
    const read = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: 'a.ts' } };
    assert.match(place.hook(read).output.hookSpecificOutput.additionalContext, /would switch bylaw off/);
    assert.equal(place.hook(read).output, undefined);
    assert.match(place.hook({ hook_event_name: 'Stop', stop_hook_active: false }).output.systemMessage, /bylaw doctor --fix/);
    assert.equal(place.hook({ hook_event_name: 'Stop', stop_hook_active: false }).output, undefined);
    assert.match(place.bylaw(['audit', 'tail', '--json']).stdout, /"event":"ConfigChange".*"decision":"deny"/);
    assert.match(place.bylaw(['status', '--session', 's1']).stdout, /a change of settings was refused \(\d\d:\d\d:\d\d, settings-keep-bylaw\); `bylaw doctor` says/);
    assert.match(place.bylaw(['state', 'show', '--session', 's1']).stdout, /disarming/);
    assert.equal(readFileSync(join(place.project, '.claude', 'settings.json'), 'utf8'), '{}', 'a person may have meant it: the file stays as it is');
  });

  test('that takes away what was seen before is blocked, also where nothing is refused', () => {
    const place = installed();
    place.write('.claude/settings.json', settings(['PreToolUse', 'ConfigChange', 'Stop'], { model: 'opus' }));
    assert.equal(changed(place).output, undefined, 'whether PostToolUse was ever registered is not known');
    place.write('.claude/settings.json', settings(EVENTS, { model: 'sonnet' }));
    assert.equal(changed(place).output, undefined);
    place.write('.claude/settings.json', settings(['PreToolUse', 'ConfigChange', 'Stop']));
    assert.match(changed(place).output.reason, /no handler of bylaw is left for PostToolUse/);
    place.write('.claude/settings.json', settings().replace('"PreToolUse":[{', '"PreToolUse":[{"matcher":"Bash",'));
    assert.match(changed(place).output.reason, /hear of PreToolUse only for some calls/);
    place.write('.claude/settings.json', settings());
    assert.equal(changed(place).output, undefined);
  });

  test('in any source counts: local, user by CLAUDE_CONFIG_DIR, a subfolder that the client was started in', () => {
    const place = installed();
    place.write('.claude/settings.local.json', '{ "disableAllHooks": true }');
    assert.match(changed(place, 'local_settings').output.reason, /disableAllHooks/);
    place.write('.claude/settings.local.json', '{}');
    const config = join(place.folder, 'config');
    mkdirSync(config);
    writeFileSync(join(config, 'settings.json'), '{ "disableAllHooks": true }');
    assert.equal(changed(place, 'user_settings').output, undefined);
    assert.match(changed(place, 'user_settings', { CLAUDE_CONFIG_DIR: config }).output.reason, /config\/settings\.json/);
    place.write('sub/.claude/settings.json', settings());
    place.write('.claude/settings.json', '{}');
    const below = place.hook({ hook_event_name: 'ConfigChange', source: 'project_settings', file_path: join(place.project, 'sub/.claude/settings.json') }, { CLAUDE_PROJECT_DIR: join(place.project, 'sub') });
    assert.equal(below.output, undefined);
  });

  test('under the plugin: entries may go, disableAllHooks may not', () => {
    const place = installed();
    place.write('.claude/settings.json', '{}');
    const env = { CLAUDE_PLUGIN_ROOT: ROOT };
    assert.equal(changed(place, 'project_settings', env).output, undefined);
    place.write('.claude/settings.json', '{ "disableAllHooks": true }');
    assert.equal(changed(place, 'project_settings', env).output.decision, 'block');
  });

  test('that makes a file unreadable is blocked where our hooks were in it', () => {
    const place = installed();
    mkdirSync(join(place.project, '.claude', 'settings.local.json'));
    assert.equal(changed(place, 'local_settings').output, undefined);
    rmSync(join(place.project, '.claude', 'settings.json'));
    mkdirSync(join(place.project, '.claude', 'settings.json'));
    assert.equal(changed(place).output.decision, 'block');
  });

  test('is explained without being remembered', () => {
    const place = installed();
    const done = place.bylaw(['explain', 'ConfigChange project_settings']);
    assert.match(done.stdout, /quiet +settings-keep-bylaw/);
    assert.equal(existsSync(place.env['BYLAW_STATE_DIR'] ?? ''), false);
  });

  test('alone loads the reader of settings', () => {
    const place = installed();
    const loaded = (payload: object): string => spawnSync(process.execPath, ['-e', `require(${JSON.stringify(HOOK)}); process.on('exit', () => process.stderr.write(Object.keys(require.cache).join()))`], { cwd: place.project, env: place.env, input: JSON.stringify({ session_id: 's2', cwd: place.project, ...payload }), encoding: 'utf8' }).stderr;
    assert.doesNotMatch(loaded({ hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: { file_path: 'a.ts' } }), /hook-disarms/);
    assert.doesNotMatch(loaded({ hook_event_name: 'ConfigChange', source: 'skills' }), /hook-disarms/);
    assert.match(loaded({ hook_event_name: 'ConfigChange', source: 'user_settings' }), /hook-disarms/);
  });
});
