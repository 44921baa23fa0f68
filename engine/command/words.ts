/** Turns a word of the syntax tree into the words a shell would make of it, with holes for what cannot be known. */
import { expandBraceWord } from './braceword.ts';
import { addOpaque, charge, type Frame, place, spend } from './frame.ts';
import { type Field, hole } from './hole.ts';
import { expandParameter, type Value } from './parameter.ts';
import type * as Ast from './parse.ts';
import { lookup } from './scope.ts';
import { substitute, substituteProcess, walkArithmetic } from './substitution.ts';

/** With brace expansion, splitting and globs: the words of a command. */
export function expandWord(frame: Frame, word: Ast.Word): readonly Field[] {
  const parts = word.parts;
  if (parts === undefined) return [{ text: literal(frame, word.text, word.value) }];
  if (!spend(frame)) return [{ text: hole }];
  if (parts.some((part) => part.type === 'BraceExpansion')) return expandBraceWord(frame, word, parts);
  const builder: Builder = { fields: [], text: '', pattern: null, open: false, quoted: false };
  for (const [index, part] of parts.entries()) append(frame, builder, part, index === 0);
  close(builder);
  charge(frame, builder.fields.length >> 1);
  return builder.fields;
}

/** Without splitting: the value of an assignment, a here-string, a quoted text. */
export function expandText(frame: Frame, word: Ast.Word): string {
  if (word.parts === undefined) return literal(frame, word.text, word.value);
  return expandParts(frame, word.parts, word.text);
}

export function expandParts(frame: Frame, parts: readonly Ast.WordPart[], start = ''): string {
  let text = '';
  for (const part of parts) text += plain(frame, part);
  return start.startsWith('~') ? tilde(frame, text) : text;
}

interface Builder {
  readonly fields: Field[];
  text: string;
  /** The text with its glob characters, once one was seen. */
  pattern: string | null;
  open: boolean;
  quoted: boolean;
}

function append(frame: Frame, builder: Builder, part: Ast.WordPart, first: boolean): void {
  switch (part.type) {
    case 'Literal':
      add(builder, first && part.text.startsWith('~') ? tilde(frame, part.value) : part.value);
      break;
    case 'Glob':
    case 'ExtendedGlob':
      if (
        part.type === 'ExtendedGlob' &&
        /^[^|]*[e+][:[{<("'\w]/.test(part.pattern) &&
        part.operator !== '!' &&
        /^(e.|\+\w)/.test(part.pattern)
      ) {
        addOpaque(frame, 'zsh-glob-qualifier', place(frame, part));
      }
      for (const inner of part.parts ?? []) plain(frame, inner);
      builder.pattern = (builder.pattern ?? builder.text) + part.text;
      builder.text += hole;
      builder.open = true;
      break;
    case 'DoubleQuoted':
    case 'LocaleString':
      builder.open ||= part.parts.length !== 1 || !isList(part.parts[0]);
      for (const inner of part.parts) addValue(builder, quotedValue(frame, inner));
      break;
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
      for (const [index, text] of list(quotedValue(frame, part)).entries()) {
        if (index > 0) close(builder);
        addSplit(frame, builder, text);
      }
      break;
    default:
      add(builder, plain(frame, part));
  }
}

function add(builder: Builder, text: string, unquoted = false): void {
  builder.text += text;
  builder.quoted ||= !unquoted;
  if (builder.pattern !== null) builder.pattern += text;
  builder.open = true;
}

function addValue(builder: Builder, value: Value): void {
  for (const [index, text] of list(value).entries()) {
    if (index > 0) close(builder);
    add(builder, text);
  }
}

function addSplit(frame: Frame, builder: Builder, text: string): void {
  const separators = lookup(frame.scope, 'IFS');
  if (typeof separators !== 'string' || separators.includes(hole)) return add(builder, hole);
  const blanks = separators.replace(/[^ \t\n]/g, '');
  let index = 0;
  while (index < text.length) {
    const character = text.charAt(index);
    if (separators.includes(character)) {
      if (builder.open || !blanks.includes(character)) close(builder, !blanks.includes(character));
      index += 1;
      continue;
    }
    const start = index;
    while (index < text.length && !separators.includes(text.charAt(index))) index += 1;
    const piece = text.slice(start, index);
    if (/[*?[]/.test(piece)) {
      builder.pattern = (builder.pattern ?? builder.text) + piece;
      builder.text += piece.replace(/[*?[].*/s, hole);
      builder.open = true;
    } else add(builder, piece, true);
  }
}

function close(builder: Builder, always = false): void {
  const { text, pattern } = builder;
  if (builder.open || always)
    builder.fields.push(pattern !== null ? { text, pattern } : text === hole && !builder.quoted ? { text, vanishes: true } : { text });
  builder.text = '';
  builder.pattern = null;
  builder.open = false;
  builder.quoted = false;
}

function list(value: Value): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function isList(part: Ast.DoubleQuotedChild | undefined): boolean {
  if (part?.type === 'SimpleExpansion') return part.text === '$@';
  return part?.type === 'ParameterExpansion' && (part.parameter === '@' || part.index?.text === '@');
}

function quotedValue(frame: Frame, part: Ast.DoubleQuotedChild): Value {
  return part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion' ? expandParameter(frame, part) : plain(frame, part);
}

function plain(frame: Frame, part: Ast.WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map((inner) => plain(frame, inner)).join('');
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return list(expandParameter(frame, part)).join(' ');
    case 'CommandExpansion':
      return substitute(frame, part);
    case 'ProcessSubstitution':
      return substituteProcess(frame, part);
    case 'ArithmeticExpansion':
      return walkArithmetic(frame, part.expression);
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      for (const inner of part.parts ?? []) plain(frame, inner);
      return part.text;
  }
}

function literal(frame: Frame, text: string, value: string): string {
  return text.startsWith('~') ? tilde(frame, value) : value;
}

function tilde(frame: Frame, text: string): string {
  const home = lookup(frame.scope, 'HOME');
  return typeof home === 'string' && /^~(\/|$)/.test(text) ? home + text.slice(1) : text;
}
