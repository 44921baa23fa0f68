/** Which Claude Code is installed, and what it can do. */
import { finding, type Finding } from './codes.ts';
import { run, whereIs } from './run.ts';
import type { Scene } from './scene.ts';

/** Milliseconds; the client is a native program of some 200 MB. */
const PATIENCE = 5_000;
const EXEC_FORM = [2, 1, 139];
const ON_FAILURE = [2, 1, 295];

export async function checkClient({ env, project, ours }: Scene): Promise<readonly Finding[]> {
  const program = whereIs('claude', env);
  const install = 'npm i -g @anthropic-ai/claude-code@latest, with Node 22 or newer';
  if (program === undefined) return [finding('client-unknown', 'there is no `claude` on the PATH')];
  const { stdout, fault } = await run([program, '--version'], { cwd: project, env, timeout: PATIENCE });
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(stdout);
  if (found === null) return [finding('client-unknown', `\`claude --version\` does not say a version${fault === undefined ? '' : `: ${fault}`}`)];
  const [text, ...parts] = found;
  const version = parts.map(Number);
  if (isBefore(version, EXEC_FORM) && ours.some(({ handler }) => handler['args'] !== undefined)) return [finding('client-too-old', `claude is ${text}`, install)];
  return isBefore(version, ON_FAILURE) ? [finding('client-without-on-failure', `claude is ${text}`, install)] : [];
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  for (let place = 0; place < other.length; place++) {
    const difference = (version[place] ?? 0) - (other[place] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
