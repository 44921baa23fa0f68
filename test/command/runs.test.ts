/** What a text runs, as a table: text, then every run in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyse } from '../../engine/command/analyse.ts';

type Row = readonly [text: string, runs: readonly (readonly (string | null)[])[]];

const tables: Readonly<Record<string, readonly Row[]>> = {
  'words are dequoted and expanded': [
    [`r''m "-rf" bu\\ild`, [['rm', '-rf', 'build']]],
    ["$'\\x72m' ~/x", [['rm', '~/x']]],
    ['echo "$(date)" $HOME/x', [['date'], ['echo', null, '~/x']]],
    ['x="a b"; ls $x "$x"', [['ls', 'a', 'b', 'a b']]],
    ['rm${IFS}-rf${IFS}build', [['rm', '-rf', 'build']]],
    ['echo {a,b}{1..2} {x} "{a,b}"', [['echo', 'a1', 'a2', 'b1', 'b2', '{x}', '{a,b}']]],
    ['x=rm.exe; ${x%.*} ${x/rm/ls} ${x^^} ${x:0:2} ${#x}', [['rm', 'ls.exe', 'RM.EXE', 'rm', '6']]],
    ['ls *.ts', [['ls', null]]],
    ['a=(git push); "${a[@]}" ${a[1]}', [['git', 'push', 'push']]],
  ],
  'launchers and what they launch': [
    [
      'sudo -u root rm x',
      [
        ['sudo', '-u', 'root', 'rm', 'x'],
        ['rm', 'x'],
      ],
    ],
    [
      'env -S "A=1 rm x"',
      [
        ['env', '-S', 'A=1 rm x'],
        ['env', 'A=1', 'rm', 'x'],
        ['rm', 'x'],
      ],
    ],
    [
      'find . -exec rm {} \\; -exec ls {} +',
      [
        ['find', '.', '-exec', 'rm', '{}', ';', '-exec', 'ls', '{}', '+'],
        ['rm', null],
        ['ls', null],
      ],
    ],
    [
      'echo a b | xargs rm -f',
      [
        ['echo', 'a', 'b'],
        ['xargs', 'rm', '-f'],
        ['rm', '-f', 'a', 'b'],
      ],
    ],
    [
      'docker run --entrypoint rm alpine -rf /x',
      [
        ['docker', 'run', '--entrypoint', 'rm', 'alpine', '-rf', '/x'],
        ['rm', '-rf', '/x'],
      ],
    ],
    ['command -v rm', [['command', '-v', 'rm']]],
    [
      'env A=1 "]B=2" rm x',
      [
        ['env', 'A=1', ']B=2', 'rm', 'x'],
        ['rm', 'x'],
      ],
    ],
    [
      'uv run -m pytest -q',
      [
        ['uv', 'run', '-m', 'pytest', '-q'],
        ['pytest', '-q'],
      ],
    ],
    [
      'ssh host <<E\nrm x\nE',
      [
        ['ssh', 'host'],
        ['rm', 'x'],
      ],
    ],
    ['ssh host < /dev/null', [['ssh', 'host']]],
    [
      'python3 -m pytest -q',
      [
        ['python3', '-m', 'pytest', '-q'],
        ['pytest', '-q'],
      ],
    ],
    [
      'cp /bin/rm ./x; ./x y',
      [
        ['cp', '/bin/rm', './x'],
        ['/bin/rm', 'y'],
      ],
    ],
  ],
  'shell text inside': [
    [
      `bash -c 'rm "$1"' _ x`,
      [
        ['bash', '-c', 'rm "$1"', '_', 'x'],
        ['rm', 'x'],
      ],
    ],
    ['bash <<E\nrm x\nE', [['bash'], ['rm', 'x']]],
    [`echo 'rm x' | sh`, [['echo', 'rm x'], ['sh'], ['rm', 'x']]],
    [
      `echo 'rm x' > a.sh; bash a.sh`,
      [
        ['echo', 'rm x'],
        ['bash', 'a.sh'],
        ['rm', 'x'],
      ],
    ],
    [
      `git -c alias.x='!rm y' x`,
      [
        ['git', '-c', 'alias.x=!rm y', 'x'],
        ['rm', 'y'],
      ],
    ],
    [
      `test -v 'a[$(rm x)]'`,
      [
        ['test', '-v', 'a[$(rm x)]'],
        ['rm', 'x'],
      ],
    ],
    [
      `trap 'rm x' EXIT`,
      [
        ['trap', 'rm x', 'EXIT'],
        ['rm', 'x'],
      ],
    ],
    [
      `x='$(rm y)'; echo "\${x@P}"`,
      [
        ['rm', 'y'],
        ['echo', null],
      ],
    ],
  ],
  names: [
    ['rm() { ls; }; rm x', [['ls']]],
    [
      'rm() { ls; }; command rm x',
      [
        ['command', 'rm', 'x'],
        ['rm', 'x'],
      ],
    ],
    [
      'rm() { ls; }; bash -c "rm x"',
      [
        ['bash', '-c', 'rm x'],
        ['rm', 'x'],
      ],
    ],
    ['clean() { rm x; }', []],
    [
      'shopt -s expand_aliases\nalias ll="rm -f"\nll x',
      [
        ['shopt', '-s', 'expand_aliases'],
        ['alias', 'll=rm -f'],
        ['rm', '-f', 'x'],
      ],
    ],
    [
      'hash -p /bin/rm ls; ls x',
      [
        ['hash', '-p', '/bin/rm', 'ls'],
        ['/bin/rm', 'x'],
      ],
    ],
    ['"$cmd" x', [[null, 'x']]],
    [
      '$SUDO rm x',
      [
        [null, 'rm', 'x'],
        ['rm', 'x'],
      ],
    ],
    [
      '"$BIN/rm" x',
      [
        [null, 'x'],
        ['/rm', 'x'],
      ],
    ],
    ['X=rm; true && X=ls; "$X" y', [['true'], [null, 'y']]],
    [
      'c=rm; f() { local c=ls; }; f; $c x',
      [
        ['local', 'c=ls'],
        ['rm', 'x'],
      ],
    ],
  ],
  'data is not run': [
    ['cat <<E\nrm x\nE', [['cat']]],
    [`git commit -m 'rm x; git push'`, [['git', 'commit', '-m', 'rm x; git push']]],
    ['ls # rm x', [['ls']]],
    ['echo "a; rm x" \\; rm', [['echo', 'a; rm x', ';', 'rm']]],
    [`cat > x.sh <<'E'\nrm y\nE`, [['cat']]],
  ],
};

for (const [name, rows] of Object.entries(tables)) {
  for (const [text, runs] of rows) {
    test(`${name}: ${text}`, () =>
      assert.deepEqual(
        analyse(text).runs.map(({ argv }) => argv),
        runs,
      ));
  }
}

test('a run knows where it stands and what it is reached through', () => {
  const text = `cd x && sudo bash -c 'f() { rm y; }; f'`;
  const runs = analyse(text).runs.map(({ argv, at, via }) => [argv[0], text.slice(at[0], at[1]), via]);
  const outer = `sudo bash -c 'f() { rm y; }; f'`;
  assert.deepEqual(runs, [
    ['cd', 'cd x', []],
    ['sudo', outer, []],
    ['bash', outer, ['sudo']],
    ['rm', outer, ['sudo', 'bash -c', 'f()']],
  ]);
});

test('what the caller knows is used', () => {
  const { runs } = analyse('rm "$HOME/a" ~/b "$X" $PWD/c; cd sub; rm $PWD/d', { home: '/home/ada', variables: { X: 'x y', PWD: '/work' } });
  assert.deepEqual(
    runs.map(({ argv }) => argv),
    [
      ['rm', '/home/ada/a', '/home/ada/b', 'x y', '/work/c'],
      ['cd', 'sub'],
      ['rm', '/work/sub/d'],
    ],
  );
});
