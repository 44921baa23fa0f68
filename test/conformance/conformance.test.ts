/** The whole conformance run, once: nothing may fail, and what is skipped is named. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const run = join(dirname(fileURLToPath(import.meta.url)), 'run.ts');

test('the five systems behave as their documents say', { timeout: 600_000 }, () => {
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const done = spawnSync(process.execPath, ['--import', 'tsx', run], { env, encoding: 'utf8', maxBuffer: 64_000_000 });
  const [, passed = '0', failed = '?'] = /^(\d+) passed, (\d+) failed, \d+ skipped$/.exec(done.stdout.trimEnd().split('\n').at(-1) ?? '') ?? [];
  assert.equal(failed, '0', done.stdout + done.stderr);
  assert.ok(Number(passed) > 0, done.stderr);
  assert.equal(done.status, 0);
});
