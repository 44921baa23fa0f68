/** The project, session and store that a command is about. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../engine/model.ts';
import { compile } from '../engine/plan/compile.ts';
import { projectKey, stateFolder } from '../engine/state/places.ts';
import { openStore, type Store } from '../engine/state/store.ts';
import { findProject } from '../hooks/project.ts';
import { Exit } from './terminal.ts';

export interface Here {
  readonly folder: string;
  readonly plan: Plan;
  readonly store: Store;
  /** The problems of a policy whose last good plan is used. */
  readonly broken?: string;
}

export function here(project?: string): Here {
  const folder = findProject([project ?? process.cwd()]);
  if (folder === undefined) throw new Exit(2, 'there is no bylaw.yaml here or above; `bylaw check` says more');
  const { plan, broken } = compile(folder, process.env).cached;
  if (plan === undefined) throw new Exit(2, 'the policy has errors; run `bylaw check`');
  return { folder, plan, store: openStore(stateFolder(process.env), projectKey(folder)), ...(broken === undefined ? {} : { broken }) };
}

/** The session named, the one this command runs in, or the one that changed last. */
export function sessionOf(store: Store, named: string | undefined): string | undefined {
  return named ?? process.env['CLAUDE_CODE_SESSION_ID'] ?? lastSession(store);
}

function lastSession(store: Store): string | undefined {
  const ids = sessions(store);
  return ids.at(-1);
}

/** Ids of the sessions with a state, the latest last. */
export function sessions(store: Store): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(store.folder);
  } catch {
    return [];
  }
  return names
    .flatMap((name) => /^session-(.*)\.json$/.exec(name)?.[1] ?? [])
    .map((id) => ({ id, at: statSync(join(store.folder, `session-${id}.json`)).mtimeMs }))
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);
}

export function policyNamed(plan: Plan, name: string): string {
  if (Object.hasOwn(plan.homes, name)) return name;
  throw new Exit(2, `there is no policy ${name}; policies: ${Object.keys(plan.homes).join(', ')}`);
}
