/** Which events a plan needs: everything a rule depends on, and nothing else. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Plan } from '../engine/model.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { loadProject } from '../engine/plan/compile.ts';
import { eventsOf, strictEventsOf, usesOf } from '../engine/plan/events.ts';
import { loadTexts } from './load-texts.ts';

function planOf(text: string): Plan {
  const { core, problems } = loadTexts({ 'bylaw.yaml': `bylaw: 1\n${text}` });
  assert.ok(core !== undefined, problems.map(({ message }) => message).join('\n'));
  return buildPlan(core);
}

/** A project that extends shipped packs, with the guard that comes along. */
function packs(...names: readonly string[]): Plan {
  const folder = mkdtempSync(join(tmpdir(), 'bylaw-events-'));
  try {
    mkdirSync(join(folder, 'state'));
    writeFileSync(join(folder, 'bylaw.yaml'), `bylaw: 1\nextends: [${names.map((name) => `bylaw:${name}`).join(', ')}]\n`);
    const { core } = loadProject(folder, { BYLAW_STATE_DIR: join(folder, 'state') });
    assert.ok(core !== undefined);
    return buildPlan(core);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const RULE = '    match: { tool: WebFetch }\n    deny: No.\n';

describe('the events of', () => {
  for (const [name, text, events] of [
    ['a plain rule', `rules:\n  no-web:\n${RULE}`, ['PreToolUse']],
    ['a rule on an event', 'rules:\n  stop:\n    event: Stop\n    deny: No.\n', ['Stop']],
    ['a rule that is switched off in its file', `rules:\n  off:\n    event: PreCompact\n    level: disabled\n    deny: No.\n  no-web:\n${RULE}`, ['PreToolUse']],
    ['a rule of a disabled file, which a person may switch on', `level: disabled\nrules:\n  no-web:\n${RULE}`, ['PreToolUse']],
    ['a count that is emptied elsewhere', 'rules:\n  reads:\n    match: { tool: Read }\n    limit: 2\n    until: { event: SubagentStop }\n    deny: No.\n', ['PreToolUse', 'SubagentStop']],
    ['a rule that speaks once until something', 'rules:\n  once:\n    match: { tool: Read }\n    times: 1\n    until: { event: PreCompact }\n    deny: No.\n', ['PreCompact', 'PreToolUse']],
    ['a count of a turn', 'facts:\n  fails: { count: { event: PostToolUseFailure, tool: Bash }, scope: turn }\nrules:\n  three:\n    when: { ">": [{ var: fails }, 3] }\n    deny: No.\n', ['PostToolUseFailure', 'PreToolUse', 'UserPromptSubmit']],
    ['a fact that lasts a turn', 'facts:\n  seen: { scope: turn }\nrules:\n  note:\n    event: PostToolUse\n    then: { remember: { seen: true } }\n', ['PostToolUse', 'UserPromptSubmit']],
    ['running in unless', 'rules:\n  solo:\n    match: { tool: Read }\n    unless: { running: true }\n    deny: No.\n', ['PreToolUse', 'SessionStart', 'SubagentStart', 'SubagentStop']],
    ['running in a text', 'rules:\n  solo:\n    match: { tool: Read }\n    deny: "Now: {running}"\n', ['PreToolUse', 'SessionStart', 'SubagentStart', 'SubagentStop']],
    ['running in logic', 'rules:\n  solo:\n    match: { tool: Read }\n    when: { "!": { var: [running, false] } }\n    deny: No.\n', ['PreToolUse', 'SessionStart', 'SubagentStart', 'SubagentStop']],
    ['running that a fact asks for', 'facts:\n  mood: { first: [{ match: { running: Explore }, is: busy }] }\nrules:\n  solo:\n    match: { tool: Read, mood: busy }\n    deny: No.\n', ['PreToolUse', 'SessionStart', 'SubagentStart', 'SubagentStop']],
    ['running that switches a policy on', `active: { running: true }\nrules:\n  no-web:\n${RULE}`, ['PreToolUse', 'SessionStart', 'SubagentStart', 'SubagentStop']],
    ['the word running elsewhere', 'rules:\n  x:\n    match: { tool: Bash, command: running }\n    deny: It is running.\n', ['PreToolUse']],
  ] as const) {
    test(name, () => assert.deepEqual(eventsOf(planOf(text)), events));
  }
});

test('a rule on WorktreeCreate is the only reason to register it', () => {
  assert.deepEqual(usesOf(planOf('rules:\n  tree:\n    event: WorktreeCreate\n    then: { remember: { seen: true } }\nfacts:\n  seen: { scope: session }\n')).get('WorktreeCreate'), ['tree']);
});

describe('packs', () => {
  for (const [name, events] of [
    ['pipeline', ['PreToolUse', 'SubagentStop']],
    ['orchestration-discipline', ['PreToolUse', 'Stop', 'SubagentStart', 'SubagentStop', 'SessionStart']],
    ['four-layer', ['PreToolUse']],
    ['turn-times', ['UserPromptSubmit', 'Stop']],
    ['python-validation', ['PostToolUse']],
  ] as const) {
    test(name, () => {
      const found = eventsOf(packs(name));
      for (const event of events) assert.ok(found.includes(event), `${event} is missing in ${found.join(', ')}`);
      assert.ok(!found.includes('WorktreeCreate'));
    });
  }

  test('every event of a slot in the index is one of them', () => {
    for (const name of ['pipeline', 'workflow-orchestrator', 'orchestrator-mode', 'four-layer', 'shell-safety']) {
      const plan = packs(name);
      const found = eventsOf(plan);
      for (const event of Object.keys(plan.index)) assert.ok(found.includes(event), `${name}: ${event}`);
    }
  });
});

describe('strict events', () => {
  test('are those where a strict rule refuses', () => {
    assert.deepEqual(strictEventsOf(planOf(`rules:\n  no-web:\n${RULE}  stop:\n    event: Stop\n    advise: Think.\n`)), ['PreToolUse']);
    assert.deepEqual(strictEventsOf(planOf(`level: guidance\nrules:\n  no-web:\n${RULE}`)), []);
    assert.deepEqual(strictEventsOf(planOf(`level: guidance\nrules:\n  no-web:\n    level: strict\n${RULE}`)), ['PreToolUse']);
  });
  test('the guard alone makes no project strict', () => {
    assert.deepEqual(strictEventsOf(packs('shell-safety')), []);
    assert.ok(strictEventsOf(packs('four-layer')).includes('PreToolUse'));
  });
});
