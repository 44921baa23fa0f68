/** Whether one name can match two globs. */
import { alternatives } from '../judge/match.ts';

export function globsOverlap(a: string, b: string): boolean {
  return alternatives(a).some((one) => alternatives(b).some((other) => meets(one, other)));
}

/** Both patterns are walked together; `*` may stand for anything. Character classes are taken for any character. */
function meets(a: string, b: string): boolean {
  const left = tokens(a);
  const right = tokens(b);
  const seen = new Set<string>();
  const walk = (i: number, j: number): boolean => {
    const key = `${i} ${j}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const x = left[i];
    const y = right[j];
    if (x === undefined && y === undefined) return true;
    if (x === '*') return walk(i + 1, j) || (y !== undefined && walk(i, j + 1));
    if (y === '*') return walk(i, j + 1) || (x !== undefined && walk(i + 1, j));
    if (x === undefined || y === undefined) return false;
    return (x === y || x === '?' || y === '?') && walk(i + 1, j + 1);
  };
  return walk(0, 0);
}

function tokens(glob: string): readonly string[] {
  return [...glob.matchAll(/\*+|\[[^\]]*\]|./gs)].map(([token]) => (token.startsWith('*') ? '*' : token.length > 1 ? '?' : token));
}
