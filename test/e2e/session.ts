/** One run of the real client, `claude -p`, against a scripted model: clean environment, own home, no network. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { startModel, type Request, type Result, type Script, type Step } from './model.ts';

export interface Options {
  readonly program: string;
  readonly home: string;
  /** Where the client is started. */
  readonly cwd: string;
  /** Several prompts are several turns of one session, each after the answer to the one before. */
  readonly prompts?: readonly string[];
  readonly mode?: 'default' | 'acceptEdits' | 'bypassPermissions';
  /** What the person says when the client asks for permission. Without it nobody can be asked. */
  readonly person?: 'allow' | 'deny';
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Outcome {
  /** Every turn that the model was asked for, with what it was told. */
  readonly requests: readonly Request[];
  /** What the main agent had been told at the end: all words, and the results of all calls. */
  readonly words: string;
  readonly results: readonly Result[];
  /** Texts of the session's answers, one per prompt. */
  readonly answers: readonly string[];
  readonly session: string;
  /** What the host told the person. */
  readonly notices: string;
  /** What the person was asked. */
  readonly asked: readonly string[];
  readonly code: number | null;
  readonly errors: string;
}

/** Generous: a session takes about a second, but the machine may be busy. */
const SESSION_TIMEOUT = 90_000; // ms

export async function runSession(script: readonly Step[] | Script, options: Options): Promise<Outcome> {
  const model = await startModel(Array.isArray(script) ? { main: script as readonly Step[] } : (script as Script));
  try {
    const { messages, code, errors } = await play(model.url, options);
    if (model.faults.length > 0) throw new Error(`the scripted model failed: ${model.faults.join('\n')}`);
    if (model.strangers.length > 0) throw new Error(`the client asked for something else: ${model.strangers.join(', ')}`);
    const last = model.requests.filter(({ agent }) => agent === 'main').at(-1);
    const answers = messages.filter(({ type }) => type === 'result').map(({ result }) => String(result ?? ''));
    return {
      requests: model.requests,
      words: last?.words ?? '',
      results: last?.results ?? [],
      answers,
      session: String(messages.find(({ session_id }) => session_id !== undefined)?.session_id ?? ''),
      notices: messages.filter(({ type, subtype }) => type === 'system' && subtype === 'informational').map((message) => JSON.stringify(message)).join('\n'),
      asked: messages.filter(isQuestion).map(({ request }) => JSON.stringify(request)),
      code,
      errors,
    };
  } finally {
    await model.close();
  }
}

interface Message {
  readonly type?: string;
  readonly subtype?: string;
  readonly result?: unknown;
  readonly session_id?: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype?: string; readonly input?: unknown };
}

function isQuestion({ type, request }: Message): boolean {
  return type === 'control_request' && request?.subtype === 'can_use_tool';
}

/** The reply of a host that shows the question to a person. */
function replyTo({ request_id, request }: Message, person: 'allow' | 'deny'): object {
  const response = person === 'allow' ? { behavior: 'allow', updatedInput: request?.input } : { behavior: 'deny', message: 'the person said no' };
  return { type: 'control_response', response: { subtype: 'success', request_id, response } };
}

async function play(url: string, options: Options): Promise<{ messages: readonly Message[]; code: number | null; errors: string }> {
  const { program, cwd, prompts = ['go'], mode = 'bypassPermissions', person, args = [] } = options;
  const several = prompts.length > 1 || person !== undefined;
  const child = spawn(program, ['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', mode, ...(several ? ['--input-format', 'stream-json'] : []), ...(person === undefined ? [] : ['--permission-prompt-tool', 'stdio']), ...args], {
    cwd,
    env: environment(url, options),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), SESSION_TIMEOUT);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  child.stdin.on('error', () => {}); // the client may end before it has read all prompts; its exit says so
  const left = [...prompts];
  const say = (): void => {
    const text = left.shift();
    if (text === undefined) child.stdin.end();
    else if (several) child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`);
    else child.stdin.end(text);
  };
  say();
  const messages: Message[] = [];
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue;
    const message = JSON.parse(line) as Message;
    messages.push(message);
    if (message.type === 'result') say();
    if (person !== undefined && isQuestion(message)) child.stdin.write(`${JSON.stringify(replyTo(message, person))}\n`);
  }
  const [code, signal] = (await closed) as [number | null, string | null];
  clearTimeout(timer);
  if (signal !== null) throw new Error(`the client was ended after ${SESSION_TIMEOUT / 1000} s; stderr: ${errors}; last: ${JSON.stringify(messages.at(-1))}`);
  return { messages, code, errors };
}

/** Nothing of the tester's own environment but the way to programs. All that goes elsewhere is led to the model server, which notes it. */
function environment(url: string, { home, env = {} }: Options): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'no-key-is-needed-here',
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    NO_PROXY: '127.0.0.1,localhost',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    // As root the client refuses bypassPermissions unless it is told that it is in a sandbox.
    IS_SANDBOX: '1',
    ...env,
  };
}
