/** Tables of how common programs spell the same thing: options with a value, long and short names, names of sub-commands. */
import type { Word } from './analysis.ts';
import { launchers } from './launchers.ts';
import { touchers } from './touchers.ts';

/** Options that take the next word as their value, before and after the sub-command. */
const withValue: Readonly<Record<string, string>> = {
  git: '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source',
  'git commit': '-m --message -F --file -C --reuse-message -c --reedit-message --author --date -t --template --fixup --squash --trailer',
  'git tag': '-m --message -F --file -u --local-user',
  'git log': '-n --max-count --grep --author --since --until --after --before --format -S -G -L',
  'git checkout': '-b -B --orphan',
  'git switch': '-c -C --create --force-create --orphan',
  'git push': '-o --push-option --repo --receive-pack',
  'git clone': '-b --branch --depth -o --origin --reference -c --config -j --jobs --filter --template',
  'git merge': '-m --message -F --file -s --strategy -X --strategy-option',
  'git rebase': '-x --exec -s --strategy -X --strategy-option --onto',
  'git stash': '-m --message',
  'git revert': '-m --mainline',
  'git cherry-pick': '-m --mainline',
  'git restore': '-s --source',
  'git worktree': '-b -B --reason',
  'git branch': '-u --set-upstream-to --sort --format',
  'git grep': '-e -A -B -C -m',
  npm: '--prefix -C -w --workspace --userconfig --registry --tag --otp --loglevel --cache --access --omit --include --before',
  pnpm: '-C --dir --filter -F --registry --reporter --store-dir',
  yarn: '--cwd --registry --modules-folder --cache-folder',
  bun: '--cwd --filter -F',
  docker: '-H --host -l --log-level -c --context --config --tlscacert --tlscert --tlskey',
  'docker run':
    '-v --volume -e --env -p --publish --name -w --workdir -u --user --network --net --mount --entrypoint --env-file -h --hostname -l --label -m --memory --cpus --platform --restart --add-host --cap-add --cap-drop --device --dns --ip --link --log-driver --log-opt --pid --security-opt --shm-size --tmpfs --ulimit --gpus --pull',
  'docker exec': '-e --env -u --user -w --workdir --env-file --detach-keys',
  'docker build':
    '-t --tag -f --file --build-arg --target --platform --label --network --secret --ssh --cache-from --cache-to -o --output --progress',
  'docker compose':
    '-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress -e --env -u --user -w --workdir -v --volume --scale -t --timeout --name --entrypoint',
  kubectl:
    '-n --namespace --context --kubeconfig --cluster --user -s --server --token --as -f --filename -l --selector -o --output -c --container --field-selector --image -p --patch --type --timeout --grace-period --replicas',
  helm: '-n --namespace --kube-context --kubeconfig -f --values --set --set-string --version --repo --timeout -o --output',
  aws: '--profile --region --output --endpoint-url --query --cli-input-json',
  gcloud: '--project --account --format --region --zone --configuration',
  az: '-g --resource-group --subscription -o --output -n --name --query',
  terraform: '-chdir -var -var-file -target -state -backend-config',
  cargo: '--manifest-path -p --package --target --features --profile -j --jobs --config -Z --color --bin --example --test --bench',
  go: '-C -o -run -tags -ldflags -timeout -count -bench -p -mod -coverprofile',
  pip: '--index-url -i --extra-index-url --proxy --timeout --cert --cache-dir -r --requirement -c --constraint -t --target --prefix --root --python --platform',
  pip3: '--index-url -i --extra-index-url --proxy --timeout --cert --cache-dir -r --requirement -c --constraint -t --target --prefix --root --python',
  pytest: '-k -m -c -p -n -o --rootdir --maxfail --cov --cov-report --ignore --tb --durations --junitxml --basetemp --color',
  gh: '-R --repo -b --body -t --title -F --body-file -l --label -a --assignee -B --base -H --head -m --milestone -r --reviewer --json -q --jq -X --method -f --raw-field',
  make: '-C --directory -f --file -I --include-dir -j --jobs -l -o -W',
  brew: '',
  apt: '-o -c -t --option --config-file --target-release',
  'apt-get': '-o -c -t --option --config-file --target-release',
  systemctl: '-H --host -M --machine -t --type -p --property -n --lines -o --output -s --signal --state',
  psql: '-c --command -d --dbname -f --file -h --host -p --port -U --username -v --set -o --output',
  mysql: '-e --execute -h --host -P --port -u --user -D --database',
  node: '-r --require --import --loader -C --conditions -e --eval',
  terragrunt: '--terragrunt-config --terragrunt-working-dir',
};

const sets = new Map<string, ReadonlySet<string>>();

export function valueOptions(program: string, subcommand: string | undefined): ReadonlySet<string> {
  const key = `${program} ${subcommand ?? ''}`;
  const known = sets.get(key);
  if (known) return known;
  const own = (table: Readonly<Record<string, { readonly values?: string } | undefined>>): string =>
    Object.hasOwn(table, program) ? (table[program]?.values ?? '') : '';
  const pick = (name: string): string => (Object.hasOwn(withValue, name) ? (withValue[name] ?? '') : '');
  // After the sub-command git's own options mean something else.
  const first = subcommand !== undefined && program === 'git' ? '' : pick(program);
  const text = [first || own(launchers) || own(touchers), subcommand === undefined ? '' : pick(`${program} ${subcommand}`)].join(' ');
  const set = new Set(text.split(' ').filter((name) => name !== ''));
  if (sets.size > 500) sets.clear();
  sets.set(key, set);
  return set;
}

const shared = '-r=--recursive -f=--force -v=--verbose -i=--interactive -q=--quiet -n=--dry-run -a=--all';

/** Short and long names of one option; programs not listed have the shared ones only. */
const sameOption: Readonly<Record<string, string>> = {
  rm: '-r=-R=--recursive -f=--force -i=--interactive -d=--dir -v=--verbose',
  cp: '-r=-R=--recursive -f=--force -a=--archive -i=--interactive -p=--preserve',
  mv: '-f=--force -i=--interactive -n=--no-clobber',
  chmod: '-R=--recursive -v=--verbose',
  chown: '-R=--recursive -v=--verbose',
  chgrp: '-R=--recursive',
  ln: '-s=--symbolic -f=--force',
  grep: '-r=--recursive -i=--ignore-case -v=--invert-match',
  mkdir: '-p=--parents -m=--mode',
  tar: '-x=--extract=--get -c=--create -t=--list -f=--file -z=--gzip',
  git: '-f=--force -n=--dry-run -a=--all -v=--verbose -q=--quiet -d=--delete -u=--set-upstream -m=--message',
  'git commit': '-n=--no-verify -a=--all',
  'git branch': '-d=--delete -f=--force -m=--move',
  npm: '-g=--global=--location=global -D=--save-dev -S=--save -f=--force -w=--workspace -y=--yes',
  pnpm: '-g=--global -D=--save-dev -r=--recursive',
  yarn: '-D=--dev',
  docker: '-f=--force -a=--all -v=--volume -d=--detach -i=--interactive -t=--tty -q=--quiet',
  kubectl: '-f=--filename -n=--namespace -A=--all-namespaces -l=--selector',
  curl: '-o=--output -k=--insecure -L=--location -s=--silent -X=--request -d=--data -T=--upload-file -O=--remote-name -F=--form',
  wget: '-O=--output-document -q=--quiet',
  sed: '-i=--in-place -n=--quiet=--silent -e=--expression',
  pip: '-r=--requirement -U=--upgrade -y=--yes',
  rsync: '-a=--archive -n=--dry-run -r=--recursive -v=--verbose',
  apt: '-y=--yes=--assume-yes',
  'apt-get': '-y=--yes=--assume-yes',
  truncate: '-s=--size',
  sudo: '-u=--user',
  find: '',
  python: '',
  python3: '',
  node: '-e=--eval -p=--print -r=--require',
  perl: '',
  ruby: '',
  java: '',
  go: '',
  terraform: '',
};

export function equivalents(program: string, subcommand: string, option: string): readonly string[] {
  const key = `${program} ${subcommand} ${option}`;
  const before = found.get(key);
  if (before !== undefined) return before;
  const names = findEquivalents(program, subcommand, option);
  // Sub-commands are words of commands, so there may be any number of them.
  if (found.size > 1000) found.clear();
  found.set(key, names);
  return names;
}

const found = new Map<string, readonly string[]>();

function findEquivalents(program: string, subcommand: string, option: string): readonly string[] {
  const pick = (name: string): string | undefined => (Object.hasOwn(sameOption, name) ? sameOption[name] : undefined);
  const table = `${pick(`${program} ${subcommand}`) ?? ''} ${pick(program) ?? shared}`;
  const plain = option.split('=')[0] ?? option;
  for (const group of table.split(' ')) {
    const names = group.split('=');
    if (names.includes(plain)) return plain === option ? names : names.map((name) => name + option.slice(plain.length));
  }
  return [option];
}

/** Sub-commands under their usual name: `npm t` and `npm run test` are `npm test`. */
const sameCommand: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  npm: {
    t: 'test',
    tst: 'test',
    i: 'install',
    in: 'install',
    ins: 'install',
    inst: 'install',
    add: 'install',
    isntall: 'install',
    un: 'uninstall',
    unlink: 'uninstall',
    remove: 'uninstall',
    rm: 'uninstall',
    r: 'uninstall',
    'run-script': 'run',
    rum: 'run',
    urn: 'run',
    'clean-install': 'ci',
    ic: 'ci',
    'install-clean': 'ci',
    it: 'install-test',
    x: 'exec',
    up: 'update',
    upgrade: 'update',
    ls: 'list',
    la: 'list',
    ll: 'list',
    ln: 'link',
    c: 'config',
    create: 'init',
    v: 'view',
    info: 'view',
    show: 'view',
  },
  pnpm: { t: 'test', tst: 'test', i: 'install', rm: 'remove', un: 'remove', uninstall: 'remove', 'run-script': 'run', up: 'update' },
  yarn: {},
  bun: { i: 'install', a: 'add', rm: 'remove' },
  kubectl: { del: 'delete' },
  cargo: { b: 'build', c: 'check', t: 'test', r: 'run', rm: 'remove' },
  go: {},
  brew: { rm: 'uninstall', remove: 'uninstall' },
  svn: { ci: 'commit', co: 'checkout', up: 'update', rm: 'delete' },
  hg: { ci: 'commit', co: 'update' },
};

/** The same list when there is nothing to change. */
export function normalise(program: string, words: readonly Word[]): readonly Word[] {
  const table = Object.hasOwn(sameCommand, program) ? sameCommand[program] : undefined;
  const [first, second] = words;
  if (!table || typeof first !== 'string') return words;
  const name = Object.hasOwn(table, first) ? (table[first] ?? first) : first;
  if (name === 'run' && (second === null || (second !== undefined && /^(test|start|stop|restart)$/.test(second)))) return words.slice(1);
  return name === first ? words : [name, ...words.slice(1)];
}
