/** `npm run e2e [-- name-part …]`: every scenario against the real client; says clearly when it could not be run. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findClient } from './client.ts';
import { makePackage } from './package.ts';
import { makePlace, scenarios, type Scenario } from './scenario.ts';

const CONCURRENCY = 2;
const here = dirname(fileURLToPath(import.meta.url));

async function main(wanted: readonly string[]): Promise<void> {
  const client = findClient();
  if ('missing' in client) {
    console.log(`e2e: skipped: ${client.missing}`);
    if (process.env['E2E_REQUIRED'] === '1') process.exitCode = 1;
    return;
  }
  const files = readdirSync(here).filter((name) => name.endsWith('.e2e.ts')).sort();
  for (const file of files) await import(pathToFileURL(join(here, file)).href);
  const chosen = scenarios.filter(({ group, name }) => wanted.length === 0 || wanted.some((part) => `${group}: ${name}`.includes(part)));
  if (chosen.length === 0) throw new Error(`no scenario has ${wanted.join(' or ')} in its name`);
  await playAll(chosen, client.program);
}

async function playAll(chosen: readonly Scenario[], program: string): Promise<void> {
  // The real path: the client and bylaw resolve links, and texts are compared.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'bylaw-e2e-'));
  const pack = makePackage(join(folder, 'package'));
  const count = { passed: 0, failed: 0, gaps: 0 };
  const again: string[] = [];
  await test('e2e', { concurrency: CONCURRENCY }, async (all) => {
    const runs = chosen.map((scenario, index) =>
      all.test(`${scenario.group}: ${scenario.name}${scenario.gap ? ' (known gap)' : ''}`, async () => {
        const play = (name: string): Promise<Error | undefined> => {
          const place = join(folder, name);
          mkdirSync(place);
          return faultOf(async () => scenario.play(await makePlace(place, program, pack)));
        };
        const first = await play(String(index));
        // The client has timeouts of its own, which a machine under load meets. A second fault is ours; a first one is told.
        const fault = first === undefined || scenario.gap ? first : await play(`${index}-again`);
        if (first !== undefined && fault === undefined) again.push(`${scenario.group}: ${scenario.name}: ${first.message.split('\n')[0]}`);
        const isGap = scenario.gap && fault !== undefined;
        count[isGap ? 'gaps' : scenario.gap || fault !== undefined ? 'failed' : 'passed'] += 1;
        if (scenario.gap && fault === undefined) throw new Error('this gap is closed: make it a scenario like the others');
        if (!isGap && fault !== undefined) throw fault;
      }),
    );
    await Promise.all(runs);
  });
  if (process.env['E2E_KEEP'] === '1') console.log(`e2e: kept in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
  // After the runner's own summary.
  process.on('exit', () => {
    for (const each of again) console.log(`passed at the second try: ${each}`);
    console.log(`${count.passed} passed, ${count.failed} failed${count.gaps === 0 ? '' : `, ${count.gaps} known gaps`}`);
  });
}

async function faultOf(play: () => Promise<void>): Promise<Error | undefined> {
  try {
    await play();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

await main(process.argv.slice(2));
