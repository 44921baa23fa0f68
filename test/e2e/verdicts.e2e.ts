/** Verdicts: what each answer of bylaw does to a call, and what the model is told. */
import assert from 'node:assert/strict';
import { agent, bash, group, passed, read, refused, turnsOf, write } from './scenario.ts';

const scenario = group('verdicts');

scenario('a denied call does not run, and the model is told why and what to do', async ({ repo, govern, write: put, has, session }) => {
  govern(`
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
  assert.ok(has('attic/keep.txt'), repo);
  assert.deepEqual(answers, ['done']);
});

scenario('advice reaches the model as context, and the call runs', async ({ repo, govern, has, session }) => {
  govern(`
rules:
  notes-go-to-docs:
    match: { tool: Write, path: '*.md' }
    advise: Notes belong in docs/.
`);
  const { results, words } = await session([write(`${repo}/notes.md`, 'x')]);
  passed(results[0]);
  assert.match(words, /Notes belong in docs\//);
  assert.ok(has('notes.md'));
});
