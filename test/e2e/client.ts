/** The pinned client: found or installed by exact version, once per machine; the path of its native program. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export const CLIENT_VERSION = '2.1.326';
const PACKAGE = '@anthropic-ai/claude-code';
const INSTALL_TIMEOUT = 300_000; // ms; the program is about 370 MB
const ANSWER_TIMEOUT = 60_000; // ms

export type Client = { readonly program: string } | { readonly missing: string };

/** Two runs at once may both install; each does it in a folder of its own, and the first to finish is kept. */
export function findClient(): Client {
  const home = join(tmpdir(), `bylaw-e2e-client-${CLIENT_VERSION}-${userInfo().username}`);
  const ready = programIn(home);
  if (ready !== undefined) return { program: ready };
  const fresh = mkdtempSync(`${home}-`);
  try {
    const fault = install(fresh);
    if (fault !== undefined) return { missing: fault };
    if (programIn(fresh) === undefined) return { missing: `${PACKAGE} has no program for ${process.platform} ${process.arch}` };
    return settle(fresh, home);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function settle(fresh: string, home: string): Client {
  try {
    // A folder that is there but does not answer is half an install, of a run that was ended.
    if (programIn(home) === undefined) rmSync(home, { recursive: true, force: true });
    renameSync(fresh, home);
  } catch (error) {
    // The other run was first: then its folder answers.
    if (programIn(home) === undefined) return { missing: `the client can not be put in ${home}: ${String(error)}` };
  }
  const program = programIn(home);
  return program === undefined ? { missing: `the client in ${home} does not answer` } : { program };
}

/** By number: without it, npm under Node 20 takes an older release that does not know `onFailure`. */
function install(folder: string): string | undefined {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', `${PACKAGE}@${CLIENT_VERSION}`];
  const done = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: INSTALL_TIMEOUT, shell: process.platform === 'win32' });
  if (done.status === 0) return undefined;
  const why = done.error?.message ?? done.stderr.split('\n').find((line) => line.trim() !== '') ?? `npm ended with ${done.status}`;
  return `${PACKAGE}@${CLIENT_VERSION} can not be installed: ${why.trim()}`;
}

/** The package's own install script, which links the program, does not run everywhere; the program lies in a package per platform. */
function programIn(folder: string): string | undefined {
  const scope = join(folder, 'node_modules', '@anthropic-ai');
  if (!existsSync(scope)) return undefined;
  const names = readdirSync(scope).filter((name) => name.startsWith(`claude-code-${process.platform}-${process.arch}`));
  const file = process.platform === 'win32' ? 'claude.exe' : 'claude';
  return names.map((name) => join(scope, name, file)).find(answers);
}

function answers(program: string): boolean {
  if (!existsSync(program)) return false;
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: ANSWER_TIMEOUT, env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), DISABLE_AUTOUPDATER: '1' } });
  return status === 0 && stdout.startsWith(CLIENT_VERSION);
}
