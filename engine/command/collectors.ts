/** Follows the programs that build command lines from input: xargs, find, fd, parallel. */
import type { Span } from './analysis.ts';
import { addOpaque, addPath, type Frame, subshell, type Walk } from './frame.ts';
import { type Field, field, hole, isKnown, item } from './hole.ts';
import { readOptions } from './options.ts';
import { run } from './run.ts';
import { walkText } from './script.ts';

type Collector = (frame: Frame, fields: readonly Field[], at: Span) => void;

const xargs: Collector = (frame, fields, at) => {
  const values =
    '-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s --max-chars --process-slot-var -J -R -S';
  const { options, next } = readOptions(fields, 1, { values: values.replace(' --max-lines', '') });
  const command = fields.slice(next);
  const file = options.find(({ name }) => name === '-a' || name === '--arg-file')?.value;
  if (file) addPath(frame, file, 'read', 'xargs', at);
  const replaced = options.find(({ name }) => name === '-I' || name === '-J' || name === '-i' || name === '--replace');
  const input = file ? hole : (frame.input ?? hole);
  const inner: Frame = { ...frame, input: undefined };
  if (replaced) {
    const mark = replaced.value?.text ?? '{}';
    for (const line of lines(input))
      run(
        inner,
        command.map(({ text }) => field(text.replaceAll(mark, line))),
        at,
        false,
      );
    return;
  }
  const has = (pattern: RegExp): boolean => options.some(({ name }) => pattern.test(name));
  const words =
    !isKnown(input) || has(/^(-E|-s|--max-chars)$/)
      ? [hole]
      : has(/^(-0|--null)$/)
        ? input.split('\0')
        : has(/^(-d|--delimiter)$/)
          ? lines(input)
          : input.split(/\s+/).filter((word) => word !== '');
  const size = Number(options.find(({ name }) => name === '-n' || name === '--max-args')?.value?.text ?? words.length) || words.length;
  const few = words.length > 64 ? [hole] : words;
  for (let start = 0; start < Math.max(few.length, 1) && command.length > 0; start += size || 1)
    run(inner, [...command, ...few.slice(start, start + size).map(field)], at, false);
};

function lines(text: string): readonly string[] {
  const all = isKnown(text)
    ? text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
    : [item];
  return all.length > 16 ? [item] : all;
}

const starts = new Set(['-exec', '-execdir', '-ok', '-okdir']);

const takesValue =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|type|xtype|size|perm|user|group|uid|gid|newer\w*|[acm]min|[acm]time|maxdepth|mindepth|links|inum|samefile|fstype|printf|fprint0?|fprintf|fls|used|context|regextype)$/;

/** The paths that a command of find touches when it is given this name; what it runs is known already. */
function addFound(frame: Frame, command: readonly Field[], path: string, at: Span): void {
  const { walk } = frame;
  const aside: Walk = { ...walk, runs: [], paths: [], opaque: [] };
  const words = command.map(({ text }) => field(text.replaceAll('{}', path)));
  run({ ...frame, walk: aside, input: undefined }, words, at, false);
  walk.steps = aside.steps;
  const known = new Set(walk.paths.map(({ mode, how, path: other }) => `${mode} ${how} ${other}`));
  walk.paths.push(...aside.paths.filter((each) => !known.has(`${each.mode} ${each.how} ${each.path}`)));
}

/** What the tests on names leave of a folder: `src/*.log` for `find src -name '*.log'`, however deep; else the folder. */
function foundIn(folder: Field, fields: readonly Field[]): readonly Field[] {
  const given = (test: RegExp): readonly string[] =>
    fields.flatMap(({ text }, index) => (test.test(text) && !/^(!|-not)$/.test(fields[index - 1]?.text ?? '') ? [fields[index + 1]?.text ?? ''] : []));
  const names = [...given(/^-i?name$/), ...given(/^-iname$/).map((name) => name.toLowerCase())];
  const paths = given(/^-i?(path|wholename)$/);
  const plain = folder.text.replace(/\/+$/, '');
  if (names.length > 0) return names.map((name) => field(`${plain}/${name}`));
  return paths.length > 0 ? paths.map(field) : fields.some(({ text }) => /^-(i?regex|empty|newer\w*|[acm](min|time)|size)$/.test(text)) ? [] : [folder];
}

const find: Collector = (frame, fields, at) => {
  const folders = fields.slice(1).filter((_entry, index, all) => !all.slice(0, index + 1).some(({ text }) => /^[-(!]/.test(text)));
  const found = (folders.length > 0 ? folders : [field('.')]).flatMap((folder) => foundIn(folder, fields));
  for (const folder of folders) addPath(frame, folder, 'read', 'find', at);
  if (fields.some(({ text }) => text === '-delete')) for (const path of found) addPath(frame, path, 'write', 'find -delete', at);
  for (let index = 1; index < fields.length; index += 1) {
    const word = fields[index]?.text ?? '';
    if (word === hole && index > 1 && !takesValue.test(fields[index - 1]?.text ?? '')) addOpaque(frame, 'dynamic-argument', at, 'find');
    const written = fields[index + 1];
    if (/^-(fprint0?|fprintf|fls)$/.test(word) && written) addPath(frame, written, 'write', 'find', at);
    if (!starts.has(word)) continue;
    const end = fields.findIndex(
      ({ text }, position) =>
        position > index && (text === ';' || (text === '+' && /\{\}|[\uFDD0\uFDD1]/.test(fields[position - 1]?.text ?? ''))),
    );
    const command = fields.slice(index + 1, end < 0 ? fields.length : end);
    run(
      { ...frame, input: undefined },
      command.map(({ text }) => field(text.replaceAll('{}', item))),
      at,
      false,
    );
    if (found.length <= 16) for (const path of found) addFound(frame, command, path.text, at);
    if (end < 0) return;
    index = end;
  }
};

const fd: Collector = (frame, fields, at) => {
  for (let index = 1; index < fields.length; index += 1) {
    const [, attached] = /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?(?:=(.*))?)$/s.exec(fields[index]?.text ?? '') ?? [];
    if (!/^(-[a-zA-Z]*[xX]|--exec(-batch)?(=.*)?)$/s.test(fields[index]?.text ?? '')) continue;
    const end = fields.findIndex(({ text }, position) => position > index && text === ';');
    const rest = fields.slice(index + 1, end < 0 ? fields.length : end);
    const command = (attached === undefined ? rest : [field(attached), ...rest]).map(({ text }) => field(text.replace(/\{[/.]*\}/g, item)));
    run(frame, command.some(({ text }) => !isKnown(text)) ? command : [...command, field(hole)], at, false);
    if (end < 0) return;
    index = end;
  }
};

/** `parallel 'rm {}' ::: a b`: shell text, or each line of input when no command is given. */
const parallel: Collector = (frame, fields, at) => {
  const { next } = readOptions(fields, 1, {
    values:
      '-j --jobs -a --arg-file -I --colsep -C -d --delimiter -n --max-args -N -L -S --sshlogin --joblog --results --tmpdir --timeout --retries --delay --load --halt --wd --workdir',
  });
  const mark = fields.findIndex(({ text }, index) => index >= next && /^:::[:+]?$/.test(text));
  const command = fields.slice(next, mark < 0 ? fields.length : mark).map(({ text }) => text);
  const items = mark < 0 ? lines(frame.input ?? hole) : fields.slice(mark + 1, mark + 65).map(({ text }) => text);
  const inner = { ...subshell(frame), input: undefined };
  for (const word of command.length === 0 ? items : [items.length === 1 ? (items[0] ?? item) : item]) {
    const joined = command.join(' ');
    const text = command.length === 0 ? word : placeholder.test(joined) ? joined.replace(placeholder, () => word) : `${joined} ${word}`;
    if (text === hole || text === item) addOpaque(frame, 'dynamic-command', at, null);
    else walkText(inner, text, frame.at ?? at);
  }
};

const placeholder = /\{[^{}]*\}/;

export const collectors: ReadonlyMap<string, Collector> = new Map<string, Collector>([
  ['xargs', xargs],
  ['gxargs', xargs],
  ['find', find],
  ['gfind', find],
  ['fd', fd],
  ['fdfind', fd],
  ['parallel', parallel],
  ['busybox', (frame, fields, at) => void run(frame, fields.slice(1), at, false)],
  ['toybox', (frame, fields, at) => void run(frame, fields.slice(1), at, false)],
]);
