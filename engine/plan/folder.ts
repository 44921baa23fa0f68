/** The fixed beginning of a path glob, and the beginnings of a path that it is compared with. */
import { hasMagic } from '../judge/match.ts';

/** `src/part/**` → `src/part`; undefined if nothing is fixed, or if the glob is not written in its plain form. */
export function folderOf(glob: string): string | undefined {
  const parts = glob.split('/');
  // Where the home folder is, only the event knows.
  if (parts[0] === '~') return undefined;
  if (parts.some((part, index) => part === '.' || part === '..' || (part === '' && index > 0))) return undefined;
  const magic = parts.findIndex(hasMagic);
  const folder = parts.slice(0, magic < 0 ? parts.length : magic).join('/');
  return folder === '' ? undefined : folder;
}

/** `src/part/a.ts` → `src`, `src/part`, `src/part/a.ts` */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
