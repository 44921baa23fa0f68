/** `bylaw trust`: a person has read these policy files; they may run programs, write records and read outside the project. */
import { relative } from 'node:path';
import { distrust, trust as trustFiles } from '../engine/state/trust.ts';
import { loadNamed } from './check.ts';
import { Exit, print } from './terminal.ts';

export function trust(path: string | undefined, options: { readonly remove?: boolean }): void {
  if (process.env['CLAUDECODE'] !== undefined) throw new Exit(2, 'trust is for people: run it in a terminal of your own');
  const { loaded } = loadNamed(path);
  const own = [...(loaded.definitions?.homes.values() ?? [])].filter((home) => !home.source.shipped).map((home) => home.source.file);
  if (own.length === 0) throw new Exit(2, 'there is no policy that can be used; run `bylaw check`');
  if (options.remove === true) distrust(own, process.env);
  else trustFiles(own, process.env);
  for (const file of own) print(`${options.remove === true ? 'no longer trusted' : 'trusted as it is now'}: ${relative(process.cwd(), file) || file}`);
}
