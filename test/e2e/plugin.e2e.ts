/** The plugin: hooks that come with the client's own plugins instead of settings. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from './model.ts';
import { ROOT } from '../place.ts';
import { agent, bash, group, notTold, passed, read, refused, told, until, write, type Place } from './scenario.ts';

const scenario = group('plugin');

/** A copy of what is published, which a scenario may break. */
function makePlugin({ folder, repo }: Place): string {
  const plugin = join(folder, 'plugin');
  cpSync(realpathSync(join(repo, 'node_modules', 'bylaw')), plugin, { recursive: true });
  return plugin;
}

/** From the folder as a marketplace; the client notes it in the user's settings. */
async function install(place: Place): Promise<string> {
  const plugin = makePlugin(place);
  await place.claude('plugin', 'marketplace', 'add', plugin);
  await place.claude('plugin', 'install', 'bylaw@bylaw');
  return plugin;
}

const POLICY = `bylaw: 1
extends: [bylaw:self-protection]
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
`;

scenario('its hooks hold the policy of the project, also in a subfolder, and nothing without one', async (place) => {
  const args = ['--plugin-dir', makePlugin(place)];
  place.write('src/keep.txt', '');
  passed((await place.session([bash('rm src/keep.txt')], { args })).results[0]);
  place.write('src/keep.txt', '');
  place.write('bylaw.yaml', POLICY);
  refused((await place.session([bash('rm src/keep.txt')], { args })).results[0], /Nothing is removed here/);
  refused((await place.session([bash('rm keep.txt')], { args, cwd: join(place.repo, 'src') })).results[0], /Nothing is removed here/);
  assert.ok(place.has('src/keep.txt'));
});

scenario('the agent empties its hooks.json', async (place) => {
  const plugin = makePlugin(place);
  place.write('bylaw.yaml', POLICY);
  place.write('keep.txt', '');
  const file = join(plugin, 'hooks', 'hooks.json');
  const before = readFileSync(file, 'utf8');
  const { results } = await place.session([write(file, '{}'), bash(`echo '{}' > ${file}`), bash(`cp /dev/null ${plugin}/dist/hook.cjs`), bash('sleep 3'), bash('rm keep.txt')], { args: ['--plugin-dir', plugin] });
  for (const index of [0, 1, 2, 4]) refused(results[index], /hook error/);
  assert.equal(readFileSync(file, 'utf8'), before);
  assert.ok(place.has('keep.txt'));
});

scenario('from outside: its hooks.json is emptied', async (place) => {
  const plugin = makePlugin(place);
  place.write('bylaw.yaml', POLICY);
  place.write('keep.txt', '');
  const empty: Step = () => {
    writeFileSync(join(plugin, 'hooks', 'hooks.json'), '{"hooks":{}}');
    return bash('sleep 3');
  };
  const { results } = await place.session([bash('echo begun'), empty, bash('rm keep.txt')], { args: ['--plugin-dir', plugin] });
  refused(results.at(-1), /Nothing is removed here/);
});

for (const [name, file] of [['the project', '.claude/settings.json'], ['the user', '~/.claude/settings.json']] as const) {
  scenario(`from outside: disableAllHooks comes into the settings of ${name}`, async (place) => {
    const plugin = makePlugin(place);
    place.write('bylaw.yaml', POLICY);
    place.write('keep.txt', '');
    const off: Step = async () => {
      place.write(file, '{"disableAllHooks":true}');
      await until('the client asks whether it may take over the settings', () => place.audit().includes('"ConfigChange"'));
      return bash('sleep 1');
    };
    const { results } = await place.session([bash('echo begun'), off, bash('rm keep.txt')], { args: ['--plugin-dir', plugin] });
    refused(results.at(-1), /Nothing is removed here/);
    assert.ok(place.has('keep.txt'));
  });
}

// ---------------------------------------------------------------- the repo as a plugin and a marketplace

scenario('the client finds no fault with the repo, nor with what is published', async (place) => {
  for (const folder of [ROOT, makePlugin(place)]) {
    // It ends with 1 at any warning, which `claude` takes for a failure.
    const said = await place.claude('plugin', 'validate', '--strict', folder);
    assert.match(said, /Validation passed/);
    for (const name of COMMANDS) assert.match(said, new RegExp(`skills: bylaw:${name}`));
  }
});

scenario('installed from the marketplace: it refuses under a policy and is silent without one', async (place) => {
  await install(place);
  assert.match(place.read('~/.claude/settings.json'), /"bylaw@bylaw": true/);
  place.write('keep.txt', '');
  const free = await place.session([bash('rm keep.txt')]);
  passed(free.results[0]);
  assert.equal(free.notices, '');
  notTold(free.requests.map(({ words }) => words).join('\n'), /hook (?:error|additional context)/);
  assert.equal(place.audit(), '');
  place.write('keep.txt', '');
  place.write('bylaw.yaml', POLICY);
  refused((await place.session([bash('rm keep.txt')])).results[0], /Nothing is removed here/);
  assert.ok(place.has('keep.txt'));
});

scenario('the agent takes it out with the client', async (place) => {
  await install(place);
  place.write('bylaw.yaml', POLICY);
  place.write('keep.txt', '');
  const { results } = await place.session([bash('claude plugin disable bylaw@bylaw'), bash('claude plugin uninstall bylaw@bylaw'), write(`${place.home}/.claude/settings.json`, '{}'), bash('rm keep.txt')]);
  for (const result of results) refused(result, /hook error/);
  assert.equal(results.length, 4);
  assert.match(place.read('~/.claude/settings.json'), /"bylaw@bylaw": true/);
});

const READS = `bylaw: 1
rules:
  two-reads: { match: { tool: Read }, limit: 2, deny: 'This is read {count}.' }
`;

for (const [name, init] of [['alone', undefined], ['beside init', []], ['beside init for the user', ['--scope', 'user']]] as const) {
  scenario(`every call is counted and noted once: ${name}`, async (place) => {
    place.write('bylaw.yaml', READS);
    await install(place);
    if (init !== undefined) await place.bylaw('init', '--yes', ...init);
    place.write('a.txt', 'text');
    const { results } = await place.session([1, 2, 3].map(() => read(join(place.repo, 'a.txt'))));
    passed(results[0]);
    passed(results[1]);
    refused(results[2], /This is read 3/);
    assert.equal(place.audit().split('\n').filter((line) => line.includes('two-reads')).length, 1, place.audit());
  });
}

for (const [strict, does] of [['on-error: deny\n', 'refuses'], ['', 'passes']] as const) {
  scenario(`a clone that was never built says so; a policy ${strict === '' ? 'without' : 'with'} on-error: deny ${does}`, async (place) => {
    const plugin = makePlugin(place);
    rmSync(join(plugin, 'dist'), { recursive: true });
    rmSync(join(place.repo, 'node_modules'), { recursive: true });
    place.write('bylaw.yaml', `${POLICY}${strict}`);
    const { results, notices } = await place.session([bash('touch a')], { args: ['--plugin-dir', plugin] });
    if (strict === '') assert.match(notices, /never built[^]*npm ci/);
    else refused(results[0], /never built[^]*npm ci/);
    assert.equal(place.has('a'), strict === '');
  });
}

// ---------------------------------------------------------------- its commands

const COMMANDS = ['delegate', 'explain', 'level', 'new-rule', 'status'];

scenario('typed commands reach the model, with what they looked up and with paths filled in', async (place) => {
  const plugin = await install(place);
  place.write('bylaw.yaml', POLICY);
  for (const [prompt, text] of [
    ['/bylaw:status', /what `bylaw status` says[^]*bylaw +strict +1 rule/],
    ['/bylaw:level guidance 30m', /levels at this moment[^]*strict[^]*The person wants: guidance 30m[^]*for them to run/],
    ['/bylaw:explain Bash rm x', /to be explained: Bash rm x[^]*--session [0-9a-f]{8}-/],
    ['/bylaw:new-rule nobody pushes', /a rule about: nobody pushes[^]*agent-may-repair true/],
    ['/bylaw:delegate mend the parser', /Delegate this whole request[^]*mend the parser/],
  ] as const) {
    // Not in bypass mode: what a command looks up needs no question.
    const { words, requests } = await place.session(['done'], { prompts: [prompt], mode: 'default' });
    assert.equal(requests.length, 1, prompt);
    told(words, text);
    if (!prompt.includes('delegate')) assert.ok(words.includes(`${plugin}/dist/bylaw.mjs`) || prompt === '/bylaw:status', prompt);
    notTold(words, /\$\{CLAUDE_/);
  }
});

scenario('the model sees the commands that are for it, and can not switch levels with one', async (place) => {
  await install(place);
  place.write('bylaw.yaml', POLICY);
  const { words, results } = await place.session([{ tool: 'Skill', input: { skill: 'bylaw:level', args: 'disabled' } }, { tool: 'Skill', input: { skill: 'bylaw:status' } }, bash('bylaw level disabled'), bash('node node_modules/bylaw/dist/bylaw.mjs level disabled')]);
  for (const name of COMMANDS.filter((each) => each !== 'level')) told(words, new RegExp(`- bylaw:${name}: `));
  notTold(words, /- bylaw:level: /);
  assert.ok(results[0]?.failed);
  passed(results[1]);
  refused(results[2], /Only a person switches/);
  refused(results[3], /Only a person switches/);
});

scenario('a refused agent delegates with the command that the refusal names', async (place) => {
  await install(place);
  place.write('bylaw.yaml', 'bylaw: 1\nextends: [bylaw:delegation]\n');
  place.write('a.txt', 'text');
  const { results, words } = await place.session({ main: [read(join(place.repo, 'a.txt')), { tool: 'Skill', input: { skill: 'bylaw:delegate', args: 'read a.txt' } }, agent('reader')], reader: [read(join(place.repo, 'a.txt'))] });
  refused(results[0], /Use \/delegate/);
  passed(results[1]);
  told(words, /Delegate this whole request[^]*read a\.txt/);
  passed(results[2]);
});
