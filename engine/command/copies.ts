/** Remembers files that are copies of programs or of generated scripts: `cp /bin/rm x` makes `./x` an rm. */
import type { Frame } from './frame.ts';
import { type Field, hole, isKnown } from './hole.ts';
import { locate } from './folder.ts';
import { readAll } from './options.ts';
import { setName, standsFor } from './scope.ts';

export function rememberCopies(frame: Frame, program: string, fields: readonly Field[]): void {
  const { scope, walk } = frame;
  if (program === 'tee')
    for (const { text } of readAll(fields, 1, {}).operands) walk.written.set(locate(scope.folder, text), frame.input ?? hole);
  if (program === 'curl' || program === 'wget') {
    for (const { name, value } of readAll(fields, 1, { values: program === 'curl' ? '-o --output -H -d -X -u' : '-O --output-document -o' })
      .options) {
      if (value && (name === '--output' || name === '--output-document' || name === (program === 'curl' ? '-o' : '-O')))
        walk.written.set(locate(scope.folder, value.text), hole);
    }
  }
  if (program !== 'cp' && program !== 'mv' && program !== 'ln' && program !== 'install') return;
  const [from, to] = readAll(fields, 1, { values: program === 'install' ? '-m -o -g' : '' }).operands;
  if (!from || !to || !isKnown(to.text)) return;
  const source = locate(scope.folder, from.text);
  const target = locate(scope.folder, to.text);
  const content = walk.written.get(source);
  if (content !== undefined) walk.written.set(target, content);
  else if (from.text.startsWith('/') || !isKnown(from.text)) setName(scope, `copy ${target}`, from.text);
}

/** The program a file is a copy of. */
export function copiedFrom(frame: Frame, name: string): string | undefined {
  return name.includes('/') ? standsFor(frame.scope, 'copy', locate(frame.scope.folder, name)) : undefined;
}
