/** The programs that start another program, with the grammar of the words before it. */
import type { Grammar } from './options.ts';
import { toolchains } from './toolchains.ts';

export interface Launcher extends Grammar {
  /** Operands before the command. */
  readonly operands?: number;
  /** NAME=value words before the command. */
  readonly variables?: true;
  /** Options after which nothing is started: `sudo -l`, `command -v`. */
  readonly stop?: string;
  /** Options whose value is shell text. */
  readonly script?: string;
  /** The words of the command become one shell text: `ssh host 'a; b'`. */
  readonly joined?: true;
  /** Every operand is a shell text of its own: `concurrently 'a' 'b'`. */
  readonly texts?: true;
  /** The command only starts after `--`. */
  readonly dashes?: true;
  /** Options may follow the operands: `flock file -c text`. */
  readonly late?: true;
  /** Option that names the program, the command being its words: `docker run --entrypoint`. */
  readonly entry?: string;
  /** Option whose value is the program, with the rest as its words: `uv run -m pytest`. */
  readonly module?: string;
  /** The first operand is only one when it looks like this. */
  readonly optional?: RegExp;
  /** Without a command it reads one from standard input. */
  readonly input?: true;
  /** Sub-commands that start something. */
  readonly commands?: Readonly<Record<string, Launcher>>;
  /** Option whose value is the folder the command runs in. */
  readonly folder?: string;
}

const plain: Launcher = {};
export const launchers: Readonly<Record<string, Launcher>> = {
  // Users and privileges
  sudo: {
    values:
      '-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -R --chroot -T --command-timeout -U --other-user -r --role -t --type',
    variables: true,
    stop: '-l --list -v --validate -k -K -V --version -e --edit',
    folder: '-D --chdir',
  },
  doas: { values: '-u -C', variables: true, stop: '-L' },
  su: {
    values: '-c --command -g --group -G --supp-group -s --shell -w --whitelist-environment -T',
    script: '-c --command',
    stop: '-V',
    operands: 9,
    late: true,
  },
  runuser: { values: '-u --user -g --group -G -s --shell -c --command -w', script: '-c --command', operands: 9, late: true },
  sg: { values: '-c', script: '-c', operands: 1, joined: true, late: true },
  pkexec: { values: '--user' },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  setpriv: {
    values: '--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --selinux-label --apparmor-profile --pdeathsig',
  },
  capsh: { values: '', dashes: true },
  // Environment and shell builtins
  env: { values: '-u --unset -C --chdir', variables: true, folder: '-C --chdir' },
  command: { stop: '-v -V' },
  builtin: plain,
  exec: { values: '-a' },
  noglob: plain,
  shx: plain,
  nocorrect: plain,
  '-': plain,
  time: { values: '-f --format -o --output' },
  'cross-env': { variables: true },
  'cross-env-shell': { variables: true, joined: true },
  dotenv: { values: '-e -c -v -f', dashes: true },
  dotenvx: { commands: { run: { values: '-f --env-file -e --env', dashes: true } } },
  direnv: { commands: { exec: { operands: 1 } } },
  envdir: { operands: 1 },
  // Scheduling and limits
  nohup: plain,
  nice: { values: '-n --adjustment' },
  ionice: { values: '-c --class -n --classdata', stop: '-p --pid -P -u' },
  chrt: { values: '-T --sched-runtime -P --sched-period -D --sched-deadline', operands: 1, stop: '-p --pid -m --max' },
  taskset: { operands: 1, stop: '-p --pid' },
  numactl: { values: '-i --interleave -p --preferred -N --cpunodebind -C --physcpubind -m --membind -l', stop: '-s --show -H --hardware' },
  timeout: { values: '-k --kill-after -s --signal', operands: 1 },
  gtimeout: { values: '-k --kill-after -s --signal', operands: 1 },
  stdbuf: { values: '-i --input -o --output -e --error' },
  setsid: plain,
  setarch: {
    values: '',
    operands: 1,
    late: true,
    optional: /^(x86_64|i[3-6]86|linux(32|64)|uname26|aarch64|arm|ppc|s390|mips|sparc|riscv)/,
  },
  arch: { values: '-e -d' },
  linux32: plain,
  linux64: plain,
  prlimit: { values: '-o --output', stop: '-p --pid' },
  cpulimit: { values: '-l -p -e' },
  flock: { values: '-w --wait --timeout -E --conflict-exit-code -c --command', script: '-c --command', operands: 1, late: true },
  watch: { values: '-n --interval -q --equexit', joined: true },
  script: {
    values: '-c --command -E --echo -I --log-in -O --log-out -B --log-io -T --log-timing -m -o',
    script: '-c --command',
    stop: '-V',
    operands: 1,
  },
  caffeinate: { values: '-t -w' },
  unbuffer: plain,
  catchsegv: plain,
  daemonize: { values: '-c -a -e -o -p -l -u -E' },
  cgexec: { values: '-g' },
  setlock: { operands: 1 },
  lockf: { values: '-t', operands: 1 },
  sem: { values: '-j --jobs --id', joined: true },
  tini: { values: '-p -e' },
  'dumb-init': plain,
  catatonit: plain,
  'with-contenv': plain,
  's6-setuidgid': { operands: 1 },
  setuidgid: { operands: 1 },
  'dbus-launch': plain,
  'ssh-agent': { values: '-a -t -E -O -P', stop: '-k' },
  'gpg-agent': { values: '--homedir --options' },
  'ld.so': { values: '--library-path --preload --audit --argv0 --inhibit-rpath --glibc-hwcaps-prepend', stop: '--list --verify --help' },
  launchctl: { commands: { submit: { values: '-l -p -o -e', dashes: true } } },
  chronic: plain,
  ifne: plain,
  torsocks: plain,
  torify: plain,
  proxychains: { values: '-f' },
  proxychains4: { values: '-f' },
  ts: { stop: '-i -s -m -r' },
  winpty: plain,
  softlimit: { values: '-a -c -d -f -l -m -n -o -p -r -s -t' },
  chpst: { values: '-u -U -b -e -n -l -L -m -d -o -p -f -c -/' },
  'systemd-run': {
    values:
      '-p --property -u --unit --description --slice --uid --gid --nice -E --setenv -H --host -M --machine --working-directory --on-active --on-calendar',
  },
  'systemd-inhibit': { values: '--what --who --why --mode' },
  'dbus-run-session': { values: '--config-file --dbus-daemon' },
  'xvfb-run': { values: '-n --server-num -s --server-args -f --auth-file -e --error-file -w --wait -p --xauth-protocol' },
  'start-stop-daemon': {
    values: '-p --pidfile -u --user -g --group -n --name -d --chdir -x --exec -a --startas',
    script: '-x --exec -a --startas',
  },
  // Roots and namespaces
  chroot: { values: '--userspec --groups', operands: 1 },
  fakeroot: { values: '-l -f -i -s -b', dashes: true },
  unshare: { values: '-S --setuid -G --setgid -R --root -w --wd --map-user --map-group --propagation' },
  nsenter: { values: '-t --target -S --setuid -G --setgid' },
  firejail: plain,
  bwrap: {
    flags:
      '--unshare-all --unshare-user --unshare-net --unshare-pid --unshare-ipc --unshare-uts --share-net --die-with-parent --new-session --clearenv --as-pid-1',
    pairs:
      '--bind --bind-try --ro-bind --ro-bind-try --dev-bind --dev-bind-try --symlink --setenv --file --bind-data --ro-bind-data --chmod',
  },
  ip: { commands: { netns: { commands: { exec: { operands: 1 } } } } },
  proot: { values: '-r --rootfs -b --bind -w --cwd -q --qemu -k' },
  // Tracing and terminals
  strace: { values: '-e --trace -o --output -p --attach -s -u -E -P -a -b -O -S -X -I --string-limit --columns' },
  ltrace: { values: '-e -o -p -s -u -l -x -n -a -A -D -F' },
  gdb: { values: '-x --command -ex --eval-command -p --pid -d -s -e -c -iex', dashes: true },
  valgrind: plain,
  perf: {
    commands: {
      stat: { values: '-e --event -o --output -r --repeat -p -t -C' },
      record: { values: '-e --event -o --output -F --freq -p -t -C --call-graph' },
    },
  },
  rlwrap: { values: '-f -H -s -b -l -p' },
  hyperfine: {
    values:
      '-w --warmup -r --runs -m --min-runs -M --max-runs -p --prepare -c --cleanup -s --setup -S --shell --export-json --export-markdown -n --command-name -P -L',
    script: '-p --prepare -c --cleanup -s --setup',
    texts: true,
  },
  entr: plain,
  watchexec: { values: '-w --watch -e --exts -i --ignore -f --filter -s --signal -d --debounce -W', joined: true },
  nodemon: { values: '--watch -w --ext -e --ignore -i --delay -d --exec -x', script: '--exec -x', dashes: true },
  concurrently: { values: '-n --names -c --prefix-colors -k -s --success --restart-tries -m --max-processes', texts: true },
  tmux: {
    values: '-L -S -f',
    commands: Object.fromEntries(
      'new-session new new-window neww split-window splitw run-shell run'
        .split(' ')
        .map((name) => [name, { values: '-s -n -t -c -e -F -x -y -l -p', joined: true as const }]),
    ),
  },
  screen: { values: '-S -c -T -t -p -s -h', stop: '-ls -r -X' },
  ...toolchains,
};
