/** The words of a scenario: a project under a policy, a script for the model, and what is expected of both. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Call, Request, Result, Script, Step } from './model.ts';
import { runSession, type Options, type Outcome } from './session.ts';

export interface Scenario {
  readonly group: string;
  readonly name: string;
  readonly play: (place: Place) => Promise<void>;
  /** It is known not to hold. Once it does, the run fails until this mark is taken away. */
  readonly gap: boolean;
}

export const scenarios: Scenario[] = [];

type Register = (name: string, play: Scenario['play']) => void;

/** Registers the scenarios of one file. */
export function group(name: string): Register & { readonly gap: Register } {
  const register = (gap: boolean): Register => (title, play) => void scenarios.push({ group: name, name: title, play, gap });
  return Object.assign(register(false), { gap: register(true) });
}

// ---------------------------------------------------------------- the place

export interface Place {
  /** Everything of this scenario lies below it. */
  readonly folder: string;
  readonly home: string;
  /** A git repo with bylaw in its node_modules. */
  readonly repo: string;
  readonly write: (path: string, text: string) => void;
  readonly read: (path: string) => string;
  readonly has: (path: string) => boolean;
  /** Writes bylaw.yaml (`bylaw: 1` is added) and lets `bylaw init` register the hooks. */
  readonly govern: (policy: string, ...args: readonly string[]) => Promise<void>;
  /** Every line of the audit so far, as text. */
  readonly audit: () => string;
  readonly bylaw: (...args: readonly string[]) => Promise<string>;
  readonly git: (...args: readonly string[]) => Promise<void>;
  /** Another command of the client than a session, such as `claude plugin install`. */
  readonly claude: (...args: readonly string[]) => Promise<string>;
  readonly session: (script: readonly Step[] | Script, options?: Partial<Options>) => Promise<Outcome>;
}

export async function makePlace(folder: string, program: string, pack: string): Promise<Place> {
  const home = join(folder, 'home');
  const repo = join(folder, 'repo');
  const at = (path: string): string => (path.startsWith('~/') ? join(home, path.slice(2)) : join(repo, path));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  const environment = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: home, DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  const run = async (command: string, args: readonly string[]): Promise<string> => {
    // Not spawnSync: the model of the scenario beside this one would not answer meanwhile.
    const { code, output } = await finish(spawn(command, args, { cwd: repo, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }));
    assert.equal(code, 0, `${command} ${args.join(' ')} ended with ${code}:\n${output}`);
    return output;
  };
  const bylaw: Place['bylaw'] = (...args) => run(process.execPath, [join(pack, 'dist', 'bylaw.mjs'), ...args]);
  const git: Place['git'] = async (...args) => void (await run('git', ['-c', 'user.name=e2e', '-c', 'user.email=e2e@localhost', ...args]));

  mkdirSync(join(home, '.claude'), { recursive: true });
  mkdirSync(join(repo, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(pack, join(repo, 'node_modules', 'bylaw'), 'dir');
  symlinkSync(join('..', 'bylaw', 'dist', 'bylaw.mjs'), join(repo, 'node_modules', '.bin', 'bylaw'));
  write('.gitignore', 'node_modules\n.claude/settings.local.json\n');
  await git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    home,
    repo,
    write,
    read: (path) => readFileSync(at(path), 'utf8'),
    has: (path) => existsSync(at(path)),
    govern: async (policy, ...args) => {
      write('bylaw.yaml', `bylaw: 1\n${policy}`);
      await bylaw('init', '--yes', ...args);
    },
    audit: () => auditsBelow(join(home, '.local', 'state', 'bylaw')),
    bylaw,
    git,
    claude: (...args) => run(program, args),
    session: (script, options = {}) => runSession(script, { program, home, cwd: repo, ...options }),
  };
}

async function finish(child: ChildProcessByStdio<null, Readable, Readable>): Promise<{ readonly code: unknown; readonly output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output };
}

function auditsBelow(state: string): string {
  const files = existsSync(state) ? readdirSync(state).map((project) => join(state, project, 'audit.jsonl')) : [];
  return files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8')).join('');
}

// ---------------------------------------------------------------- what the model does

export const bash = (command: string): Call => ({ tool: 'Bash', input: { command } });
export const read = (path: string): Call => ({ tool: 'Read', input: { file_path: path } });
export const write = (path: string, content: string): Call => ({ tool: 'Write', input: { file_path: path, content } });
/** The subagent's turns are found in the script under `name`. In the background only if asked for: else the result comes at once. */
export const agent = (name: string, type = 'general-purpose', background = false): Call => ({
  tool: 'Agent',
  input: { description: name, subagent_type: type, prompt: `${name}: do your part`, run_in_background: background },
});

// ---------------------------------------------------------------- what is expected

export function refused(result: Result | undefined, reason: RegExp): void {
  assert.ok(result !== undefined, 'the call has no result');
  assert.ok(result.failed, `${result.tool} should be refused, but the model was told: ${result.text}`);
  assert.match(result.text, reason);
}

export function passed(result: Result | undefined, text?: RegExp): void {
  assert.ok(result !== undefined, 'the call has no result');
  assert.ok(!result.failed, `${result.tool} should pass, but the model was told: ${result.text}`);
  if (text !== undefined) assert.match(result.text, text);
}

/** What the host put before the model; the message shows only the end, the beginning being the host's own long prompt. */
export function told(words: string | undefined, text: RegExp): void {
  assert.ok(words !== undefined && text.test(words), `the model should be told ${text}, but its last words were: …${words?.slice(-SHOWN)}`);
}

export function notTold(words: string, text: RegExp): void {
  assert.ok(!text.test(words), `the model should not be told ${text}, but was: ${text.exec(words)?.[0]}`);
}

const SHOWN = 1500; // characters

/** Requests of one agent, oldest first. */
export function turnsOf(requests: readonly Request[], name: string): readonly Request[] {
  return requests.filter(({ agent }) => agent === name);
}

const CONDITION_TIMEOUT = 30_000; // ms
const LOOK_AGAIN = 25; // ms

/** Waits for a condition, not for a time. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const start = Date.now();
  while (!holds()) {
    if (Date.now() - start > CONDITION_TIMEOUT) throw new Error(`waited ${CONDITION_TIMEOUT / 1000} s for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
  }
}
