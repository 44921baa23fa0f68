/** Without a new process: a round trip to `bylaw serve`, and `createEngine` in this process; both with state write and audit. */
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Library from '../hooks/index.ts';
import { BYLAW, callOf, ROOT, type Ground } from './places.ts';

const POLICY = "bylaw: 1\naudit: all\nrules:\n  reads: { match: { tool: Read }, limit: 1000000, deny: Too many. }\n  no-web: { match: { tool: WebFetch }, deny: No web. }\n";

export interface Resident {
  readonly ask: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function overHttp(ground: Ground): Promise<Resident> {
  const cwd = ground.project('http', POLICY);
  const server = spawn(process.execPath, [BYLAW, 'serve', '--port', '0'], { env: ground.env, stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve) => server.stdout.once('data', (chunk) => resolve(Number(/:(\d+)\/hook/.exec(String(chunk))?.[1]))));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = callOf(cwd, 'Read', { file_path: join(cwd, 'a.ts') });
  const headers = { authorization: `Bearer ${ground.env['BYLAW_TOKEN']}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const asking = request({ host: '127.0.0.1', port, path: '/hook', method: 'POST', agent, headers }, (response) => {
        if (response.statusCode === 200) response.resume().on('end', resolve);
        else reject(new Error(`the server said ${response.statusCode}`));
      });
      asking.on('error', reject).end(body);
    });
  const close = async (): Promise<void> => {
    agent.destroy();
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await ended;
  };
  return { ask, close };
}

export async function inProcess(ground: Ground): Promise<Resident> {
  const cwd = ground.project('in-process', POLICY);
  const { createEngine }: typeof Library = await import(pathToFileURL(join(ROOT, 'dist', 'index.mjs')).href);
  const engine = createEngine({ env: { ...ground.env }, cwd });
  const payload = callOf(cwd, 'Read', { file_path: join(cwd, 'a.ts') });
  return {
    ask: async () => {
      const reply = await engine.answer(payload);
      if (reply !== undefined) throw new Error(JSON.stringify(reply));
    },
    close: async () => engine.close(),
  };
}
