/** Short questions on a terminal, each with an answer that Enter takes. */
import { createInterface } from 'node:readline/promises';
import { Exit } from '../terminal.ts';

export interface Asker {
  readonly choose: (question: string, answers: readonly string[], standard: string) => Promise<string>;
  readonly words: (question: string, known: readonly string[]) => Promise<readonly string[]>;
  readonly confirm: (question: string) => Promise<boolean>;
  readonly close: () => void;
}

export function openAsker(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Asker {
  const lines = createInterface({ input, output });
  // Ctrl-D is no answer.
  const closed = new Promise<never>((_, reject) => lines.once('close', () => reject(new Exit(2, 'nothing was changed'))));
  closed.catch(() => {});
  const ask = async (question: string): Promise<string> => (await Promise.race([lines.question(question), closed])).trim();
  return {
    async choose(question, answers, standard) {
      for (;;) {
        const answer = (await ask(`${question} (${answers.join(', ')}) [${standard}] `)) || standard;
        const found = answers.find((each) => each === answer) ?? answers.find((each) => each.startsWith(answer));
        if (found !== undefined) return found;
      }
    },
    async words(question, known) {
      for (;;) {
        const words = (await ask(`${question} [none] `)).split(/[\s,]+/).filter((word) => word !== '' && word !== 'none');
        const unknown = words.find((word) => !known.includes(word));
        if (unknown === undefined) return words;
        output.write(`there is no pack ${unknown}; packs: ${known.join(', ')}\n`);
      }
    },
    async confirm(question) {
      return !/^n/i.test(await ask(`${question} [Y/n] `));
    },
    close: () => lines.close(),
  };
}
