/** Two texts → a unified diff, three lines around each change. */

const AROUND = 3;

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

export function unifiedDiff(name: string, before: string | undefined, after: string | undefined): string {
  const lines = compare(linesOf(before ?? ''), linesOf(after ?? ''));
  const head = [`--- ${before === undefined ? '/dev/null' : name}`, `+++ ${after === undefined ? '/dev/null' : name}`];
  return [...head, ...hunks(lines)].join('\n');
}

/** A missing last line end is a line of its own in a diff. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  return lines.at(-1) === '' ? lines.slice(0, -1) : [...lines.slice(0, -1), `${lines.at(-1) ?? ''}\n\\ No newline at end of file`];
}

/** Longest common subsequence; settings and policies have some hundred lines. */
function compare(a: readonly string[], b: readonly string[]): readonly Line[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row !== undefined) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: a[i] ?? '' });
      i += 1;
    } else {
      lines.push({ sign: '+', text: b[j] ?? '' });
      j += 1;
    }
  }
  return lines;
}

function hunks(lines: readonly Line[]): readonly string[] {
  const near = lines.map((_, index) => lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ sign }) => sign !== ' '));
  const out: string[] = [];
  let old = 1;
  let fresh = 1;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) continue;
    if (near[index] === true && near[index - 1] !== true) {
      const end = near.indexOf(false, index);
      const part = lines.slice(index, end < 0 ? undefined : end);
      const count = (sign: Line['sign']): number => part.filter((each) => each.sign !== sign).length;
      out.push(`@@ -${count('+') === 0 ? old - 1 : old},${count('+')} +${count('-') === 0 ? fresh - 1 : fresh},${count('-')} @@`);
    }
    if (near[index] === true) out.push(`${line.sign}${line.text}`);
    if (line.sign !== '+') old += 1;
    if (line.sign !== '-') fresh += 1;
  }
  return out;
}
