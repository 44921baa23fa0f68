/** A path as written → the form that globs of a policy are compared with. */

/** `~`, `~name`, `~+`, `.` and `..` resolved; always absolute. */
export function absolute(path: string, cwd: string, home: string | undefined): string {
  const [, user, rest = ''] = /^~([\w.-]*|\+)(\/.*)?$/s.exec(path) ?? [];
  const isHome = user === '' || (user !== undefined && home?.endsWith(`/${user}`) === true);
  const whole = isHome ? (home ?? '~') + rest : user === '+' ? cwd + rest : path;
  const parts: string[] = [];
  for (const part of (whole.startsWith('/') ? whole : `${cwd}/${whole}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Relative inside the project (`.` is the project itself), absolute outside. */
export function shown(path: string, roots: readonly string[]): string {
  for (const root of roots) {
    if (path === root) return '.';
    const folder = root === '/' ? '/' : `${root}/`;
    if (path.startsWith(folder)) return path.slice(folder.length);
  }
  return path;
}
