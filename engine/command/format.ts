/** Turns a printf format and its words into the text printf prints. */
import { hole } from './hole.ts';

export function format(pattern: string, words: readonly string[]): string {
  let rest = words;
  let output = '';
  for (let round = 0; round < 64; round += 1) {
    const before = rest.length;
    const pieces = decodeEscapes(pattern).split(/(%%|%[-+ #0]*(?:\*|\d+)?(?:\.\d*)?[a-zA-Z]|%\([^)]*\)T)/);
    for (const piece of pieces) {
      if (!piece.startsWith('%') || piece === '%') output += piece;
      else if (piece === '%%') output += '%';
      else {
        output += convert(piece, rest[0] ?? '');
        rest = rest.slice(1);
      }
    }
    if (rest.length === 0 || rest.length === before) return output;
  }
  return output + hole;
}

function convert(piece: string, word: string): string {
  const letter = piece.slice(-1);
  if (letter === 's') return pad(piece, word);
  if (letter === 'b') return decodeEscapes(word);
  if (letter === 'q' || letter === 'Q') return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  if (letter === 'c') return word.charAt(0);
  if ((letter === 'd' || letter === 'i') && /^-?\d+$/.test(word)) return pad(piece, word);
  return hole;
}

function pad(piece: string, word: string): string {
  const match = /^%(-?)(\d*)(?:\.(\d*))?[a-z]$/i.exec(piece);
  if (!match) return hole;
  const cut = match[3] === undefined ? word : word.slice(0, Number(match[3] || '0'));
  const width = Math.min(Number(match[2] || '0'), 1000);
  return match[1] === '-' ? cut.padEnd(width) : cut.padStart(width);
}

const letters: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001b',
  E: '\u001b',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** `\n`, `\x72`, `\0162`, `\u0072`; the rest stays as it is. */
export function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,6})|(0?[0-7]{1,3})|(["'\\abeEfnrtv]))/g,
    (_match, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      if (letter !== undefined) return letters[letter] ?? letter;
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      const code = Number.parseInt(hex ?? short ?? long ?? '', 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : hole;
    },
  );
}
