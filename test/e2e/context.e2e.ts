/** Context: what bylaw tells the model before it does anything. */
import assert from 'node:assert/strict';
import { agent, group, notTold, told, turnsOf } from './scenario.ts';

const scenario = group('context');

scenario('advice at the start of a session is there in the first turn', async ({ govern, session }) => {
  await govern(`
rules:
  the-house-is-explained: { event: SessionStart, match: { source: startup }, advise: Read docs/house.md before anything else. }
`);
  const { requests } = await session(['hello']);
  told(requests[0]!.words, /Read docs\/house\.md before anything else/);
});

scenario('advice at a prompt comes with every prompt of a person', async ({ govern, session }) => {
  await govern(`
rules:
  tickets-are-named: { event: UserPromptSubmit, match: { source: person }, advise: Name the ticket in every commit. }
`);
  const { requests } = await session(['one', 'two'], { prompts: ['first', 'second'] });
  const times = (text: string): number => text.split('Name the ticket in every commit').length - 1;
  assert.deepEqual(requests.map(({ words }) => times(words)), [1, 2]);
});

scenario('advice at the start of a subagent reaches that subagent only', async ({ govern, session }) => {
  await govern(`
rules:
  scouts-are-briefed: { event: SubagentStart, match: { agent: Explore }, advise: Look only below src/. }
`);
  const { requests } = await session({ main: [agent('scout', 'Explore')], scout: ['looked'] });
  told(turnsOf(requests, 'scout')[0]!.words, /Look only below src\//);
  for (const { words } of turnsOf(requests, 'main')) notTold(words, /Look only below src\//);
});
