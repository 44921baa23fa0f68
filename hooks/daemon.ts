/** The server as a process of its own: `node serve.cjs --port 47615`. Built to start fast, without the command line. */
import { parseArgs } from 'node:util';
import { openLog } from './log.ts';
import { DEFAULT_PORT, serverFile, type Place } from './record.ts';
import { IDLE, serve, ServeError, stopOnSignals } from './serve.ts';

/** Exit code for a server that could not start; why is in its log. */
const NOT_STARTED = 3;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string' }, socket: { type: 'string' }, idle: { type: 'string' } } });
  const place: Place = values.socket === undefined ? { port: Number(values.port ?? DEFAULT_PORT) } : { socket: values.socket };
  const log = openLog(serverFile(place, process.env, 'log'));
  process.on('uncaughtException', (error) => {
    log(`the server ended: ${error.stack ?? error.message}`);
    process.exit(1);
  });
  try {
    const serving = await serve({ place, env: process.env, idle: Number(values.idle ?? IDLE) });
    stopOnSignals(serving);
    await serving.ended;
    process.exit(0);
  } catch (error) {
    if (!(error instanceof ServeError)) throw error;
    log(error.message);
    process.exitCode = NOT_STARTED;
  }
}

void main();
