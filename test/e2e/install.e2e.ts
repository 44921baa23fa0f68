/** Installing: from an empty repo to a first denial, beside other people's hooks, and out again. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bash, group, passed, read, refused } from './scenario.ts';

const scenario = group('install');

scenario('an empty repo: init, and the first rule refuses', async ({ repo, bylaw, write: put, session }) => {
  put('.env', 'SECRET=1');
  await bylaw('init', '--yes');
  const { results } = await session([read(`${repo}/.env`), bash('cat .env'), read(`${repo}/.gitignore`)]);
  refused(results[0], /\.env/);
  refused(results[1], /\.env/);
  passed(results[2]);
});

scenario('init leaves the hooks of others where they are, and they go on', async ({ govern, write: put, read: text, has, session }) => {
  const other = { type: 'command', command: 'touch "$CLAUDE_PROJECT_DIR/other-hook-ran"' };
  put('.claude/settings.json', JSON.stringify({ permissions: { deny: ['Bash(mkdir:*)'] }, hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [other] }] } }));
  await govern(`
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
`);
  const { results } = await session([bash('rm -r .git'), bash('mkdir x')]);
  refused(results[0], /Nothing is removed here/);
  refused(results[1], /denied|permission/i);
  assert.ok(has('other-hook-ran'));
  assert.ok(text('.claude/settings.json').includes(other.command.replaceAll('"', '\\"')));
});

scenario('init --remove: the session is as free as before', async ({ govern, bylaw, write: put, read: text, has, session }) => {
  const before = '{\n  "env": { "A": "1" }\n}\n';
  put('.claude/settings.json', before);
  await govern(`
rules:
  no-touch: { match: { runs: touch }, deny: Nothing is touched here. }
`);
  refused((await session([bash('touch a')])).results[0], /Nothing is touched here/);
  await bylaw('init', '--remove', '--yes');
  assert.equal(text('.claude/settings.json'), before);
  passed((await session([bash('touch a')])).results[0]);
  assert.ok(has('a'));
});

for (const [level, does] of [['strict', 'refuses'], ['guidance', 'passes']] as const) {
  scenario(`a clone without bylaw: a ${level} policy ${does}, and says what to do`, async ({ repo, home, govern, has, session }) => {
    await govern(`
level: ${level}
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
`);
    // As on a machine where the repo was cloned and nothing was installed.
    rmSync(join(repo, 'node_modules'), { recursive: true });
    rmSync(join(home, '.local', 'state', 'bylaw'), { recursive: true, force: true });
    const { results, notices } = await session([bash('touch a')]);
    if (level === 'strict') refused(results[0], /bylaw is not installed on this machine[^]*npm ci/);
    else assert.match(notices, /bylaw is not installed on this machine[^]*npm ci/);
    assert.equal(has('a'), level === 'guidance');
  });
}

scenario('a hook that can not start does not let a strict policy fall', async ({ govern, write: put, has, session }) => {
  await govern(`
level: strict
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
`);
  put('.claude/bylaw.cjs', 'throw new Error("broken")\n');
  const { results } = await session([bash('touch a')]);
  refused(results[0], /hook/i);
  assert.ok(!has('a'));
});
