/** A regex that runs away is stopped, and never counts as a no. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event, Plan } from '../engine/model.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { EMPTY_STATE } from '../engine/state/state.ts';
import { worstSteps } from '../engine/judge/watch.ts';
import { guarded } from '../hooks/watchdog.ts';
import { loadTexts } from './load-texts.ts';
import { makePlace } from './place.ts';

const SLOW = '^(a+)+$';
const policy = `bylaw: 1
rules:
  denies: { match: { command: '${SLOW}' }, deny: Too slow to be sure. }
  excuses: { match: { tool: Bash }, unless: { command: '${SLOW}' }, deny: Not excused. }
  advises: { match: { command: '${SLOW}' }, advise: Only advice. }
  other: { match: { tool: WebFetch }, deny: No web. }
`;

function planOf(text: string): Plan {
  const { core } = loadTexts({ 'bylaw.yaml': text });
  assert.ok(core);
  return buildPlan(core);
}

function bash(command: string): Event {
  return { event: 'PreToolUse', session: 's', now: 0, random: 'X0', env: {}, project: '/p', cwd: '/p', by: ['main'], thread: 'main', tool: 'Bash', input: { command }, host: {}, outside: {} };
}

test('it is stopped in time; rules that deny take it for a match, others are left out', () => {
  const started = performance.now();
  const { result, slow } = guarded(planOf(policy), EMPTY_STATE, bash(`${'a'.repeat(40)}!`), 100);
  assert.ok(slow);
  assert.ok(performance.now() - started < 2000);
  assert.ok('verdict' in result);
  assert.deepEqual(result.verdict.findings.map((finding) => [finding.rule, finding.decision]), [['denies', 'deny'], ['excuses', 'deny']]);
});

test('a quick one is judged as it is', () => {
  const { result, slow } = guarded(planOf(policy), EMPTY_STATE, bash('aaa'));
  assert.equal(slow, false);
  assert.ok('verdict' in result);
  assert.deepEqual(result.verdict.findings.map((finding) => finding.rule), ['denies', 'advises']);
});

test('the hook says so, and denies', () => {
  const place = makePlace({ 'bylaw.yaml': policy });
  const { output, stderr } = place.hook({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: `${'a'.repeat(40)}!` } });
  assert.equal(output.hookSpecificOutput.permissionDecision, 'deny');
  assert.match(stderr, /regex took too long/);
  const check = place.bylaw(['check']);
  assert.equal(check.status, 2);
  assert.match(check.stdout, /slow-regex[\s\S]*exponential[\s\S]*repeat/);
  place.remove();
});

test('what may take long is known by how a regex is built', () => {
  const length = 300;
  const quick = ['^git push', String.raw`\bticket \d+\b`, '(?:error|fail)', '[*+]{', 'colou?r', 'a(?=b)'];
  const long = [SLOW, '(a|a)*$', String.raw`(a)\1`, 'a*a*a*b', '(?:a?){9}', 'a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaa', 'x{2,}y{2,}z{2,}', '^[^](a+)+[b]$', '^[](a+)+[b]$'];
  for (const regex of quick) assert.ok(worstSteps(regex, length) < 1e7, regex);
  for (const regex of long) assert.ok(worstSteps(regex, length) > 1e7, regex);
});
