/** Turns redirects into path accesses, into the text on standard input, and into the content of the files they write. */
import { addPath, type Frame, place } from './frame.ts';
import { field, hole } from './hole.ts';
import { locate } from './folder.ts';
import type * as Ast from './parse.ts';
import { expandParts, expandText, expandWord } from './words.ts';

/** Walks a command with its redirects in place and returns what it still prints. */
export function withRedirects(frame: Frame, redirects: readonly Ast.Redirection[], walk: (frame: Frame) => string): string {
  if (redirects.length === 0) return walk(frame);
  let input = frame.input;
  let target: string | null = null;
  for (const redirect of redirects) {
    const descriptor = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : undefined;
    if (redirect.type !== 'Redirect') {
      const text = documentText(frame, redirect);
      if (descriptor === undefined || descriptor === 0) input = text;
      else frame.walk.written.set(`/dev/fd/${descriptor}`, text);
      continue;
    }
    const path = redirectTarget(frame, redirect);
    if (path === undefined) continue;
    const reads = redirect.operator.startsWith('<');
    if (reads) {
      const text =
        path === '/dev/null' ? '' : path === '/dev/fd/0' ? input : (frame.walk.written.get(locate(frame.scope.folder, path)) ?? hole);
      if ((descriptor ?? 0) === 0) input = text;
      else if (text !== undefined) frame.walk.written.set(`/dev/fd/${descriptor}`, text);
    }
    if (!reads && (descriptor ?? 1) === 1) target = path;
  }
  const output = walk({ ...frame, input });
  if (target === null) return output;
  frame.walk.written.set(locate(frame.scope.folder, target), output);
  return target === '/dev/stdout' || target === '/dev/stderr' ? output : '';
}

/** The file it opens; undefined when it only copies a descriptor. */
function redirectTarget(frame: Frame, redirect: Ast.Redirect): string | undefined {
  if (!redirect.target) return undefined;
  const [target = field(hole)] = expandWord(frame, redirect.target);
  const { operator } = redirect;
  if (operator === '>&' && /^(\d+-?|-)$/.test(target.text)) return undefined;
  if (operator === '<&') return /^\d+-?$/.test(target.text) ? `/dev/fd/${Number.parseInt(target.text, 10)}` : undefined;
  const at = place(frame, redirect);
  if (!target.text.startsWith('/dev/fd/')) {
    if (operator.startsWith('<')) addPath(frame, target, 'read', operator, at);
    if (operator !== '<') addPath(frame, target, 'write', operator, at);
  }
  return target.text;
}

function documentText(frame: Frame, redirect: Ast.HereString | Ast.HereDoc): string {
  if (redirect.type === 'HereString') return `${redirect.target ? expandText(frame, redirect.target) : ''}\n`;
  const { body, delimiter, operator } = redirect;
  const text = delimiter?.quoted || !body.parts ? unescaped(body, delimiter?.quoted ?? false) : expandParts(frame, body.parts);
  return operator === '<<-' ? text.replace(/^\t+/gm, '') : text;
}

function unescaped(body: Ast.HereDocBody, quoted: boolean): string {
  return quoted ? body.text : body.text.replace(/\\([\\$`])/g, '$1').replace(/\\\n/g, '');
}
