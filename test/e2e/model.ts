/** A scripted model: the Messages API on loopback. It plays turns that a scenario wrote, and keeps every request to be asked about. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}
/** What the model says in one turn: words, one call, or several calls at once. */
export type Turn = string | Call | readonly Call[];
/** A turn may look at what the model was told, or do something outside the session before it answers. */
export type Step = Turn | ((told: Request) => Turn | Promise<Turn>);
/** The turns of the main agent, and those of subagents by the first word of their prompt: `scout: look around` → `scout`. */
export type Script = Readonly<Record<string, readonly Step[]>>;

/** A result of a call, as the model was told it. */
export interface Result {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly failed: boolean;
}

/** What the model was told when it was asked for a turn. */
export interface Request {
  /** `main`, or the name of a subagent in the script. */
  readonly agent: string;
  /** Texts of the system prompt, of people and of the host, without results of calls. */
  readonly words: string;
  /** All results so far, oldest first. */
  readonly results: readonly Result[];
  readonly tools: readonly string[];
}

export interface Model {
  readonly url: string;
  readonly requests: readonly Request[];
  /** Everything that was asked of this server, or through it as a proxy, and is no part of the Messages API. */
  readonly strangers: readonly string[];
  readonly faults: readonly string[];
  readonly play: (script: Script) => void;
  readonly close: () => Promise<void>;
}

export async function startModel(first: Script): Promise<Model> {
  const requests: Request[] = [];
  const strangers: string[] = [];
  const faults: string[] = [];
  let script = first;
  let played = new Map<string, number>();

  async function turn(body: Body): Promise<Turn> {
    const told = requestOf(body, Object.keys(script));
    requests.push(told);
    const at = played.get(told.agent) ?? 0;
    played.set(told.agent, at + 1);
    // After the last turn of the script every agent says it is done.
    const step = script[told.agent]?.[at] ?? 'done';
    return typeof step === 'function' ? await step(told) : step;
  }

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (message.url ?? '').split('?')[0];
    const text = await textOf(message);
    if (path === '/v1/messages/count_tokens') return json(response, { input_tokens: 100 });
    if (message.method === 'HEAD') return json(response, {});
    if (path !== '/v1/messages') {
      strangers.push(`${message.method} ${message.url}`);
      return json(response, {});
    }
    const body = JSON.parse(text) as Body;
    // Side questions (titles, summaries) have no tools and are no turn of an agent.
    const said = (body.tools ?? []).length === 0 ? 'ok' : await turn(body);
    if (body.stream === true) stream(response, body, said);
    else json(response, { ...opening(body), content: contentOf(said), stop_reason: reasonOf(said) });
  }

  const server = createServer((message, response) => {
    serve(message, response).catch((error: unknown) => {
      faults.push(error instanceof Error ? `${error.message}\n${error.stack}` : String(error));
      response.destroy();
    });
  });
  server.on('connect', (message, socket) => {
    strangers.push(`CONNECT ${message.url}`);
    socket.end('HTTP/1.1 502 no network in this test\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    strangers,
    faults,
    play: (next) => {
      script = next;
      played = new Map();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// ---------------------------------------------------------------- what comes in

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly Block[];
}

interface Body {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: string | readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
  readonly tools?: readonly { readonly name: string }[];
}

function requestOf(body: Body, agents: readonly string[]): Request {
  const blocks = body.messages.flatMap(({ role, content }) => blocksOf(content).map((block) => ({ role, ...block })));
  const calls = new Map(blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block] as const] : [])));
  const results = blocks.flatMap((block) => {
    const call = calls.get(block.tool_use_id);
    return block.type === 'tool_result' && call !== undefined ? [{ tool: call.name ?? '', input: call.input ?? {}, text: plain(block.content), failed: block.is_error === true }] : [];
  });
  const heard = blocks.filter(({ role, type }) => role !== 'assistant' && type === 'text').map(({ text }) => text ?? '');
  const opening = blocksOf(body.messages[0]?.content).map(({ text }) => text ?? '');
  const agent = agents.find((name) => opening.some((text) => text.trimStart().startsWith(`${name}:`))) ?? 'main';
  return { agent, words: [plain(body.system), ...heard].join('\n'), results, tools: (body.tools ?? []).map(({ name }) => name) };
}

function blocksOf(content: string | readonly Block[] | undefined): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function plain(content: string | readonly Block[] | undefined): string {
  return blocksOf(content).map(({ text }) => text ?? '').join('\n');
}

async function textOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

// ---------------------------------------------------------------- what goes out

let serial = 0;

function contentOf(turn: Turn): readonly Block[] {
  if (typeof turn === 'string') return [{ type: 'text', text: turn }];
  return callsOf(turn).map(({ tool, input }) => ({ type: 'tool_use', id: `toolu_${String((serial += 1)).padStart(8, '0')}`, name: tool, input }));
}

function callsOf(turn: Call | readonly Call[]): readonly Call[] {
  return 'tool' in turn ? [turn] : turn;
}

function reasonOf(turn: Turn): string {
  return typeof turn === 'string' ? 'end_turn' : 'tool_use';
}

function opening(body: Body): object {
  return { id: `msg_${(serial += 1)}`, type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } };
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function stream(response: ServerResponse, body: Body, turn: Turn): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, fields: object): void => void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  send('message_start', { message: opening(body) });
  contentOf(turn).forEach((block, index) => {
    const isCall = block.type === 'tool_use';
    send('content_block_start', { index, content_block: isCall ? { ...block, input: {} } : { type: 'text', text: '' } });
    send('content_block_delta', { index, delta: isCall ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } : { type: 'text_delta', text: block.text } });
    send('content_block_stop', { index });
  });
  send('message_delta', { delta: { stop_reason: reasonOf(turn), stop_sequence: null }, usage: { output_tokens: 5 } });
  send('message_stop', {});
  response.end();
}
