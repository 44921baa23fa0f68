/** Verdicts: what each answer of bylaw does to a call, and what the model is told. */
import assert from 'node:assert/strict';
import type { Call } from './model.ts';
import { bash, group, notTold, passed, refused, told, write } from './scenario.ts';

const scenario = group('verdicts');

scenario('a denied call does not run, and the model is told why and what to do', async ({ govern, write: put, has, session }) => {
  await govern(`
rules:
  nothing-is-removed:
    match: { runs: rm }
    deny: Nothing is removed here.
    instead: Move it to attic/.
`);
  put('keep.txt', 'kept');
  const { results, answers } = await session([bash('rm keep.txt'), bash('mkdir attic && mv keep.txt attic/')]);
  refused(results[0], /Nothing is removed here\.\s+Move it to attic\/\./);
  passed(results[1]);
  assert.ok(has('attic/keep.txt'));
  assert.deepEqual(answers, ['done']);
});

scenario('advice reaches the model as context, and the call runs', async ({ repo, govern, has, session }) => {
  await govern(`
rules:
  notes-go-to-docs:
    match: { tool: Write, path: '*.md' }
    advise: Notes belong in docs/.
`);
  const { results, words } = await session([write(`${repo}/notes.md`, 'a note')]);
  passed(results[0]);
  told(words, /Notes belong in docs\//);
  assert.ok(has('notes.md'));
});

for (const mode of ['default', 'bypassPermissions'] as const) {
  scenario(`an ask that nobody can answer is a refusal with the reason, in ${mode} mode`, async ({ govern, has, session }) => {
    await govern(`
rules:
  releases-are-asked-about:
    match: { runs: touch }
    ask: Is this release meant?
`);
    const { results } = await session([bash('touch released')], { mode, args: ['--allowedTools', 'Bash'] });
    refused(results[0], /Is this release meant\?/);
    assert.ok(!has('released'));
  });
}

for (const person of ['allow', 'deny'] as const) {
  scenario(`an ask is put to the person with its reason, also in bypass mode: ${person}`, async ({ govern, has, session }) => {
    await govern(`
rules:
  releases-are-asked-about:
    match: { runs: touch }
    ask: Is this release meant?
`);
    const { results, asked } = await session([bash('touch released')], { person });
    assert.equal(asked.length, 1);
    assert.match(asked[0] ?? '', /Is this release meant\?/);
    assert.equal(results[0]?.failed, person === 'deny');
    assert.equal(has('released'), person === 'allow');
  });
}

scenario('no decision is no allow: the client still asks for what it would ask for', async ({ repo, govern, has, session }) => {
  await govern(`
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
`);
  const { results } = await session([write(`${repo}/new.txt`, 'x')], { mode: 'default' });
  refused(results[0], /permission|grant/i);
  assert.ok(!has('new.txt'));
});

const LEVELLED = `
rules:
  nothing-is-removed:
    match: { runs: rm }
    deny: Nothing is removed here.
`;

scenario('strict refuses what guidance only advises against', async ({ govern, write: put, has, session }) => {
  put('a.txt', '');
  await govern(`level: strict\n${LEVELLED}`);
  refused((await session([bash('rm a.txt')])).results[0], /Nothing is removed here/);
  assert.ok(has('a.txt'));
  await govern(`level: guidance\n${LEVELLED}`);
  const { results, words } = await session([bash('rm a.txt')]);
  passed(results[0]);
  told(words, /Nothing is removed here/);
  assert.ok(!has('a.txt'));
});

scenario('a person changes the level in the middle of a session', async ({ govern, write: put, has, bylaw, session }) => {
  await govern(LEVELLED);
  put('a.txt', '');
  const soften = async (): Promise<Call> => {
    await bylaw('level', 'guidance');
    return bash('rm a.txt');
  };
  const { results } = await session([bash('rm a.txt'), soften]);
  refused(results[0], /Nothing is removed here/);
  passed(results[1]);
  assert.ok(!has('a.txt'));
});

scenario('observe says nothing to the model and writes it down', async ({ govern, write: put, has, bylaw, session }) => {
  await govern(`level: observe\n${LEVELLED}`);
  put('a.txt', '');
  const { results, words } = await session([bash('rm a.txt')]);
  passed(results[0]);
  assert.ok(!has('a.txt'));
  notTold(words, /Nothing is removed here/);
  assert.match(await bylaw('audit', 'tail'), /nothing-is-removed/);
});

scenario('a deny after the call is told to the model, and the result stays', async ({ govern, session }) => {
  await govern(`
rules:
  no-secrets-in-output:
    event: PostToolUse
    match: { tool: Bash, output.stdout: '*SECRET*' }
    deny: The output holds a secret; do not repeat it.
`);
  const { results, words } = await session([bash('echo a SECRET')]);
  passed(results[0], /a SECRET/);
  told(words, /do not repeat it/);
});

scenario('a denied prompt never reaches the model', async ({ govern, session }) => {
  await govern(`
rules:
  no-passwords-in-prompts:
    event: UserPromptSubmit
    match: { prompt: hunter2 }
    deny: The prompt holds a password.
`);
  const { requests, notices, answers } = await session(['hello'], { prompts: ['my password is hunter2'] });
  assert.equal(requests.length, 0);
  assert.match(notices + answers.join(), /holds a password/);
});
