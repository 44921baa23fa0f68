/** Disarming: whatever the agent, or somebody beside it, does to the settings, the session stays under its rules. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, Step } from './model.ts';
import { bash, group, passed, refused, told, until, write, type Place } from './scenario.ts';

const scenario = group('protection');

const POLICY = `
extends: [bylaw:self-protection]
rules:
  nothing-is-removed: { match: { runs: rm }, deny: Nothing is removed here. }
`;

/** The agent tries; then, after time enough for the client to take over new settings, the rule is still kept. */
async function staysActive(place: Place, ...attempts: readonly Call[]): Promise<void> {
  place.write('keep.txt', '');
  const { results } = await place.session([...attempts, bash('sleep 2'), bash('rm keep.txt')]);
  for (const [index] of attempts.entries()) refused(results[index], /hook error/);
  refused(results.at(-1), /Nothing is removed here/);
  assert.ok(place.has('keep.txt'));
}

scenario('the agent writes .claude/settings.json = {}', async (place) => {
  await place.govern(POLICY);
  const before = place.read('.claude/settings.json');
  const file = `${place.repo}/.claude/settings.json`;
  await staysActive(place, write(file, '{}'), bash('echo {} > .claude/settings.json'), bash('cd .claude && cp /dev/null settings.json'), bash('mv .claude .gone'), bash('git checkout -- .claude/settings.json'));
  assert.equal(place.read('.claude/settings.json'), before);
});

scenario('the agent writes disableAllHooks into .claude/settings.local.json', async (place) => {
  await place.govern(POLICY);
  const off = '{"disableAllHooks":true}';
  await staysActive(place, write(`${place.repo}/.claude/settings.local.json`, off), bash(`printf '${off}' > .claude/settings.local.json`), bash(`python3 -c "open('.claude/settings.local.json','w').write('x')"`));
  assert.ok(!place.has('.claude/settings.local.json'));
});

scenario('the agent rewrites ~/.claude/settings.json in the shell', async (place) => {
  await place.govern(POLICY, '--scope', 'user');
  const before = place.read('~/.claude/settings.json');
  await staysActive(place, bash('echo {} > ~/.claude/settings.json'), bash('sed -i s/PreToolUse/PostToolUse/ "$HOME/.claude/settings.json"'), bash(`rm -f ${place.home}/.claude/settings.json`));
  assert.equal(place.read('~/.claude/settings.json'), before);
});

scenario('the agent switches off the hooks of the user in the settings of the project', async (place) => {
  await place.govern(POLICY, '--scope', 'user');
  const off = '{"disableAllHooks":true}';
  await staysActive(place, write(`${place.repo}/.claude/settings.json`, off), bash(`mkdir -p .claude; echo '${off}' > .claude/settings.json`));
  assert.ok(!place.has('.claude/settings.json'));
});

scenario('the agent changes the policy, the switches, the state or the hook itself', async (place) => {
  await place.govern(POLICY);
  const before = place.read('bylaw.yaml');
  await staysActive(place, write(`${place.repo}/bylaw.yaml`, 'bylaw: 1'), bash('echo "bylaw: 1" > bylaw.yaml'), bash('npx bylaw disable'), bash('npx bylaw level guidance'), bash('rm -rf ~/.local/state/bylaw'), bash('rm -rf node_modules/bylaw'), bash('echo > .claude/bylaw.cjs'), write(`${place.repo}/.claude/bylaw.cjs`, ''), bash('BYLAW_STATE_DIR=/tmp/x claude -p hi'));
  assert.equal(place.read('bylaw.yaml'), before);
  assert.ok(place.has('node_modules/bylaw/dist/hook.cjs'));
});

// ---------------------------------------------------------------- changed behind bylaw's back

/** What the audit says of the last change of settings, so that the session goes on only after the client has asked. */
function asked({ audit }: Place, times: number): boolean {
  return audit().split('"ConfigChange"').length > times;
}

function outside(place: Place, change: () => void, times = 1): Step {
  return async () => {
    change();
    await until('the client asks whether it may take over the settings', () => asked(place, times));
    return bash('sleep 1');
  };
}

async function survives(place: Place, changes: readonly (() => void)[], cwd = place.repo): Promise<void> {
  place.write('keep.txt', '');
  const steps = changes.map((change, index) => outside(place, change, index + 1));
  const { results, words, notices } = await place.session([bash('echo begun'), ...steps, bash(`rm ${place.repo}/keep.txt`)], { cwd });
  passed(results[0]);
  refused(results.at(-1), /Nothing is removed here/);
  assert.ok(place.has('keep.txt'));
  told(words, /settings on disk were changed so that they would switch bylaw off/);
  assert.match(notices, /settings on disk were changed in this session/);
}

const OFF = '{"disableAllHooks":true}';
const FORMS: readonly (readonly [string, string, (place: Place) => void])[] = [
  ['the settings of the project become {}', 'project', ({ write: put }) => put('.claude/settings.json', '{}')],
  ['the settings of the project are no JSON any more', 'project', ({ write: put }) => put('.claude/settings.json', '{ "hooks": ')],
  ['the settings of the project are deleted', 'project', ({ repo }) => rmSync(join(repo, '.claude', 'settings.json'))],
  ['disableAllHooks comes into the settings of the project', 'project', ({ read, write: put }) => put('.claude/settings.json', read('.claude/settings.json').replace('{', '{"disableAllHooks":true,'))],
  ['one event is taken out of the settings', 'project', ({ read, write: put }) => put('.claude/settings.json', read('.claude/settings.json').replace('"PreToolUse":', '"Notification":'))],
  ['disableAllHooks comes as local settings', 'project', ({ write: put }) => put('.claude/settings.local.json', OFF)],
  ['the local settings become {}', 'local', ({ write: put }) => put('.claude/settings.local.json', '{}')],
  ['the settings of the user become {}', 'user', ({ write: put }) => put('~/.claude/settings.json', '{}')],
  ['disableAllHooks in the project, hooks of the user', 'user', ({ write: put }) => put('.claude/settings.json', OFF)],
];
for (const [name, scope, change] of FORMS) {
  scenario(`from outside: ${name}`, async (place) => {
    await place.govern(POLICY, '--scope', scope);
    await survives(place, [() => change(place)]);
  });
}

scenario('from outside: a second, harmless change does not let the first one in', async (place) => {
  await place.govern(POLICY);
  await survives(place, [() => place.write('.claude/settings.json', '{}'), () => place.write('~/.claude/settings.json', '{"env":{"A":"1"}}')]);
});

scenario('from outside: the local settings of the repo, in a session in a subfolder', async (place) => {
  await place.govern(POLICY, '--scope', 'local');
  place.write('src/a.ts', '');
  await survives(place, [() => place.write('.claude/settings.local.json', OFF)], join(place.repo, 'src'));
});

scenario('a script that nobody can see through rewrites the settings', async (place) => {
  place.write('tidy.sh', `echo '{}' > .claude/settings.json\n`);
  await place.govern(POLICY);
  place.write('keep.txt', '');
  const wait: Step = async () => {
    await until('the client asks whether it may take over the settings', () => asked(place, 1));
    return bash('sleep 1');
  };
  const { results } = await place.session([bash('sh ./tidy.sh'), wait, bash('rm keep.txt')]);
  passed(results[0]);
  assert.equal(place.read('.claude/settings.json').trim(), '{}');
  refused(results.at(-1), /Nothing is removed here/);
  assert.ok(place.has('keep.txt'));
});

scenario('a harmless change of settings is taken over', async (place) => {
  await place.govern(POLICY);
  const change: Step = () => {
    place.write('.claude/settings.local.json', '{"permissions":{"deny":["Bash(touch:*)"]}}');
    return bash('sleep 1');
  };
  // Tried until the client has taken it over.
  const tries = Array.from({ length: 30 }, (): Step => ({ results }) => (results.at(-1)?.failed === true ? bash('rm a') : bash('sleep 0.3; touch a')));
  const { results } = await place.session([bash('touch a'), change, ...tries]);
  const first = results.findIndex(({ failed }) => failed);
  refused(results[first], /denied|permission/i);
  refused(results[first + 1], /Nothing is removed here/);
  assert.ok(place.has('a'));
});
