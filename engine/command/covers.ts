/** A pattern such as `git push --force` against a program and its arguments. */
import { hasMagic, matchesGlob } from '../judge/match.ts';
import type { Run } from './analyse.ts';

/**
 * The first word is the program; words without `-` are its leading arguments, words with `-` are among its options,
 * combined short ones too.
 */
export function covers(pattern: string, run: Run, anyCase: boolean): 'yes' | 'no' | 'unknown' {
  const [program = '', ...rest] = pattern.trim().split(/\s+/);
  const [called, ...args] = run.argv;
  if (called === undefined || called === null) return called === null ? 'unknown' : 'no';
  const name = program.includes('/') && hasMagic(program) ? called : called.slice(called.lastIndexOf('/') + 1);
  if (!matchesGlob(program, name, 'word', anyCase)) return 'no';
  const positional = args.filter((word) => word === null || !word.startsWith('-'));
  const options = args.filter((word) => word === null || word.startsWith('-'));
  let sure = true;
  for (const [index, wanted] of rest.filter((word) => !word.startsWith('-')).entries()) {
    const given = positional[index];
    if (given === undefined) return 'no';
    if (given === null) sure = false;
    else if (!matchesGlob(wanted, given, 'word', anyCase)) return 'no';
  }
  for (const wanted of rest.filter((word) => word.startsWith('-'))) {
    if (options.some((option) => option !== null && hasOption(option, wanted))) continue;
    if (!options.includes(null)) return 'no';
    sure = false;
  }
  return sure ? 'yes' : 'unknown';
}

function hasOption(option: string, wanted: string): boolean {
  if (option === wanted || option.startsWith(`${wanted}=`)) return true;
  if (wanted.startsWith('--') || option.startsWith('--')) return false;
  return Array.from(wanted.slice(1)).every((letter) => option.includes(letter));
}
