/** Which servers of this person run: one small file each in the state folder, and a question to the server itself. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stateFolder } from '../engine/state/places.ts';

export const DEFAULT_PORT = 47_615;
export const HOST = '127.0.0.1';

/** A port on loopback, or the path of a unix socket. */
export type Place = { readonly port: number } | { readonly socket: string };

export interface ServerRecord {
  readonly pid: number;
  readonly port?: number;
  readonly socket?: string;
  /** The build that runs there. */
  readonly version: string;
  /** ISO time. */
  readonly started: string;
}

export interface Health {
  readonly version: string;
  readonly pid: number;
  /** Seconds. */
  readonly uptime: number;
  readonly projects: number;
  readonly requests: number;
}

export function placeName(place: Place): string {
  return 'port' in place ? `http://${HOST}:${place.port}` : place.socket;
}

/** `…/serve-47615` with the ending `.json`, `.log` or `.lock`. */
export function serverFile(place: Place, env: NodeJS.ProcessEnv, ending: 'json' | 'log' | 'lock'): string {
  const name = 'port' in place ? String(place.port) : createHash('sha256').update(place.socket).digest('hex').slice(0, 12);
  return join(stateFolder(env), `serve-${name}.${ending}`);
}

export function writeRecord(place: Place, env: NodeJS.ProcessEnv, record: ServerRecord): void {
  const file = serverFile(place, env, 'json');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Undefined if no server of that place lives; what a dead one left is removed. */
export function readRecord(place: Place, env: NodeJS.ProcessEnv): ServerRecord | undefined {
  const record = parse(serverFile(place, env, 'json'));
  if (record === undefined || isAlive(record.pid)) return record;
  removeRecord(place, env, record.pid);
  return undefined;
}

/** Only what that process wrote: its successor may have written meanwhile. */
export function removeRecord(place: Place, env: NodeJS.ProcessEnv, pid: number): void {
  const file = serverFile(place, env, 'json');
  if (parse(file)?.pid === pid) rmSync(file, { force: true });
}

/** All servers of this state folder that live. */
export function allRecords(env: NodeJS.ProcessEnv): readonly ServerRecord[] {
  let names: readonly string[];
  try {
    names = readdirSync(stateFolder(env)).filter((name) => /^serve-\w+\.json$/.test(name)).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const place = placeOf(parse(join(stateFolder(env), name)));
    return (place === undefined ? undefined : readRecord(place, env)) ?? [];
  });
}

export function placeOf(record: ServerRecord | undefined): Place | undefined {
  if (record?.socket !== undefined) return { socket: record.socket };
  return record?.port === undefined ? undefined : { port: record.port };
}

export type Probe = { readonly is: 'ours'; readonly health?: Health } | { readonly is: 'other' } | { readonly is: 'silent' };

/** Who answers there. With a wrong or no token it is still known for ours, by its process id, but it says no more. */
export async function probe(place: Place, pid: number | undefined, token: string | undefined, timeout: number): Promise<Probe> {
  const { request } = await import('node:http');
  return new Promise((resolve) => {
    const where = 'port' in place ? { host: HOST, port: place.port } : { socketPath: place.socket };
    const asking = request({ ...where, path: '/health', agent: false, timeout, headers: { host: 'port' in place ? `${HOST}:${place.port}` : 'localhost', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', () => resolve({ is: 'silent' }));
      response.on('end', () => {
        const named = Number(response.headers['bylaw-pid']);
        if (!Number.isInteger(named) || (pid !== undefined && named !== pid)) resolve({ is: 'other' });
        else resolve({ is: 'ours', ...(response.statusCode === 200 ? { health: JSON.parse(text) } : {}) });
      });
    });
    asking.on('timeout', () => asking.destroy());
    // Something that answers, but not in HTTP.
    asking.on('error', (error) => resolve({ is: 'code' in error && String(error.code).startsWith('HPE_') ? 'other' : 'silent' }));
    asking.end();
  });
}

function parse(file: string): ServerRecord | undefined {
  try {
    const value: Partial<ServerRecord> = JSON.parse(readFileSync(file, 'utf8'));
    if (!Number.isInteger(value.pid) || value.pid === undefined || typeof value.version !== 'string' || typeof value.started !== 'string') return undefined;
    return { ...value, pid: value.pid, version: value.version, started: value.started };
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
