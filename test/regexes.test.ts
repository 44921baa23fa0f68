/** The regexes of shipped packs are looked at here, so that nobody else has to wait for it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BYLAW, ROOT } from './place.ts';

const folder = join(ROOT, 'policies');
for (const name of readdirSync(folder).filter((file) => file.endsWith('.yaml') && !file.endsWith('.test.yaml'))) {
  test(`${name} has no regex that can be attacked`, () => {
    const { stdout } = spawnSync(process.execPath, [BYLAW, 'check', join(folder, name), '--json'], { cwd: ROOT, encoding: 'utf8' });
    const problems: readonly { code: string; severity: string; message: string }[] = JSON.parse(stdout).problems;
    assert.deepEqual(problems.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code}: ${message}`), []);
  });
}
