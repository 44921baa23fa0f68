/** Throw-away projects for tests that need real files and processes. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
export const BYLAW = join(ROOT, 'dist', 'bylaw.mjs');

export interface Place {
  readonly folder: string;
  readonly project: string;
  readonly env: Record<string, string>;
  readonly bylaw: (args: readonly string[], input?: string, env?: Record<string, string>) => SpawnSyncReturns<string>;
  /** The hook's reply, parsed; undefined if it said nothing. */
  readonly hook: (payload: unknown, env?: Record<string, string>) => { output: any; stderr: string; status: number | null };
  readonly write: (path: string, text: string) => void;
  readonly remove: () => void;
}

export function makePlace(files: Readonly<Record<string, string>>): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bylaw-test-')));
  const project = join(folder, 'project');
  mkdirSync(project);
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home'), BYLAW_STATE_DIR: join(folder, 'state'), BYLAW_CACHE_DIR: join(folder, 'cache'), CLAUDE_PROJECT_DIR: project };
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const bylaw: Place['bylaw'] = (args, input = '', more = {}) => spawnSync(process.execPath, [BYLAW, ...args], { cwd: project, env: { ...env, ...more }, input, encoding: 'utf8' });
  const hook: Place['hook'] = (payload, more = {}) => {
    const done = bylaw(['hook'], typeof payload === 'string' ? payload : JSON.stringify({ session_id: 's1', cwd: project, ...Object(payload) }), more);
    return { output: done.stdout === '' ? undefined : JSON.parse(done.stdout), stderr: done.stderr, status: done.status };
  };
  return { folder, project, env, bylaw, hook, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
