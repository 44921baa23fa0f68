/** `bylaw explain`: why a call would be denied, and why the other rules stay quiet; or what a problem code means. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { converge } from '../engine/judge/converge.ts';
import type { JsonObject } from '../engine/model.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { CODES } from '../engine/report/codes.ts';
import { explain as explainText, type Traced } from '../engine/report/explain.ts';
import { homeFolder, projectKey, stateFolder } from '../engine/state/places.ts';
import { openStore } from '../engine/state/store.ts';
import { decode } from '../hooks/hosts/claude-code.ts';
import { lookOutside } from './outside.ts';
import { loadNamed } from './check.ts';
import { FINDINGS } from './doctor/codes.ts';
import { shortStep } from './scenario/step.ts';
import { Exit, paintFor, print } from './terminal.ts';

export interface ExplainOptions {
  readonly event?: string;
  readonly session?: string;
  readonly project?: string;
  readonly json?: boolean;
}

export function explain(words: readonly string[], options: ExplainOptions): void {
  const what = words.join(' ');
  const meaning = Object.entries({ ...CODES, ...Object.fromEntries(Object.entries(FINDINGS).map(([code, [, why]]) => [code, why])) }).find(([code]) => code === what)?.[1];
  if (meaning !== undefined) return print(`${what}\n\n  ${meaning}`);
  const { loaded, folder } = loadNamed(options.project);
  if (loaded.core === undefined) throw new Exit(2, 'the policy has errors; run `bylaw check`');
  const plan = buildPlan(loaded.core);
  const payload = payloadOf(what, options);
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
  const decoded = decode(payload, { now: Date.now(), random: '????', env, project: folder, cwd: process.cwd(), home: homeFolder(process.env) });
  const real = realpathSync.native(folder);
  const event = { ...decoded, ...(options.session === undefined ? {} : { session: options.session }), ...(real === folder ? {} : { projectReal: real }) };
  const state = openStore(stateFolder(process.env), projectKey(folder)).read(event.session);
  const traced: Traced[] = [];
  // The same evaluate as in a hook; the next state is thrown away.
  const result = converge(plan, state, event, lookOutside, (trial, knowledge) => traced.push({ trial, knowledge }));
  if (options.json === true) {
    print(JSON.stringify({ event: result.event.event, tool: result.event.tool, decision: result.verdict.decision, text: result.verdict.text, findings: result.verdict.findings, quiet: traced.filter(({ trial }) => !trial.fired).map(({ trial }) => ({ rule: trial.rule.id, by: trial.by })), failures: result.verdict.failures }, null, 2));
  } else print(explainText(plan, result.event, result.verdict, traced, paintFor(process.stdout)));
}

/** The short form, an event file, or JSON on stdin. */
function payloadOf(what: string, { event, session }: ExplainOptions): string {
  if (event !== undefined) {
    if (event !== '-' && (!existsSync(event) || statSync(event).isDirectory())) throw new Exit(2, `there is no file ${event}`);
    return readFileSync(event === '-' ? 0 : event, 'utf8');
  }
  if (what === '' || what === '-') {
    if (process.stdin.isTTY) throw new Exit(2, "say what to explain: bylaw explain 'Read src/a.ts', or --event FILE");
    const input = readFileSync(0, 'utf8');
    if (input.trim() === '') throw new Exit(2, "say what to explain: bylaw explain 'Read src/a.ts', or --event FILE");
    return input;
  }
  const step = shortStep(what);
  if ('fault' in step) throw new Exit(2, `${step.fault}${step.help === undefined ? '' : ` (${step.help})`}`);
  const payload: JsonObject = { session_id: session ?? '', cwd: process.cwd(), ...step.payload };
  return JSON.stringify(payload);
}
