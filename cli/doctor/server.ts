/** With http hooks: does the server live, is it ours and of this build, and does the client's token open it? */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { ENGINE } from '../../engine/version.ts';
import { TOKEN } from '../../hooks/hosts/claude-settings.ts';
import { HOST, probe as ask, readRecord } from '../../hooks/record.ts';
import { finding, type Finding } from './codes.ts';
import { findProbe, type Probe } from './probe.ts';
import { liveHandlers } from './registration.ts';
import { isHttp, settingOf, shownPath, type Ours, type Scene } from './scene.ts';
import { judged } from './start.ts';

/** Milliseconds; a server that lives answers in one or two. */
const PATIENCE = 2_000;

export async function checkServer(scene: Scene): Promise<readonly Finding[]> {
  const http = liveHandlers(scene).filter(isHttp);
  const ports = [...new Set(http.map(portOf))];
  if (ports.length === 0) return [];
  const found = await Promise.all(ports.map((port) => checkPort(port, http.filter((each) => portOf(each) === port), scene)));
  return [...tokens(scene), ...starters(scene, ports), ...found.flat()];
}

function portOf({ handler }: Ours): number {
  return Number(/:(\d+)\//.exec(String(handler['url']))?.[1] ?? 80);
}

/** The token that the client sends: settings come before its own environment. */
export function tokenOf({ sources, env }: Pick<Scene, 'sources' | 'env'>): string | undefined {
  const [named] = settingOf(sources, 'env').flatMap(({ value }) => (typeof value[TOKEN] === 'string' && value[TOKEN] !== '' ? [value[TOKEN]] : []));
  return named ?? (env[TOKEN] || undefined);
}

function tokens(scene: Scene): readonly Finding[] {
  const found: Finding[] = tokenOf(scene) === undefined ? [finding('token-missing', `${TOKEN} is neither in the settings nor in the environment`, 'bylaw doctor --fix')] : [];
  for (const { file, scope, value } of settingOf(scene.sources, 'env')) {
    if (value[TOKEN] === undefined || scope === 'user' || scope === 'managed' || !isCommitted(file, scope, scene.project)) continue;
    found.push(finding('token-committed', `${shownPath(scene, file)} holds ${TOKEN} and is not ignored by git`, `move it to .claude/settings.local.json, and make a new one: rm the token there, then bylaw init --transport http`));
  }
  return found;
}

/** Local settings are for this machine, but only if git leaves them alone. */
function isCommitted(file: string, scope: string, project: string): boolean {
  if (scope === 'project') return true;
  const { status } = spawnSync('git', ['-C', project, 'check-ignore', '-q', '--', file], { stdio: 'ignore' });
  return status === 1;
}

function starters({ ours }: Scene, ports: readonly number[]): readonly Finding[] {
  const starts = (event: string, port: number): boolean => ours.some((each) => each.event === event && JSON.stringify(each.handler).includes(`--serve=${port}`));
  const without = ports.filter((port) => !starts('SessionStart', port) && !starts('UserPromptSubmit', port));
  return without.length === 0 ? [] : [finding('no-starter', `no handler of SessionStart or UserPromptSubmit starts a server on port ${without.join(', ')}`, 'bylaw doctor --fix')];
}

async function checkPort(port: number, handlers: readonly Ours[], scene: Scene): Promise<readonly Finding[]> {
  const token = tokenOf(scene);
  const record = readRecord({ port }, scene.env);
  const answer = await ask({ port }, undefined, token, PATIENCE);
  const place = `http://${HOST}:${port}`;
  const open = handlers.some(({ handler }) => handler['onFailure'] !== 'block');
  if (answer.is === 'silent') return [finding('server-down', `nothing answers on ${place}`, 'bylaw doctor --fix, or begin a session: its first prompt starts the server', open ? undefined : 'other')];
  if (answer.is === 'other') return [finding('server-foreign', `what answers on ${place} is no server of bylaw`, 'bylaw init --transport http --port <a free one>')];
  if (answer.health === undefined) return token === undefined ? [] : [finding('server-refuses', `the server on ${place} does not accept the token of the settings`, 'bylaw doctor --fix')];
  const found: Finding[] = (record?.version ?? answer.health.version) === ENGINE ? [] : [finding('server-old', `the server on ${place} is of build ${answer.health.version}, this is ${ENGINE}`, 'bylaw doctor --fix')];
  const { plan } = scene;
  const probe = plan === undefined ? undefined : findProbe(plan, handlers.map(({ event }) => event), scene);
  return probe === undefined ? found : [...found, ...(await verdict(port, token ?? '', probe, scene))];
}

/** In a session of its own, which is forgotten again. */
async function verdict(port: number, token: string, probe: Probe, scene: Scene): Promise<readonly Finding[]> {
  const session = `bylaw-doctor-${process.pid}`;
  try {
    const stdout = await post(port, token, JSON.stringify({ session_id: session, cwd: scene.project, ...probe.payload }));
    return judged({ stdout: stdout.trim() === '{}' ? '' : stdout, stderr: '' }, probe, `the server on http://${HOST}:${port}`);
  } catch (error) {
    return [finding('hook-fails', `the server on http://${HOST}:${port} does not answer a hook: ${error instanceof Error ? error.message : String(error)}`, 'bylaw doctor --fix')];
  } finally {
    rmSync(join(scene.store.folder, `session-${session}.json`), { force: true });
  }
}

function post(port: number, token: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: HOST, port, path: '/hook', method: 'POST', agent: false, timeout: PATIENCE, headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(`status ${response.statusCode ?? 0}`))));
      response.on('error', reject);
    });
    asking.on('timeout', () => asking.destroy(new Error(`no answer within ${PATIENCE / 1000} s`)));
    asking.on('error', reject);
    asking.end(body);
  });
}
