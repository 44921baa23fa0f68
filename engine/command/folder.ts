/** Follows `cd`: joins a path to the folder it is seen from, without looking at the disk. */

/** Where the path leads: absolute, under `~`, or relative to the start; unknown folders keep the path as written. */
export function locate(folder: string | null, path: string): string {
  if (/^[/~]/.test(path) || folder === null) return normalise(path);
  return normalise(folder === '' ? path : `${folder}/${path}`);
}

function normalise(path: string): string {
  const absolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const last = parts.at(-1);
    if (part !== '..' || ((last === undefined || last === '..') && !absolute)) parts.push(part);
    else parts.pop();
  }
  return (absolute ? '/' : '') + parts.join('/');
}
