/** Shell text: what a line does decides, not how it is written. */
import assert from 'node:assert/strict';
import { bash, group, passed, refused } from './scenario.ts';

const scenario = group('shell');

scenario('rm is stopped however it is dressed up', async ({ govern, write, has, session }) => {
  await govern(`
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
`);
  write('keep.txt', '');
  const lines = ['bash -c "rm keep.txt"', '/bin/rm keep.txt', 'timeout 5 rm keep.txt', 'find . -name keep.txt -exec rm {} \\;', 'echo keep.txt | xargs rm', 'X=rm; $X keep.txt', 'cd . && (true; command rm keep.txt)', 'sh <<< "rm keep.txt"', 'eval "r""m keep.txt"'];
  const { results } = await session(lines.map(bash));
  assert.equal(results.length, lines.length);
  for (const result of results) refused(result, /Nothing is removed here/);
  assert.ok(has('keep.txt'));
});

scenario('a program that only stands in a text is not stopped', async ({ govern, session }) => {
  await govern(`
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
`);
  const { results } = await session([bash('echo "rm keep.txt"'), bash('git commit --allow-empty --dry-run -m "do not rm" || true'), bash('echo "rm" && rm -r .git')]);
  passed(results[0]);
  passed(results[1]);
  refused(results[2], /Nothing is removed here/);
});

scenario('a rule about a file holds for the shell too', async ({ repo, govern, write, read, session }) => {
  await govern(`
rules:
  secrets-stay: { match: { writes: .env }, deny: .env is kept by people. }
`);
  write('.env', 'A=1');
  const { results } = await session([bash('echo A=2 > .env'), bash('cd / && sed -i s/1/2/ ' + repo + '/.env'), bash('cp /dev/null .env'), { tool: 'Write', input: { file_path: `${repo}/sub/../.env`, content: '' } }]);
  for (const result of results) refused(result, /kept by people|not been read/);
  assert.equal(read('.env'), 'A=1');
});
