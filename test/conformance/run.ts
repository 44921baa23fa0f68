/**
 * `npm run conformance [-- DIR]`: the cases of the five original systems, played through the built hook.
 * `BYLAW_CASE=text` plays only the cases whose id contains the text.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../engine/model.ts';
import type { Adapter, Reading } from './adapter.ts';
import { readCases, type Case } from './format.ts';
import { play } from './play.ts';
import { ADAPTERS } from './systems/index.ts';

interface Job {
  readonly test: Case;
  readonly defaults: JsonObject;
  readonly adapter: Adapter;
}

interface Result {
  readonly job: Job;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly lines: readonly string[];
  /** The reading it passed in, where that is not the pack's default. */
  readonly reading?: string;
}

const here = dirname(fileURLToPath(import.meta.url));
const repo = join(here, '..', '..');

async function main(folder: string): Promise<number> {
  const started = performance.now();
  const built = build();
  const jobs = readCases(folder).flatMap(({ system, defaults, cases }) => {
    const adapter = ADAPTERS.find((each) => each.system === system);
    if (adapter === undefined) throw new Error(`no adapter for the system ${system}; known: ${ADAPTERS.map((each) => each.system).join(', ')}`);
    return cases.filter((test) => test.id.includes(process.env['BYLAW_CASE'] ?? '')).map((test): Job => ({ test, defaults: defaults?.event ?? {}, adapter }));
  });
  // Not below /tmp: policies may treat that folder in their own way.
  const root = mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'bylaw-conformance-'));
  try {
    const results = await playAll(jobs, root, join(built, 'bylaw.mjs'));
    report(results, (performance.now() - started) / 1000);
    return results.some((result) => result.status === 'failed') ? 1 : 0;
  } finally {
    for (const made of [root, built]) rmSync(made, { recursive: true, force: true });
  }
}

/** As many at once as there are cores, at least two; each with folders of its own. */
async function playAll(jobs: readonly Job[], root: string, program: string): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async (worker: number): Promise<void> => {
    for (let at = next++; at < jobs.length; at = next++) {
      const job = jobs[at];
      if (job !== undefined) results[at] = await judge(job, join(root, String(worker)), program);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, Math.min(4, availableParallelism())) }, (_, worker) => work(worker)));
  return results;
}

/** In the pack's default reading; where a case is a choice or an option, in one of the pack's other readings. Features of later versions are options: those first. */
async function judge(job: Job, folder: string, program: string): Promise<Result> {
  const { test, defaults, adapter } = job;
  const others = adapter.readings.filter((reading) => reading.tiers.includes(test.tier));
  const usual: Reading = { name: 'default', tiers: [], yaml: '' };
  const readings = test.tier === 'later' ? [...others, usual] : [usual, ...others];
  const faults: string[] = [];
  for (const reading of readings) {
    const played = await play(test, defaults, adapter, reading, join(folder, `${adapter.pack}-${reading.name}`), program);
    const by = reading === usual ? {} : { reading: reading.name };
    if (played.faults.length === 0) return played.skipped.length === 0 ? { job, status: 'passed', lines: [], ...by } : { job, status: 'skipped', lines: played.skipped, ...by };
    faults.push(...played.faults.map((fault) => (reading === usual ? fault : `in the reading ${reading.name}: ${fault}`)));
  }
  return { job, status: 'failed', lines: faults };
}

function report(results: readonly Result[], seconds: number): void {
  const count = (some: readonly Result[], status: Result['status']): number => some.filter((result) => result.status === status).length;
  const counts = (some: readonly Result[]): string => `${count(some, 'passed')} passed, ${count(some, 'failed')} failed, ${count(some, 'skipped')} skipped`;
  for (const system of new Set(results.map(({ job }) => job.adapter.system))) {
    const own = results.filter(({ job }) => job.adapter.system === system);
    print(`${system}   ${counts(own)}`);
    for (const tier of new Set(own.map(({ job }) => job.test.tier))) print(`  ${tier.padEnd(10)} ${counts(own.filter(({ job }) => job.test.tier === tier))}`);
  }
  const read = results.filter((result) => result.reading !== undefined);
  if (read.length > 0) print('\nin another reading than the default:');
  for (const { job, reading } of read) print(`  ${job.test.id}   ${reading ?? ''}`);
  for (const status of ['skipped', 'failed'] as const) {
    const some = results.filter((result) => result.status === status);
    if (some.length > 0) print(`\n${status}:`);
    for (const { job, lines } of some) print(`  ${job.test.id} [${job.test.tier}]\n${lines.map((line) => `    ${line.replaceAll('\n', '\n    ')}`).join('\n')}`);
  }
  print(`\n${seconds.toFixed(1)} s`);
  print(counts(results));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The built hook is what is tested; in a folder of its own, so that nobody else's build takes it away. */
function build(): string {
  const folder = join(repo, 'node_modules', '.cache', `bylaw-conformance-${process.pid}`);
  execFileSync(process.execPath, [join(repo, 'cli', 'build.mjs'), folder], { cwd: repo, stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

process.exitCode = await main(resolve(process.argv[2] ?? here));
