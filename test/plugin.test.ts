/** The repo as a Claude Code plugin: its manifests, its hooks.json, the launcher that the client starts, and its commands. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { EVENTS } from '../engine/events.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { loadProject } from '../engine/plan/compile.ts';
import { eventsOf } from '../engine/plan/events.ts';
import { faultsOf, handlerFor, handlersIn } from '../hooks/hosts/claude-hooks.ts';
import { BYLAW, ROOT } from './place.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'bylaw-plugin-')));
after(() => rmSync(root, { recursive: true, force: true }));
let number = 0;

const json = (path: string): any => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const HOOKS = json('hooks/hooks.json');
const MANIFEST = json('.claude-plugin/plugin.json');
const SKILLS = join(ROOT, '.claude-plugin', 'skills');

const RULE = 'bylaw: 1\nrules:\n  no-web: { match: { tool: WebFetch }, deny: The web is not read. }\n';
const FETCH = { tool_name: 'WebFetch', tool_input: { url: 'https://example.com' } };

interface Project {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly write: (path: string, text: string) => string;
}

/** A folder with a home of its own; paths that begin with `~/` lie there. */
function makeProject(files: Readonly<Record<string, string>>): Project {
  const top = join(root, String(++number));
  const folder = join(top, 'project');
  mkdirSync(folder, { recursive: true });
  const write = (path: string, text: string): string => {
    const file = path.startsWith('~/') ? join(top, 'home', path.slice(2)) : join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { folder, env: { PATH: process.env['PATH'] ?? '', HOME: join(top, 'home'), BYLAW_STATE_DIR: join(top, 'state'), BYLAW_CACHE_DIR: join(top, 'cache') }, write };
}

interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly output: any;
}

interface Started {
  readonly plugin?: string;
  readonly event?: string;
  /** Of the process, of the session (CLAUDE_PROJECT_DIR), and as the payload says. */
  readonly cwd?: string;
  readonly start?: string | undefined;
  readonly said?: string;
  readonly nodeArgs?: readonly string[];
}

/** As the client starts it: the handler of hooks.json, filled in. */
function call({ folder, env }: Project, payload: object, options: Started = {}): Said {
  const { plugin = ROOT, event = 'PreToolUse', cwd = folder, nodeArgs = [] } = options;
  const start = 'start' in options ? options.start : folder;
  const { said = cwd } = options;
  const { command, args } = HOOKS.hooks[event][0].hooks[0];
  assert.equal(command, 'node');
  const filled = args.map((arg: string) => arg.replaceAll('${CLAUDE_PLUGIN_ROOT}', plugin));
  const done = spawnSync(process.execPath, [...nodeArgs, ...filled], {
    cwd,
    env: { ...env, CLAUDE_PLUGIN_ROOT: plugin, ...(start === undefined ? {} : { CLAUDE_PROJECT_DIR: start }) },
    input: `${JSON.stringify({ session_id: 's', cwd: said, hook_event_name: event, ...payload })}\n`,
    encoding: 'utf8',
  });
  assert.equal(done.status, 0, done.stderr);
  return { stdout: done.stdout, stderr: done.stderr, output: done.stdout === '' ? undefined : JSON.parse(done.stdout) };
}

function denied({ output, stderr }: Said, reason: RegExp): void {
  assert.equal(output?.hookSpecificOutput?.permissionDecision, 'deny', stderr);
  assert.match(output.hookSpecificOutput.permissionDecisionReason, reason);
}

function silent({ stdout, stderr }: Said): void {
  assert.deepEqual({ stdout, stderr }, { stdout: '', stderr: '' });
}

/** A clone of the marketplace that nobody built. */
function unbuilt(): string {
  const plugin = join(root, `clone-${++number}`);
  mkdirSync(join(plugin, 'hooks'), { recursive: true });
  cpSync(join(ROOT, 'hooks', 'plugin.cjs'), join(plugin, 'hooks', 'plugin.cjs'));
  return plugin;
}

// ---------------------------------------------------------------- manifests

describe('the manifests', () => {
  test('have the name, version and license of the package', () => {
    const { name, version, license } = json('package.json');
    assert.deepEqual({ name: MANIFEST.name, version: MANIFEST.version, license: MANIFEST.license }, { name, version, license });
  });
  test('offer one plugin, which is the repo', () => {
    const { name, plugins } = json('.claude-plugin/marketplace.json');
    assert.equal(name, 'bylaw');
    assert.deepEqual(plugins.map((each: any) => [each.name, each.source]), [['bylaw', './']]);
  });
  test('are in the npm package with all that they name', () => {
    const { files } = json('package.json');
    for (const path of ['.claude-plugin', 'hooks/hooks.json', 'hooks/plugin.cjs', 'dist', 'schema', 'policies']) assert.ok(files.includes(path), path);
  });
});

// ---------------------------------------------------------------- hooks.json

describe('hooks.json', () => {
  const covered = Object.keys(HOOKS.hooks);

  test('is valid by the rules of the client', () => assert.deepEqual(faultsOf(HOOKS), []));

  for (const pack of readdirSync(join(ROOT, 'policies')).flatMap((name) => /^([^.]+)\.yaml$/.exec(name)?.[1] ?? [])) {
    test(`covers the events of bylaw:${pack}`, () => {
      const { folder, env } = makeProject({ 'bylaw.yaml': `bylaw: 1\nextends: [bylaw:${pack}]\n` });
      const { core } = loadProject(folder, env);
      assert.ok(core !== undefined);
      assert.deepEqual(eventsOf(buildPlan(core)).filter((event) => !covered.includes(event)), []);
    });
  }
  test('covers every event at which a rule can refuse', () => {
    assert.deepEqual(Object.entries(EVENTS).filter(([, { deny }]) => deny !== 'no').map(([event]) => event).filter((event) => !covered.includes(event)), []);
  });
  test('never has events at which an answer does harm', () => {
    for (const event of ['WorktreeCreate', 'MessageDisplay', 'PostToolBatch']) assert.ok(!covered.includes(event), event);
  });
  test('starts the launcher in the same way everywhere, and never blocks by itself', () => {
    for (const { event, matcher, handler } of handlersIn(HOOKS)) {
      // No onFailure: it would hold in projects without bylaw.yaml too.
      assert.deepEqual({ matcher, handler }, { matcher: undefined, handler: { type: 'command', command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/hooks/plugin.cjs', event], timeout: 120 } });
    }
  });
});

// ---------------------------------------------------------------- the launcher

describe('the launcher', () => {
  test('keeps the policy of the project, at every event that the client may send', () => {
    const project = makeProject({ 'bylaw.yaml': RULE });
    denied(call(project, FETCH), /The web is not read/);
    for (const event of Object.keys(HOOKS.hooks).filter((name) => name !== 'PreToolUse')) assert.equal(call(project, {}, { event }).stdout, '', event);
  });
  test('says nothing without a bylaw.yaml, and loads nothing but itself', () => {
    const project = makeProject({ 'readme.md': '' });
    const trace = project.write('trace.cjs', "process.on('exit', () => require('node:fs').writeFileSync(require('node:path').join(__dirname, 'loaded.json'), JSON.stringify(Object.keys(require.cache))));\n");
    silent(call(project, FETCH, { nodeArgs: ['--require', trace] }));
    assert.deepEqual(JSON.parse(readFileSync(join(project.folder, 'loaded.json'), 'utf8')).filter((file: string) => file !== trace), [join(ROOT, 'hooks', 'plugin.cjs')]);
    for (const event of Object.keys(HOOKS.hooks)) silent(call(project, {}, { event }));
  });
  test('without a bylaw.yaml it is silent even where it was never built', () => silent(call(makeProject({}), FETCH, { plugin: unbuilt() })));

  test('finds the project from the host, from its own folder, and from the payload', () => {
    const project = makeProject({ 'bylaw.yaml': RULE, 'src/a.ts': '' });
    const elsewhere = makeProject({}).folder;
    denied(call(project, FETCH, { start: join(project.folder, 'src'), cwd: elsewhere }), /web is not read/);
    denied(call(project, FETCH, { start: undefined, cwd: join(project.folder, 'src') }), /web is not read/);
    denied(call(project, FETCH, { start: elsewhere, cwd: elsewhere, said: join(project.folder, 'src') }), /web is not read/);
    silent(call(project, FETCH, { start: elsewhere, cwd: elsewhere }));
  });

  test('not built: the bylaw of the project, else the one that init noted', () => {
    const plugin = unbuilt();
    const stub = (text: string): string => `process.stdout.write(JSON.stringify({ systemMessage: ${JSON.stringify(text)} + process.argv[2] }) + '\\n');\n`;
    const project = makeProject({ 'bylaw.yaml': RULE });
    const noted = project.write('../elsewhere/hook.cjs', stub('noted '));
    mkdirSync(project.env['BYLAW_STATE_DIR'] ?? '', { recursive: true });
    writeFileSync(join(project.env['BYLAW_STATE_DIR'] ?? '', 'install.json'), JSON.stringify({ hook: noted }));
    assert.deepEqual(call(project, FETCH, { plugin }).output, { systemMessage: 'noted PreToolUse' });
    project.write('../node_modules/bylaw/dist/hook.cjs', stub('above '));
    assert.deepEqual(call(project, FETCH, { plugin }).output, { systemMessage: 'above PreToolUse' });
  });

  describe('finds nothing', () => {
    const npmCi = (folder: string): object => ({ tool_name: 'Bash', tool_input: { command: `cd ${folder} && npm ci` } });
    test('says so to the person, with the command that mends it', () => {
      const plugin = unbuilt();
      const project = makeProject({ 'bylaw.yaml': RULE });
      for (const event of ['PreToolUse', 'SessionStart', 'Stop']) {
        const { output, stderr } = call(project, FETCH, { plugin, event });
        assert.deepEqual(Object.keys(output), ['systemMessage']);
        assert.match(output.systemMessage, /never built, so no rule of .*project is kept. Run `npm ci` in .*clone-/);
        assert.match(stderr, /^bylaw: bylaw is not installed on this machine/);
      }
    });
    test('refuses where the policy says `on-error: deny`, but not what mends it', () => {
      const plugin = unbuilt();
      const project = makeProject({ 'bylaw.yaml': `${RULE}on-error: deny\n` });
      denied(call(project, FETCH, { plugin }), /npm ci[^]*on-error: deny/);
      for (const payload of [npmCi(plugin), { tool_name: 'Bash', tool_input: { command: 'npm ci' } }, { tool_name: 'Bash', tool_input: { command: `npm ci --prefix ${plugin}` } }]) assert.ok(call(project, payload, { plugin }).output.systemMessage);
      denied(call(project, { tool_name: 'Bash', tool_input: { command: `cd ${plugin} && npm ci; rm -r src` } }, { plugin }), /npm ci/);
      assert.ok(call(project, {}, { plugin, event: 'Stop' }).output.systemMessage);
    });
    test('a comment about `on-error: deny` is no strictness', () => {
      assert.ok(call(makeProject({ 'bylaw.yaml': `# on-error: deny\n${RULE}` }), FETCH, { plugin: unbuilt() }).output.systemMessage);
    });
  });

  test('a hook that can not be loaded is as loud', () => {
    const plugin = unbuilt();
    mkdirSync(join(plugin, 'dist'));
    writeFileSync(join(plugin, 'dist', 'hook.cjs'), 'throw new Error("half a build")\n');
    assert.match(call(makeProject({ 'bylaw.yaml': RULE }), FETCH, { plugin }).output.systemMessage, /can not be loaded \(half a build\)[^]*npm ci/);
    denied(call(makeProject({ 'bylaw.yaml': `on-error: deny\n${RULE}` }), FETCH, { plugin }), /half a build/);
  });
});

// ---------------------------------------------------------------- beside the settings

describe('where the settings call bylaw too, the launcher', () => {
  const init = (project: Project, ...args: readonly string[]): void => {
    const done = spawnSync(process.execPath, [BYLAW, 'init', '--yes', ...args], { cwd: project.folder, env: project.env, encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
  };
  const settings = (handler: object, more: object = {}): string => JSON.stringify({ hooks: { PreToolUse: [{ hooks: [handler], ...more }] } });

  for (const args of [['--scope', 'project'], ['--scope', 'local'], ['--scope', 'user'], ['--transport', 'http']]) {
    test(`is quiet after \`init ${args.join(' ')}\`, and speaks again after its removal`, () => {
      const project = makeProject({ 'bylaw.yaml': RULE });
      denied(call(project, FETCH), /web is not read/);
      init(project, ...args);
      silent(call(project, FETCH));
      init(project, '--remove', ...args.filter((arg) => arg !== '--transport' && arg !== 'http'));
      denied(call(project, FETCH), /web is not read/);
    });
  }
  test('is quiet in a subfolder and in a worktree, where the local settings of the main one count', () => {
    const project = makeProject({ 'bylaw.yaml': RULE, 'src/a.ts': '' });
    const git = (...args: readonly string[]): void => assert.equal(spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: project.folder, env: project.env }).status, 0);
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'first');
    git('worktree', 'add', '-q', '../tree');
    const tree = join(project.folder, '..', 'tree');
    denied(call(project, FETCH, { start: tree, cwd: tree }), /web is not read/);
    init(project, '--scope', 'local');
    silent(call(project, FETCH, { start: tree, cwd: tree }));
    silent(call(project, FETCH, { start: join(project.folder, 'src') }));
  });
  test('speaks in a subfolder that the project settings do not reach', () => {
    const project = makeProject({ 'bylaw.yaml': RULE, 'src/a.ts': '' });
    init(project, '--scope', 'project');
    denied(call(project, FETCH, { start: join(project.folder, 'src') }), /web is not read/);
  });
  test('speaks at events that the settings leave out', () => {
    const project = makeProject({ 'bylaw.yaml': RULE });
    init(project);
    project.write('policies/prompts.yaml', 'bylaw: 1\nrules:\n  hello: { event: UserPromptSubmit, advise: Be kind. }\n');
    silent(call(project, FETCH));
    assert.match(call(project, { prompt: 'x' }, { event: 'UserPromptSubmit' }).stdout, /Be kind/);
  });
  test('at a change of settings speaks in any case, so that nothing written there can silence it', () => {
    const project = makeProject({ 'bylaw.yaml': `${RULE}extends: [bylaw:self-protection]\n` });
    init(project);
    const file = project.write('.claude/settings.local.json', '{"disableAllHooks":true}');
    assert.equal(call(project, { source: 'local_settings', file_path: file }, { event: 'ConfigChange' }).output?.decision, 'block');
  });

  const program = handlerFor('PreToolUse', { program: { command: process.execPath, args: [join(ROOT, 'dist', 'hook.cjs')] }, transport: 'command', port: 1, strict: [] });
  for (const [name, text] of Object.entries({
    'comments and trailing commas': `// "x": { /* \n${settings(program).replace('{', '{ /* {" */ ').replace(/\}$/, ', }')}`,
    'a shell line': settings({ type: 'command', command: `${process.execPath} ${join(ROOT, 'dist', 'hook.cjs')} PreToolUse` }),
    'the line of the README': settings({ type: 'command', command: 'bylaw hook' }),
    'npx': settings({ type: 'command', command: 'npx bylaw hook' }),
    'the slow entry': settings({ type: 'command', command: 'node', args: [BYLAW, 'hook'] }),
  })) {
    test(`is quiet: ${name}`, () => silent(call(makeProject({ 'bylaw.yaml': RULE, '~/.claude/settings.json': text }), FETCH)));
  }
  for (const [name, text] of Object.entries({
    'a word in another place': JSON.stringify({ env: { X: 'bylaw hook' }, note: '.claude/bylaw.cjs' }),
    'a comment': '{ // node .claude/bylaw.cjs, bylaw hook\n "hooks": {} }',
    'a file that is not there': settings({ type: 'command', command: 'node', args: ['${CLAUDE_PROJECT_DIR}/.claude/bylaw.cjs', 'PreToolUse'] }),
    'only some tools': settings(program, { matcher: 'Bash' }),
    'a handler that nobody waits for': settings({ ...program, async: true }),
    'another server': settings({ type: 'http', url: 'http://127.0.0.1:47615/hook' }),
    'no JSON': `${settings(program)}}`,
    'a guard of somebody else': settings({ type: 'command', command: 'node', args: ['other.cjs', 'bylaw'] }),
  })) {
    test(`speaks: ${name}`, () => denied(call(makeProject({ 'bylaw.yaml': RULE, '.claude/settings.json': text }), FETCH), /web is not read/));
  }
});

// ---------------------------------------------------------------- commands

describe('the commands', () => {
  const names = ['delegate', 'explain', 'level', 'new-rule', 'status'];
  const textOf = (name: string): string => readFileSync(join(SKILLS, name, 'SKILL.md'), 'utf8');

  test('are these, in the folder that the manifest names', () => {
    assert.equal(join(ROOT, MANIFEST.skills), `${SKILLS}/`);
    assert.deepEqual(readdirSync(SKILLS).sort(), names);
  });
  for (const name of names) {
    test(`${name}: what the client runs by itself only looks, and takes no words of others`, () => {
      const text = textOf(name);
      // The client runs these without asking any hook.
      const run = [...text.matchAll(/!`([^`]*)`/g)].map(([, command]) => command);
      for (const command of run) assert.match(command ?? '', /^node "\$\{CLAUDE_PLUGIN_ROOT\}\/dist\/bylaw\.mjs" (status|level) 2>&1 \|\| true$/);
      assert.doesNotMatch(text, /^```!/m);
      assert.match(text, new RegExp(`^---\\nname: ${name}\\ndescription: .`));
    });
  }
  test('files that they name are there', () => {
    for (const name of names) for (const [, path = ''] of textOf(name).matchAll(/\$\{CLAUDE_PLUGIN_ROOT\}\/([\w./-]+)/g)) assert.ok(existsSync(join(ROOT, path)), `${name}: ${path}`);
  });
  test('subcommands that they name are there', () => {
    const help = spawnSync(process.execPath, [BYLAW, '--help'], { encoding: 'utf8' }).stdout;
    for (const name of names) for (const [, word = ''] of textOf(name).matchAll(/(?:`|^ *)bylaw ([a-z]+)/gm)) assert.match(help, new RegExp(`^  ${word}\\b`, 'm'), `${name}: bylaw ${word}`);
  });
  test('the example of new-rule passes its test, and fails without the rule', () => {
    const files = Object.fromEntries([...textOf('new-rule').matchAll(/```yaml\n# file: (\S+)\n([^]*?)```/g)].map(([, file = '', text = '']) => [file, text]));
    assert.deepEqual(Object.keys(files), ['bylaw.yaml', 'policies/history-is-kept.test.yaml']);
    const project = makeProject(files);
    const bylaw = (...args: readonly string[]) => spawnSync(process.execPath, [BYLAW, ...args], { cwd: project.folder, env: project.env, encoding: 'utf8' });
    assert.equal(bylaw('check').status, 0);
    const tested = bylaw('test');
    assert.equal(tested.status, 0, tested.stdout + tested.stderr);
    project.write('bylaw.yaml', (files['bylaw.yaml'] ?? '').replace('git push --force, git push -f', 'git fetch'));
    assert.notEqual(bylaw('test').status, 0);
  });
  test('new-rule: the way that it offers to people opens policy files to the edit tools, and only those', () => {
    const project = makeProject({ 'bylaw.yaml': 'bylaw: 1\nextends: [bylaw:self-protection]\n' });
    const write = { tool_name: 'Write', tool_input: { file_path: join(project.folder, 'policies', 'x.yaml'), content: RULE } };
    denied(call(project, write), /changed by people/);
    const set = /^ *bylaw (state set .*)$/m.exec(textOf('new-rule'))?.[1] ?? '';
    assert.equal(spawnSync(process.execPath, [BYLAW, ...set.split(' ')], { cwd: project.folder, env: project.env }).status, 0);
    silent(call(project, write));
    denied(call(project, { tool_name: 'Bash', tool_input: { command: 'echo > policies/x.yaml' } }), /changed by people/);
  });
});
