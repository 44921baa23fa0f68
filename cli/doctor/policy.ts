/** Is there a policy, is it the right one, and is it in force as written? */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { plural } from '../../engine/report/frame.ts';
import { effective } from '../level.ts';
import { sessionOf } from '../project.ts';
import { finding, type Finding } from './codes.ts';
import type { Scene } from './scene.ts';

/** The policy that protects bylaw; it comes by itself with any other pack. */
const GUARD = 'self-protection';
/** Folders looked at for projects below. */
const MOST_FOLDERS = 300;

export function checkPolicy(scene: Scene): readonly Finding[] {
  const { project, plan, broken, onError } = scene;
  const found: Finding[] = [...around(project)];
  if (plan === undefined) return [...found, finding('policy-unusable', `the policies of ${project} have errors and never had a good version`, 'bylaw check', onError === 'deny' ? 'other' : 'open')];
  if (broken !== undefined) found.push(finding('policy-broken', `the policies have errors: ${broken.split('\n')[0] ?? ''}`, 'bylaw check'));
  if (plan.rules.every(({ own }) => own === 'disabled')) return [...found, finding('policy-empty', 'the policies have no rule that is on', 'add a rule to bylaw.yaml, or a pack: `extends: [bylaw:shell-safety]`')];
  const guard = plan.rules.filter(({ home }) => home === GUARD);
  if (guard.length === 0) found.push(finding('self-protection-off', 'bylaw:self-protection is not part of the policies', 'add it to bylaw.yaml: `extends: [bylaw:self-protection]`', 'note'));
  else if (guard.every((rule) => (rule.own ?? rule.level) === 'disabled') || levelOf(scene, GUARD).level === 'disabled') found.push(finding('self-protection-off', 'bylaw:self-protection is switched off', 'bylaw enable --policy self-protection'));
  return [...found, ...softened(scene)];
}

function softened(scene: Scene): readonly Finding[] {
  const { plan } = scene;
  if (plan === undefined) return [];
  return Object.values(plan.homes)
    .filter(({ name }) => name !== GUARD && plan.rules.some((rule) => rule.home === name))
    .flatMap(({ name }) => {
      const { level, from } = levelOf(scene, name);
      return from === 'its files' ? [] : [finding('policy-softened', `${name} is at ${level}, ${from}`, `bylaw level default --policy ${name}`)];
    });
}

function levelOf({ store, plan }: Scene, policy: string): ReturnType<typeof effective> {
  return effective(store.read(sessionOf(store, undefined) ?? ''), policy, plan?.homes[policy]?.level ?? 'strict', Date.now());
}

/** Other policies near this one, which people take for the one in force. */
function around(project: string): readonly Finding[] {
  const found: Finding[] = [];
  for (let folder = dirname(project); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'bylaw.yaml'))) found.push(finding('policy-above', `${join(folder, 'bylaw.yaml')} is not used here; ${join(project, 'bylaw.yaml')} is`, 'extend it from the one below: `extends: [../bylaw.yaml]`'));
    if (dirname(folder) === folder) break;
  }
  const below = projectsBelow(project);
  if (below.length > 0) found.push(finding('policy-below', `${plural(below.length, 'project')} below with a bylaw.yaml of its own: ${below.slice(0, 3).join(', ')}`, 'start sessions in the folder whose policy should hold'));
  return found;
}

/** Two levels deep: what a person may take for the same project. */
function projectsBelow(project: string): readonly string[] {
  let looked = 0;
  const within = (folder: string, depth: number): readonly string[] => {
    if (depth === 0) return [];
    return folders(join(project, folder)).flatMap((name) => {
      if (++looked > MOST_FOLDERS || name === 'node_modules' || name.startsWith('.')) return [];
      const path = folder === '' ? name : `${folder}/${name}`;
      return existsSync(join(project, path, 'bylaw.yaml')) ? [path] : within(path, depth - 1);
    });
  };
  return within('', 2);
}

function folders(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
  } catch {
    return [];
  }
}
