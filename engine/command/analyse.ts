/** Shell text → the programs it runs and the files it touches. For now a line is split on separators and words are compared. */

/** A word, or null if its text can't be known. */
export type Word = string | null;
export interface Run {
  readonly argv: readonly Word[];
}
export interface Access {
  readonly path: string;
  readonly mode: 'read' | 'write';
}
export interface Analysis {
  readonly runs: readonly Run[];
  readonly paths: readonly Access[];
}

const TOKEN = /\s*(?:(&&|\|\||;;?|\|&?|&(?!>)|\n)|((?:\d|&)?>{1,2}\|?|<)\s*((?:"[^"]*"|'[^']*'|\\.|[^\s;&|<>"'])+)|((?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s;&|<>"'\\])+)|(.))/gy;

export function analyse(text: string): Analysis {
  const runs: Run[] = [];
  const paths: Access[] = [];
  let words: string[] = [];
  const close = (): void => {
    const argv = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
    if (words.some((word) => !/^\w+=/.test(word))) runs.push({ argv });
    words = [];
  };
  for (const [, separator, redirect, target, word] of text.matchAll(TOKEN)) {
    if (separator !== undefined) close();
    else if (redirect !== undefined && target !== undefined) {
      if (!target.startsWith('&')) paths.push({ path: unquote(target), mode: redirect === '<' ? 'read' : 'write' });
    } else if (word !== undefined) words.push(unquote(word));
  }
  close();
  return { runs, paths };
}

function unquote(word: string): string {
  return word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g, (_, double: string | undefined, single: string | undefined, escaped: string | undefined) =>
    double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? '',
  );
}
