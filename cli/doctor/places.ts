/** Can plan, state and audit be written, and do damaged files lie around? */
import { mkdirSync, openSync, closeSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { plural } from '../../engine/report/frame.ts';
import { cacheFile } from '../../engine/plan/cache.ts';
import { stateFolder } from '../../engine/state/places.ts';
import { auditFile } from '../../hooks/audit.ts';
import { finding, type Finding } from './codes.ts';
import { shownPath, type Scene } from './scene.ts';

export function checkPlaces(scene: Scene): readonly Finding[] {
  const { env, store, project } = scene;
  const found: Finding[] = [];
  const state = stateFolder(env);
  const stateFault = folderFault(store.folder);
  const cacheFault = folderFault(dirname(cacheFile(project, env)));
  if (stateFault !== undefined) found.push(finding('state-not-writable', `the state can not be written in ${shownPath(scene, store.folder)}: ${stateFault}`, mend(state), remembers(scene) ? undefined : 'other'));
  else {
    const fault = appendFault(auditFile(store.folder));
    if (fault !== undefined) found.push(finding('audit-not-writable', `${shownPath(scene, auditFile(store.folder))}: ${fault}`, mend(auditFile(store.folder))));
  }
  if (cacheFault !== undefined) found.push(finding('cache-not-writable', `the compiled policies can not be kept in ${shownPath(scene, dirname(cacheFile(project, env)))}: ${cacheFault}`, mend(dirname(dirname(cacheFile(project, env))))));
  return [...found, ...damaged(scene)];
}

function mend(path: string): string {
  return `bylaw doctor --fix, or: chmod -R u+rwX '${path}'`;
}

/** Rules that count, remember or follow phases. */
function remembers({ plan }: Scene): boolean {
  return Object.values(plan?.facts ?? {}).some(({ form }) => 'memory' in form);
}

function folderFault(folder: string): string | undefined {
  const file = join(folder, `doctor-${process.pid}.tmp`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, '');
    rmSync(file, { force: true });
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/** An empty audit is made, as the first verdict would. */
function appendFault(file: string): string | undefined {
  try {
    closeSync(openSync(file, 'a', 0o600));
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function damaged(scene: Scene): readonly Finding[] {
  let names: readonly string[];
  try {
    names = readdirSync(scene.store.folder).filter((name) => name.includes('.corrupt-'));
  } catch {
    return [];
  }
  return names.length === 0 ? [] : [finding('state-damaged', `${plural(names.length, 'damaged file')} in ${shownPath(scene, scene.store.folder)}: ${names.slice(0, 2).join(', ')}`, 'look at them, then remove them')];
}
