/** A wrong word → the nearest known one. */

export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const each of known) {
    if (each === word) continue;
    const far = each.startsWith(word) || word.startsWith(each) ? Math.min(distance(word, each), 2) : distance(word, each);
    if (far < least) {
      best = each;
      least = far;
    }
  }
  return best;
}

export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const found = nearest(word, known);
  return found === undefined ? undefined : `did you mean \`${found}\`?`;
}

/** Edits between two words: insert, remove, replace, swap neighbours; case is half an edit at most. */
function distance(a: string, b: string): number {
  const s = a.toLowerCase();
  const t = b.toLowerCase();
  const rows: number[][] = [Array.from({ length: t.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= s.length; i++) {
    const row = [i];
    for (let j = 1; j <= t.length; j++) {
      const change = s[i - 1] === t[j - 1] ? 0 : 1;
      let best = Math.min(at(rows[i - 1], j) + 1, at(row, j - 1) + 1, at(rows[i - 1], j - 1) + change);
      if (i > 1 && j > 1 && s[i - 1] === t[j - 2] && s[i - 2] === t[j - 1]) best = Math.min(best, at(rows[i - 2], j - 2) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return at(rows[s.length], t.length);
}

function at(row: readonly number[] | undefined, index: number): number {
  return row?.[index] ?? Infinity;
}
