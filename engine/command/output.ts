/** Works out what simple programs print when everything they print comes from the text itself. */
import type { Frame } from './frame.ts';
import { type Field, hole, isKnown } from './hole.ts';
import { locate } from './folder.ts';
import { decodeEscapes, format } from './format.ts';

type Output = (frame: Frame, fields: readonly Field[]) => string;

export const outputs: ReadonlyMap<string, Output> = new Map<string, Output>([
  ['echo', (_frame, fields) => echo(fields.slice(1).map(({ text }) => text))],
  ['printf', (_frame, fields) => printf(fields.slice(1).map(({ text }) => text))],
  ['cat', (frame, fields) => contents(frame, operands(fields))],
  ['tee', (frame) => frame.input ?? hole],
  ['true', () => ''],
  [':', () => ''],
  ['sleep', () => ''],
  ['mkdir', () => ''],
  ['chmod', () => ''],
  ['touch', () => ''],
  [
    'base64',
    (frame, fields) =>
      fields.some(({ text }) => /^(-d|-D|--decode|-di)$/.test(text)) ? filter(contents(frame, operands(fields)), fromBase64) : hole,
  ],
  [
    'xxd',
    (frame, fields) =>
      fields.some(({ text }) => /^-\w*r/.test(text)) && fields.some(({ text }) => /^-\w*p/.test(text))
        ? filter(contents(frame, operands(fields)), fromHex)
        : hole,
  ],
  [
    'rev',
    (frame, fields) => filter(contents(frame, operands(fields)), (text) => text.replace(/[^\n]+/g, (line) => [...line].reverse().join(''))),
  ],
  [
    'tr',
    (frame, fields) =>
      filter(frame.input ?? hole, (text) =>
        translate(
          text,
          fields.slice(1).map((entry) => entry.text),
        ),
      ),
  ],
  ...['head', 'tail', 'grep', 'sort', 'uniq', 'sed', 'awk'].map((name): [string, Output] => [
    name,
    (frame) => (frame.input === undefined ? hole : frame.input + hole),
  ]),
  ['which', (_frame, fields) => `${fields.at(-1)?.text ?? hole}\n`],
  ['basename', (_frame, fields) => (fields.length === 2 ? `${fields[1]?.text.split('/').at(-1) ?? hole}\n` : hole)],
]);

function operands(fields: readonly Field[]): readonly Field[] {
  return fields.slice(1).filter(({ text }) => !text.startsWith('-') || text === '-');
}

function contents(frame: Frame, files: readonly Field[]): string {
  if (files.length === 0) return frame.input ?? hole;
  return files
    .map(({ text }) =>
      text === '-' || text === '/dev/stdin' ? (frame.input ?? hole) : (frame.walk.written.get(locate(frame.scope.folder, text)) ?? hole),
    )
    .join('');
}

function filter(text: string, change: (text: string) => string): string {
  return isKnown(text) ? change(text) : hole;
}

function echo(words: readonly string[]): string {
  let start = 0;
  let [newline, escapes] = [true, false];
  while (/^-[neE]+$/.test(words[start] ?? '')) {
    const letters = words[start++] ?? '';
    if (letters.includes('n')) newline = false;
    if (letters.includes('e')) escapes = true;
  }
  const text = words.slice(start).join(' ');
  return (escapes ? decodeEscapes(text) : text) + (newline ? '\n' : '');
}

function printf(words: readonly string[]): string {
  const [first, ...rest] = words[0] === '--' ? words.slice(1) : words;
  return first === '-v' ? '' : first === undefined ? '' : format(first, rest);
}

function fromBase64(text: string): string {
  const clean = text.replace(/\s/g, '');
  return /^[A-Za-z0-9+/]*={0,2}$/.test(clean) && clean.length % 4 === 0 ? atob(clean) : hole;
}

function fromHex(text: string): string {
  const clean = text.replace(/\s/g, '');
  return /^([0-9a-fA-F]{2})*$/.test(clean) ? clean.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))) : hole;
}

/** `tr a-z b-za` and `tr -d x`; anything more is unknown. */
function translate(text: string, words: readonly string[]): string {
  if (words[0] === '-d' && words.length === 2) {
    const dropped = members(words[1] ?? '');
    return dropped === null ? hole : [...text].filter((character) => !dropped.includes(character)).join('');
  }
  const [from, to] = words.map(members);
  if (words.length !== 2 || !from || !to) return hole;
  return [...text]
    .map((character) => (from.includes(character) ? (to[Math.min(from.lastIndexOf(character), to.length - 1)] ?? character) : character))
    .join('');
}

function members(set: string): string | null {
  if (/[[\]^]/.test(set) || !isKnown(set)) return null;
  return decodeEscapes(set).replace(/(.)-(.)/g, (_match, first: string, last: string) => {
    let range = '';
    for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code += 1) range += String.fromCharCode(code);
    return range;
  });
}
