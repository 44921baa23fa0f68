/** The launchers that reach other machines, containers and environments of a project. */
import type { Launcher } from './launchers.ts';

const plain: Launcher = {};
const node: Launcher = { values: '-p --package --prefix -w --workspace -c --call', script: '-c --call --shell-mode' };
const container: Launcher = {
  flags:
    '-d --detach -i --interactive -t --tty --rm --init --privileged --read-only -P --publish-all --no-healthcheck -q --quiet --sig-proxy -T --no-TTY --no-deps --build --service-ports --use-aliases --quiet-pull --no-tty --remove-orphans',
  operands: 1,
  entry: '--entrypoint',
};
const globalContainer = '-H --host -l --log-level -c --context --config --tlscacert --tlscert --tlskey';
const compose: Launcher = {
  values: '-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress',
  commands: { exec: container, run: container },
};
const docker: Launcher = {
  values: globalContainer,
  commands: { exec: container, run: container, create: container, compose, container: { commands: { exec: container, run: container } } },
};
const kubernetes: Launcher = {
  values: '-n --namespace --context --kubeconfig --cluster --user -s --server --token --as',
  commands: {
    exec: { values: '-c --container -n --namespace -f --filename --pod-running-timeout --context', operands: 1, dashes: true },
    run: { values: '--image -n --namespace --restart --env --labels -l --overrides --port --context', operands: 1, dashes: true },
    debug: { values: '-c --container --image -n --namespace --target --context', operands: 1, dashes: true },
  },
};
const python: Launcher = {
  values:
    '--python -p --with --with-requirements --extra --group --env-file --directory --project --index --package --only-group -C -n --name -m --module',
  module: '-m --module',
};

export const toolchains: Readonly<Record<string, Launcher>> = {
  // Other machines
  ssh: { values: '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w', operands: 1, joined: true, late: true, input: true },
  sshpass: { values: '-p -f -d -P' },
  mosh: { values: '--ssh --port -p', operands: 1 },
  docker,
  podman: docker,
  nerdctl: docker,
  'docker-compose': compose,
  kubectl: kubernetes,
  oc: kubernetes,
  wsl: { values: '-d --distribution -u --user --cd -e --exec' },
  cmd: { operands: 1, joined: true },
  heroku: { commands: { run: { values: '-a --app -s --size -e --env -r --remote', joined: true } } },
  fly: { commands: { ssh: { commands: { console: { values: '-C --command -a --app', script: '-C --command' } } } } },
  gcloud: {
    commands: { compute: { commands: { ssh: { values: '--command --zone --project', script: '--command', operands: 9, late: true } } } },
  },
  'lxc-attach': { values: '-n --name -P --lxcpath -u --uid', dashes: true },
  machinectl: { commands: { shell: { values: '--uid -E --setenv -M', operands: 1 } } },
  'systemd-nspawn': { values: '-D --directory -M --machine -u --user --bind --bind-ro -i --image' },
  toolbox: { commands: { run: { values: '-c --container -r --release -d --distro' } } },
  distrobox: { commands: { enter: { values: '-n --name', operands: 1, dashes: true } } },
  flatpak: { commands: { run: { values: '--command', script: '--command', operands: 9, late: true } } },
  guix: { commands: { shell: { dashes: true, operands: 1 }, environment: { dashes: true, operands: 1 } } },
  infisical: { commands: { run: { values: '--env --path --projectId --command', script: '--command', dashes: true } } },
  chamber: { commands: { exec: { dashes: true, operands: 1 } } },
  cargo: { commands: { watch: { values: '-x --exec -s --shell -w --watch -i --ignore', script: '-s --shell', dashes: true } } },
  chokidar: { values: '-c --command', script: '-c --command', operands: 9, late: true },
  onchange: { values: '-i -e', operands: 1, dashes: true },
  coverage: { commands: { run: { values: '-m --module --source --omit --rcfile --include', module: '-m --module' } } },
  tox: { commands: { exec: { values: '-e', dashes: true } } },
  micromamba: { commands: { run: { values: '-n --name -p --prefix --cwd' } } },
  lxc: { commands: { exec: { operands: 1, dashes: true, values: '--env --cwd --user' } } },
  vagrant: { commands: { ssh: { values: '-c --command', script: '-c --command', dashes: true } } },
  // Package managers and version managers
  npx: node,
  bunx: node,
  pnpx: node,
  uvx: python,
  pipx: { commands: { run: { values: '--spec --python --index-url --pip-args' } } },
  npm: { values: '--prefix -C -w --workspace --userconfig --registry', commands: { exec: node, x: node, explore: { operands: 1, dashes: true } } },
  pnpm: { values: '-C --dir --filter -F', commands: { exec: node, dlx: node } },
  yarn: { values: '--cwd', commands: { exec: plain, dlx: node } },
  bun: { values: '--cwd', commands: { x: node } },
  lerna: { commands: { exec: { values: '--scope --ignore --concurrency', dashes: true } } },
  uv: { values: '--directory --project --config-file', commands: { run: python, tool: { commands: { run: python } } } },
  poetry: { values: '-C --directory -P --project', commands: { run: plain } },
  pipenv: { commands: { run: plain } },
  pdm: { commands: { run: { values: '-p --project' } } },
  hatch: { values: '-e --env', commands: { run: plain } },
  rye: { commands: { run: plain } },
  pixi: { commands: { run: { values: '-e --environment --manifest-path' } } },
  conda: { commands: { run: { values: '-n --name -p --prefix --cwd' } } },
  mamba: { commands: { run: { values: '-n --name -p --prefix --cwd' } } },
  bundle: { commands: { exec: plain } },
  rbenv: { commands: { exec: plain } },
  pyenv: { commands: { exec: plain } },
  asdf: { commands: { exec: plain } },
  mise: {
    commands: {
      exec: { dashes: true, script: '-c --command', values: '-c --command' },
      x: { dashes: true, script: '-c --command', values: '-c --command' },
    },
  },
  nvm: { commands: { exec: { operands: 1 } } },
  fnm: { commands: { exec: { values: '--using' } } },
  volta: { commands: { run: { values: '--node --npm --yarn' } } },
  corepack: plain,
  opam: { commands: { exec: { dashes: true } } },
  nix: {
    commands: { develop: { values: '-c --command', script: '-c --command' }, shell: { values: '-c --command', script: '-c --command' } },
  },
  'nix-shell': { values: '-p --run --command -A', script: '--run --command' },
  op: { commands: { run: { values: '--env-file --account', dashes: true } } },
  doppler: { commands: { run: { values: '-p --project -c --config --command', script: '--command', dashes: true } } },
  'aws-vault': { commands: { exec: { values: '-d --duration', operands: 1, dashes: true } } },
};
