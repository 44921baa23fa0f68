/** Follows a launcher to the command it starts, by the grammar in `launchers.ts`. */
import type { Span } from './analysis.ts';
import { collectors } from './collectors.ts';
import { addOpaque, type Frame, subshell } from './frame.ts';
import { inspectVariable } from './environment.ts';
import { locate } from './folder.ts';
import { type Field, hole, isKnown } from './hole.ts';
import { type Launcher, launchers } from './launchers.ts';
import { isListed, type Option, readAll, readOptions } from './options.ts';
import { run } from './run.ts';
import { fork, markExported, setVariable } from './scope.ts';
import { walkText } from './script.ts';
import { runInput } from './shell.ts';

/** Does nothing when the program is not a launcher. */
export function launch(frame: Frame, program: string, fields: readonly Field[], at: Span): void {
  const collect = collectors.get(program);
  if (collect) return collect({ ...frame, via: [...frame.via, program] }, fields, at);
  const name = /^ld(-linux.*|-musl.*)?\.so/.test(program) ? 'ld.so' : program;
  const launcher = Object.hasOwn(launchers, name) ? launchers[name] : /^(i[3-6]86|x86_64)$/.test(program) ? launchers['setsid'] : undefined;
  if (launcher) follow(frame, [program], launcher, fields, 1, at);
}

/** Launchers after which a `cd` still counts. */
const sameShell = new Set(['command', 'builtin', 'exec', 'noglob', 'nocorrect', '-']);

function follow(frame: Frame, names: readonly string[], launcher: Launcher, fields: readonly Field[], from: number, at: Span): void {
  let { options, next } = readOptions(fields, from, launcher);
  const scope = sameShell.has(names[0] ?? '') ? frame.scope : fork(frame.scope);
  const inner: Frame = { ...frame, scope, via: [...frame.via, names.join(' ')] };
  if (launcher.commands) {
    const name = fields[next]?.text ?? '';
    if (!isKnown(name)) addOpaque(frame, 'dynamic-argument', at, names[0] ?? null);
    const command = Object.hasOwn(launcher.commands, name) ? launcher.commands[name] : undefined;
    if (command) follow(frame, [...names, name], command, fields, next + 1, at);
    return;
  }
  if (launcher.stop !== undefined && options.some(({ name }) => isListed(launcher.stop ?? '', name))) return;
  const texts = options.filter(({ name }) => launcher.script !== undefined && isListed(launcher.script, name));
  if (names[0] === 'env') return followEnv(inner, options, fields, next, at);
  for (const { value } of texts) if (value) runText(inner, value.text, at);
  if (launcher.dashes && fields[next - 1]?.text !== '--')
    next = afterDashes(fields, next) ?? (names[0] === 'kubectl' || names[0] === 'oc' ? fields.length : next + (launcher.operands ?? 0));
  else {
    if (launcher.variables) next = skipVariables(inner, fields, next, at);
    next = skipOperands(inner, launcher, fields, next, at, texts.length > 0);
    if (launcher.variables) next = skipVariables(inner, fields, next, at);
  }
  const entry = options.find(({ name }) => launcher.entry !== undefined && isListed(launcher.entry, name))?.value;
  const command = entry && entry.text !== '' ? [entry, ...fields.slice(next)] : fields.slice(next);
  const module = options.find(({ name }) => launcher.module !== undefined && isListed(launcher.module, name))?.value;
  // Everything after the module belongs to it.
  if (module) return void run(inner, [module, ...fields.slice(fields.indexOf(module) + 1 || next)], at, false);
  if (command.length === 0 && launcher.input && inner.input !== undefined) runInput(inner, names.join(' '), [], at);
  if (texts.length > 0 || command.length === 0) return;
  if (launcher.texts) for (const { text } of command) runText(inner, text, at);
  else if (launcher.joined) runText(inner, command.map(({ text, pattern }) => pattern ?? text).join(' '), at);
  else run(inFolder(inner, launcher, options), command, at, false);
}

/** `su user -c text`: only the option starts something. */
function followLate(frame: Frame, launcher: Launcher, fields: readonly Field[], from: number, at: Span): number {
  const words = fields.filter(({ text }, index) => index >= from && text !== '--');
  for (const { name, value } of readAll(words, 0, launcher).options)
    if (value && launcher.script !== undefined && isListed(launcher.script, name)) runText(frame, value.text, at);
  return fields.length;
}

/** `runuser -u user command` is the one that does start its operands. */
function startsOperands(launcher: Launcher, fields: readonly Field[], from: number): boolean {
  return readOptions(fields, 1, launcher).options.some(({ name }) => name === '-u' || name === '--user') && from < fields.length;
}

/** Operands may be followed by further options: `flock file -c text`, `setarch x86_64 -R command`. */
function skipOperands(frame: Frame, launcher: Launcher, fields: readonly Field[], from: number, at: Span, given: boolean): number {
  if (!launcher.operands || !launcher.late) return from + (launcher.operands ?? 0);
  if (launcher.operands === 9)
    return given || startsOperands(launcher, fields, from) ? from : followLate(frame, launcher, fields, from, at);
  if (launcher.optional && !launcher.optional.test(fields[from]?.text ?? '')) return from;
  const after = readOptions(fields, from + launcher.operands, { values: launcher.values ?? '' });
  for (const { name, value } of after.options) {
    if (given || !value || launcher.script === undefined || !isListed(launcher.script, name)) continue;
    runText(frame, value.text, at);
    return fields.length;
  }
  return after.next;
}

function afterDashes(fields: readonly Field[], from: number): number | undefined {
  const index = fields.findIndex(({ text }, position) => position >= from && text === '--');
  return index < 0 ? undefined : index + 1;
}

function skipVariables(frame: Frame, fields: readonly Field[], from: number, at: Span): number {
  let next = from;
  for (; next < fields.length; next += 1) {
    const [, name, value = ''] = /^([^=]+)=([\s\S]*)$/.exec(fields[next]?.text ?? '') ?? [];
    if (name === undefined) break;
    const inner = { ...frame, scope: fork(frame.scope) };
    setVariable(inner.scope, name, value);
    inspectVariable(inner, name, at, fields[next + 1]?.text);
    setVariable(frame.scope, name, value);
    markExported(frame.scope, name);
  }
  return next;
}

/** `env -S 'command words'` splits a text into words, and `env -` is `env -i`. */
function followEnv(frame: Frame, options: readonly Option[], fields: readonly Field[], from: number, at: Span): void {
  const inner: Frame = { ...frame, scope: fork(frame.scope) };
  for (const [index, { text }] of fields.slice(0, from + 1).entries()) {
    const split = /^(?:-[iv0]*S|--split-string(?:=|$))([\s\S]*)$/.exec(text);
    if (!split || index === 0) continue;
    const separate = split[1] === '' || split[1] === undefined;
    const script = separate ? (fields[index + 1]?.text ?? '') : (split[1] ?? '');
    const rest = fields.slice(index + (separate ? 2 : 1)).map((entry) => quote(entry.text));
    return void walkText(inner, ['env', script, ...rest].join(' '), frame.at ?? at);
  }
  const start = fields[from]?.text === '-' ? from + 1 : from;
  const command = fields.slice(skipVariables(inner, fields, start, at));
  if (command.length > 0) run(inFolder(inner, launchers['env'] ?? {}, options), command, at, false);
}

function inFolder(frame: Frame, launcher: Launcher, options: readonly Option[]): Frame {
  const option = options.find(({ name }) => launcher.folder !== undefined && isListed(launcher.folder, name));
  if (!option?.value) return frame;
  const scope = fork(frame.scope);
  scope.folder = isKnown(option.value.text) ? locate(frame.scope.folder, option.value.text) : null;
  return { ...frame, scope };
}

function runText(frame: Frame, text: string, at: Span): void {
  if (!isKnown(text)) addOpaque(frame, text === hole ? 'dynamic-command' : 'dynamic-script', at, frame.via.at(-1) ?? null);
  if (text !== hole) walkText(subshell(frame), text, frame.at ?? at);
}

/** Single quotes, so that a word survives being parsed again. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
