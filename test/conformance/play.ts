/** One case in one reading: a throw-away project, home and state; every event through the built hook as a process. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Json, JsonObject } from '../../engine/model.ts';
import { projectKey } from '../../engine/state/places.ts';
import { openStore } from '../../engine/state/store.ts';
import type { Adapter, Reading, Stage } from './adapter.ts';
import { differences, heard, includes, isObject, regular, subset, type Came, type Said } from './compare.ts';
import { eventOf, fill, textOf, type Case, type Expect, type FileExpect, type Files, type Step } from './format.ts';

export interface Played {
  /** Step number and what is wrong there; empty if nothing is. */
  readonly faults: readonly string[];
  /** What was not looked at, and why. */
  readonly skipped: readonly string[];
}

export async function play(test: Case, defaults: JsonObject, adapter: Adapter, reading: Reading, folder: string, program: string): Promise<Played> {
  const names: Record<string, string> = { PROJECT: join(folder, 'project'), HOME: join(folder, 'home'), STATE_DIR: join(folder, 'state-dir') };
  const { PROJECT: project = '', HOME: home = '' } = names;
  const given: Record<string, string> = fill({ ...test.env }, names);
  const wanted = given['CLAUDE_PROJECT_DIR'];
  // The project is where the case says it is; bylaw.yaml stays untouched between cases, so that its plan stays fresh.
  const root = wanted !== undefined && isAbsolute(wanted) ? wanted : project;
  clean(folder, root === project ? 'bylaw.yaml' : undefined);
  write(join(root, 'bylaw.yaml'), yamlOf(adapter, reading), true);
  mkdirSync(home, { recursive: true });

  const session = String(defaults['session_id'] ?? 'sess-1');
  const base: Record<string, string> = {
    PATH: process.env['PATH'] ?? '', HOME: home, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: root, CLAUDE_CODE_SESSION_ID: session,
    BYLAW_STATE_DIR: join(folder, 'state'), BYLAW_CACHE_DIR: join(folder, 'cache'),
  };
  const env = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => {
    const all = { ...base, ...given, ...fill({ ...more }, names) };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '(unset)'));
  };
  let last = session;
  const stage: Stage = {
    project, home, root, session,
    reading: reading.name,
    store: openStore(join(folder, 'state'), projectKey(root)),
    events: test.steps.filter((step) => step.event !== undefined).map((step) => eventOf(step, defaults)),
    lastSession: () => last,
    bylaw: (...args) => run([program, ...args], '', root, env()),
    notes: new Map(),
  };
  const place = (path: string): string => (path.startsWith('~/') ? join(home, path.slice(2)) : isAbsolute(path) ? path : join(project, path));
  /** Files of the outside world that the case brought. */
  const brought = new Set<string>();
  const bring = (files: Files | undefined): void => {
    for (const [name, content] of Object.entries(fill({ ...files }, names))) {
      const path = place(name);
      const aged = isObject(content) && '$content' in content ? content : undefined;
      const body = aged === undefined ? content : (aged['$content'] ?? '');
      // The folder of a state file is part of the outside world, the file is not.
      if (adapter.seed(path, body, stage)) {
        mkdirSync(dirname(path), { recursive: true });
        continue;
      }
      brought.add(path);
      write(path, textOf(body), false);
      const hours = Number(aged?.['$age_hours'] ?? 0);
      if (hours > 0) utimesSync(path, Date.now() / 1000 - hours * 3600, Date.now() / 1000 - hours * 3600);
    }
  };
  bring(test.files);

  const faults: string[] = [];
  const skipped: string[] = [];
  const contexts: string[] = [];
  for (const [index, step] of test.steps.entries()) {
    bring(step.write_files);
    for (const name of step.delete_files ?? []) {
      const path = place(fill(name, names));
      if (!adapter.seed(path, undefined, stage)) rmSync(path, { recursive: true, force: true });
      brought.delete(path);
    }
    for (let time = 0; time < (step.repeat ?? 1) && faults.length === 0; time++) {
      const event = fill(fillSession(eventOf(step, defaults)), names);
      const { came, said } = await act(step, event);
      contexts[index] = said.context;
      const expect = fill(asJson(step.expect ?? {}), names);
      capture(expect, said, came, names, faults);
      const wrong = [...differences(expect, said, came), ...differing(expect, contexts, index), ...exit(expect, came), ...stateFaults(expect), ...fileFaults(expect)];
      faults.push(...wrong.map((fault) => `step ${index + 1}${step.repeat === undefined ? '' : ` (time ${time + 1})`}: ${fault}`));
    }
    if (faults.length > 0) break;
  }
  return { faults, skipped: [...new Set(skipped)] };

  async function act(step: Step, event: JsonObject): Promise<{ readonly came: Came; readonly said: Said }> {
    if (step.cli !== undefined) {
      const came = await adapter.command(step.cli.map((arg) => fill(arg, names)), stage);
      return { came, said: { decision: 'none', reason: '', context: '' } };
    }
    const name = step.hook_event_name ?? String(event['hook_event_name'] ?? '');
    const input = step.raw_stdin === undefined ? JSON.stringify(event) : fill(step.raw_stdin, names);
    if (step.raw_stdin === undefined && typeof event['session_id'] === 'string') last = event['session_id'];
    const cwd = typeof event['cwd'] === 'string' && existsSync(event['cwd']) ? event['cwd'] : project;
    mkdirSync(cwd, { recursive: true });
    const came = await run([program, 'hook', ...(name === '' ? [] : [name])], input, cwd, env({ CLAUDE_CODE_SESSION_ID: last, ...step.env }));
    return { came, said: heard(came, name) };
  }

  function stateFaults(expect: Expect): readonly string[] {
    return expect.state === undefined ? [] : subset(expect.state, adapter.state(stage, expect.state), 'state');
  }

  function fileFaults(expect: Expect): readonly string[] {
    return Object.entries(expect.files ?? {}).flatMap(([name, want]) => {
      const path = place(name);
      const held = adapter.file(path, stage);
      if (held === undefined) {
        const reason = adapter.skips?.(path) ?? (want.exists === false && brought.has(path) ? 'a policy never deletes a user\'s file' : undefined);
        if (reason !== undefined) {
          skipped.push(`${name}: ${reason}`);
          return [];
        }
      }
      return fileDifferences(name, want, held === undefined ? (existsSync(path) ? readFileSync(path, 'utf8') : null) : held);
    });
  }
}

function yamlOf(adapter: Adapter, reading: Reading): string {
  return `bylaw: 1\nextends: [${reading.entry ?? `bylaw:${adapter.pack}`}]\n${reading.yaml}`;
}

/** Everything goes but the plan cache and the untouched bylaw.yaml. */
function clean(folder: string, keep: string | undefined): void {
  mkdirSync(join(folder, 'project'), { recursive: true });
  for (const name of readdirSync(folder)) if (name !== 'cache' && name !== 'project') rmSync(join(folder, name), { recursive: true, force: true });
  for (const name of readdirSync(join(folder, 'project'))) if (name !== keep) rmSync(join(folder, 'project', name), { recursive: true, force: true });
}

function write(path: string, content: string, keepEqual: boolean): void {
  if (keepEqual && existsSync(path) && readFileSync(path, 'utf8') === content) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function fillSession(event: JsonObject): JsonObject {
  return fill(event, { session_id: String(event['session_id'] ?? '') });
}

function asJson(expect: Expect): Expect & JsonObject {
  return JSON.parse(JSON.stringify(expect));
}

function capture(expect: Expect, said: Said, came: Came, names: Record<string, string>, faults: string[]): void {
  for (const [name, { from, regex }] of Object.entries(expect.capture ?? {})) {
    const source: Readonly<Record<string, string>> = { reason: said.reason, context: said.context, stdout: came.stdout };
    const found = regular(regex).exec(source[from] ?? '');
    if (found === null) faults.push(`nothing in ${from} to capture with ${regex}`);
    else names[name] = found[1] ?? found[0];
  }
}

/** The number of a step may be counted from 0 or from 1; either way the texts must differ. */
function differing(expect: Expect, contexts: readonly string[], index: number): readonly string[] {
  const others = (expect.context_differs_from_step ?? []).flatMap((number) => [number, number - 1]).filter((number) => number !== index);
  return others.flatMap((number) => (contexts[number] !== undefined && contexts[number] !== '' && contexts[number] === contexts[index] ? [`the context is the same as at step ${number + 1}`] : []));
}

function exit(expect: Expect, came: Came): readonly string[] {
  if (expect.exit_ok === undefined || (came.code === 0) === expect.exit_ok) return [];
  return [`expected ${expect.exit_ok ? 'success' : 'a failure'}, the command ended with ${came.code}: ${(came.stderr || came.stdout).trim().slice(0, 300)}`];
}

function fileDifferences(name: string, want: FileExpect, text: string | null): readonly string[] {
  const exists = text !== null;
  if (want.exists !== undefined && want.exists !== exists) return [`${name}: expected ${want.exists ? 'a file' : 'no file'}, there is ${exists ? 'one' : 'none'}`];
  const asks = want.contains !== undefined || want.json !== undefined || want.last_line_json !== undefined || want.lines !== undefined;
  if (text === null) return asks ? [`${name}: there is no such file`] : [];
  const lines = text.split('\n').filter((line) => line !== '');
  return [
    ...list(want.contains).filter((piece) => !includes(text, piece)).map((piece) => `${name} does not contain ${JSON.stringify(piece)}: ${text.slice(0, 300)}`),
    ...list(want.not_contains).filter((piece) => includes(text, piece)).map((piece) => `${name} contains ${JSON.stringify(piece)}`),
    ...(want.json === undefined ? [] : subset(want.json, parsed(text), name)),
    ...(want.last_line_json === undefined ? [] : subset(want.last_line_json, parsed(lines.at(-1) ?? ''), `${name} (last line)`)),
    ...(want.lines === undefined || lines.length === want.lines ? [] : [`${name}: expected ${want.lines} lines, got ${lines.length}`]),
  ];
}

function list(value: readonly string[] | string | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function run(args: readonly string[], input: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Came> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    child.on('error', (error) => resolve({ code: null, stdout, stderr: String(error) }));
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => undefined).end(input);
  });
}
