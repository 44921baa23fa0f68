/** What users get: the package as it would be published, built from these sources into a folder of this run. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../place.ts';

/** A folder of its own, so that a build beside this run changes nothing under it. */
export function makePackage(folder: string): string {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', ...files]) {
    if (name !== 'dist' && existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  const built = spawnSync(process.execPath, [join(ROOT, 'cli', 'build.mjs'), join(folder, 'dist')], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the build failed: ${built.stderr}`);
  return folder;
}
