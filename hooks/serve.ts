/** The resident server: hook events over HTTP → the same answers as `bylaw hook`, for many projects and sessions at once. */
import { lstatSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ENGINE } from '../engine/version.ts';
import { createEngine } from './engine.ts';
import { decode } from './hosts/claude-code.ts';
import { openLog } from './log.ts';
import { HOST, placeName, probe, readRecord, removeRecord, serverFile, writeRecord, type Health, type Place } from './record.ts';
import { bodyOf, refusal, type Refused } from './request.ts';
import { readSession, unknownSession } from './session.ts';

/** Longer than any pause of a working day; the next prompt starts a new server, and a forgotten one does not stay for ever. */
export const IDLE = 4 * 3_600_000;
export const SHORTEST_TOKEN = 16;
/** Milliseconds that requests under way get when the server stops. */
const GRACE = 2_000;
/** Milliseconds for a request to arrive whole. */
const ARRIVAL = 30_000;
const PROBE = 500;

export interface ServeOptions {
  /** Port 0 takes any free one. */
  readonly place: Place;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds without a request after which the server ends. */
  readonly idle?: number;
}

export interface Serving {
  readonly place: Place;
  readonly stop: () => Promise<void>;
  /** Resolves when the server has stopped, for whatever reason. */
  readonly ended: Promise<void>;
}

/** Why a server can't start, for the person. */
export class ServeError extends Error {}

export async function serve({ place: wanted, env, idle = IDLE }: ServeOptions): Promise<Serving> {
  const token = tokenFrom(wanted, env);
  let place = wanted;
  const engine = createEngine({ env: withoutSession(env), cwd: '/', note: (text) => log(text) });
  const started = Date.now();
  let requests = 0;
  let underWay = 0;
  let stopping: Promise<void> | undefined;

  const answer = async (request: IncomingMessage): Promise<object | Refused> => {
    const refused = refusal(request, place, token);
    if (refused !== undefined) return refused;
    if (request.url === '/health') return { version: ENGINE, pid: process.pid, uptime: Math.round((Date.now() - started) / 1000), projects: engine.projects().length, requests } satisfies Health;
    if (request.url === '/stop') {
      setImmediate(() => void stop());
      return {};
    }
    const body = await bodyOf(request);
    if (typeof body !== 'string') return body;
    requests += 1;
    const { session, cwd, unreadable } = decode(body, { now: 0, random: '', env: {}, project: '', cwd: '' });
    const record = readSession(session, env);
    // Nobody can say which project this is about; as a failed request it is blocked where the policy is strict.
    if (unreadable !== undefined && record === undefined && cwd === '') return { status: 400, error: `the body can not be read: ${unreadable}` };
    return (await engine.answer(body, record === undefined ? { env: unknownSession(env) } : { env: record.env, cwd: record.cwd })) ?? {};
  };

  const server = createServer((request, response) => {
    underWay += 1;
    answer(request)
      .catch((error: unknown) => {
        if (!request.destroyed || request.complete) log(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        return { status: 500, error: 'internal error' };
      })
      .then(async (reply) => {
        await readOut(request);
        respond(response, reply, stopping !== undefined);
      })
      .catch(() => response.destroy());
    response.on('close', () => {
      underWay -= 1;
      rest.refresh();
    });
  });
  // Connections stay as long as their client: a pause of the agent may take minutes, and a connection that is closed
  // in the moment of its next use is a failed hook.
  server.keepAliveTimeout = 0;
  server.requestTimeout = ARRIVAL;

  place = await listen(server, wanted, env);
  const log = openLog(serverFile(place, env, 'log'));
  writeRecord(place, env, { pid: process.pid, ...place, version: ENGINE, started: new Date(started).toISOString() });
  const rest = setTimeout(() => (underWay === 0 ? void stop() : rest.refresh()), idle);

  let end: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const stop = (): Promise<void> => (stopping ??= halt());
  const halt = async (): Promise<void> => {
    clearTimeout(rest);
    removeRecord(place, env, process.pid);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    const late = setTimeout(() => server.closeAllConnections(), GRACE);
    await closed;
    clearTimeout(late);
    end();
  };
  return { place, stop, ended };
}

/** A signal ends it, after what is under way. */
export function stopOnSignals({ stop }: Serving): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());
}

/** Every good request gets 200 and one JSON object, `{}` if there is nothing to say. */
function respond(response: ServerResponse, reply: object, last: boolean): void {
  const status = 'status' in reply && 'error' in reply && typeof reply.status === 'number' ? reply.status : 200;
  const text = JSON.stringify(status === 200 ? reply : { error: 'error' in reply ? reply.error : '' });
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'bylaw-pid': process.pid, ...(last || status !== 200 ? { connection: 'close' } : {}) });
  response.end(text);
}

/** What is refused unread is let run out first, so that the client reads why instead of a reset. */
function readOut(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    request.once('end', resolve).once('close', resolve).resume();
  });
}

function tokenFrom(place: Place, env: NodeJS.ProcessEnv): string | undefined {
  const token = env['BYLAW_TOKEN'];
  if (token === undefined || token === '') {
    // Only the person's own programs can open a socket with mode 0600.
    if ('socket' in place) return undefined;
    throw new ServeError(`set BYLAW_TOKEN to a secret of at least ${SHORTEST_TOKEN} characters, here and where the agent is started: without it every program on this machine could ask`);
  }
  if (token.length < SHORTEST_TOKEN) throw new ServeError(`BYLAW_TOKEN has ${token.length} characters and must have at least ${SHORTEST_TOKEN}`);
  return token;
}

/** What belongs to the session that happened to start the server is no other session's business, nor is the token a program's. */
export function withoutSession(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(CLAUDE|AI_AGENT$|BYLAW_TOKEN$)/.test(name)));
}

async function listen(server: ReturnType<typeof createServer>, place: Place, env: NodeJS.ProcessEnv): Promise<Place> {
  if ('socket' in place) await clearSocket(place.socket);
  const before = 'socket' in place ? process.umask(0o177) : undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('listening', resolve);
      if ('port' in place) server.listen(place.port, HOST);
      else server.listen(place.socket);
    });
  } catch (error) {
    throw new ServeError(await why(error, place, env), { cause: error });
  } finally {
    if (before !== undefined) process.umask(before);
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? { port: address.port } : place;
}

async function why(error: unknown, place: Place, env: NodeJS.ProcessEnv): Promise<string> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE' && 'port' in place) {
    const found = await probe(place, undefined, env['BYLAW_TOKEN'], PROBE);
    if (found.is === 'ours') return `a bylaw server ${readRecord(place, env) === undefined ? 'with another state folder ' : ''}already listens on port ${place.port}; \`bylaw serve --status\` shows it, \`bylaw serve --stop --port ${place.port}\` ends it`;
    return `port ${place.port} is taken by another program; end that, or take another port here and in the url of the HTTP hooks: \`bylaw serve --port <port>\``;
  }
  if (code === 'EACCES') return `${placeName(place)} can not be opened: permission denied; take another one`;
  return `${placeName(place)} can not be opened: ${error instanceof Error ? error.message : String(error)}`;
}

/** What a dead server left is removed; anything else is not ours to remove. */
async function clearSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new ServeError(`${path} exists and is no socket; name another path`);
  if ((await probe({ socket: path }, undefined, undefined, PROBE)).is !== 'silent') throw new ServeError(`a server already listens on ${path}; \`bylaw serve --stop --socket ${path}\` ends it`);
  rmSync(path, { force: true });
}
