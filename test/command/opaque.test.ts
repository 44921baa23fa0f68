/** What a text leaves unknown, as a table: text, then the reasons. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyse, type OpaqueReason } from '../../engine/command/analyse.ts';

const rows: readonly (readonly [text: string, reasons: readonly OpaqueReason[]])[] = [
  ['ls -la "$X" $(date) *.ts', []],
  ['git log "$X"', []],
  ['$X -rf build', ['dynamic-command']],
  ['git $X', ['dynamic-argument']],
  ['docker $X y', ['dynamic-argument']],
  ['find . $X', ['dynamic-argument']],
  ['find "$X" -name "$Y"', []],
  ['bash -c "rm $X"', ['dynamic-script']],
  ['eval "$(ssh-agent)"', ['eval']],
  ['curl x | sh', ['stdin-script']],
  ['curl -o x.sh y; sh x.sh', ['generated-script']],
  ['bash x.sh', ['script-file']],
  ['source .venv/bin/activate', ['script-file']],
  ['bash --rcfile x -i', ['startup-file']],
  ['BASH_ENV=x bash -c ls', ['startup-file']],
  ['python3 -c "print(1)"', ['inline-code']],
  [`awk '{print $1}' x`, []],
  [`awk 'BEGIN{system("ls")}'`, ['inline-code']],
  ['/bin/r? x', ['glob-command']],
  ['LD_PRELOAD=x ls', ['loader-env']],
  ['NODE_OPTIONS=--max-old-space-size=4096 npm run build', []],
  ['echo "${X@P}"', ['prompt-eval']],
  ['echo {a,$(date)}', ['brace-with-substitution']],
  ['print *(e:ls:)', ['zsh-glob-qualifier']],
  ['echo "', ['parse-error']],
  ['echo a<(ls)b', ['parse-error']],
  ['a=( $(ls) )x', ['parse-error']],
  ['echo 2<(ls)', ['parse-error']],
  ['f() { f; }; f', ['depth']],
  [`echo ${'{a,b}'.repeat(30)}`, ['budget']],
  ['a;'.repeat(30_000), ['budget']],
  [`echo ${'a'.repeat(70_000)}`, ['budget']],
  ['$('.repeat(1000), ['budget']],
];

for (const [text, reasons] of rows) {
  test(text.length > 80 ? `${text.slice(0, 40)}… (${text.length})` : text, () => {
    assert.deepEqual([...new Set(analyse(text).opaque.map(({ reason }) => reason))], reasons);
  });
}

test('the unknown piece is shown with its program', () => {
  const [first] = analyse('ls; git $X y').opaque;
  assert.deepEqual(first, { reason: 'dynamic-argument', at: [4, 12], text: 'git $X y', program: 'git' });
});
