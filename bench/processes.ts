/** Whole processes, turn by turn: a bare Node script, bylaw's hook in several situations, and the closest peer. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectKey } from '../engine/state/places.ts';
import { timesOf, type Figure } from './figures.ts';
import { callOf, FIVE_PACKS, HOOK, type Ground } from './places.ts';
import { distinctPaths, distinctTools, mixedRules } from './policies.ts';

export interface Contestant {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly input: string;
  /** What it must print, so that no figure is that of a failure. */
  readonly prints: RegExp;
}

const NOTHING = /^$/;
const DENY = /"permissionDecision":"deny"/;

/** The same in CommonJS and as a module; ratios are to the former, which is faster. */
export function bareScripts(ground: Ground): readonly Contestant[] {
  const cwd = ground.project('bare');
  const input = callOf(cwd, 'Bash', { command: 'npm run build' });
  const scripts = { 'bare Node script': ['bare.cjs', "const { readFileSync } = require('node:fs');"], 'bare Node script, as a module': ['bare.mjs', "import { readFileSync } from 'node:fs';"] };
  return Object.entries(scripts).map(([name, [file = '', first = '']]) => {
    writeFileSync(join(cwd, file), `${first}\nJSON.parse(readFileSync(0, 'utf8'));\nprocess.stdout.write('{}\\n');\n`);
    return { name, args: [join(cwd, file)], cwd, input, prints: /^\{\}\n$/ };
  });
}

export function hooks(ground: Ground): readonly Contestant[] {
  const five = ground.project('five', FIVE_PACKS);
  const none = ground.project('none');
  const stateful = ground.project('stateful', "bylaw: 1\nrules:\n  reads: { match: { tool: Read, by: main }, limit: 1000000, until: { tool: Agent }, deny: 'Read {count}.' }\n");
  const many = ground.project('300', mixedRules(300));
  const shell = ground.project('shell', 'bylaw: 1\nextends: [{ pack: bylaw:shell-safety, level: strict }]\n');
  const hook = (name: string, cwd: string, input: string, prints: RegExp): Contestant => ({ name, args: [HOOK, 'PreToolUse'], cwd, input, prints });
  const read = (cwd: string): string => callOf(cwd, 'Read', { file_path: join(cwd, 'src/a.ts') });
  return [
    hook('hook, five packs, allow', five, callOf(five, 'Read', { file_path: join(five, 'src/a.ts') }, { agent_id: 'a1', agent_type: 'Explore' }), NOTHING),
    hook('hook, five packs, deny', five, read(five), DENY),
    hook('hook, no bylaw.yaml', none, read(none), NOTHING),
    hook('hook, a stateful rule', stateful, read(stateful), NOTHING),
    hook('hook, 300 rules', many, callOf(many, 'Edit', { file_path: join(many, 'src/part3/a.ts'), old_string: 'a', new_string: 'b' }), NOTHING),
    hook('hook, shell-safety, Bash allow', shell, callOf(shell, 'Bash', { command: 'npm run build' }), NOTHING),
    hook('hook, shell-safety, Bash deny', shell, callOf(shell, 'Bash', { command: 'git push --force' }), DENY),
  ];
}

/** More rules, one of which matches; a longer session; a longer audit. */
export function growth(ground: Ground): readonly Contestant[] {
  const rules = [10, 100, 1000, 10_000].flatMap((count): readonly Contestant[] => {
    const tools = ground.project(`tools-${count}`, distinctTools(count));
    const paths = ground.project(`paths-${count}`, distinctPaths(count));
    return [
      { name: `hook, ${count} rules, a tool each`, args: [HOOK], cwd: tools, input: callOf(tools, 'mcp__server5__call', {}), prints: DENY },
      { name: `hook, ${count} rules, a path each`, args: [HOOK], cwd: paths, input: callOf(paths, 'Edit', { file_path: join(paths, 'src/part5/a.ts') }), prints: DENY },
    ];
  });
  const policy = "bylaw: 1\nrules:\n  reads: { match: { tool: Read }, window: 30d, limit: 1000000, deny: 'Read {count}.' }\n  no-web: { match: { tool: WebFetch }, deny: No web. }\n";
  const states = [0, 10_000].map((events): Contestant => {
    const cwd = ground.project(`state-${events}`, policy);
    const now = Date.now();
    const moments = Array.from({ length: events }, (_, index) => [now - index, '']);
    const folder = join(ground.env['BYLAW_STATE_DIR'] ?? '', projectKey(cwd));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'session-bench.json'), JSON.stringify({ cells: events === 0 ? {} : { 'reads.count': { kind: 'moments', moments, changed: now } }, turn: {}, agents: {}, running: {}, levels: [] }));
    return { name: `hook, state of ${events} events`, args: [HOOK], cwd, input: callOf(cwd, 'Read', { file_path: join(cwd, 'a.ts') }), prints: NOTHING };
  });
  const audits = [0, 100].map((size): Contestant => {
    const cwd = ground.project(`audit-${size}`, policy);
    const folder = join(ground.env['BYLAW_STATE_DIR'] ?? '', projectKey(cwd));
    mkdirSync(folder, { recursive: true });
    const line = `${JSON.stringify({ id: 'x', text: 'y'.repeat(480) })}\n`;
    writeFileSync(join(folder, 'audit.jsonl'), line.repeat(Math.round((size * 1_000_000) / line.length)));
    return { name: `hook, audit of ${size} MB`, args: [HOOK], cwd, input: callOf(cwd, 'WebFetch', { url: 'https://example.com' }), prints: DENY };
  });
  return [...rules, ...states, ...audits];
}

/** The peer's own hook on the same events; it reads its rules from its own defaults. */
export function peerContestants(entry: string, ground: Ground): readonly Contestant[] {
  const cwd = ground.project('peer');
  return [
    { name: 'cc-safety-net, Bash allow', args: [entry, 'hook', '--claude-code'], cwd, input: callOf(cwd, 'Bash', { command: 'npm run build' }), prints: /^(\{\})?\s*$/ },
    { name: 'cc-safety-net, Bash deny', args: [entry, 'hook', '--claude-code'], cwd, input: callOf(cwd, 'Bash', { command: 'git push --force' }), prints: DENY },
  ];
}

/** Each once per round, so that whatever else the machine does meets all of them. */
export function race(contestants: readonly Contestant[], env: Readonly<Record<string, string>>, runs: number): readonly Figure[] {
  const times = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  const once = ({ name, args, cwd, input, prints }: Contestant): number => {
    const started = performance.now();
    const done = spawnSync(process.execPath, [...args], { cwd, env, input, encoding: 'utf8' });
    const time = performance.now() - started;
    if (done.status !== 0 || !prints.test(done.stdout) || done.stderr !== '') throw new Error(`${name} ended with ${done.status} and said ${done.stdout}${done.stderr}`);
    return time;
  };
  // Twice beforehand: the first compiles the plan, the second finds it.
  for (let round = -2; round < runs; round++) for (const contestant of contestants) {
    const time = once(contestant);
    if (round >= 0) times.get(contestant.name)?.push(time);
  }
  return [...times].map(([name, all]) => ({ name, unit: 'ms', ...timesOf(all) }));
}

/** The most memory each process held. */
export function memory(contestants: readonly Contestant[], ground: Ground, runs: number): readonly Figure[] {
  const file = join(ground.folder, 'memory.txt');
  const spy = join(ground.folder, 'memory.cjs');
  writeFileSync(spy, `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS)));\n`);
  return contestants.map(({ name, args, cwd, input }) => {
    const sizes = Array.from({ length: runs }, () => {
      spawnSync(process.execPath, ['--require', spy, ...args], { cwd, env: ground.env, input });
      return Number(readFileSync(file, 'utf8')) / 1024;
    });
    return { name: `${name}, memory`, unit: 'MB', ...timesOf(sizes) };
  });
}
