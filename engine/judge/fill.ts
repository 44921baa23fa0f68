/** A text with placeholders → the text that people and agents read. */
import type { Json } from '../model.ts';
import { textOf } from './holds.ts';

const PLACEHOLDER = /\{\{([^{}]*)\}\}|\{([A-Za-z][\w./-]*)\}/g;

/** Names that a text asks for. `{{x}}` prints `{x}`. */
export function placeholders(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap((found) => (found[2] === undefined ? [] : [found[2]]));
}

/** Filled once: inserted text is not read again. An absent value prints `unknown`. */
export function fill(text: string, look: (name: string) => readonly Json[]): string {
  return text.replace(PLACEHOLDER, (_, literal: string | undefined, name: string | undefined) => {
    if (name === undefined) return `{${literal ?? ''}}`;
    const values = look(name);
    return values.length === 0 ? 'unknown' : [...new Set(values.map(textOf))].join(', ');
  });
}

/** Every way of filling a text whose placeholders have several values, each once; none if one of them is absent. */
export function fillEach(text: string, look: (name: string) => readonly Json[], escape: (inserted: string) => string): readonly string[] {
  let texts: readonly string[] = [''];
  let from = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    const [whole, literal, name] = found;
    const before = text.slice(from, found.index);
    const inserted = name === undefined ? [`{${literal ?? ''}}`] : look(name).map((value) => escape(textOf(value)));
    texts = texts.flatMap((each) => inserted.map((piece) => each + before + piece));
    from = found.index + whole.length;
  }
  return texts.map((each) => each + text.slice(from));
}
