/** `hook.cjs SessionStart --serve=47615`: answers the event as always, and sees to it that the server lives and knows the session. */
import type { JsonObject } from '../engine/model.ts';
import { decode } from './hosts/claude-code.ts';
import { readAll } from './pipe.ts';
import { findProject } from './project.ts';
import type { hook as Hook } from './run.ts';
import { sweepSessions, writeSession } from './session.ts';
import { ensureServer } from './start.ts';

/** Milliseconds that a new server gets to listen, so that the first tool call finds it. */
const PATIENCE = 1_500;

export async function hookWithServer(args: readonly string[], port: number, hook: typeof Hook): Promise<void> {
  const { env } = process;
  const cwd = process.cwd();
  const input = readAll(0);
  const [name] = args;
  const event = decode(input, { now: 0, random: '', env: {}, project: '', cwd: '', ...(name === undefined ? {} : { event: name }) });
  // It starts while the event is judged. A session that ends needs none any more.
  const starting = event.event === 'SessionEnd' ? Promise.resolve(undefined) : faultOf(port, env);
  const { output, notes } = await hook({ input, env, cwd, ...(name === undefined ? {} : { event: name }) });
  const faults = [...recorded(event.session || (env['CLAUDE_CODE_SESSION_ID'] ?? ''), event.event, event.cwd, cwd, env), ...((await starting) ?? [])];
  for (const note of [...notes, ...faults]) process.stderr.write(`bylaw: ${note.replace(/\s*\n\s*/g, ' ')}\n`);
  const reply: JsonObject | undefined = output ?? (faults.length === 0 ? undefined : { systemMessage: `bylaw: ${faults.join('; ')}` });
  if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`);
}

/** Why the HTTP hooks of this session will fail, for the person. */
async function faultOf(port: number, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return ['--serve needs a port, such as --serve=47615; no server was started, and every HTTP hook will fail'];
  if ((env['BYLAW_TOKEN'] ?? '') === '') return ['BYLAW_TOKEN is not set, so no server was started and every HTTP hook will fail; set it to a long secret where the agent is started'];
  try {
    const started = await ensureServer({ port }, env, PATIENCE);
    return started.is === 'failed' ? [`no server for the HTTP hooks: ${started.fault}`] : [];
  } catch (error) {
    return [`no server for the HTTP hooks: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** After the event is judged: then the plan that says which variables are asked for is fresh. */
function recorded(session: string, event: string, folder: string, cwd: string, env: NodeJS.ProcessEnv): readonly string[] {
  try {
    writeSession(session, findProject([env['CLAUDE_PROJECT_DIR'], folder, cwd]), cwd, env);
    if (event === 'SessionStart') sweepSessions(env, Date.now());
    return [];
  } catch (error) {
    return [`the server can not be told of this session: ${error instanceof Error ? error.message : String(error)}`];
  }
}
