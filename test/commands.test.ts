/** Commands that people type, on a real project: levels, state, report, gate, audit, trust. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { makePlace, type Place } from './place.ts';

const POLICY = `bylaw: 1
extends: [bylaw:base]
facts:
  tested: { scope: session }
  turns: { scope: project, last: 5 }
rules:
  no-web: { match: { tool: WebFetch }, deny: No web., instead: Read the docs folder. }
  two-reads: { match: { tool: Read, by: main }, limit: 2, until: { tool: $delegation }, deny: 'Read {count}.' }
  pipeline:
    match: { tool: $delegation }
    start: PLAN
    moves: { event: SubagentStop }
    phases: { PLAN: { planner: BUILD }, BUILD: { developer: PLAN } }
    deny: 'Not {agent} in {phase}.'
`;

const call = (tool: string, input: object = {}): object => ({ hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input });

describe('commands', () => {
  let place: Place;
  before(() => {
    place = makePlace({ 'bylaw.yaml': POLICY });
  });
  beforeEach(() => {
    place.bylaw(['level', 'default']);
    place.bylaw(['level', 'default', '--session', 's1']);
    place.bylaw(['level', 'default', '--user']);
    place.bylaw(['level', 'default', '--policy', 'bylaw']);
  });
  after(() => place.remove());
  const decision = (payload: object): string => {
    const { output } = place.hook(payload);
    return output === undefined ? 'none' : (output.hookSpecificOutput.permissionDecision ?? 'advise');
  };

  for (const [flags, where] of [[[], 'project'], [['--session', 's1'], 'session'], [['--user'], 'user'], [['--policy', 'bylaw'], 'project']] as const) {
    test(`a person's level holds at once: ${flags.join(' ') || 'project'}`, () => {
      assert.equal(decision(call('WebFetch')), 'deny');
      const set = place.bylaw(['level', 'guidance', ...flags]);
      assert.match(set.stdout, new RegExp(`guidance \\(${where}`));
      assert.equal(decision(call('WebFetch')), 'advise');
      place.bylaw(['level', 'default', ...flags]);
      assert.equal(decision(call('WebFetch')), 'deny');
    });
  }

  test('the session beats the project, the policy by name beats all', () => {
    place.bylaw(['level', 'disabled']);
    place.bylaw(['level', 'strict', '--session', 's1']);
    assert.equal(decision(call('WebFetch')), 'deny');
    place.bylaw(['level', 'observe', '--policy', 'bylaw']);
    assert.equal(decision(call('WebFetch')), 'none');
  });

  test('a level for a while ends by itself', async () => {
    place.bylaw(['level', 'disabled', '--for', '1s']);
    assert.equal(decision(call('WebFetch')), 'none');
    await new Promise((resolve) => {
      setTimeout(resolve, 1100);
    });
    assert.equal(decision(call('WebFetch')), 'deny');
  });

  test('enable and disable are the short forms', () => {
    place.bylaw(['disable', '--policy', 'bylaw']);
    assert.equal(decision(call('WebFetch')), 'none');
    assert.match(place.bylaw(['status']).stdout, /bylaw +disabled/);
    place.bylaw(['enable', '--policy', 'bylaw']);
    assert.equal(decision(call('WebFetch')), 'deny');
  });

  for (const [args, text] of [
    [['level', 'loud'], /there is no level loud/],
    [['level', 'strikt'], /did you mean strict/],
    [['level', 'strict', '--for', 'soon'], /no duration/],
    [['level', 'strict', '--policy', 'nobody'], /there is no policy nobody/],
    [['state', 'set', 'pipeline.phase', 'NOWHERE'], /phases: PLAN, BUILD/],
    [['state', 'set', 'testet', 'true'], /did you mean `tested`/],
    [['state', 'reset', 'nothing'], /nothing remembered is called nothing/],
    [['gate'], /name the session/],
    [['gate', '--session', 's1', '--min', 'many'], /no score/],
    [['state', 'graph', 'no-web'], /has no phases/],
    [['nonsense'], /unknown command/],
  ] as const) {
    test(`wrong use ends with 2 and a help: bylaw ${args.join(' ')}`, () => {
      const done = place.bylaw(args);
      assert.equal(done.status, 2);
      assert.match(done.stderr, text);
      assert.doesNotMatch(done.stderr, / {4}at /);
    });
  }

  test('a phase moves, is shown, drawn, set and reset with a backup and an entry in the history', () => {
    assert.equal(decision(call('Task', { subagent_type: 'developer' })), 'deny');
    place.hook({ hook_event_name: 'SubagentStop', agent_id: 'a1', agent_type: 'planner', last_assistant_message: '' });
    assert.match(place.bylaw(['status']).stdout, /pipeline: BUILD/);
    assert.match(place.bylaw(['state', 'graph']).stdout, /● BUILD {2}→ PLAN +developer/);
    place.bylaw(['state', 'graph', '--svg', 'out/p.svg', '--mermaid', 'out/p.mmd']);
    assert.match(readFileSync(join(place.project, 'out/p.svg'), 'utf8'), /^<svg [\s\S]*BUILD[\s\S]*<\/svg>\n$/);
    assert.match(readFileSync(join(place.project, 'out/p.mmd'), 'utf8'), /PLAN --> BUILD: planner/);
    const reset = place.bylaw(['state', 'reset', 'pipeline', '--reason', 'stuck']);
    assert.match(reset.stdout, /reset pipeline.phase/);
    const copy = /kept in (\S+session-s1\S*\.json)/.exec(reset.stdout)?.[1] ?? '';
    assert.match(readFileSync(copy.replace(/,$/, ''), 'utf8'), /"phase":"BUILD"/);
    assert.match(place.bylaw(['state', 'history']).stdout, /PLAN → BUILD {2}planner\n.*BUILD → PLAN {2}reset {2}\(stuck\)/);
    place.bylaw(['state', 'set', 'pipeline.phase', 'BUILD']);
    assert.equal(decision(call('Task', { subagent_type: 'developer' })), 'none');
  });

  test('facts and counts can be set and seen', () => {
    place.bylaw(['state', 'set', 'tested', 'true']);
    place.bylaw(['state', 'set', 'turns', '12', '40', '8']);
    place.bylaw(['state', 'set', 'two-reads.count', '2']);
    const shown = JSON.parse(place.bylaw(['state', 'show', '--json']).stdout);
    const values = Object.fromEntries(shown.cells.map((cell: { name: string; value: unknown }) => [cell.name, cell.value]));
    assert.deepEqual([values.tested, values.turns, values['two-reads.count']], [[true], [12, 40, 8], 2]);
    assert.equal(decision(call('Read', { file_path: 'a' })), 'deny');
    assert.match(place.bylaw(['statusline'], JSON.stringify({ session_id: 's1', cwd: place.project })).stdout, /^bylaw strict · BUILD · streak 2 · ▂█▁ 8s\n$/);
  });

  test('report and gate come from the audit', () => {
    const fresh = makePlace({ 'bylaw.yaml': `${POLICY}report: { pass: 60 }\n` });
    for (const tool of ['Bash', 'Bash', 'WebFetch']) fresh.hook(call(tool, { command: 'ls' }));
    const report = JSON.parse(fresh.bylaw(['report', '--session', 's1', '--json']).stdout);
    assert.deepEqual(
      { ...report, session_start: '', session_end: '' },
      { session_id: 's1', policy: 'bylaw', session_start: '', session_end: '', agent_role: 'main', compliance_score: 67, valid: true, total_tool_calls: 3, violations: { blocked: 1, warned: 0, allowed: 2 }, violation_breakdown: [{ type: 'no-web', count: 1, blocked: true }], recommendations: ['Read the docs folder.'] },
    );
    assert.equal(fresh.bylaw(['gate', '--session', 's1']).status, 0);
    assert.equal(fresh.bylaw(['gate', '--session', 's1', '--min', '80']).status, 1);
    assert.match(fresh.bylaw(['audit', 'tail']).stdout, /deny +PreToolUse WebFetch +no-web/);
    fresh.remove();
  });

  test('the audit keeps no file contents and no secrets', () => {
    const fresh = makePlace({ 'bylaw.yaml': 'bylaw: 1\nrules: { never: { deny: No. } }\n' });
    fresh.hook(call('Write', { file_path: 'a', content: 'top secret text' }));
    fresh.hook(call('Bash', { command: `curl -H "Authorization: Bearer abcdef123456" --password hunter2hunter ${'x'.repeat(900)}` }));
    const file = join(fresh.env['BYLAW_STATE_DIR'] ?? '', readdirSync(fresh.env['BYLAW_STATE_DIR'] ?? '')[0] ?? '', 'audit.jsonl');
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /top secret|abcdef123456|hunter2/);
    assert.match(text, /"content_length":15/);
    assert.match(text, /"command_truncated":true/);
    fresh.remove();
  });
});

describe('trust', () => {
  const policy = `bylaw: 1
facts:
  check: { run: [sh, -c, 'echo found; exit 1'] }
rules:
  checked: { match: { tool: Write, check: true }, deny: '{check} {env.SECRET}' }
  recorded: { match: { tool: Bash }, then: { record: { to: log/calls.jsonl, fields: { tool: $tool, n: 1 } } } }
`;

  test('programs, records and the environment are off until a person trusts the file, and off again when it changes', () => {
    const place = makePlace({ 'bylaw.yaml': policy });
    const write = (): { output: any; stderr: string } => place.hook(call('Write', { file_path: 'a' }), { SECRET: 'hidden' });
    assert.equal(write().output, undefined);
    assert.match(write().stderr, /not trusted/);
    place.hook(call('Bash', { command: 'ls' }));
    assert.equal(existsSync(join(place.project, 'log')), false);
    assert.match(place.bylaw(['check']).stdout, /needs-trust/);

    const refused = place.bylaw(['trust'], '', { CLAUDECODE: '1' });
    assert.equal(refused.status, 2, 'the agent can not trust');
    assert.equal(place.bylaw(['trust']).status, 0);
    assert.equal(write().output.hookSpecificOutput.permissionDecisionReason, 'found hidden');
    place.hook(call('Bash', { command: 'ls' }));
    assert.equal(readFileSync(join(place.project, 'log/calls.jsonl'), 'utf8'), '{"tool":"Bash","n":1}\n');

    place.write('bylaw.yaml', `${policy}# changed\n`);
    assert.equal(write().output, undefined);
    place.remove();
  });
});
