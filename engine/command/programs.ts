/** Turns a globbed program name into the program it can only mean: `/???/rm` into `/bin/rm`. */
import type { Field } from './hole.ts';
import { matchesPattern } from './pattern.ts';

const folders = ['/bin', '/usr/bin', '/usr/local/bin', '/sbin', '/usr/sbin'];

export function resolveGlob(field: Field): Field {
  const pattern = field.pattern ?? '';
  const slash = pattern.lastIndexOf('/');
  const name = pattern.slice(slash + 1);
  if (slash < 0 || /[*?[(]/.test(name)) return field;
  const folder = folders.find(
    (path) => pattern.split('/').length === path.split('/').length + 1 && matchesPattern(pattern.slice(0, slash), path),
  );
  // Whatever the folder is, the program is known by its name.
  return { text: folder === undefined ? pattern : `${folder}/${name}` };
}
