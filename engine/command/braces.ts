/** Turns a word with braces into the words it stands for: `r{m,d}` into `rm` and `rd`, `{1..3}` into `1 2 3`. */

/** One character of the word, or a quoted or expanded piece that braces do not look into. */
export type Atom = string;

/** The words in order, or null when there are more than the limit. */
export function expandBraces(atoms: readonly Atom[], limit: number): readonly string[] | null {
  const open = findGroup(atoms);
  if (!open) return [atoms.join('')];
  const before = atoms.slice(0, open.start).join('');
  const tails = expandBraces(atoms.slice(open.end + 1), limit);
  if (!tails) return null;
  const results: string[] = [];
  for (const item of open.items) {
    const middles = typeof item === 'string' ? [item] : expandBraces(item, limit);
    if (!middles || results.length + middles.length * tails.length > limit) return null;
    for (const middle of middles) for (const tail of tails) results.push(before + middle + tail);
  }
  return results;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly items: readonly (string | readonly Atom[])[];
}

function findGroup(atoms: readonly Atom[]): Group | null {
  for (let start = 0; start < atoms.length; start += 1) {
    if (atoms[start] !== '{') continue;
    let depth = 0;
    const commas: number[] = [];
    for (let end = start; end < atoms.length; end += 1) {
      const atom = atoms[end];
      if (atom === '{') depth += 1;
      if (atom === ',' && depth === 1) commas.push(end);
      if (atom === '}') depth -= 1;
      if (depth > 0) continue;
      const items = commas.length > 0 ? split(atoms, start, end, commas) : sequence(atoms.slice(start + 1, end).join(''));
      if (items) return { start, end, items };
      break;
    }
  }
  return null;
}

function split(atoms: readonly Atom[], start: number, end: number, commas: readonly number[]): readonly (readonly Atom[])[] {
  return [...commas, end].map((comma, index) => atoms.slice((index === 0 ? start : (commas[index - 1] ?? start)) + 1, comma));
}

function sequence(text: string): readonly string[] | null {
  const match = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(text);
  const [, first = '', last = '', by = '1'] = match ?? [];
  const numbers = /\d/.test(first) && /\d/.test(last);
  if (!match || (!numbers && (/\d/.test(first) || /\d/.test(last)))) return null;
  const from = numbers ? Number(first) : first.charCodeAt(0);
  const to = numbers ? Number(last) : last.charCodeAt(0);
  const step = Math.max(1, Math.abs(Number(by)));
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  const items: string[] = [];
  for (let count = 0; count <= Math.abs(to - from) / step && count < 1000; count += 1) {
    const value = from + Math.sign(to - from) * step * count;
    items.push(numbers ? String(value).padStart(width, '0') : String.fromCharCode(value));
  }
  return items;
}
