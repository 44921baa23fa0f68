/** Whether a pattern covers a command, as a table: pattern, command, answer. */
import '../seed.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { analyse } from '../../engine/command/analyse.ts';
import { type Covers, covers } from '../../engine/command/covers.ts';
import { wordMatches } from '../../engine/command/wordpattern.ts';

const rows: readonly (readonly [pattern: string, command: string, answer: Covers])[] = [
  ['rm', 'rm -rf x', 'yes'],
  ['rm', '/bin/rm x', 'yes'],
  ['rm', 'rm.exe x', 'yes'],
  ['rm', 'rmdir x', 'no'],
  ['RM', 'rm x', 'no'],
  ['/bin/rm', '/bin/rm x', 'yes'],
  ['/bin/rm', 'rm x', 'no'],
  ['./deploy.sh', './deploy.sh now', 'yes'],
  ['git push', 'git push', 'yes'],
  ['git push', 'git -C x -c a=b --git-dir=y --no-pager push origin', 'yes'],
  ['git push', 'git -C push status', 'no'],
  ['git push', 'git stash push', 'no'],
  ['git push', 'git $X', 'unknown'],
  ['git push', 'git $X push', 'unknown'],
  ['git push', 'git -C $X push', 'yes'],
  ['git push', 'git pus*h', 'unknown'],
  ['git push', 'git feature/$X', 'no'],
  ['git push', 'git commit $X', 'no'],
  ['git push origin main', 'git push origin main', 'yes'],
  ['git push origin main', 'git push -u origin main', 'yes'],
  ['git push origin main', 'git push origin dev', 'no'],
  ['git push * main', 'git push $REMOTE main', 'unknown'],
  ['git push --force', 'git push -f', 'yes'],
  ['git push --force', 'git push origin main --force', 'yes'],
  ['git push --force', 'git push --force-with-lease', 'no'],
  ['git push --force*', 'git push --force-with-lease=x', 'yes'],
  ['git push --force', 'git push $OPTIONS', 'unknown'],
  ['git push --force', 'git push "refs/$X"', 'no'],
  ['git commit --no-verify', 'git commit -nm x', 'yes'],
  ['git commit --no-verify', 'git commit -m "$MESSAGE"', 'no'],
  ['git commit --no-verify', 'git commit --message=--no-verify', 'no'],
  ['git commit --no-verify', 'git commit -m --no-verify', 'no'],
  ['git (push|pull)', 'git pull', 'yes'],
  ['git {push,pull}', 'git fetch', 'no'],
  ['git reset --hard', 'git reset HEAD~1 --hard', 'yes'],
  ['rm -rf', 'rm -r -f x', 'yes'],
  ['rm -rf', 'rm -fr x', 'yes'],
  ['rm -rf', 'rm --recursive --force x', 'yes'],
  ['rm -rf', 'rm -Rf x', 'yes'],
  ['rm -rf', 'rm x -rf', 'yes'],
  ['rm -rf', 'rm -r x', 'no'],
  ['rm -rf', 'rm -- -rf', 'no'],
  ['rm -rf', 'rm src/$X', 'no'],
  ['rm -rf', 'rm $X', 'unknown'],
  ['npm test', 'npm t', 'yes'],
  ['npm test', 'npm run test', 'yes'],
  ['npm test', 'npm --prefix app test', 'yes'],
  ['npm test', 'npm run test:unit', 'no'],
  ['npm run test', 'npm test', 'yes'],
  ['npm run *', 'npm run build', 'yes'],
  ['npm (run|test)', 'npm run build', 'yes'],
  ['npm install', 'npm i lodash', 'yes'],
  ['npm uninstall', 'npm rm lodash', 'yes'],
  ['npm install -g', 'npm i --global x', 'yes'],
  ['docker run', 'docker --context x run alpine', 'yes'],
  ['docker run --privileged', 'docker run -v "$PWD:/w" --privileged alpine', 'yes'],
  ['docker run --privileged', 'docker run -v "$PWD:/w" alpine', 'no'],
  ['kubectl delete', 'kubectl -n prod delete pod x', 'yes'],
  ['curl -o', 'curl --output=x y', 'yes'],
  ['python* -m', 'python3 -m venv x', 'yes'],
  ['terraform apply -auto-approve', 'terraform apply -auto-approve', 'yes'],
  ['*', 'ls', 'yes'],
  ['rm', '$X y', 'unknown'],
];

for (const [pattern, command, answer] of rows) {
  test(`${pattern} / ${command}: ${answer}`, () => {
    const [run] = analyse(command).runs;
    assert.ok(run);
    assert.equal(covers(pattern, run), answer);
  });
}

test('any case', () => {
  const [run] = analyse('RM -RF x').runs;
  assert.ok(run);
  assert.deepEqual([covers('rm', run), covers('rm', run, true)], ['no', 'yes']);
});

test('word patterns agree with a regular expression', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 7 }).map((list) => list.join(''));
  const words = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 }).map((list) => list.join(''));
  fc.assert(
    fc.property(letters, words, (pattern, word) => {
      const slow = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(word);
      assert.equal(wordMatches(pattern, word, false), slow);
    }),
  );
});
