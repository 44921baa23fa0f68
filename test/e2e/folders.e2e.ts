/** Folders: the policy of the right project applies, wherever the session is started and wherever it goes. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, Result } from './model.ts';
import { agent, bash, group, passed, refused, turnsOf, write, type Place } from './scenario.ts';

const scenario = group('folders');

const forbid = (program: string, text: string): string => `
rules:
  no-${program}: { match: { runs: ${program} }, deny: ${text} }
`;

for (const scope of ['local', 'user'] as const) {
  scenario(`a session in a subfolder is under the policy of the repo, scope ${scope}`, async ({ repo, govern, session, has }) => {
    await govern(`
rules:
  dist-is-built: { match: { writes: 'dist/**' }, deny: '{path} is built.' }
`, '--scope', scope);
    mkdirSync(join(repo, 'src', 'deep'), { recursive: true });
    const { results } = await session([bash('mkdir -p ../../dist && touch ../../dist/a.js'), write(`${repo}/dist/b.js`, ''), bash('touch c.js')], { cwd: join(repo, 'src', 'deep') });
    refused(results[0], /is built/);
    refused(results[1], /dist\/b\.js is built/);
    passed(results[2]);
    assert.deepEqual([has('dist'), has('src/deep/c.js')], [false, true]);
  });
}

for (const scope of ['project', 'local', 'user'] as const) {
  scenario(`a git worktree is under its own policy file, scope ${scope}`, async ({ folder, govern, git, write: put, session }) => {
    await govern(forbid('touch', 'Not in main.'), '--scope', scope);
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'all');
    await git('worktree', 'add', '--quiet', '-b', 'other', '../tree');
    writeFileSync(join(folder, 'tree', 'bylaw.yaml'), `bylaw: 1\n${forbid('touch', 'Not in the worktree.')}`);
    put('bylaw.yaml', `bylaw: 1\n${forbid('mkdir', 'Main has changed.')}`);
    const { results } = await session([bash('touch x'), bash('mkdir y')], { cwd: join(folder, 'tree') });
    refused(results[0], /Not in the worktree/);
    passed(results[1]);
  });
}

scenario('a session above two projects follows cd from one policy to the other', async ({ folder, govern, session }) => {
  await govern(forbid('touch', 'Not in repo.'), '--scope', 'user');
  mkdirSync(join(folder, 'second'));
  writeFileSync(join(folder, 'second', 'bylaw.yaml'), `bylaw: 1\n${forbid('mkdir', 'Not in second.')}`);
  const { results } = await session([bash('cd repo'), bash('touch a'), bash('mkdir b'), bash('cd ../second'), bash('touch a'), bash('mkdir b')], { cwd: folder });
  refused(results[1], /Not in repo/);
  passed(results[2]);
  passed(results[4]);
  refused(results[5], /Not in second/);
});

scenario('cd inside a project changes nothing about its policy', async ({ repo, govern, session, write: put, has }) => {
  await govern(`
rules:
  docs-are-written-by-people: { match: { writes: 'docs/**' }, deny: Docs are written by people. }
  two-files-a-session: { match: { runs: touch }, limit: 2, deny: 'This is touch {count}.' }
`);
  put('docs/a.md', 'a');
  put('src/a.ts', '');
  const { results } = await session([bash('touch one'), bash('cd docs'), bash('echo b > a.md'), bash('touch ../two'), bash('cd ../src && touch three'), write(`${repo}/docs/b.md`, '')]);
  passed(results[0]);
  refused(results[2], /Docs are written by people/);
  passed(results[3]);
  refused(results[4], /This is touch 3/);
  refused(results[5], /Docs are written by people/);
  assert.ok(has('two') && !has('src/three'));
});

scenario('a session that goes to another project stays under the policy it began with', async ({ folder, govern, session }) => {
  await govern(forbid('touch', 'Not in repo.'));
  mkdirSync(join(folder, 'second'));
  writeFileSync(join(folder, 'second', 'bylaw.yaml'), `bylaw: 1\n${forbid('mkdir', 'Not in second.')}`);
  const { results } = await session([bash('cd ../second'), bash('touch a'), bash('mkdir b')], { args: ['--add-dir', join(folder, 'second')] });
  refused(results[1], /Not in repo/);
  passed(results[2]);
});

scenario('a folder without a policy is left alone, also by hooks of the user', async ({ folder, home, govern, session, has }) => {
  await govern(forbid('touch', 'Not in repo.'), '--scope', 'user');
  mkdirSync(join(folder, 'free'));
  const { results } = await session([bash('touch a')], { cwd: join(folder, 'free') });
  passed(results[0]);
  assert.ok(has('../free/a'));
  assert.deepEqual(readdirSync(join(folder, 'free')), ['a']);
  assert.deepEqual(readdirSync(join(home, '.local', 'state', 'bylaw')).filter((name) => name.startsWith('free')), [], 'nothing is remembered about it');
});

const BUILT = `
rules:
  dist-is-built: { match: { writes: 'dist/**' }, deny: dist is built. }
`;

scenario('a session above two projects: a call that names a file of one of them', async ({ folder, repo, govern, session, has }) => {
  await govern(BUILT, '--scope', 'user');
  const { results } = await session([write(`${repo}/dist/a.js`, '')], { cwd: folder });
  refused(results[0], /dist is built/);
  assert.ok(!has('dist'));
});

scenario.gap('a session above two projects: a shell line that goes into one of them', async ({ folder, govern, session, has }) => {
  await govern(BUILT, '--scope', 'user');
  const { results } = await session([bash('cd repo && mkdir -p dist && touch dist/b.js')], { cwd: folder });
  // Neither the folder the session began in nor the one it is in has a policy; what the line enters is not asked.
  refused(results[0], /dist is built/);
  assert.ok(!has('dist'));
});

for (const way of ['EnterWorktree', 'an agent with isolation: worktree'] as const) {
  scenario(`a worktree that the client makes is under the policy of the session: ${way}`, async (place) => {
    await place.govern(forbid('touch', 'Not in repo.'));
    const { inside } = await inWorktree(place, way, [bash('pwd'), bash('touch x')]);
    passed(inside[0], /\.claude\/worktrees\//);
    refused(inside[1], /Not in repo/);
  });

  scenario.gap(`a worktree that the client makes has the paths of the project: ${way}`, async (place) => {
    await place.govern(BUILT);
    const { inside } = await inWorktree(place, way, [bash('mkdir -p dist && touch dist/a.js')]);
    // It is seen as .claude/worktrees/<name>/dist/a.js, which no rule about dist/** is about.
    refused(inside[0], /dist is built/);
  });
}

async function inWorktree({ git, session }: Place, way: string, calls: readonly Call[]): Promise<{ readonly inside: readonly Result[] }> {
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'all');
  if (way === 'EnterWorktree') {
    const { results } = await session([{ tool: 'ToolSearch', input: { query: 'select:EnterWorktree' } }, { tool: 'EnterWorktree', input: { name: 'tree' } }, ...calls]);
    return { inside: results.slice(2) };
  }
  const { tool, input } = agent('worker');
  const { requests } = await session({ main: [{ tool, input: { ...input, isolation: 'worktree' } }], worker: calls });
  return { inside: turnsOf(requests, 'worker').at(-1)?.results ?? [] };
}
