/** The project's policies as they will be: on the disk, or about to be written. */
import { join } from 'node:path';
import { load } from '../../engine/load/load.ts';
import { diskReader, type Reader } from '../../engine/load/read.ts';
import type { Plan } from '../../engine/model.ts';
import { buildPlan } from '../../engine/plan/build.ts';
import { projectOf, readSchema } from '../../engine/plan/compile.ts';
import { printProblem } from '../../engine/report/frame.ts';
import { didYouMean } from '../../engine/report/suggest.ts';
import { trustsIn } from '../../engine/state/trust.ts';
import { Exit, paintFor } from '../terminal.ts';

/** `fresh`: texts of files that are not there yet, by path from the project's folder. */
export function planOf(project: string, fresh: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): Plan {
  const texts = new Map(Object.entries(fresh).map(([path, text]) => [join(project, path), text]));
  const reader: Reader = { ...diskReader, read: (file) => (texts.has(file) ? { text: texts.get(file) ?? '' } : diskReader.read(file)) };
  const found = projectOf(project);
  const added = [...texts.keys()].filter((file) => file !== found.main && !file.endsWith('.test.yaml'));
  const loaded = load({ ...found, parts: [...found.parts, ...added].sort() }, { reader, schema: readSchema(), trusts: trustsIn(env) });
  if (loaded.core !== undefined) return buildPlan(loaded.core);
  const errors = loaded.problems.filter(({ severity }) => severity === 'error').map((problem) => printProblem(problem, loaded.texts, paintFor(process.stderr)));
  throw new Exit(2, `the policies of ${project} have errors; nothing was changed\n\n${errors.join('\n\n')}`);
}

export function checkPacks(packs: readonly string[]): void {
  const known = diskReader.packs();
  const unknown = packs.find((pack) => !known.includes(pack));
  if (unknown === undefined) return;
  throw new Exit(2, `there is no pack \`${unknown}\`; ${didYouMean(unknown, known) ?? `packs: ${known.join(', ')}`}`);
}
