/** The HTTP transport: a resident server answers, and what happens to a session when it dies. */
import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { allRecords } from '../../hooks/record.ts';
import type { Call, Step } from './model.ts';
import { agent, bash, group, passed, read, refused, told, until, turnsOf, write, type Place, type Scenario } from './scenario.ts';

const scenario = group('http');

interface Served extends Place {
  readonly serve: (policy: string, ...args: readonly string[]) => Promise<void>;
}

/** Whatever happens, no server of a scenario outlives it. */
function served(name: string, play: (place: Served) => Promise<void>, register: typeof scenario.gap = scenario): void {
  const whole: Scenario['play'] = async (place) => {
    try {
      await play({ ...place, serve: async (policy, ...args) => place.govern(policy, '--transport', 'http', '--port', String(await freePort()), ...args) });
    } finally {
      for (const pid of running(place)) end(pid, 'SIGTERM');
    }
  };
  register(name, whole);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function running({ home }: Pick<Place, 'home'>): readonly number[] {
  return allRecords({ HOME: home }).map(({ pid }) => pid);
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** The server dies between two turns; then the model makes its call. */
function afterDeath(place: Place, call: Call): Step {
  return async () => {
    const pids = running(place);
    assert.equal(pids.length, 1, 'one server runs');
    for (const pid of pids) end(pid, 'SIGKILL');
    await until('the server is gone', () => running(place).length === 0);
    return call;
  };
}

const POLICY = `
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
  two-reads: { match: { tool: Read, by: main }, limit: 2, deny: 'This is read {count}.' }
  the-house-is-explained: { event: SessionStart, advise: Read docs/house.md first. }
  stop-needs-ack: { event: Stop, ack: 'ACK-{random}', times: 1, scope: turn, deny: 'End your reply with {token}.' }
`;

served('one server answers a whole session: refusals, counts, context and stops', async ({ home, repo, serve, write: put, has, session }) => {
  await serve(POLICY);
  put('keep.txt', 'kept');
  const look = read(`${repo}/keep.txt`);
  const { results, requests, words } = await session({ main: [bash('rm keep.txt'), [look, look, look, look], agent('helper'), 'finished'], helper: [look, bash('rm keep.txt')] });
  told(requests[0]?.words, /Read docs\/house\.md first/);
  refused(results[0], /Nothing is removed here/);
  assert.equal(results.slice(1, 5).filter(({ failed }) => !failed).length, 2);
  const helper = turnsOf(requests, 'helper').at(-1)?.results;
  passed(helper?.[0]);
  refused(helper?.[1], /Nothing is removed here/);
  told(words, /End your reply with ACK-[A-Z0-9]{4}/);
  assert.ok(has('keep.txt'));
  assert.equal(running({ home }).length, 1);
});

served('strict: while the server is dead calls are refused, and the next prompt revives it', async (place) => {
  await place.serve(`level: strict\n${POLICY.split('  stop-needs-ack')[0]}`);
  place.write('keep.txt', '');
  const { results } = await place.session([bash('echo before'), afterDeath(place, bash('touch while-dead')), 'first', bash('touch revived'), bash('rm keep.txt'), 'second'], { prompts: ['one', 'two'] });
  passed(results[0], /before/);
  refused(results[1], /hook/i);
  passed(results[2]);
  refused(results[3], /Nothing is removed here/);
  assert.deepEqual([place.has('while-dead'), place.has('revived'), place.has('keep.txt')], [false, true, true]);
  assert.equal(running(place).length, 1);
});

served('guidance: while the server is dead calls pass, and the next prompt revives it', async (place) => {
  await place.serve(`level: guidance\n${POLICY.split('  stop-needs-ack')[0]}`);
  place.write('a.txt', '');
  place.write('b.txt', '');
  const { results, requests, words } = await place.session([bash('echo before'), afterDeath(place, bash('rm a.txt')), 'first', bash('rm b.txt'), 'second'], { prompts: ['one', 'two'] });
  passed(results[1]);
  assert.doesNotMatch(requests[2]?.words ?? '', /Nothing is removed here/);
  passed(results[2]);
  told(words, /Nothing is removed here/);
  assert.equal(running(place).length, 1);
});

served('counts go on where they were when the server comes back', async (place) => {
  await place.serve(POLICY.split('  stop-needs-ack')[0] ?? '');
  place.write('keep.txt', '');
  const look = read(`${place.repo}/keep.txt`);
  const { results } = await place.session([look, look, afterDeath(place, bash('echo dead')), 'first', look, 'second'], { prompts: ['one', 'two'] });
  passed(results[1]);
  refused(results[3], /This is read 3/);
});

served('rules see the environment of the session and its folder, not those of the server', async (place) => {
  await place.serve(`
rules:
  releases-are-for-the-release-team: { match: { runs: touch }, unless: { env.TEAM: release }, deny: You are not the release team. }
  dist-is-built: { match: { writes: 'dist/**' }, deny: '{path} is built.' }
`);
  // The first session starts the server, with its own environment; the second has another one.
  const first = await place.session([bash('touch a')], { env: { TEAM: 'release' } });
  passed(first.results[0]);
  const second = await place.session([bash('touch b'), bash('mkdir src; cd src'), write(`${place.repo}/dist/a.js`, '')], { env: { TEAM: 'docs' } });
  refused(second.results[0], /not the release team/);
  refused(second.results[2], /dist\/a\.js is built/);
});

served('settings that would switch the HTTP hooks off are not taken over', async (place) => {
  await place.serve(`extends: [bylaw:self-protection]\n${POLICY.split('  stop-needs-ack')[0]}`);
  place.write('keep.txt', '');
  const change: Step = async () => {
    place.write('.claude/settings.json', '{}');
    await until('the client asks', () => place.audit().includes('"ConfigChange"'));
    return bash('sleep 1');
  };
  const { results } = await place.session([bash('echo begun'), change, bash('rm keep.txt')]);
  refused(results.at(-1), /Nothing is removed here/);
  assert.ok(place.has('keep.txt'));
});

served('the agent does not speak to the server itself', async (place) => {
  await place.serve(`
extends: [bylaw:self-protection]
rules:
  two-touches: { match: { runs: touch }, limit: 1, until: { tool: Agent }, deny: 'This is touch {count}.' }
`);
  const port = /127\.0\.0\.1:(\d+)/.exec(place.read('.claude/settings.json'))?.[1] ?? '';
  const forge = `curl -s -H "Content-Type: application/json" -H "Authorization: Bearer $BYLAW_TOKEN" -d "{\\"hook_event_name\\":\\"PreToolUse\\",\\"tool_name\\":\\"Agent\\",\\"session_id\\":\\"$CLAUDE_CODE_SESSION_ID\\",\\"cwd\\":\\"$PWD\\",\\"tool_input\\":{}}" http://127.0.0.1:${port}/hook`;
  const { results } = await place.session([bash('touch a'), bash('touch b'), bash(forge), bash('touch c')]);
  refused(results[1], /This is touch 2/);
  refused(results[2], /token is left alone/);
  refused(results[3], /This is touch 2/);
});
