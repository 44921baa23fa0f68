/** Expands the braces of a word first, as a shell does, and then each word that comes out of it. */
import { type Atom, expandBraces } from './braces.ts';
import { addOpaque, type Frame, limits, place, spend } from './frame.ts';
import { type Field, hole } from './hole.ts';
import { parseScript } from './parse.ts';
import type * as Ast from './parse.ts';
import { expandWord } from './words.ts';

export function expandBraceWord(frame: Frame, word: Ast.Word, parts: readonly Ast.WordPart[]): readonly Field[] {
  const at = place(frame, word);
  const atoms: Atom[] = [];
  for (const part of parts) pushAtoms(atoms, part);
  if (parts.some((part) => part.type === 'BraceExpansion' && part.parts?.some((inner) => inner.type === 'CommandExpansion'))) {
    addOpaque(frame, 'brace-with-substitution', at);
  }
  const texts = expandBraces(atoms, limits.braces);
  if (!texts) addOpaque(frame, 'budget', at);
  const fields: Field[] = [];
  for (const text of texts ?? [atoms.join('').replaceAll('{', '\\{')]) {
    if (text === '') continue;
    if (/^[\w./:=@%+,-]+$/.test(text)) {
      fields.push({ text });
      continue;
    }
    const [statement] = parseScript(`: ${text}`).script.commands;
    const command = statement?.command;
    if (!spend(frame) || command?.type !== 'Command') fields.push({ text: hole });
    else {
      for (const argument of command.args) {
        // Braces that are still there are not expandable: `{a}`.
        const single = argument.type === 'Word' && !argument.parts?.some((part) => part.type === 'BraceExpansion');
        fields.push(...(single ? expandWord({ ...frame, at }, argument) : [{ text: argument.text }]));
      }
    }
  }
  return fields;
}

function pushAtoms(atoms: Atom[], part: Ast.WordPart): void {
  if (part.type === 'Literal' || (part.type === 'BraceExpansion' && part.parts === undefined)) {
    for (const match of part.text.matchAll(/\\[\s\S]|[\s\S]/g)) atoms.push(match[0]);
  } else if (part.type === 'BraceExpansion') {
    atoms.push('{');
    for (const inner of part.parts ?? []) pushAtoms(atoms, inner);
    atoms.push('}');
  } else atoms.push(part.text);
}
