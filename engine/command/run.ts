/** Turns the expanded words of a command into a run, and follows it to what it launches in turn. */
import type { Span } from './analysis.ts';
import { builtins } from './builtins.ts';
import { addOpaque, addRun, type Frame, spend, withinDepth } from './frame.ts';
import { runGit } from './git.ts';
import { type Field, head, hole, isKnown, item } from './hole.ts';
import { runInterpreter } from './interpreters.ts';
import { launch } from './launch.ts';
import { copiedFrom, rememberCopies } from './copies.ts';
import { locate } from './folder.ts';
import { outputs } from './output.ts';
import { addAccesses } from './accesses.ts';
import { resolveGlob } from './programs.ts';
import { standsFor } from './scope.ts';
import { callFunction, walkText } from './script.ts';
import { runShell, shells } from './shell.ts';
import { variableBuiltins } from './variables.ts';

/** Returns what it prints, with holes. A launcher that starts a new process does not see functions. */
export function run(frame: Frame, written: readonly Field[], at: Span, functions = true): string {
  if (written.length === 0 || !spend(frame) || !withinDepth(frame, at)) return hole;
  const fields = rename(frame, written);
  const name = fields[0]?.text ?? '';
  if (!isKnown(name)) {
    addOpaque(frame, fields[0]?.pattern === undefined ? 'dynamic-command' : 'glob-command', at, null);
    addRun(frame, fields, at);
    runWithoutHoles(frame, fields, at);
    return hole;
  }
  const called = functions ? callFunction(frame, name, texts(fields), at) : undefined;
  if (called !== undefined) return called;
  if (name === '') return '';
  addRun(frame, fields, at);
  const program = programName(name);
  addAccesses(frame, program, fields, at);
  rememberCopies(frame, program, fields);
  const content = frame.walk.written.get(locate(frame.scope.folder, name));
  if (name.includes('/') && content !== undefined) return runWritten(frame, name, content, at);
  const output = outputs.get(program)?.(frame, fields);
  const builtin = builtins.get(program) ?? variableBuiltins.get(program);
  if (builtin) return builtin(frame, fields, at) ?? output ?? hole;
  if (shells.has(program)) return runShell(frame, program, fields, at);
  if (program === 'git') return runGit(frame, fields, at);
  launch(frame, program, fields, at);
  runInterpreter(frame, program, fields, at);
  return output ?? hole;
}

/** The name a rule knows a program by: without folder and `.exe`. */
export function programName(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return /\.exe$/i.test(base) ? base.slice(0, -4) : base;
}

/** zsh's `=rm`, `hash -p /bin/rm ls` and globs that can only mean one program. */
function rename(frame: Frame, fields: readonly Field[]): readonly Field[] {
  const [first, ...rest] = fields;
  if (!first) return fields;
  if (first.pattern !== undefined) return [resolveGlob(first), ...rest];
  const { text } = first;
  if (/^=\w/.test(text)) return [{ text: text.slice(1) }, ...rest];
  const path = standsFor(frame.scope, 'hash', head(text)) ?? copiedFrom(frame, text);
  return path !== undefined && isKnown(text) ? [{ text: path }, ...rest] : fields;
}

/** Unknown pieces of a name are often empty: `$SUDO rm x`, `"$BIN/rm" x`, `r${unset}m x`. */
function runWithoutHoles(frame: Frame, [first, ...rest]: readonly Field[], at: Span): void {
  if (!first || first.pattern !== undefined) return;
  const text = first.text.replaceAll(hole, '').replaceAll(item, '');
  if (text !== '') run(frame, [{ text }, ...rest], at);
  else if (first.vanishes && rest[0] && isKnown(rest[0].text)) run(frame, rest, at);
}

/** A file this very text has written. */
function runWritten(frame: Frame, name: string, content: string, at: Span): string {
  const interpreter = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(content);
  const program = programName((interpreter?.[1]?.endsWith('/env') ? interpreter[2] : interpreter?.[1]) ?? 'sh');
  if (!isKnown(content) || !shells.has(program)) addOpaque(frame, 'generated-script', at, programName(name));
  if (shells.has(program)) walkText({ ...frame, via: [...frame.via, name] }, content, frame.at ?? at);
  return hole;
}

function texts(fields: readonly Field[]): readonly string[] {
  return fields.slice(1).map(({ text }) => text);
}
