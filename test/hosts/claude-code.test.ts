/** Recorded payloads to events, and verdicts to replies that the client's schema accepts. */

import '../seed.ts';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { EVENTS } from '../../engine/events.ts';
import type { Event, JsonObject, Verdict } from '../../engine/model.ts';
import { decode, encode } from '../../hooks/hosts/claude-code.ts';
import type { Given } from '../../hooks/hosts/claude-code.ts';

const SESSION = '00000000-0000-4000-8000-000000000001';
const AGENT = 'a0000000000000001';
const given: Given = { now: 1, random: 'A1B2', env: { HOME: '/home/dev' }, project: '/repo', cwd: '/start' };

const folder = new URL('./fixtures/', import.meta.url);
const fixtures = readdirSync(folder).filter((file) => file.endsWith('.json') && !file.startsWith('_'));
const textOf = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
const fixture = (name: string): JsonObject => JSON.parse(textOf(`${name}.json`));
const decoded = (payload: unknown, more: Partial<Given> = {}): Event => decode(JSON.stringify(payload), { ...given, ...more });
/** Some fields of an event; undefined means absent. */
type Fields = { readonly [Key in keyof Event]?: Event[Key] | undefined };
const pick = (event: Event, expected: Fields): unknown =>
  Object.fromEntries(Object.keys(expected).map((key) => [key, event[key as keyof Event]]));

// ---------------------------------------------------------------- decode

/** Every fixture that is not the plain main thread. */
const ACTORS: Readonly<Record<string, readonly [thread: string, by: readonly string[]]>> = {
  'PostToolBatch.in-subagent': [AGENT, ['subagent', 'reviewer']],
  'PostToolUse.Bash-edit-diff': [AGENT, ['subagent', 'general-purpose']],
  'PostToolUse.Bash-in-subagent': [AGENT, ['subagent', 'reviewer']],
  'PreToolUse.Bash-agent-flag': ['main', ['main', 'reviewer']],
  'PreToolUse.Bash-in-subagent': [AGENT, ['subagent', 'reviewer']],
  'PreToolUse.Bash-in-worktree-subagent': [AGENT, ['subagent', 'general-purpose']],
  'SessionStart.agent-flag': ['main', ['main', 'reviewer']],
  SubagentStart: [AGENT, ['subagent', 'reviewer']],
  'SubagentStop.compaction': [AGENT, ['subagent']],
  'SubagentStop.first': [AGENT, ['subagent', 'reviewer']],
  'SubagentStop.stop_hook_active': [AGENT, ['subagent', 'reviewer']],
};

test('there are 99 recorded payloads', () => assert.equal(fixtures.length, 99));

for (const file of fixtures) {
  test(`decodes ${file}`, () => {
    const name = file.replace(/\.json$/, '');
    const event = decode(textOf(file), given);
    const [thread, by] = ACTORS[name] ?? ['main', ['main']];
    const payload = fixture(name);
    assert.deepEqual(pick(event, { event: '', session: '', thread: '', by: [], unreadable: '' }), {
      event: name.split('.')[0],
      session: SESSION,
      thread,
      by,
      unreadable: undefined,
    });
    assert.equal(event.tool, payload['tool_name']);
    assert.equal(event.cwd, payload['cwd']);
    assert.deepEqual(event.output, payload['tool_response']);
    assert.deepEqual(event.host, payload);
    assert.ok(event.event in EVENTS);
  });
}

const agentCall = fixture('PreToolUse.Agent');
const prompted = fixture('UserPromptSubmit.prompt');
const stopped = fixture('Stop.first');
const bash = fixture('PreToolUse.Bash');

const TRAPS: readonly (readonly [title: string, payload: unknown, expected: Fields])[] = [
  ['Task arrives as Agent', { ...agentCall, tool_name: 'Task' }, { tool: 'Agent', agent: 'reviewer', prompt: 'please @@s work' }],
  ['an agent call is not yet an agent', agentCall, { agent: 'reviewer', agentId: undefined, by: ['main'], thread: 'main' }],
  ['an agent call without a type', { ...agentCall, tool_input: { prompt: 'go', subagent_type: '' } }, { agent: undefined, prompt: 'go' }],
  ['a started agent has an id', fixture('PostToolUse.Agent-background'), { agent: 'reviewer', agentId: AGENT, thread: 'main' }],
  ['an agent id in the output of another tool', { ...fixture('PostToolUse.Agent-background'), tool_name: 'Bash' }, { agent: undefined, agentId: undefined, prompt: undefined }],
  ['a main thread under --agent is main', fixture('PreToolUse.Bash-agent-flag'), { by: ['main', 'reviewer'], thread: 'main', agent: undefined }],
  ['an empty agent id is no subagent', { ...bash, agent_id: '', agent_type: 'reviewer' }, { by: ['main', 'reviewer'], thread: 'main' }],
  ['what a subagent does is not about an agent', fixture('PreToolUse.Bash-in-subagent'), { agent: undefined, agentId: undefined }],
  ['a starting agent', fixture('SubagentStart'), { agent: 'reviewer', agentId: AGENT }],
  ['a compaction stops an agent without a type', fixture('SubagentStop.compaction'), { agent: undefined, agentId: AGENT, by: ['subagent'], running: undefined }],
  ['a stopping agent without an id', { hook_event_name: 'SubagentStop', agent_type: 'reviewer' }, { agent: 'reviewer', agentId: undefined, by: ['subagent', 'reviewer'], thread: 'main' }],
  ['a person prompts', prompted, { source: 'person', prompt: 'exercise tools' }],
  ['a finished shell prompts', fixture('UserPromptSubmit.task-notification'), { source: 'notification' }],
  ['a finished agent prompts', fixture('UserPromptSubmit.subagent-finished'), { source: 'notification' }],
  ['a notification after white space', { ...prompted, prompt: '\n <task-notification>x' }, { source: 'notification' }],
  ['a person who quotes a notification', { ...prompted, prompt: 'what is <task-notification>?' }, { source: 'person' }],
  ['the host\'s own source of a prompt', { ...prompted, source: 'sdk' }, { source: 'person' }],
  ['a prompt that is no text is nobody\'s', { ...prompted, prompt: ['x'] }, { source: undefined, prompt: undefined, unreadable: undefined }],
  ['a session starts', fixture('SessionStart.compact'), { source: 'compact' }],
  ['no subagent runs', stopped, { running: {}, again: false, reply: 'end' }],
  ['a shell is no subagent', fixture('Stop.background-tasks'), { running: {} }],
  ['a subagent runs', fixture('Stop.subagent-running'), { running: { [AGENT]: 'reviewer' } }],
  ['odd background tasks', { ...stopped, background_tasks: [null, 1, [], { type: 'subagent' }, { type: 'subagent', id: 'a2' }] }, { running: { a2: '' } }],
  ['background tasks of a wrong type say nothing', { ...stopped, background_tasks: {} }, { running: undefined }],
  ['a second stop', fixture('Stop.stop_hook_active'), { again: true, reply: 'two' }],
  ['a failed tool', fixture('PostToolUseFailure.Bash'), { error: 'Exit code 3', output: undefined }],
  ['a typed command', fixture('UserPromptExpansion'), {
    input: { command_name: 'hey', command_args: 'bob', command_source: 'projectSettings', expansion_type: 'slash_command' },
    prompt: '/hey bob',
    source: undefined,
  }],
  ['fields of a wrong type are dropped', {
    hook_event_name: 'PreToolUse', session_id: 7, cwd: null, tool_name: ['Bash'], tool_input: 'rm', agent_id: {}, agent_type: 1,
    source: 2, stop_hook_active: 'true', last_assistant_message: [], error: { a: 1 }, prompt: 3,
  }, {
    event: 'PreToolUse', session: '', cwd: '/start', tool: undefined, input: undefined, by: ['main'], thread: 'main', source: undefined,
    again: undefined, reply: undefined, error: undefined, prompt: undefined, unreadable: undefined,
  }],
  ['a list is no tool input', { ...bash, tool_input: ['rm'] }, { input: undefined }],
  ['a relative folder', { ...bash, cwd: 'src' }, { cwd: '/start' }],
  ['a Windows folder', { ...bash, cwd: 'C:\\repo' }, { cwd: 'C:\\repo' }],
  ['a list at top level', [bash], { unreadable: 'not a JSON object', event: '', host: {}, tool: undefined }],
  ['null', null, { unreadable: 'not a JSON object', event: '', host: {} }],
  ['no event name', { tool_name: 'Task', session_id: SESSION }, { unreadable: 'no hook_event_name', event: '', tool: 'Agent', session: SESSION }],
  ['an event name of a wrong type', { hook_event_name: 5, tool_name: 'Bash' }, { unreadable: 'no hook_event_name', event: '', tool: 'Bash' }],
  ['an event name from a prototype', { hook_event_name: 'constructor', agent_type: 'reviewer' }, { by: ['main', 'reviewer'], agent: undefined }],
];

for (const [title, payload, expected] of TRAPS) {
  test(`decode: ${title}`, () => assert.deepEqual(pick(decoded(payload), expected), expected));
}

const line = JSON.stringify({ session_id: SESSION, agent_id: AGENT, agent_type: 'reviewer', hook_event_name: 'PreToolUse', tool_name: 'Task', tool_input: { prompt: 'x' } });
const nested = '{"tool_input":{"hook_event_name":"Stop","tool_name":"Read"},"prompt":"\\"tool_name\\":\\"Edit\\", \\"x\\\\",';
const UNREADABLE: readonly (readonly [title: string, text: string, expected: Fields])[] = [
  ['empty', '', { unreadable: 'empty input', event: '', by: ['main'], thread: 'main', session: '', host: {} }],
  ['white space', ' \n', { unreadable: 'empty input', event: '' }],
  ['not JSON', 'hello', { unreadable: 'not JSON', event: '', tool: undefined, host: {} }],
  ['cut off', line.slice(0, -3), { unreadable: 'not JSON', event: 'PreToolUse', tool: 'Agent', session: SESSION, thread: AGENT, by: ['subagent', 'reviewer'], host: {} }],
  ['cut off in the tool name', '{"hook_event_name":"PreToolUse","tool_name":"Ba', { event: 'PreToolUse', tool: undefined }],
  ['noise before', `warning: x\n${line}`, { event: 'PreToolUse', tool: 'Agent' }],
  ['a comma lost', '{"hook_event_name": "Stop" "session_id" : "s1"}', { event: 'Stop', session: 's1' }],
  ['the same words deeper down', nested, { event: '', tool: undefined }],
  ['the same words deeper down and at the top', `${nested}"hook_event_name":"PreToolUse","tool_name":"Bash"`, { event: 'PreToolUse', tool: 'Bash' }],
  ['a prompt cut off is nobody\'s', '{"hook_event_name":"UserPromptSubmit","prompt":"<task-not', { event: 'UserPromptSubmit', source: undefined, prompt: undefined }],
];

for (const [title, text, expected] of UNREADABLE) {
  test(`unreadable: ${title}`, () => assert.deepEqual(pick(decode(text, given), expected), expected));
}

test('the command line names the event only where the input does not', () => {
  const more = { ...given, event: 'PreToolUse' };
  assert.equal(decode('', more).event, 'PreToolUse');
  assert.equal(decode('{"tool_name":"Bash"}', more).event, 'PreToolUse');
  assert.equal(decode('{"hook_event_name":"Stop"', more).event, 'Stop');
  assert.equal(decode('{"hook_event_name":"Stop"}', more).event, 'Stop');
});

test('what the edge knows is passed on', () => {
  const event = decoded(bash, { home: '/home/dev' });
  assert.deepEqual(pick(event, { ...given, home: '', outside: {} }), { ...given, cwd: '/repo', home: '/home/dev', outside: {} });
  assert.ok(!('home' in decoded(bash)));
});

test('a payload cut anywhere never gets a wrong name', () => {
  for (const file of fixtures) {
    const whole = JSON.stringify(JSON.parse(textOf(file)));
    const { event, tool } = decode(whole, given);
    for (let end = 0; end < whole.length; end += 7) {
      const part = decode(whole.slice(0, end), given);
      assert.ok(part.unreadable !== undefined);
      assert.ok(['', event].includes(part.event), `${file} at ${end}: ${part.event}`);
      assert.ok([undefined, tool].includes(part.tool), `${file} at ${end}: ${part.tool}`);
    }
  }
});

test('a megabyte of open quotes is read in one pass', () => {
  const started = performance.now();
  decode(`{"hook_event_name":"PreToolUse","tool_input":{"content":"${'\\"'.repeat(500_000)}`, given);
  assert.ok(performance.now() - started < 2000);
});

test('decode throws at nothing', () => {
  const keys = ['hook_event_name', 'tool_name', 'tool_input', 'tool_response', 'agent_id', 'agent_type', 'background_tasks', 'prompt', 'cwd', 'source'];
  const names = fc.constantFrom(...Object.keys(EVENTS), 'Agent', 'Task', '__proto__', 'constructor');
  const payloads = fc.dictionary(fc.constantFrom(...keys), fc.oneof(names, fc.jsonValue()));
  const broken = fc.tuple(payloads, fc.nat(400)).map(([payload, end]) => JSON.stringify(payload).slice(0, end));
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), payloads.map((payload) => JSON.stringify(payload)), broken), (text) => {
    const event = decode(text, given);
    assert.equal(typeof event.event, 'string');
    assert.ok(event.by[0] === 'main' || event.by[0] === 'subagent');
    assert.ok(!Object.values(event).includes(undefined));
  }));
});

// ---------------------------------------------------------------- encode

const schema = JSON.parse(readFileSync(new URL('./reply.schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv({ allErrors: true });
ajv.addSchema(schema);
const accepts = (event: string, reply: unknown): void => {
  const validate = ajv.getSchema(`reply.schema.json#/definitions/${event}`);
  assert.ok(validate, `no schema for ${event}`);
  assert.ok(validate(reply), `${event}: ${JSON.stringify(reply)}: ${ajv.errorsText(validate.errors)}`);
};

type Spoken = Verdict['decision'];
const WORDS: readonly Spoken[] = ['deny', 'ask', 'advise', 'none'];
const reply = (event: string, decision: Spoken, text = 'Use `src/a.ts`.'): JsonObject | undefined =>
  encode(decoded({ hook_event_name: event }), { decision, passes: decision !== 'deny', text, findings: [], failures: [], deeds: [] });

test('the catalogue is the client\'s', () => {
  const where = (holds: (name: string) => boolean): readonly string[] => Object.keys(EVENTS).filter(holds).sort();
  assert.equal(Object.keys(EVENTS).length, 33);
  assert.deepEqual(Object.keys(schema.definitions).sort(), where(() => true));
  assert.deepEqual(where((name) => EVENTS[name]?.deny === 'prevents'), [
    'ConfigChange', 'PreCompact', 'PreToolUse', 'Stop', 'SubagentStop', 'TaskCompleted', 'TaskCreated', 'UserPromptExpansion', 'UserPromptSubmit',
  ]);
  assert.deepEqual(where((name) => EVENTS[name]?.deny === 'feedback'), ['PostToolUse', 'PostToolUseFailure']);
  assert.deepEqual(where((name) => EVENTS[name]?.ask === true), ['PreToolUse']);
  assert.deepEqual(where((name) => EVENTS[name]?.about === 'agent'), ['SubagentStart', 'SubagentStop']);
  assert.equal(EVENTS['constructor'], undefined);
});

for (const event of Object.keys(EVENTS)) {
  for (const decision of WORDS) {
    test(`${event}: the client accepts ${decision}`, () => {
      const reach = EVENTS[event];
      for (const text of ['Use `src/a.ts`.', '{"decision":"approve"', 'x'.repeat(12_000)]) {
        const said = reply(event, decision, text);
        const carried = decision === 'deny' && reach?.deny !== 'no';
        assert.equal(said !== undefined, decision !== 'none' && (carried || reach?.advise !== 'no'));
        if (said === undefined) continue;
        accepts(event, said);
        assert.notEqual(said['decision'], 'approve');
        assert.ok(!JSON.stringify(said).includes('"permissionDecision":"allow"'));
      }
      assert.equal(reply(event, decision, ''), undefined);
    });
  }
}

const text = 'Use `src/a.ts`.';
const REPLIES: readonly (readonly [event: string, decision: Spoken, expected: JsonObject | undefined])[] = [
  ['PreToolUse', 'deny', { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: text } }],
  ['PreToolUse', 'ask', { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask', permissionDecisionReason: text } }],
  ['PreToolUse', 'advise', { hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: text } }],
  ['PostToolUse', 'deny', { decision: 'block', reason: text }],
  ['SubagentStart', 'advise', { hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: text } }],
  ['Stop', 'deny', { decision: 'block', reason: text }],
  ['Stop', 'advise', { systemMessage: text }],
  ['SubagentStop', 'advise', { systemMessage: text }],
  ['ConfigChange', 'deny', { decision: 'block', reason: text }],
  ['PostToolBatch', 'deny', { hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: text } }],
  ['Stop', 'ask', { systemMessage: text }],
  ['SessionEnd', 'advise', undefined],
  ['WorktreeCreate', 'deny', undefined],
  ['', 'deny', { decision: 'block', reason: text }],
  ['', 'ask', { decision: 'block', reason: text }],
  ['', 'advise', { systemMessage: text }],
  ['constructor', 'deny', { decision: 'block', reason: text }],
];

for (const [event, decision, expected] of REPLIES) {
  test(`${event || 'an unknown event'}: ${decision} becomes the reply`, () => assert.deepEqual(reply(event, decision), expected));
}

test('a block without an event name is valid wherever something can be blocked', () => {
  for (const [event, reach] of Object.entries(EVENTS)) {
    if (reach.deny !== 'no') accepts(event, reply('', 'deny'));
  }
});

test('the schema refuses what the client would drop or we mistyped', () => {
  const specific = { hookEventName: 'PreToolUse', permissionDecision: 'deny' };
  const wrong = [
    { decision: 'deny' }, { permissionDecision: 'deny' }, { systemMessage: 5 }, { hookSpecificOutput: { permissionDecision: 'deny' } },
    { hookSpecificOutput: { ...specific, hookEventName: 'Stop' } }, { hookSpecificOutput: { ...specific, permissionDecision: 'maybe' } },
  ];
  for (const one of wrong) assert.throws(() => accepts('PreToolUse', one), /PreToolUse/);
  assert.throws(() => accepts('WorktreeCreate', {}), /WorktreeCreate/);
});

test('a long context is cut with a note, a long reason is passed whole', () => {
  const long = '😀'.repeat(6_000);
  // One more character before moves the cut into the middle of a pair.
  for (const one of [long, `x${long}`]) {
    const { hookSpecificOutput } = reply('SessionStart', 'advise', one) as { hookSpecificOutput: { additionalContext: string } };
    const said = hookSpecificOutput.additionalContext;
    assert.ok(said.length <= 10_000);
    assert.match(said, /^x?(?:😀)+\n\[cut here: the text is longer than 10,000 characters\]$/u);
  }
  assert.deepEqual(reply('SessionStart', 'advise', 'x'.repeat(10_000)), { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'x'.repeat(10_000) } });
  assert.deepEqual(reply('Stop', 'deny', long), { decision: 'block', reason: long });
});
