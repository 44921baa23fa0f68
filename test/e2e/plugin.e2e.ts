/** The plugin: hooks that come with the client's own plugins instead of settings. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from './model.ts';
import { bash, group, passed, refused, until, write, type Place } from './scenario.ts';

const scenario = group('plugin');

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'SubagentStop', 'Stop', 'ConfigChange'];

/** Until the repo is a plugin itself: the same hooks in the same places. */
function makePlugin({ folder, repo }: Place): string {
  const plugin = join(folder, 'plugin');
  for (const name of ['dist', 'policies', 'schema', 'package.json']) cpSync(join(repo, 'node_modules', 'bylaw', name), join(plugin, name), { recursive: true });
  mkdirSync(join(plugin, '.claude-plugin'));
  mkdirSync(join(plugin, 'hooks'));
  writeFileSync(join(plugin, '.claude-plugin', 'plugin.json'), JSON.stringify({ name: 'bylaw', version: '0.1.0', description: 'House rules' }));
  const handler = (event: string): object => ({ type: 'command', command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs', event] });
  writeFileSync(join(plugin, 'hooks', 'hooks.json'), JSON.stringify({ hooks: Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [handler(event)] }]])) }));
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
