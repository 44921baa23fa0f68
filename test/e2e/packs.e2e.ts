/** The five shipped packs, each in a session as its users have it. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { agent, bash, group, passed, read, refused, told, turnsOf, write, type Place } from './scenario.ts';

const scenario = group('packs');

function defineAgents({ write: put }: Place, names: readonly string[]): void {
  for (const name of names) put(`.claude/agents/${name}.md`, `---\nname: ${name}\ndescription: does its part\n---\nDo your part.\n`);
}

scenario('orchestration-discipline: delegate first, streaks are remarked on, and a stop is on purpose', async ({ govern, session, write: put }) => {
  put('.claude/momentum-guide.md', 'IS THE WHOLE REQUEST DONE?');
  await govern('extends: [bylaw:orchestration-discipline]');
  const { results, words, requests, answers } = await session({
    main: [bash('echo 1'), bash('echo 2'), bash('echo 3'), agent('helper'), bash('echo 4'), 'finished', 'really finished'],
    helper: [bash('echo by the helper')],
  });
  refused(results[0], /Delegate this to a subagent/);
  passed(results[1], /2/);
  told(words, /streak=2/);
  passed(turnsOf(requests, 'helper').at(-1)?.results[0], /by the helper/);
  refused(results[4], /Delegate this to a subagent/); // a delegation arms it again
  told(words, /IS THE WHOLE REQUEST DONE\?[^]*ACK-[A-Z0-9]{4}/);
  assert.deepEqual(answers, ['really finished']);
});

scenario('orchestrator-mode: one lookup, then work is for subagents', async ({ repo, govern, session, write: put, has }) => {
  await govern('extends: [bylaw:orchestrator-mode]');
  put('.htmlgraph/features/a.html', '');
  put('a.txt', 'text a');
  const { results, words, requests } = await session({
    main: [read(`${repo}/a.txt`), read(`${repo}/.gitignore`), write(`${repo}/made.txt`, 'x'), bash('npm test'), agent('coder'), bash('git status --short')],
    coder: [write(`${repo}/made.txt`, 'by the coder')],
  });
  passed(results[0], /text a/);
  told(words, /Single lookup allowed/);
  refused(results[1], /Multiple Read calls detected/);
  refused(results[2], /Write is implementation work/);
  refused(results[3], /should be delegated to subagent/);
  passed(turnsOf(requests, 'coder').at(-1)?.results[0]);
  passed(results[5]);
  assert.ok(has('made.txt'));
});

scenario('workflow-orchestrator: a turn opens with a delegation that names its phase', async ({ repo, govern, session, write: put }) => {
  put('.claude/system-prompts/workflow_orchestrator.md', 'YOU PLAN AND DELEGATE.');
  put('.claude/state/active_task_graph.json', JSON.stringify({ current_wave: 0, waves: [{ wave_id: 0, phases: [{ phase_id: 'phase_0_0', wave_id: 0 }] }, { wave_id: 1, phases: [{ phase_id: 'phase_1_0', wave_id: 1 }] }] }));
  await govern('extends: [bylaw:workflow-orchestrator]');
  const named = (phase: string): ReturnType<typeof agent> => ({ tool: 'Agent', input: { ...agent('worker').input, prompt: `worker: Phase ID: ${phase}` } });
  const look = read(`${repo}/.gitignore`);
  const { results, requests } = await session({ main: [look, agent('worker'), named('phase_1_0'), named('phase_0_0'), look, 'first', look, 'second'], worker: ['worked'] }, { prompts: ['one', 'two'] });
  told(requests[0]!.words, /YOU PLAN AND DELEGATE\./);
  refused(results[0], /Tool blocked by delegation policy/);
  refused(results[1], /names no phase/);
  refused(results[2], /WAVE ORDER VIOLATION/);
  passed(results[3], /worked/);
  passed(results[4]);
  refused(results[5], /Tool blocked by delegation policy/); // the next prompt closes it again
});

scenario('four-layer: hard blocks, two reads, a record and a report', async ({ repo, govern, session, read: text, has }) => {
  await govern('extends: [bylaw:four-layer]');
  const look = read(`${repo}/.gitignore`);
  const { results, requests, session: id } = await session(
    { main: [write(`${repo}/made.txt`, 'x'), look, look, look, bash('git status'), agent('developer'), look], developer: [write(`${repo}/made.txt`, 'by the developer')] },
    { env: { CLAUDE_AGENT_ROLE: 'orchestrator' } },
  );
  told(requests[0]!.words, /Am I an orchestrator\?/);
  refused(results[0], /HARD BLOCK/);
  passed(results[2]);
  refused(results[3], /2-FILE RULE EXCEEDED\s+Tool: Read \(attempt #3\)/);
  refused(results[4], /DANGEROUS COMMAND BLOCKED/);
  passed(results.at(-1));
  assert.equal(text('made.txt'), 'by the developer');
  const logged = text('.claude/context/logs/orchestrator-audit.log').trim().split('\n').map((line) => JSON.parse(line).tool);
  assert.deepEqual(logged, ['Read', 'Read', 'Read']);
  assert.ok(has(`.claude/context/reports/orchestrator-compliance-${id}.json`), String(readdirSync(`${repo}/.claude/context`)));
});

scenario('pipeline: four agents, in order only', async (place) => {
  defineAgents(place, ['context-gatherer', 'context-refiner', 'strategic-orchestrator', 'bash-developer']);
  await place.govern('extends: [bylaw:pipeline]');
  const start = (name: string): ReturnType<typeof agent> => agent(name, name);
  const { results, requests } = await place.session({
    main: [start('strategic-orchestrator'), agent('Explore', 'Explore'), start('context-gatherer'), start('bash-developer'), start('context-refiner'), start('strategic-orchestrator'), start('bash-developer')],
    'context-gatherer': ['gathered'], 'context-refiner': ['refined'], 'strategic-orchestrator': ['planned'], 'bash-developer': [bash('touch built'), 'built'],
  });
  told(requests[0]!.words, /Work goes through the pipeline, in this order/);
  refused(results[0], /strategic-orchestrator cannot start: the pipeline is in IDLE/);
  refused(results[1], /Explore cannot start[^]*context-gatherer/);
  passed(results[2], /gathered/);
  refused(results[3], /bash-developer cannot start: the pipeline is in GATHERING/);
  for (const [index, said] of [[4, /refined/], [5, /planned/], [6, /built/]] as const) passed(results[index], said);
  assert.ok(place.has('built'));
  assert.match(await place.bylaw('state', 'history'), /EXECUTING/);
});
