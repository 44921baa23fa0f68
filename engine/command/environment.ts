/** Finds the environment variables that make a program run something: text of a shell, a start-up file, a library. */
import type { Span } from './analysis.ts';
import { addOpaque, type Frame, subshell } from './frame.ts';
import { type Field, isKnown } from './hole.ts';
import { lookup } from './scope.ts';
import { walkText } from './script.ts';
import { runSubstitutions } from './substitution.ts';

/** Variables whose value is a command line, used by git, man, crontab and others. */
const commandVariables = new Set(
  'GIT_SSH_COMMAND GIT_SSH GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND SSH_ASKPASS PAGER MANPAGER EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE SUDO_EDITOR SYSTEMD_PAGER TAR_OPTIONS RSYNC_RSH CVS_RSH PROMPT_COMMAND'.split(
    ' ',
  ),
);

const loaderVariables = new Set(
  'LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH PYTHONSTARTUP PERL5DB'.split(' '),
);

/** Variables that load code only with some values. */
const loaderOptions = new Map([
  ['NODE_OPTIONS', /(^|\s)(-r|--require|--import|--loader|--experimental-loader)\b/],
  ['PERL5OPT', /-[mM]/],
  ['RUBYOPT', /-r/],
  ['JAVA_TOOL_OPTIONS', /-javaagent|-agentpath|-agentlib/],
]);

const startupVariables = new Set(['BASH_ENV', 'ZDOTDIR']);

/** Looks at variables set for one command, then runs it. */
export function applyEnvironment(frame: Frame, names: readonly string[], fields: readonly Field[], at: Span, run: () => string): string {
  for (const name of names) inspectVariable(frame, name, at, fields[0]?.text);
  return run();
}

/** Reports what setting an exported variable makes other programs do. */
export function inspectVariable(frame: Frame, name: string, at: Span, program?: string): void {
  const value = lookup(frame.scope, name);
  if (typeof value !== 'string' || value === '') return;
  if (name === 'PS4') runSubstitutions(frame, value);
  if (startupVariables.has(name)) addOpaque(frame, 'startup-file', at, program);
  if (loaderVariables.has(name) || loaderOptions.get(name)?.test(value)) addOpaque(frame, 'loader-env', at, program);
  if (/^GIT_CONFIG_VALUE_\d+$/.test(name) && value.startsWith('!'))
    walkText(subshell({ ...frame, via: [...frame.via, name] }), value.slice(1), frame.at ?? at);
  if (commandVariables.has(name) || isCommandKey(frame, name)) {
    if (isKnown(value)) walkText(subshell({ ...frame, via: [...frame.via, name] }), value.replace(/^\|/, ''), frame.at ?? at);
    else addOpaque(frame, 'dynamic-command', at, program ?? null);
  }
}

/** `GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='command'` */
function isCommandKey(frame: Frame, name: string): boolean {
  const number = /^GIT_CONFIG_VALUE_(\d+)$/.exec(name)?.[1];
  const key = number === undefined ? undefined : lookup(frame.scope, `GIT_CONFIG_KEY_${number}`);
  return typeof key === 'string' && commandSetting.test(key);
}

/** Git settings whose value is a command line. */
export const commandSetting =
  /^(core\.(pager|sshcommand|editor|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..+|sequence\.editor|diff\.external|diff\..+\.(command|textconv)|(diff|merge)tool\..+\.(cmd|path)|merge\..+\.driver|filter\..+\.(clean|smudge|process)|gpg\.(.+\.)?program|credential(\..+)?\.helper|interactive\.difffilter|trailer\..+\.(command|cmd)|uploadpack\.packobjectshook|remote\..+\.(uploadpack|receivepack|vcs)|man\..+\.(cmd|path)|browser\..+\.cmd|sendemail\..*cmd|ssh\.variant|init\.templatedir)$/i;
