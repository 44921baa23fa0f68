/** Reads the options of a command line by a small grammar: which of them take a value, and where the operands start. */
import type { Field } from './hole.ts';

export interface Grammar {
  /** Options that take a value, such as '-u --user'. */
  readonly values?: string;
  /** When given, the only options without a value: all others take one. */
  readonly flags?: string;
  /** Options that take two values. */
  readonly pairs?: string;
  /** Long options with one dash, as java and find have them. */
  readonly long?: 'one-dash';
}

export interface Option {
  /** With its dashes. */
  readonly name: string;
  readonly value: Field | undefined;
}

export interface Options {
  readonly options: readonly Option[];
  /** Index of the first operand. */
  readonly next: number;
}

/** Stops at the first operand. */
export function readOptions(fields: readonly Field[], from: number, grammar: Grammar): Options {
  const options: Option[] = [];
  let next = from;
  while (next < fields.length) {
    const word = fields[next]?.text ?? '';
    if (word === '--') return { options, next: next + 1 };
    if (!word.startsWith('-') || word === '-') break;
    next += 1;
    const equals = word.indexOf('=');
    if (word.startsWith('--') || grammar.long === 'one-dash') {
      const name = equals < 0 ? word : word.slice(0, equals);
      if (equals >= 0) options.push({ name, value: { text: word.slice(equals + 1) } });
      else if (grammar.pairs !== undefined && isListed(grammar.pairs, name)) next += 2;
      else if (takesValue(grammar, name)) options.push({ name, value: fields[next++] });
      else options.push({ name, value: undefined });
      continue;
    }
    for (let index = 1; index < word.length; index += 1) {
      const name = `-${word.charAt(index)}`;
      if (!takesValue(grammar, name)) {
        options.push({ name, value: undefined });
        continue;
      }
      const attached = word.slice(index + 1);
      options.push({ name, value: attached === '' ? fields[next++] : { text: attached.replace(/^=/, '') } });
      break;
    }
  }
  return { options, next };
}

/** Reads options before, between and after operands. */
export function readAll(
  fields: readonly Field[],
  from: number,
  grammar: Grammar,
): { readonly options: readonly Option[]; readonly operands: readonly Field[] } {
  const options: Option[] = [];
  const operands: Field[] = [];
  for (let next = from; next < fields.length;) {
    const read = readOptions(fields, next, grammar);
    options.push(...read.options);
    if (fields[read.next - 1]?.text === '--' && read.next > next) return { options, operands: [...operands, ...fields.slice(read.next)] };
    const operand = fields[read.next];
    if (operand) operands.push(operand);
    next = read.next + 1;
  }
  return { options, operands };
}

export function takesValue(grammar: Grammar, name: string): boolean {
  if (grammar.flags !== undefined) return !isListed(grammar.flags, name);
  return grammar.values !== undefined && isListed(grammar.values, name);
}

/** Whether a list of words separated by blanks holds the word. */
export function isListed(list: string, word: string): boolean {
  const start = list.indexOf(word);
  if (start < 0) return false;
  const end = start + word.length;
  const whole = (start === 0 || list.charAt(start - 1) === ' ') && (end === list.length || list.charAt(end) === ' ');
  return whole || isListed(list.slice(start + 1), word);
}
