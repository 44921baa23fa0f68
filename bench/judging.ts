/** What one event costs in `evaluate`, and what a check costs. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { shortStep } from '../cli/scenario/step.ts';
import { findInWorld, HOME, PROJECT } from '../cli/scenario/world.ts';
import { converge } from '../engine/judge/converge.ts';
import { load, type Loaded } from '../engine/load/load.ts';
import { diskReader, type Reader } from '../engine/load/read.ts';
import type { Event, Plan, State } from '../engine/model.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { readSchema } from '../engine/plan/compile.ts';
import { EMPTY_STATE } from '../engine/state/state.ts';
import { decode } from '../hooks/hosts/claude-code.ts';
import type * as Library from '../engine/index.ts';
import { timesOf, type Figure, type Times } from './figures.ts';
import { distinctPaths, distinctTools, mixedRules, policyOfLines } from './policies.ts';

const EVENTS = 4000;
const WARM_UP = 4000;
/** Outside facts by step; the same for every plan of a growth test. */
const found = new Map<string, Event['outside']>();

if (process.argv.includes('--first-check')) process.stdout.write(String(checking(policyOfLines(300))));

/** The code that users get: the sources, run through tsx, are slower. */
const { evaluate }: typeof Library = await import(new URL('../dist/index.mjs', import.meta.url).href);

export function judgingFigures(): readonly Figure[] {
  const mixed = planOf(mixedRules(300));
  return [
    { name: 'evaluate, 300 mixed rules', unit: 'µs', ...judging(mixed, mixedEvents(mixed)) },
    ...growth('a tool each', distinctTools, 'mcp__server50__call'),
    ...growth('a path each', distinctPaths, 'Edit src/part50/a.ts'),
    ...checks(),
  ];
}

/** 100 rules against 10,000, of which one matches the event. */
function growth(name: string, policy: (count: number) => string, step: string): readonly Figure[] {
  const few = planOf(policy(100));
  const many = planOf(policy(10_000));
  const events = Array.from({ length: EVENTS }, (_, index) => eventOf(step, many, index));
  for (const plan of [few, many]) if (findings(plan, events[0]) !== 1) throw new Error(`not exactly one rule matches ${step}`);
  // Turn by turn, so that whatever else the machine does meets both; the fastest round of each is compared.
  const rounds = Array.from({ length: 5 }, () => [judging(few, events), judging(many, events)] as const);
  const best = (of: 0 | 1): Times => rounds.map((round) => round[of]).reduce((least, each) => (each.median < least.median ? each : least));
  return [
    { name: `evaluate, 100 rules, ${name}`, unit: 'µs', ...best(0) },
    { name: `evaluate, 10000 rules, ${name}`, unit: 'µs', ...best(1) },
  ];
}

function checks(): readonly Figure[] {
  const text = policyOfLines(300);
  const here = fileURLToPath(import.meta.url);
  const first = Array.from({ length: 5 }, () => Number(execFileSync(process.execPath, ['--import', 'tsx', here, '--first-check'], { encoding: 'utf8' })));
  for (let round = 0; round < 10; round++) checking(text);
  return [
    { name: 'check 300 lines, warm', unit: 'ms', ...timesOf(Array.from({ length: 20 }, () => checking(text))) },
    { name: 'check 300 lines, first in a process', unit: 'ms', ...timesOf(first) },
  ];
}

/** Reads, parses, validates and checks a policy, and builds the plan, in milliseconds. */
function checking(text: string): number {
  const started = performance.now();
  planOf(text);
  return performance.now() - started;
}

/** Microseconds per event, the state being carried on. */
function judging(plan: Plan, events: readonly Event[]): Times {
  let state: State = EMPTY_STATE;
  const times: number[] = [];
  for (let index = 0; index < WARM_UP + EVENTS; index++) {
    const event = events[index % events.length]!;
    const started = performance.now();
    const result = evaluate(plan, state, event);
    const time = performance.now() - started;
    if ('needs' in result) throw new Error('the bench uses no outside facts');
    ({ state } = result);
    if (index >= WARM_UP) times.push(time * 1000);
  }
  return timesOf(times);
}

function findings(plan: Plan, event: Event | undefined): number {
  if (event === undefined) return 0;
  const result = evaluate(plan, EMPTY_STATE, event);
  return 'needs' in result ? 0 : result.verdict.findings.length;
}

function mixedEvents(plan: Plan): readonly Event[] {
  const steps = [
    'Read src/part7/a.ts', 'Edit src/part3/a.ts', 'Bash git status && npm test', 'Bash git push origin main', 'Grep parse', 'Agent developer',
    'by developer Edit src/part9/a.ts', 'PostToolUse Edit src/part3/a.ts', 'PostToolUse Bash npm test', 'SubagentStop developer saying done',
    'UserPromptSubmit fix the login error', 'WebFetch https://example.com', 'mcp__server4__call', 'Stop saying done', 'Write docs/plan.md', 'TodoWrite',
  ];
  return Array.from({ length: EVENTS }, (_, index) => eventOf(steps[(index * 7) % steps.length]!, plan, index));
}

/** With the outside facts already gathered, as in the last round of a hook call. */
function eventOf(text: string, plan: Plan, index: number): Event {
  const step = shortStep(text);
  if ('fault' in step) throw new Error(step.fault);
  const given = { now: 1_767_000_000_000 + index * 1000, random: 'X7Q2', env: {}, project: PROJECT, home: HOME, cwd: PROJECT };
  const event = decode(JSON.stringify({ session_id: 'bench', cwd: PROJECT, ...step.payload }), given);
  const gathered = found.get(text) ?? converge(plan, EMPTY_STATE, event, findInWorld({ files: new Map(), programs: new Map() })).event.outside;
  found.set(text, gathered);
  return { ...event, outside: gathered };
}

function planOf(text: string): Plan {
  const loaded = loadText(text);
  if (loaded.core === undefined) throw new Error(loaded.problems.map((problem) => problem.message).join('\n'));
  return buildPlan(loaded.core);
}

function loadText(text: string): Loaded {
  const reader: Reader = { ...diskReader, read: (file) => (file === 'bench.yaml' ? { text } : diskReader.read(file)) };
  return load({ main: 'bench.yaml', parts: [], label: (file) => file }, { reader, schema: readSchema(), trusts: () => true });
}
