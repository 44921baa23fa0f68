/** Broken policies: what was good stays in force, and it is said. */
import assert from 'node:assert/strict';
import { bash, group, passed, refused, told } from './scenario.ts';

const scenario = group('broken');

const GOOD = `bylaw: 1
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
`;

scenario('a policy that breaks in the middle of a session stays in force as it was', async ({ govern, write, has, session }) => {
  await govern(GOOD.replace('bylaw: 1\n', ''));
  write('keep.txt', '');
  const broken = (): ReturnType<typeof bash> => {
    write('bylaw.yaml', GOOD.replace('match', 'mtach'));
    return bash('echo after');
  };
  const { results, words } = await session([bash('rm keep.txt'), broken, bash('rm keep.txt')]);
  refused(results[0], /Nothing is removed here/);
  passed(results[1], /after/);
  refused(results[2], /Nothing is removed here/);
  told(words, /policy of this project has errors; the last good version stays in force/);
  assert.equal(words.split('has errors; the last good version').length, 2, 'said once');
  assert.ok(has('keep.txt'));
});

scenario('a policy that a person changes is in force with the next call', async ({ govern, write, session }) => {
  await govern(GOOD.replace('bylaw: 1\n', ''));
  const changed = (): ReturnType<typeof bash> => {
    write('bylaw.yaml', GOOD.replace('runs: rm', 'runs: touch').replace('is removed', 'is touched'));
    return bash('touch x');
  };
  const { results } = await session([bash('touch x'), changed, bash('rm x')]);
  passed(results[0]);
  refused(results[1], /Nothing is touched here/);
  passed(results[2]);
});

scenario('a policy that never was good refuses everything if it asks for that, but not its own repair', async ({ repo, govern, write, session }) => {
  await govern(GOOD.replace('bylaw: 1\n', ''));
  write('bylaw.yaml', 'bylaw: 1\non-error: deny\nrulse: {}\n');
  // A cache of its own: no good plan was ever kept in it.
  const env = { BYLAW_CACHE_DIR: `${repo}/../cache`, PATH: `${repo}/node_modules/.bin:${process.env['PATH']}` };
  const { results } = await session([bash('echo hello'), bash('bylaw check')], { env });
  refused(results[0], /has errors, and it refuses what it can not judge/);
  assert.match(results[1]?.text ?? '', /unknown-key[^]*did you mean `rules`/);
});
