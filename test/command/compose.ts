/** Builds shell commands whose truth is known by construction: a known command in random quoting, launchers and nesting. */
import { pick, type Random } from './random.ts';

export interface Composed {
  readonly command: string;
  /** The rule it must be covered by; null when it only carries such text as data. */
  readonly rule: string | null;
}

export const rules = ['rm', 'git push', 'npm test', 'pytest', 'curl'] as const;

const denied: readonly (readonly [string, readonly string[]])[] = [
  ['rm', ['rm', '-rf', 'build']],
  ['git push', ['git', 'push', 'origin', 'main']],
  ['git push', ['git', '-C', 'sub', 'push']],
  ['npm test', ['npm', 'test']],
  ['pytest', ['pytest', '-q', 'tests/unit']],
  ['curl', ['curl', '-s', 'https://x.test/p']],
];

const harmless: readonly (readonly string[])[] = [
  ['ls', '-la', 'src'],
  ['echo', 'rm -rf build'],
  ['echo', 'git', 'push'],
  ['grep', '-n', 'npm test', 'README.md'],
  ['git', 'commit', '-m', 'stop: rm -rf; git push && pytest'],
  ['git', 'log', '--grep', 'git push'],
  ['printf', '%s\\n', 'curl https://x | sh'],
  ['cat', 'rm', 'push'],
  ['npm', 'run', 'lint'],
  ['mkdir', '-p', 'rm/curl'],
  ['test', '-f', 'pytest.ini'],
];

export function compose(random: Random): Composed {
  const bad = random() < 0.7;
  const [rule, words] = bad ? pick(random, denied) : ([null, pick(random, harmless)] as const);
  let command = words;
  for (let count = Math.floor(random() * 3); count > 0; count -= 1) command = launched(random, command);
  let text = command.map((word, index) => quoteWord(random, word, index)).join(random() < 0.1 ? '  ' : ' ');
  for (let count = Math.floor(random() * 4); count > 0; count -= 1) text = wrapped(random, text);
  return { command: text, rule };
}

const launchers: readonly (readonly string[])[] = [
  ['sudo'],
  ['sudo', '-u', 'root'],
  ['sudo', '-E', '-n', '--'],
  ['doas', '-u', 'root'],
  ['env'],
  ['env', 'A=1', 'B=2'],
  ['env', '-i', 'PATH=/usr/bin'],
  ['env', '-u', 'HOME'],
  ['command'],
  ['command', '-p'],
  ['nohup'],
  ['nice'],
  ['nice', '-n', '5'],
  ['nice', '-10'],
  ['ionice', '-c', '3'],
  ['timeout', '5'],
  ['timeout', '-k', '1', '10s'],
  ['timeout', '--signal=KILL', '5'],
  ['stdbuf', '-oL'],
  ['setsid', '-w'],
  ['exec'],
  ['exec', '-a', 'x'],
  ['builtin', 'command'],
  ['flock', 'lock'],
  ['chrt', '-b', '0'],
  ['taskset', '0x1'],
  ['unshare', '-r'],
  ['chroot', '/'],
  ['strace', '-f', '-o', '/dev/null'],
  ['xargs', '-r'],
  ['xargs', '-0', '-n', '1'],
  ['busybox'],
  ['docker', 'exec', '-it', 'web'],
  ['docker', 'run', '--rm', '-e', 'A=1', 'alpine'],
  ['kubectl', 'exec', 'web', '--'],
  ['npx'],
  ['uv', 'run'],
  ['time'],
  ['ssh', '-p', '22', 'host'],
];

function launched(random: Random, words: readonly string[]): readonly string[] {
  if (random() < 0.1)
    return ['find', '.', '-name', 'x', '-exec', ...words, random() < 0.5 ? ';' : '{}', ...(random() < 0.5 ? [';'] : ['+'])];
  const prefix = pick(random, launchers);
  // A builtin cannot be started by a program, and ssh joins its words to a new text.
  if (prefix[0] === 'ssh' && words.some((word) => /[^\w./:@=-]/.test(word))) return ['sudo', ...words];
  if (prefix[0] === 'time' || prefix[0] === 'exec' || prefix[0] === 'command' || prefix[0] === 'builtin') return prefix.concat(words);
  return words[0] === 'exec' || words[0] === 'builtin' || words[0] === 'command' || words[0] === 'time' ? words : prefix.concat(words);
}

function quoteWord(random: Random, word: string, index: number): string {
  if (word === 'time' && index === 0) return word;
  const plain = /^[\w./:@=+-]+$/.test(word);
  const choice = Math.floor(random() * (plain ? 14 : 4));
  if (choice === 0) return single(word);
  if (choice === 1) return double(word);
  if (choice === 2) return ansi(random, word);
  if (choice === 3)
    return word === ''
      ? "''"
      : [...word].map((letter) => (/[\w./:@=+-]/.test(letter) ? letter : letter === '\n' ? "'\n'" : `\\${letter}`)).join('');
  const cut = 1 + Math.floor(random() * word.length);
  if (choice === 4) return word.slice(0, cut) + single(word.slice(cut));
  if (choice === 5) return double(word.slice(0, cut)) + word.slice(cut);
  if (choice === 6 && word.length > 1) return `${word.slice(0, 1)}\\${word.slice(1)}`;
  return word;
}

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const double = (text: string): string => `"${text.replace(/[\\$`"]/g, '\\$&')}"`;

function ansi(random: Random, text: string): string {
  const letters = [...text].map((letter) => {
    if (letter === '\n') return '\\n';
    if (letter === "'" || letter === '\\') return `\\${letter}`;
    const code = letter.charCodeAt(0);
    return random() < 0.3 && code < 128 ? `\\x${code.toString(16).padStart(2, '0')}` : letter;
  });
  return `$'${letters.join('')}'`;
}

function quoteScript(random: Random, text: string): string {
  return pick(random, [single, double, (script: string) => ansi(random, script)])(text);
}

type Wrap = (text: string, random: Random) => string;

const document: Wrap = (text, random) => {
  const mark = `E${Math.floor(random() * 1e6)}`;
  return `<<'${mark}'\n${text}\n${mark}\n`;
};

const wraps: readonly Wrap[] = [
  (text, random) => `bash -c ${quoteScript(random, text)}`,
  (text, random) => `sh -lc ${quoteScript(random, text)}`,
  (text, random) => `bash -o pipefail -euc ${quoteScript(random, text)}`,
  (text, random) => `bash --norc -c ${quoteScript(random, text)} name arg`,
  (text, random) => `sudo bash -c ${quoteScript(random, text)}`,
  (text, random) => `env sh -c ${quoteScript(random, text)}`,
  (text, random) => `eval ${quoteScript(random, text)}`,
  (text, random) => `su - user -c ${quoteScript(random, text)}`,
  (text, random) => `flock lock -c ${quoteScript(random, text)}`,
  (text, random) => `ssh host ${quoteScript(random, text)}`,
  (text, random) => `watch -n 1 ${quoteScript(random, text)}`,
  (text, random) => `docker run --rm alpine sh -c ${quoteScript(random, text)}`,
  (text, random) => `find . -exec sh -c ${quoteScript(random, text)} _ {} \\;`,
  (text, random) => `xargs -n1 sh -c ${quoteScript(random, text)} < list.txt`,
  (text, random) => `git -c alias.x=${quoteScript(random, `!${text}`)} x`,
  (text, random) => `trap ${quoteScript(random, text)} EXIT`,
  (text, random) => `X=${quoteScript(random, text)}; eval "$X"`,
  (text, random) => `X=${quoteScript(random, text)}; bash -c "$X"`,
  (text, random) => `echo ${single(text)} | ${pick(random, ['sh', 'bash', 'bash -s', 'sudo sh', 'cat | bash'])}`,
  (text) => `printf '%s\\n' ${single(text)} | bash`,
  (text) => `bash <<< ${single(text)}`,
  (text) => `bash <(echo ${single(text)})`,
  (text) => `source <(printf '%s' ${single(text)})`,
  (text, random) => `bash ${document(text, random)}`,
  (text, random) => `cat ${document(text, random).replace('\n', ' | sh\n')}`,
  (text, random) => `cat > run.sh ${document(text, random)}bash run.sh`,
  (text) => `echo ${single(text)} > run.sh && sh run.sh`,
  (text) => `echo ${single(btoa(text))} | base64 -d | sh`,
  (text) => `(${text}\n)`,
  (text) => `{ ${text}\n}`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `if ! ${text}\nthen :; fi`,
  (text) => `while :; do ${text}\nbreak; done`,
  (text) => `for i in 1 2; do ${text}\ndone`,
  (text) => `case x in x) ${text}\n;; esac`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `function g { ${text}\n}; g`,
  (text) => `echo $(${text}\n)`,
  (text) => `X=$(${text}\n)`,
  (text) => `echo "done: $(${text}\n)"`,
  (text) => `echo \`${text.replace(/[\\$`]/g, '\\$&')}\``,
  (text) => `: $(( $(${text}\n) + 1 ))`,
  (text) => `[[ -n $(${text}\n) ]]`,
  (text) => `cat < <(${text}\n)`,
  (text) => `coproc { ${text}\n}`,
  (text) => `true && ${text}`,
  (text) => `false || ${text}`,
  (text) => `cd sub; ${text}`,
  (text) => `${text}\necho done`,
  (text) => `echo 'it'\\''s; fine' # note\n${text}`,
  (text) => `cat <<EOF\nrm -rf is data\nEOF\n${text}`,
  (text) => `{ ${text}\n} | cat`,
  (text) => `echo x | { ${text}\n}`,
  (text) => `{ ${text}\n} > out.txt 2>&1`,
  (text) => `! { ${text}\n}`,
  (text) => `time { ${text}\n}`,
];

function wrapped(random: Random, text: string): string {
  // `$( )` and words longer than a few kilobytes only test the depth limit.
  return text.length > 4_000 ? text : pick(random, wraps)(text, random);
}

const noise = [
  '$',
  '(',
  ')',
  '`',
  '"',
  "'",
  '\\',
  ';',
  '&',
  '|',
  '<',
  '>',
  '{',
  '}',
  '\n',
  ' ',
  '*',
  '#',
  '$(',
  '${',
  '<(',
  '<<',
  '~',
  '!',
  '[',
  ']',
  '=',
  '\t',
  '\0',
];

/** Random edits: the truth is lost, but nothing may crash or take long. */
export function mutate(random: Random, command: string): string {
  let text = command;
  for (let count = 1 + Math.floor(random() * 4); count > 0; count -= 1) {
    const at = Math.floor(random() * (text.length + 1));
    const cut = random() < 0.4 ? Math.floor(random() * 3) : 0;
    text = text.slice(0, at) + (random() < 0.8 ? pick(random, noise) : '') + text.slice(at + cut);
  }
  return text;
}
