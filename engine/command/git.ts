/** Follows git to the commands it starts: aliases, settings and sub-commands that take one. */
import type { Span } from './analysis.ts';
import { commandSetting } from './environment.ts';
import { addOpaque, type Frame, subshell } from './frame.ts';
import { type Field, hole, isKnown } from './hole.ts';
import { quote } from './launch.ts';
import { readAll, readOptions } from './options.ts';
import { setName, standsFor } from './scope.ts';
import { walkText } from './script.ts';

export const gitGlobals = '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path --attr-source';

export function runGit(frame: Frame, fields: readonly Field[], at: Span): string {
  const { options, next } = readOptions(fields, 1, { values: gitGlobals.replace(' --exec-path', '') });
  const inner: Frame = { ...subshell(frame), via: [...frame.via, 'git'], input: undefined };
  for (const { name, value } of options) if (name === '-c' && value) applySetting(inner, value.text, at);
  const command = fields[next];
  if (!command) return hole;
  if (!isKnown(command.text)) addOpaque(frame, 'dynamic-argument', at, 'git');
  const rest = fields.slice(next + 1);
  const alias = standsFor(inner.scope, 'git', command.text);
  if (alias !== undefined) runAlias(inner, command.text, alias, rest, at);
  else runSubcommand(frame, inner, command.text, rest, at);
  return hole;
}

function applySetting(frame: Frame, setting: string, at: Span): void {
  const [, key = setting, value = ''] = /^([^=]*)=([\s\S]*)$/.exec(setting) ?? [];
  if (!isKnown(key)) addOpaque(frame, 'dynamic-argument', at, 'git');
  const alias = /^alias\.(.+)$/i.exec(key)?.[1];
  if (alias !== undefined) setName(frame.scope, `git ${alias}`, value);
  if (/^core\.hookspath$/i.test(key)) addOpaque(frame, 'script-file', at, 'git');
  if (!commandSetting.test(key) || value === '') return;
  if (/credential/i.test(key) && !value.startsWith('!') && !value.startsWith('/')) return;
  if (isKnown(value)) walkText(subshell(frame), value.replace(/^!/, ''), frame.at ?? at);
  else addOpaque(frame, 'dynamic-script', at, 'git');
}

function runAlias(frame: Frame, name: string, alias: string, rest: readonly Field[], at: Span): void {
  setName(frame.scope, `git ${name}`, '');
  if (!isKnown(alias)) addOpaque(frame, 'dynamic-script', at, 'git');
  const words = rest.map(({ text }) => quote(text)).join(' ');
  walkText(frame, alias.startsWith('!') ? `${alias.slice(1)} ${words}` : `git ${alias} ${words}`, frame.at ?? at);
}

function runSubcommand(outer: Frame, frame: Frame, name: string, rest: readonly Field[], at: Span): void {
  const text = (script: string): void => {
    if (!isKnown(script)) addOpaque(frame, 'dynamic-script', at, 'git');
    walkText(subshell(frame), script, frame.at ?? at);
  };
  const { options, operands } = readAll(rest, 0, {
    values:
      '-x --exec -s -X -f --file --tree-filter --index-filter --msg-filter --env-filter --parent-filter --commit-filter --tag-name-filter --setup --extcmd',
  });
  const [first, ...others] = operands;
  if (name === 'clone')
    for (const option of readAll(rest, 0, { values: '-c --config' }).options)
      if (option.value && /^(-c|--config)$/.test(option.name)) applySetting(frame, option.value.text, at);
  if (name === 'config') return rememberSetting(outer, first?.text === 'set' ? others : operands, at);
  if (name === 'rebase' || name === 'difftool')
    for (const option of options) if (/^(-x|--exec|--extcmd)$/.test(option.name) && option.value) text(option.value.text);
  if (name === 'filter-branch')
    for (const option of options) if (option.name.endsWith('-filter') || option.name === '--setup') text(option.value?.text ?? '');
  if (name === 'bisect' && first?.text === 'run')
    text(
      rest
        .slice(1)
        .map((entry) => quote(entry.text))
        .join(' '),
    );
  if (name === 'submodule' && first?.text === 'foreach') {
    const command = rest
      .slice(rest.indexOf(first) + 1)
      .filter(
        (entry, index, all) =>
          !/^(--recursive|--quiet|-q)$/.test(entry.text) || all.slice(0, index).some((before) => !before.text.startsWith('-')),
      );
    text(command.length === 1 ? (command[0]?.text ?? '') : command.map((entry) => quote(entry.text)).join(' '));
  }
  if (name === 'grep')
    for (const entry of rest) {
      const pager = /^(?:-O|--open-files-in-pager=)(.+)$/.exec(entry.text)?.[1];
      if (pager) text(pager);
    }
  for (const entry of rest) {
    const remote = /^ext::([\s\S]+)$/.exec(entry.text)?.[1];
    const pack = /^--(?:upload-pack|receive-pack|exec)=([\s\S]+)$/.exec(entry.text)?.[1];
    if (remote) text(remote.replaceAll('% ', '\\ ').replace(/%\S/g, hole));
    if (pack && /^(clone|fetch|pull|push|ls-remote|archive|fetch-pack|send-pack)$/.test(name)) text(pack);
  }
}

/** `git config alias.x '!command'` matters to a `git x` later in the same text. */
function rememberSetting(frame: Frame, operands: readonly Field[], at: Span): void {
  const [key, value] = operands;
  if (key && value && commandSetting.test(key.text)) applySetting(frame, `${key.text}=${value.text}`, at);
  const alias = /^alias\.(.+)$/i.exec(key?.text ?? '')?.[1];
  if (alias !== undefined && value) setName(frame.scope, `git ${alias}`, value.text);
  if (key && value && /^core\.hookspath$/i.test(key.text)) addOpaque(frame, 'script-file', at, 'git');
}
