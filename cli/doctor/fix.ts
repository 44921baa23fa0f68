/** `--fix`: registers again, starts the server, makes our own folders writable. Nothing else is touched. */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { cacheFile } from '../../engine/plan/cache.ts';
import { homeFolder, stateFolder } from '../../engine/state/places.ts';
import { endServer, ensureServer } from '../../hooks/start.ts';
import { readRecord as serverRecord } from '../../hooks/record.ts';
import { auditFile } from '../../hooks/audit.ts';
import { readRecord, recordFile } from '../init/record.ts';
import type { Finding, FindingCode } from './codes.ts';
import { run } from './run.ts';
import type { Scene } from './scene.ts';
import { tokenOf } from './server.ts';

const REGISTER: readonly FindingCode[] = ['not-registered', 'event-not-registered', 'handler-ignored', 'matcher-too-narrow', 'handler-filtered', 'handler-async', 'no-on-failure', 'block-ends-loop', 'node-missing', 'node-too-old', 'hook-missing', 'hook-fails', 'hook-silent', 'hook-answers-otherwise', 'launcher-missing', 'launcher-changed', 'launcher-finds-nothing', 'token-missing', 'no-starter'];
const SERVE: readonly FindingCode[] = ['server-down', 'server-old', 'server-refuses'];
const FOLDERS: readonly FindingCode[] = ['state-not-writable', 'audit-not-writable', 'cache-not-writable'];
/** Milliseconds. */
const PATIENCE = 20_000;
const START = 5_000;
const OWN = 0o700;

/** Whether `--fix` tries to mend it. */
export function isMendable({ code, severity }: Finding): boolean {
  return severity !== 'note' && [...REGISTER, ...SERVE, ...FOLDERS].includes(code);
}

/** What was done, a line each; what could not be done begins with `not`. */
export async function mend(findings: readonly Finding[], scene: Scene): Promise<readonly string[]> {
  const has = (codes: readonly FindingCode[]): boolean => findings.some(({ code }) => codes.includes(code));
  const done: string[] = [];
  if (has(FOLDERS)) done.push(...mendFolders(scene));
  if (findings.some(({ code, severity }) => REGISTER.includes(code) && severity !== 'note')) done.push(...(await registerAgain(scene)));
  if (has(SERVE)) done.push(...(await startServers(scene)));
  return done;
}

/** Through `bylaw init`, which backs up what it changes and checks the result. */
async function registerAgain(scene: Scene): Promise<readonly string[]> {
  const scope = scopeOf(scene);
  const argv = [process.execPath, ...process.execArgv, process.argv[1] ?? '', 'init', '--yes', '--json', '--scope', scope];
  const { stdout, stderr, status } = await run(argv, { cwd: scene.project, env: scene.env, timeout: PATIENCE });
  if (status !== 0) return [`not registered again: ${stderr.trim().replace(/^bylaw: /, '')}`];
  const { changes, backups }: { readonly changes: readonly { readonly file: string; readonly does: string }[]; readonly backups: readonly string[] } = JSON.parse(stdout);
  if (changes.length === 0) return ['registered: everything was in place already'];
  return [...changes.map(({ file, does }) => `${does}d ${file}`), ...backups.map((file) => `what was there before: ${file}`)];
}

/** Where bylaw is registered now, or where init registered it last. */
function scopeOf({ ours, project, env }: Scene): string {
  const now = ours.find(({ where }) => where !== 'plugin' && where !== 'managed')?.where;
  if (now !== undefined) return now;
  if (readRecord(recordFile(env, undefined)).projects?.includes(project) === true) return 'user';
  const files = readRecord(recordFile(env, project)).files.map(({ file }) => file);
  return files.some((file) => file.endsWith('settings.json')) || !files.some((file) => file.endsWith('settings.local.json')) ? 'project' : 'local';
}

async function startServers(scene: Scene): Promise<readonly string[]> {
  const ports = new Set(scene.ours.flatMap(({ handler }) => (handler['type'] === 'http' ? [Number(/:(\d+)\//.exec(String(handler['url']))?.[1] ?? 80)] : [])));
  const token = tokenOf(scene);
  if (token === undefined) return ['not started: there is no BYLAW_TOKEN'];
  const env = { ...scene.env, BYLAW_TOKEN: token };
  return Promise.all(
    [...ports].map(async (port) => {
      const old = serverRecord({ port }, env);
      if (old !== undefined) await endServer({ port }, env, old);
      const started = await ensureServer({ port }, env, START);
      return started.is === 'failed' ? `not started: ${started.fault}` : `started the server on port ${port}`;
    }),
  );
}

/** Only bylaw's own folders, and only for their owner. */
function mendFolders({ env, project, store }: Scene): readonly string[] {
  const home = homeFolder(env);
  return [stateFolder(env), store.folder, dirname(dirname(cacheFile(project, env))), dirname(cacheFile(project, env))].flatMap((folder) => {
    try {
      const isNew = !existsSync(folder);
      if (isNew) mkdirSync(folder, { recursive: true, mode: OWN });
      const files = [folder, ...(folder === store.folder ? [auditFile(folder), ...readdirSync(folder).map((name) => join(folder, name))] : [])].filter((file) => existsSync(file));
      const locked = files.filter((file) => (lstatSync(file).mode & 0o200) === 0);
      for (const file of locked) chmodSync(file, lstatSync(file).mode | (lstatSync(file).isDirectory() ? OWN : 0o600));
      const shown = relative(home, folder).startsWith('..') ? folder : `~/${relative(home, folder)}`;
      return isNew ? [`made ${shown}`] : locked.length > 0 ? [`made ${shown} writable`] : [];
    } catch (error) {
      return [`not mended: ${folder}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}
