/** Follows programs that run code of their own or shell text given in an option. */
import type { Span } from './analysis.ts';
import { addOpaque, type Frame, subshell } from './frame.ts';
import { type Field, head, isKnown } from './hole.ts';
import { literalCommands } from './inline.ts';
import { locate } from './folder.ts';
import { type Grammar, isListed, readAll, readOptions } from './options.ts';
import { run } from './run.ts';
import { walkText } from './script.ts';

interface Interpreter extends Grammar {
  /** Options whose value is code. */
  readonly code: string;
  /** Option that runs a module by name. */
  readonly module?: string;
  /** It reads code from standard input when no file is given. */
  readonly input?: true;
}

const python: Interpreter = { values: '-W -X -m -c -Q', code: '-c', module: '-m', input: true };
const node: Interpreter = {
  values: '-e --eval -p --print -r --require --import --loader -C --conditions',
  code: '-e --eval -p --print -pe',
  input: true,
};

const interpreters: Readonly<Record<string, Interpreter>> = {
  python,
  py: python,
  pypy: python,
  node,
  nodejs: node,
  tsx: node,
  'ts-node': node,
  bun: { ...node, values: `${node.values} --cwd` },
  deno: { values: '', code: '' },
  perl: { values: '-e -E -I -M -m', code: '-e -E', input: true },
  ruby: { values: '-e -I -r -C', code: '-e', input: true },
  php: { values: '-r -B -R -F -E -d -c', code: '-r -B -R -F -E' },
  lua: { values: '-e -l', code: '-e', input: true },
  luajit: { values: '-e -l', code: '-e', input: true },
  osascript: { values: '-e -l', code: '-e', input: true },
  Rscript: { values: '-e', code: '-e' },
  pwsh: { values: '-c -Command -command -File -f', code: '-c -Command -command -EncodedCommand', long: 'one-dash', input: true },
  powershell: { values: '-c -Command -command -File -f', code: '-c -Command -command -EncodedCommand', long: 'one-dash', input: true },
  groovy: { values: '-e', code: '-e' },
  elixir: { values: '-e', code: '-e' },
  julia: { values: '-e -E', code: '-e -E' },
};

/** Options of other programs whose value is shell text. */
const shellOptions: Readonly<Record<string, { readonly values: string; readonly script: string; readonly operand?: true }>> = {
  rsync: { values: '-e --rsh --rsync-path', script: '-e --rsh --rsync-path' },
  tar: {
    values: '-I --use-compress-program --to-command --checkpoint-action -F --info-script -f -C --rsh-command',
    script: '-I --use-compress-program --to-command --checkpoint-action -F --info-script --rsh-command',
  },
  man: { values: '-P --pager -H', script: '-P --pager' },
  less: { values: '', script: '' },
  scp: { values: '-S -o -i -P -F', script: '-S -o' },
  sftp: { values: '-S -o -i -P -F', script: '-S -o' },
  ssh: { values: '-o', script: '-o' },
  zip: { values: '-TT --unzip-command', script: '-TT --unzip-command' },
  sort: { values: '--compress-program -k -t -o', script: '--compress-program' },
  split: { values: '--filter -l -b', script: '--filter' },
  make: { values: '--eval -f -C -j', script: '' },
  crontab: { values: '-u', script: '' },
};

export function runInterpreter(frame: Frame, program: string, fields: readonly Field[], at: Span): void {
  const name = program.replace(/^(python|perl|ruby|php|lua|pypy)[\d.]+$/, '$1');
  const interpreter = Object.hasOwn(interpreters, name) ? interpreters[name] : undefined;
  if (interpreter) return runCode(frame, program, interpreter, fields, at);
  const options = Object.hasOwn(shellOptions, name) ? shellOptions[name] : undefined;
  if (options)
    for (const option of readAll(fields, 1, options).options)
      if (option.value && isListed(options.script, option.name))
        runOption(frame, option.name === '-S' ? '' : program, option.value.text, at);
  if (/^[gmn]?awk$/.test(name)) inspect(frame, program, fields, at, /\bsystem\s*\(|\|\s*getline|\|&?\s*"|"\s*\|/);
  if (name === 'sed' || name === 'gsed') runSed(frame, program, fields, at);
  if (/^(vim?|nvim|less|more|ex|view|gvim|emacs|ed|gdb|lldb|sqlite3|mysql|psql|expect|tclsh|irb)$/.test(name))
    runEditor(frame, program, fields, at);
  if (name === 'make' || name === 'gmake') runMake(frame, program, fields, at);
  if ((name === 'at' || name === 'batch') && frame.input !== undefined) runOption(frame, program, frame.input, at);
  // A table of a time in five columns, or a word such as @daily, and a command.
  if (name === 'crontab' && frame.input !== undefined)
    runOption(frame, program, frame.input.replace(/^\s*(?:@\w+|(?:[\d*,/-]+\s+){5})/gm, ''), at);
}

function runCode(frame: Frame, program: string, interpreter: Interpreter, fields: readonly Field[], at: Span): void {
  const { options, next } = readOptions(fields, 1, interpreter);
  const module = options.find((option) => option.name === interpreter.module)?.value;
  if (module) {
    // Everything after the module belongs to it.
    const start = fields.indexOf(module) + 1 || next;
    run({ ...frame, via: [...frame.via, `${program} -m`] }, [module, ...fields.slice(start)], at, false);
    return;
  }
  const file = fields[next];
  const evaluates = options.some((option) => isListed(interpreter.code, option.name)) || (program === 'deno' && file?.text === 'eval');
  const reads = interpreter.input && (!file || file.text === '-') && frame.input !== undefined;
  const code = options.filter((option) => isListed(interpreter.code, option.name)).map(({ value }) => value?.text ?? '');
  if (evaluates || reads)
    addCode(frame, program, reads ? [frame.input ?? ''] : code.length > 0 ? code : fields.slice(next).map(({ text }) => text), at);
  else if (
    file &&
    !isKnown(file.text) &&
    head(file.text) === '' &&
    file.pattern === undefined &&
    (file.vanishes || fields.length > next + 1) &&
    program !== 'bun'
  )
    addOpaque(frame, 'dynamic-script', at, program);
  else if (file && frame.walk.written.has(locate(frame.scope.folder, file.text))) addOpaque(frame, 'generated-script', at, program);
}

function runOption(frame: Frame, program: string, value: string, at: Span): void {
  const text =
    program === 'tar'
      ? value.replace(/^exec=/, '')
      : /^(ssh|scp|sftp)$/.test(program)
        ? (/^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.*)$/is.exec(value)?.[1] ?? '')
        : value;
  if (!isKnown(text)) addOpaque(frame, 'dynamic-script', at, program);
  if (text !== '') walkText(subshell({ ...frame, via: [...frame.via, program] }), text, frame.at ?? at);
}

function inspect(frame: Frame, program: string, fields: readonly Field[], at: Span, dangerous: RegExp): void {
  const code = fields
    .slice(1)
    .map(({ text }) => text)
    .filter((text) => dangerous.test(text));
  if (code.length > 0) addCode(frame, program, code, at);
}

function addCode(frame: Frame, program: string, code: readonly string[], at: Span): void {
  addOpaque(frame, 'inline-code', at, program);
  for (const text of code.flatMap(literalCommands)) {
    const inner: Frame = { ...subshell(frame), via: [...frame.via, program], input: undefined };
    const { opaque } = frame.walk;
    const before = opaque.length;
    walkText(inner, text, frame.at ?? at);
    // The code is flagged as a whole already; a literal that is no shell text says nothing more.
    opaque.push(...opaque.splice(before).filter(({ reason }) => reason === 'budget' || reason === 'depth'));
  }
}

function runMake(frame: Frame, program: string, fields: readonly Field[], at: Span): void {
  const { options } = readAll(fields, 1, { values: '-f --file --makefile -C --directory -j -I -o -W' });
  const files = options.filter(({ name }) => /^(-f|--file|--makefile)$/.test(name)).map(({ value }) => value?.text ?? '');
  const written = (files.length > 0 ? files : ['Makefile', 'makefile', 'GNUmakefile']).some((file) =>
    frame.walk.written.has(locate(frame.scope.folder, file)),
  );
  if (options.some(({ name }) => name === '--eval')) addOpaque(frame, 'inline-code', at, program);
  if (written || files.includes('-') || files.includes('/dev/stdin')) addOpaque(frame, 'generated-script', at, program);
}

/** GNU sed runs shell text: `1e command` and the flag of `s/a/b/e`. */
function runSed(frame: Frame, program: string, fields: readonly Field[], at: Span): void {
  const { options, operands } = readAll(fields, 1, { values: '-e --expression -f --file -l --line-length' });
  const given = options.filter(({ name }) => name === '-e' || name === '--expression').flatMap(({ value }) => (value ? [value.text] : []));
  for (const script of given.length > 0 ? given : operands.slice(0, 1).map(({ text }) => text)) {
    const command = /(?:^|[;{\n])\s*(?:\d+|\$|\/[^/]*\/)?\s*e\s+([^\n;}]+)/.exec(script)?.[1];
    if (command) runOption(frame, program, command, at);
    if (/^\s*(?:\d+|\$|\/[^/]*\/)?s([/|,#!@])(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiIm0-9]*e/s.test(script))
      addOpaque(frame, 'inline-code', at, program);
  }
}

/** `vim -c ':!command'`, `gdb -ex 'shell command'`, `sqlite3 x '.shell command'` */
function runEditor(frame: Frame, program: string, fields: readonly Field[], at: Span): void {
  for (const { text } of fields.slice(1)) {
    const command = /^(?:-c|\+|--cmd=)?\s*:?(?:silent!?\s+)?(?:%|r\s+|\d+,\d+)?(?:!|shell\s|\.shell\s|\.system\s|\\!)\s*([\s\S]+)$/.exec(
      text,
    )?.[1];
    if (command) {
      addOpaque(frame, 'inline-code', at, program);
      runOption(frame, program, command, at);
    } else if (/\bsystem\s*\(|\bterm(inal)?\s|shell-command|\bexec\s*\(/.test(text) || (program === 'expect' && text === '-c'))
      addOpaque(frame, 'inline-code', at, program);
  }
  if (frame.input !== undefined && /^(ed|ex|gdb|expect|tclsh|irb)$/.test(program)) addOpaque(frame, 'inline-code', at, program);
}
