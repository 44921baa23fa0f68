/** Does what the settings name start, from any folder, and answer with a verdict of the active policy? Started as the client does, with a state of its own. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Plan } from '../../engine/model.ts';
import { trustFile } from '../../engine/state/trust.ts';
import { LAUNCHER } from '../../hooks/hosts/claude-settings.ts';
import { readText } from '../../hooks/settings.ts';
import { launcherText } from '../init/launcher.ts';
import { installFile } from '../init/record.ts';
import { finding, type Finding } from './codes.ts';
import { findProbe, type Probe } from './probe.ts';
import { liveHandlers } from './registration.ts';
import { run, whereIs, type Ran } from './run.ts';
import { argvOf, isHttp, scriptIn, shownPath, type Ours, type Scene } from './scene.ts';

/** Milliseconds; a hook takes some 50, and compiles the policies at most once. */
const PATIENCE = 10_000;
const OLDEST_NODE = 20;
const AGAIN = 'bylaw doctor --fix';

export async function checkStart(scene: Scene): Promise<readonly Finding[]> {
  const { plan } = scene;
  if (plan === undefined) return [];
  const commands = liveHandlers(scene).filter((each) => !isHttp(each));
  const found = await Promise.all([...waysOf(commands, scene)].map((handlers) => checkWay(handlers, plan, scene)));
  return [...launcher(scene, commands), ...found.flat(), ...unprobed(scene, plan)];
}

/** Handlers that differ only in their event are started in the same way. */
function waysOf(commands: readonly Ours[], { project }: Scene): Iterable<readonly [Ours, ...Ours[]]> {
  const ways = new Map<string, [Ours, ...Ours[]]>();
  for (const each of commands) {
    const key = JSON.stringify(started(each, project).map((word) => (word === each.event ? '' : word)));
    const way = ways.get(key);
    if (way === undefined) ways.set(key, [each]);
    else way.push(each);
  }
  return ways.values();
}

/** Without the argument that starts a server: a probe starts none. */
function started(each: Ours, project: string): readonly string[] {
  return argvOf(each, project).filter((word) => !word.startsWith('--serve='));
}

async function checkWay(handlers: readonly [Ours, ...Ours[]], plan: Plan, scene: Scene): Promise<readonly Finding[]> {
  const { project, env } = scene;
  const [first] = handlers;
  const [program = ''] = started(first, project);
  const place = shownPath(scene, first.file);
  const found = whereIs(program, env);
  if (found === undefined) return [finding('node-missing', `${place}: there is no program ${program}`, AGAIN)];
  const node = /^node(js)?(\.exe)?$/.test(basename(program)) ? await nodeFindings(found, place, scene) : [];
  if (node.some(({ severity }) => severity === 'open')) return node;
  const script = scriptIn(first, project);
  if (script !== undefined && !existsSync(script)) return script.endsWith(LAUNCHER) ? node : [...node, finding('hook-missing', `${place}: there is no file ${script}`, AGAIN)];
  const probe = findProbe(plan, handlers.map(({ event }) => event), scene);
  const handler = handlers.find(({ event }) => event === probe?.event) ?? first;
  return [...node, ...(await answers(handler, probe, scene))];
}

async function nodeFindings(node: string, place: string, { env, project }: Scene): Promise<readonly Finding[]> {
  if (realOf(node) === realOf(process.execPath)) return [];
  const { stdout, fault, status } = await run([node, '--version'], { cwd: project, env, timeout: PATIENCE });
  const [, version, major] = /^v((\d+)\S*)/.exec(stdout) ?? [];
  if (fault !== undefined || status !== 0 || version === undefined) return [finding('node-missing', `${place}: ${node} does not start: ${fault ?? `exit ${String(status)}`}`, AGAIN)];
  if (Number(major) < OLDEST_NODE) return [finding('node-too-old', `${place}: ${node} is Node ${version}`, AGAIN)];
  return `v${version}` === process.version ? [] : [finding('node-differs', `${place}: ${node} is Node ${version}; this command runs with ${process.version}`)];
}

// -- the answer

async function answers(handler: Ours, probe: Probe | undefined, scene: Scene): Promise<readonly Finding[]> {
  const tries = await Promise.all(cwdsOf(scene.project).map((cwd) => withState(scene, (folder) => attempt(handler, probe, cwd, folder, scene))));
  return tries.find((each) => each.length > 0) ?? [];
}

/** A state of its own for each try: a rule may speak once only. */
async function withState<T>({ env }: Scene, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bylaw-doctor-'));
  try {
    copyInto(folder, [trustFile(env), installFile(env)]);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a hook may need of the state: who is trusted, and where bylaw is. */
function copyInto(folder: string, files: readonly string[]): void {
  for (const file of files) if (existsSync(file)) copyFileSync(file, join(folder, basename(file)));
}

/** The project's folder, and one below it. */
function cwdsOf(project: string): readonly string[] {
  const below = readdirSync(project, { withFileTypes: true }).find((entry) => entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git');
  return below === undefined ? [project] : [project, join(project, below.name)];
}

async function attempt(handler: Ours, probe: Probe | undefined, cwd: string, folder: string, scene: Scene): Promise<readonly Finding[]> {
  const { project } = scene;
  const argv = started(handler, project);
  const payload = { session_id: `bylaw-doctor-${process.pid}`, cwd: project, ...(probe?.payload ?? { hook_event_name: handler.event }) };
  const env: NodeJS.ProcessEnv = { ...scene.env, CLAUDE_PROJECT_DIR: project, BYLAW_STATE_DIR: folder, CLAUDE_CODE_SESSION_ID: payload.session_id };
  const ran = await run(argv, { input: `${JSON.stringify(payload)}\n`, cwd, env, timeout: PATIENCE });
  const what = `\`${shortened(argv, scene)}\`${cwd === project ? '' : `, started in ${shownPath(scene, cwd)},`}`;
  if (ran.fault !== undefined || ran.status !== 0) return [finding('hook-fails', `${what} fails: ${ran.fault ?? `exit ${String(ran.status)}`}${tellingLine(ran.stderr)}`, AGAIN)];
  if (/bylaw is not installed on this machine/.test(ran.stderr)) return [finding('launcher-finds-nothing', `${what} finds no bylaw on this machine`, 'npm ci where package.json lists bylaw, or bylaw doctor --fix')];
  return probe === undefined ? [] : judged(ran, probe, what);
}

export function judged(ran: Pick<Ran, 'stdout' | 'stderr'>, probe: Probe, what: string): readonly Finding[] {
  const got = decisionIn(ran.stdout);
  const meant = `${saidOf(probe)}, which the rule ${probe.rule} should ${probe.decision === 'advise' ? 'advise on' : probe.decision}`;
  if (got === probe.decision) return [];
  if (got === undefined) return [finding('hook-silent', `${what} says nothing to ${meant}${tellingLine(ran.stderr)}`, 'bylaw check && bylaw doctor --fix')];
  return [finding('hook-answers-otherwise', `${what} answers ${got} to ${meant}`, 'bylaw doctor --fix; if it stays, look for another bylaw.yaml or another version of bylaw')];
}

/** What the client would make of the reply; undefined for nothing, the text's beginning for what is no reply. */
function decisionIn(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const { decision, systemMessage, hookSpecificOutput }: { readonly decision?: unknown; readonly systemMessage?: unknown; readonly hookSpecificOutput?: Readonly<Record<string, unknown>> } = Object(JSON.parse(text));
    if (typeof hookSpecificOutput?.['permissionDecision'] === 'string') return hookSpecificOutput['permissionDecision'];
    if (decision === 'block') return 'deny';
    return hookSpecificOutput?.['additionalContext'] !== undefined || systemMessage !== undefined ? 'advise' : undefined;
  } catch {
    return `${JSON.stringify(text.trim().slice(0, 40))}, which is no JSON object,`;
  }
}

function saidOf({ event, payload }: Probe): string {
  const input = Object(payload['tool_input']);
  const argument = input['command'] ?? input['file_path'] ?? payload['prompt'] ?? '';
  return `${event}${typeof payload['tool_name'] === 'string' ? ` ${payload['tool_name']}` : ''}${argument === '' ? '' : ` \`${String(argument).slice(0, 60)}\``}`;
}

function shortened(argv: readonly string[], scene: Scene): string {
  return argv.map((word) => shownPath(scene, word)).join(' ');
}

function tellingLine(text: string): string {
  const lines = text.trim().split('\n');
  const line = lines.find((each) => /^\w*Error\b/.test(each)) ?? lines.find((each) => each.startsWith('bylaw: ')) ?? lines[0] ?? '';
  return line === '' ? '' : ` (${line.slice(0, 160)})`;
}

// -- the launcher

function launcher(scene: Scene, commands: readonly Ours[]): readonly Finding[] {
  const file = join(scene.project, LAUNCHER);
  if (!commands.some((each) => scriptIn(each, scene.project) === file)) return [];
  const text = readText(file);
  if (text === undefined) return [finding('launcher-missing', `the settings call ${LAUNCHER}, which is not there`, AGAIN)];
  return text === launcherText(true) || text === launcherText(false) ? [] : [finding('launcher-changed', `${LAUNCHER} is not as \`bylaw init\` writes it`, AGAIN)];
}

function unprobed(scene: Scene, plan: Plan): readonly Finding[] {
  const events = scene.ours.map(({ event }) => event);
  return events.length === 0 || findProbe(plan, events, scene) !== undefined ? [] : [finding('no-probe', 'the hook starts, but no event was found at which these rules speak at the first call', "try one yourself: bylaw explain 'Read src/a.ts'")];
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

