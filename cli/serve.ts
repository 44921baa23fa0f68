/** `bylaw serve`: the resident server for HTTP hooks, in the foreground or detached; what runs, and its end. */
import { resolve } from 'node:path';
import { duration } from '../engine/load/world.ts';
import { ENGINE } from '../engine/version.ts';
import { allRecords, DEFAULT_PORT, placeName, placeOf, probe, readRecord, type Place, type ServerRecord } from '../hooks/record.ts';
import { IDLE, serve as listen, ServeError, stopOnSignals } from '../hooks/serve.ts';
import { endServer, ensureServer } from '../hooks/start.ts';
import { Exit, print } from './terminal.ts';

export interface ServeFlags {
  readonly port?: string;
  readonly socket?: string;
  readonly idle?: string;
  readonly detach?: boolean;
  readonly status?: boolean;
  readonly stop?: boolean;
  readonly json?: boolean;
}

/** Milliseconds for a detached server to listen, and for one to say how it is. */
const PATIENCE = 10_000;
const PROBE = 1_000;

export async function serve(flags: ServeFlags): Promise<void> {
  if (flags.status === true) return status(flags);
  if (flags.stop === true) return stop(flags);
  const place = placeIn(flags) ?? { port: DEFAULT_PORT };
  const idle = flags.idle === undefined ? IDLE : milliseconds(flags.idle);
  try {
    if (flags.detach === true) await detached(place, idle);
    else await foreground(place, idle);
  } catch (error) {
    throw error instanceof ServeError ? new Exit(2, error.message) : error;
  }
}

async function foreground(place: Place, idle: number): Promise<void> {
  const serving = await listen({ place, env: process.env, idle });
  print(`listening on ${urlOf(serving.place)}`);
  stopOnSignals(serving);
  await serving.ended;
  // A program that a rule started may still run; nobody waits for it.
  process.exit(0);
}

async function detached(place: Place, idle: number): Promise<void> {
  if ('port' in place && place.port === 0) throw new Exit(2, '--detach needs a port by number, which the HTTP hooks can name');
  if ('port' in place && (process.env['BYLAW_TOKEN'] ?? '') === '') throw new Exit(2, 'set BYLAW_TOKEN to a secret of at least 16 characters, here and where the agent is started');
  const started = await ensureServer(place, process.env, PATIENCE, idle);
  if (started.is === 'failed') throw new Exit(2, started.fault);
  if (started.is === 'starting') throw new Exit(2, `the server does not listen after ${PATIENCE / 1000} s; look at \`bylaw serve --status\``);
  print(`${started.is === 'running' ? 'already ' : ''}listening on ${urlOf(place)}, pid ${started.record.pid}`);
}

async function status(flags: ServeFlags): Promise<void> {
  const found = await Promise.all(
    recordsFor(flags).map(async ({ place, record }) => {
      const answer = await probe(place, record.pid, process.env['BYLAW_TOKEN'], PROBE);
      return { ...record, answers: answer.is === 'ours', sameVersion: record.version === ENGINE, ...(answer.is === 'ours' && answer.health !== undefined ? { health: answer.health } : {}) };
    }),
  );
  if (flags.json === true) print(JSON.stringify({ servers: found }));
  for (const each of flags.json === true ? [] : found) {
    const { health } = each;
    const place = placeOf(each);
    print(`${place === undefined ? '' : urlOf(place)}  pid ${each.pid}  ${each.version}${each.sameVersion ? '' : ' (another version)'}  since ${each.started}${each.answers ? '' : '  does not answer'}${health === undefined ? '' : `  ${health.requests} requests, ${health.projects} projects`}`);
  }
  if (found.length === 0) throw new Exit(1, flags.json === true ? '' : 'no server runs');
}

async function stop(flags: ServeFlags): Promise<void> {
  const found = recordsFor(flags);
  if (found.length === 0) throw new Exit(1, 'no server runs');
  let all = true;
  for (const { place, record } of found) {
    const ended = await endServer(place, process.env, record);
    all &&= ended;
    print(ended ? `stopped ${urlOf(place)}, pid ${record.pid}` : `${urlOf(place)}, pid ${record.pid}: does not answer as a bylaw server, so the process was left alone`);
  }
  if (!all) throw new Exit(1);
}

/** The one named, or all of this person's. */
function recordsFor(flags: ServeFlags): readonly { readonly place: Place; readonly record: ServerRecord }[] {
  const named = placeIn(flags);
  const records = named === undefined ? allRecords(process.env) : [readRecord(named, process.env)];
  return records.flatMap((record) => {
    const place = placeOf(record);
    return record === undefined || place === undefined ? [] : [{ place, record }];
  });
}

function placeIn({ port, socket }: ServeFlags): Place | undefined {
  if (port !== undefined && socket !== undefined) throw new Exit(2, '--port and --socket exclude each other');
  if (socket !== undefined) return { socket: resolve(socket) };
  if (port === undefined) return undefined;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Exit(2, `${port} is no port; write a number up to 65535`);
  return { port: Number(port) };
}

function milliseconds(text: string): number {
  if (!/^\d+(ms|s|m|h|d)$/.test(text)) throw new Exit(2, `${text} is no duration; write 30m, 4h or 1d`);
  return duration(text);
}

function urlOf(place: Place): string {
  return 'port' in place ? `${placeName(place)}/hook` : placeName(place);
}
