/** `npm run bench [-- --runs 40] [-- --json FILE]`: one table of ratios from one interleaved run, also as JSON. See README.md beside this file. */
import { existsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { printFigures, printTargets, timesOf, type Figure, type Target } from './figures.ts';
import { judgingFigures } from './judging.ts';
import { installPeer } from './peer.ts';
import { HOOK, makeGround, ROOT } from './places.ts';
import { bareScripts, growth, hooks, memory, peerContestants, race } from './processes.ts';
import { inProcess, overHttp, type Resident } from './resident.ts';

/** Requests without a process per round: they are so short that one alone would say little. */
const PER_ROUND = 20;
/** Rounds before the clock counts: a server is resident. */
const WARM_UP = 20;
const MEMORY_RUNS = 9;

const option = (name: string): string | undefined => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const runs = Number(option('--runs') ?? 40);
if (!existsSync(HOOK)) throw new Error('there is no build; run `npm run build` first');

const ground = makeGround();
try {
  console.log(`${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}, ${runs} runs each`);
  const bare = bareScripts(ground);
  const peer = installPeer(join(ground.folder, 'peer-package'));
  if (peer === undefined) console.log('cc-safety-net could not be installed; its rows are left out');
  const contestants = [...bare, ...hooks(ground), ...(peer === undefined ? [] : peerContestants(peer, ground))];
  const processes = race(contestants, ground.env, runs);
  const [first] = processes;
  printFigures('processes', processes, first);

  const resident = await residents();
  printFigures('no new process', resident, first);
  // A race of its own: many rules take long to compile beforehand, and the bare script runs in it again.
  const grown = race([...bare.slice(0, 1), ...growth(ground)], ground.env, runs);
  printFigures('growth', grown.slice(1), grown[0]);
  const held = memory([...bare.slice(0, 1), ...hooks(ground).slice(0, 2)], ground, MEMORY_RUNS);
  printFigures('memory', held, held[0]);
  const judged = judgingFigures();
  printFigures('in this process', judged, undefined);

  const all = [...processes, ...resident, ...grown.slice(1), ...held, ...judged];
  const targets = targetsOf(all);
  printTargets(targets);
  const file = option('--json') ?? join(ROOT, 'bench', 'results.json');
  writeFileSync(file, `${JSON.stringify({ node: process.version, cpu: cpus()[0]?.model ?? '', cores: cpus().length, runs, load: loadavg(), targets, figures: all }, null, 2)}\n`);
  console.log(`\nwritten to ${file}`);
  if (targets.some(({ value, most }) => value > most)) process.exitCode = 1;
} finally {
  ground.remove();
}

async function residents(): Promise<readonly Figure[]> {
  const both: readonly (readonly [string, Resident])[] = [['HTTP round trip, state and audit', await overHttp(ground)], ['in process, state and audit', await inProcess(ground)]];
  const times = new Map(both.map(([name]) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < runs; round++) {
    for (const [name, { ask }] of both) {
      for (let each = 0; each < PER_ROUND; each++) {
        const started = performance.now();
        await ask();
        if (round >= 0) times.get(name)?.push(performance.now() - started);
      }
    }
  }
  for (const [, { close }] of both) await close();
  return [...times].map(([name, all]) => ({ name, unit: 'ms', ...timesOf(all) }));
}

function targetsOf(figures: readonly Figure[]): readonly Target[] {
  const median = (name: string): number => figures.find((figure) => figure.name === name)?.median ?? NaN;
  const ratio = (a: string, b: string, most: number): Target => ({ name: `${a} / ${b}`, value: median(a) / median(b), most, unit: '×' });
  const bare = 'bare Node script';
  return [
    ratio('hook, five packs, allow', bare, 1.25),
    ratio('hook, five packs, deny', bare, 1.25),
    ratio('hook, five packs, allow', `${bare}, as a module`, 1.25),
    ratio('hook, five packs, deny', `${bare}, as a module`, 1.25),
    ratio('hook, no bylaw.yaml', bare, 1.1),
    ratio('hook, shell-safety, Bash allow', 'cc-safety-net, Bash allow', 0.85),
    ratio('hook, shell-safety, Bash deny', 'cc-safety-net, Bash deny', 0.85),
    ratio('HTTP round trip, state and audit', bare, 0.05),
    { name: 'evaluate, 300 mixed rules', value: median('evaluate, 300 mixed rules'), most: 20, unit: 'µs' as const },
    ratio('hook, 10000 rules, a tool each', 'hook, 100 rules, a tool each', 1.3),
    ratio('hook, 10000 rules, a path each', 'hook, 100 rules, a path each', 1.3),
    ratio('hook, five packs, deny, memory', `${bare}, memory`, 1.5),
  ].filter(({ value }) => !Number.isNaN(value));
}
