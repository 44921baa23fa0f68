/** Further commands, one per line with the rule that must cover them (null: none may): written by hand, or seen to run in bash. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyse, type Analysis } from '../../engine/command/analyse.ts';
import { covers } from '../../engine/command/covers.ts';
import { rules } from './compose.ts';

interface Entry {
  readonly command: string;
  readonly rule: string | null;
}

const entries: readonly Entry[] = readFileSync(new URL('more.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const says = (analysis: Analysis, rule: string, answer: string): boolean => analysis.runs.some((run) => covers(rule, run) === answer);
const quiet = new Set(['script-file', 'inline-code']);

test('every one that runs something denied is named or flagged', () => {
  const missed = entries.filter(({ command, rule }) => {
    const analysis = analyse(command);
    return rule !== null && analysis.opaque.length === 0 && !says(analysis, rule, 'yes') && !says(analysis, rule, 'unknown');
  });
  assert.deepEqual(
    missed.map(({ command }) => command),
    [],
  );
});

test('at least 93 % of them are named', () => {
  const bad = entries.flatMap(({ command, rule }) => (rule === null ? [] : [says(analyse(command), rule, 'yes')]));
  assert.ok(bad.filter(Boolean).length >= bad.length * 0.93, `${bad.filter(Boolean).length} of ${bad.length}`);
});

test('nothing else is covered, and at most 3 % of it is flagged', () => {
  const good = entries.filter(({ rule }) => rule === null);
  const covered = good.filter(({ command }) => rules.some((rule) => says(analyse(command), rule, 'yes')));
  const flagged = good.filter(({ command }) => analyse(command).opaque.some(({ reason }) => !quiet.has(reason)));
  assert.deepEqual(
    covered.map(({ command }) => command),
    [],
  );
  assert.ok(flagged.length <= good.length * 0.03, flagged.map(({ command }) => command).join('\n'));
});
