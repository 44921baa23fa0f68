/** State: what rules remember between the calls of a session, its subagents and its turns. */
import assert from 'node:assert/strict';
import type { Turn } from './model.ts';
import { agent, bash, group, passed, read, refused, told, turnsOf, until, type Place } from './scenario.ts';

const scenario = group('state');

const TWO_READS = `
rules:
  two-reads-then-delegate:
    match: { tool: Read, by: main }
    limit: 2
    until: { tool: Agent }
    deny: This is read {count}; at most {limit} before you delegate.
`;

function files({ repo, write }: Place, count: number): readonly ReturnType<typeof read>[] {
  return Array.from({ length: count }, (_, index) => {
    write(`src/${index}.txt`, `text ${index}`);
    return read(`${repo}/src/${index}.txt`);
  });
}

scenario('a read limit holds over the turns of a session', async (place) => {
  await place.govern(TWO_READS);
  const [a, b, c] = files(place, 3);
  const { results } = await place.session([a!, 'first', b!, 'second', c!, 'third'], { prompts: ['one', 'two', 'three'] });
  passed(results[0], /text 0/);
  passed(results[1], /text 1/);
  refused(results[2], /This is read 3; at most 2/);
});

scenario('a read limit holds when the session is resumed', async (place) => {
  await place.govern(TWO_READS);
  const [a, b, c, d] = files(place, 4);
  const first = await place.session([a!, b!]);
  const { results } = await place.session([c!], { args: ['--resume', first.session] });
  refused(results.at(-1), /This is read 3/);
  const other = await place.session([d!]);
  passed(other.results[0]); // another session counts for itself
});

scenario('delegating begins the count anew', async (place) => {
  await place.govern(TWO_READS);
  const [a, b, c, d] = files(place, 4);
  const { results } = await place.session({ main: [a!, b!, c!, agent('scout'), d!], scout: ['looked'] });
  refused(results[2], /This is read 3/);
  passed(results.at(-1), /text 3/);
});

scenario('calls in parallel are counted exactly', async (place) => {
  await place.govern(TWO_READS.replace('limit: 2', 'limit: 5'));
  const { results } = await place.session([files(place, 12), files(place, 1)[0]!]);
  assert.equal(results.length, 13);
  assert.equal(results.filter(({ failed }) => !failed).length, 5);
  for (const result of results.filter(({ failed }) => failed)) refused(result, /at most 5/);
});

scenario('a subagent is exempt where the rule names the main agent', async (place) => {
  await place.govern(TWO_READS);
  const calls = files(place, 4);
  const { requests, results: own } = await place.session({ main: [agent('scout'), ...calls], scout: [...calls, 'read all'] });
  const { results } = turnsOf(requests, 'scout').at(-1)!;
  assert.equal(results.length, 4);
  for (const result of results) passed(result, /text/);
  refused(own.at(-1), /This is read 3/);
});

scenario('a subagent is covered where the rule does not say who', async (place) => {
  await place.govern(TWO_READS.replace(', by: main', ''));
  const calls = files(place, 4);
  const { requests } = await place.session({ main: [agent('scout')], scout: [...calls, 'read all'] });
  const { results } = turnsOf(requests, 'scout').at(-1)!;
  passed(results[1]);
  refused(results[2], /This is read 3/);
  refused(results[3], /This is read 3/);
});

scenario('a rule for one kind of agent leaves the others alone', async ({ govern, session, has }) => {
  await govern(`
rules:
  explorers-only-look:
    match: { tool: Bash, by: Explore, runs: touch }
    deny: You only look.
`);
  const { requests } = await session({ main: [agent('scout', 'Explore'), agent('maker')], scout: [bash('touch scouted')], maker: [bash('touch made')] });
  refused(turnsOf(requests, 'scout').at(-1)?.results[0], /You only look/);
  passed(turnsOf(requests, 'maker').at(-1)?.results[0]);
  assert.deepEqual([has('scouted'), has('made')], [false, true]);
});

const ACK = `
rules:
  stop-needs-ack:
    event: Stop
    ack: 'ACK-{random}'
    times: 3
    scope: turn
    deny: Check that every part of the request is done.
    instead: When it is, end your reply with {token}.
`;

scenario('a stop is refused until the model repeats the token', async ({ govern, session }) => {
  await govern(ACK);
  let token = '';
  const { requests, answers } = await session(['I am done', ({ words }) => {
    token = /ACK-[A-Z0-9]{4}/.exec(words)?.[0] ?? '';
    return `All parts are done. ${token}`;
  }]);
  assert.match(token, /^ACK-/);
  told(requests[1]!.words, /Check that every part of the request is done/);
  assert.deepEqual(answers, [`All parts are done. ${token}`]);
  assert.equal(requests.length, 2);
});

scenario('a stop without the token is refused as often as the rule says', async ({ govern, session }) => {
  await govern(ACK);
  const { requests, answers } = await session(['one', 'two ACK-0000', 'three', 'four', 'five']);
  assert.equal(requests.length, 4);
  assert.deepEqual(answers, ['four']);
});

scenario('what has passed once is remembered until it is stale', async ({ govern, session }) => {
  await govern(`
facts:
  tested: { scope: session }
rules:
  passing-tests-are-remembered: { event: PostToolUse, match: { runs: make test }, then: { remember: { tested: true } } }
  an-edit-makes-tests-stale: { event: PostToolUse, match: { runs: touch }, then: { forget: tested } }
  tests-before-push: { match: { runs: git push }, unless: { tested: true }, deny: The tests have not passed since the last edit. }
`);
  const push = bash('git push --dry-run /nowhere || true');
  const { results } = await session([push, bash('make test || true'), push, bash('touch edited'), push]);
  refused(results[0], /tests have not passed/);
  passed(results[2]);
  refused(results[4], /tests have not passed/);
});

scenario('a count for one turn begins anew with the next prompt', async (place) => {
  await place.govern(TWO_READS.replace('limit: 2', 'limit: 1\n    scope: turn').replace('until: { tool: Agent }', ''));
  const [a, b, c] = files(place, 3);
  const { results } = await place.session([a!, b!, 'first', c!, 'second'], { prompts: ['one', 'two'] });
  refused(results[1], /This is read 2/);
  passed(results[2], /text 2/);
});

scenario('an agent in the background counts as running', async ({ govern, session }) => {
  await govern(`
rules:
  alone-no-shell:
    match: { tool: Bash, by: main }
    unless: { running: true }
    deny: Start an agent first.
`);
  // The worker has begun before the main agent goes on, and ends after it has.
  let begun = false;
  let seen = false;
  const wait = (what: string, holds: () => boolean, turn: Turn) => async (): Promise<Turn> => {
    await until(what, holds);
    return turn;
  };
  const { results } = await session({
    main: [bash('echo alone'), agent('worker', 'general-purpose', true), wait('the worker begins', () => begun, bash('echo with company')), () => {
      seen = true;
      return 'I wait';
    }],
    worker: [() => {
      begun = true;
      return bash('true');
    }, wait('the main agent goes on', () => seen, 'worked')],
  });
  refused(results[0], /Start an agent first/);
  passed(results[2], /with company/);
});

scenario('an agent that comes back from the background begins no new turn', async ({ govern, session }) => {
  await govern(`
rules:
  one-touch-a-turn: { match: { runs: touch, by: main }, limit: 1, scope: turn, deny: 'This is touch {count}.' }
`);
  const { results, words } = await session({ main: [bash('touch a'), agent('worker', 'general-purpose', true), 'I wait', bash('touch b'), 'finished'], worker: ['worked'] });
  told(words, /<task-notification>/);
  refused(results.at(-1), /This is touch 2/);
});

scenario('a delegation under its old name is one', async (place) => {
  await place.govern(TWO_READS.replace('until: { tool: Agent }', 'until: { tool: Task }'));
  const [a, b, c] = files(place, 3);
  const { results } = await place.session({ main: [a!, b!, c!, { ...agent('scout'), tool: 'Task' }, c!], scout: ['looked'] });
  refused(results[2], /This is read 3/);
  passed(results.at(-1), /text 2/);
});

scenario('two sessions at once share what is counted for the project, exactly', async (place) => {
  await place.govern(TWO_READS.replace('limit: 2', 'limit: 5\n    scope: project').replace('until: { tool: Agent }', ''));
  const calls = files(place, 6);
  const both = await Promise.all([place.session([calls]), place.session([calls])]);
  const results = both.flatMap((each) => each.results);
  assert.equal(results.length, 12);
  assert.equal(results.filter(({ failed }) => !failed).length, 5);
});
