/** The corpus of traced commands: every evasion is named or flagged, nothing benign is. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyse } from '../../engine/command/analyse.ts';
import { covers } from '../../engine/command/covers.ts';
import { rules } from './compose.ts';

interface Entry {
  readonly id: string;
  readonly command: string;
  readonly kind: 'evasion' | 'benign';
  readonly runs: readonly (readonly string[])[];
  readonly opaque: boolean;
  readonly deny: readonly string[];
}

const entries: readonly Entry[] = readFileSync(new URL('corpus.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const quiet = new Set(['script-file', 'inline-code']);
const answers = (command: string, rule: string): readonly string[] => analyse(command).runs.map((run) => covers(rule, run));

test('every evasion is named or flagged', () => {
  const missed = entries.filter(
    ({ kind, command, deny }) =>
      kind === 'evasion' &&
      analyse(command).opaque.length === 0 &&
      !deny.every((rule) => answers(command, rule).some((answer) => answer !== 'no')),
  );
  assert.deepEqual(
    missed.map(({ id }) => id),
    [],
  );
});

test('at least 89 % of the evasions are named', () => {
  const evasions = entries.filter(({ kind }) => kind === 'evasion');
  const named = evasions.filter(({ command, deny }) => deny.length > 0 && deny.every((rule) => answers(command, rule).includes('yes')));
  assert.ok(named.length >= evasions.length * 0.89, `${named.length} of ${evasions.length}`);
});

test('nothing benign is covered or flagged', () => {
  const wrong = entries.filter(({ kind, command, deny }) => {
    if (kind !== 'benign') return false;
    return (
      analyse(command).opaque.some(({ reason }) => !quiet.has(reason)) ||
      rules.some((rule) => !deny.includes(rule) && answers(command, rule).some((answer) => answer !== 'no'))
    );
  });
  assert.deepEqual(
    wrong.map(({ id }) => id),
    [],
  );
});

test('every traced run is found', () => {
  const missing = entries.flatMap(({ id, command, opaque, runs }) => {
    const found = analyse(command).runs;
    return opaque
      ? []
      : runs
          .filter((prefix) => !found.some(({ argv }) => prefix.every((word, index) => argv[index] === word)))
          .map((prefix) => `${id}: ${prefix.join(' ')}`);
  });
  assert.deepEqual(missing, []);
});
