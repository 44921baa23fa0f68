/** Sorts the words after the program into options, their values and operands, as far as the program's grammar is known. */
import type { Run, Word } from './analysis.ts';
import { valueOptions } from './spellings.ts';

export interface Argument {
  readonly word: Word;
  /** An open one may be an option, an operand or several words: its text cannot be known. */
  readonly kind: 'option' | 'operand' | 'open';
  /** Literal beginning of a word that is not known. */
  readonly head: string | undefined;
}

/** Values of options are left out; clusters of short options come one by one. */
export function readArguments(program: string, run: Run): readonly Argument[] {
  const list: Argument[] = [];
  let onlyOperands = false;
  for (let index = 1; index < run.argv.length; index += 1) {
    const word = run.argv[index] ?? null;
    const head = word === null ? run.heads?.[index] : undefined;
    const start = word ?? head ?? '';
    if (onlyOperands || (start !== '' && !start.startsWith('-')) || word === '-' || word === '') list.push({ word, kind: 'operand', head });
    else if (word === null && start === '') list.push({ word, kind: 'open', head });
    else if (word === '--') onlyOperands = true;
    else {
      const subcommand = list.find(({ kind }) => kind === 'operand')?.word ?? undefined;
      const takes = (name: string): boolean => valueOptions(program, subcommand).has(name);
      if (start.startsWith('--') || /^-[A-Za-z][\w-]*=/.test(start)) {
        list.push({ word, kind: 'option', head });
        if (word !== null && takes(word)) index += 1;
      } else if (takes(start)) {
        list.push({ word, kind: 'option', head });
        index += 1;
      } else index += pushCluster(list, word, head, takes);
    }
  }
  return list;
}

/** Returns how many further words the cluster takes as a value. */
function pushCluster(list: Argument[], word: Word, head: string | undefined, takes: (name: string) => boolean): number {
  const text = word ?? head ?? '';
  list.push({ word, kind: 'option', head });
  if (text.length <= 2) return 0;
  for (let index = 1; index < text.length; index += 1) {
    const name = `-${text.charAt(index)}`;
    list.push({ word: name, kind: 'option', head: undefined });
    if (takes(name)) return index === text.length - 1 && word !== null ? 1 : 0;
  }
  return 0;
}
