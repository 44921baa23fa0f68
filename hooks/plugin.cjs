// What the plugin's hooks.json starts: `node plugin.cjs <Event>`. Silent in
// projects without bylaw.yaml, and at events where the settings call bylaw
// themselves; else it hands the event to bylaw's hook, and says so loudly where
// that is missing or can not be loaded. Plain CommonJS, because a marketplace's
// clone has no build: this file must run as it is, at every event.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const plugin = path.dirname(__dirname);
const event = process.argv[2];
const env = process.env;
/** Set once stdin was read; the hook can't read it again then. */
let input;

main();

function main() {
  const project = withPolicy(env.CLAUDE_PROJECT_DIR) || withPolicy(process.cwd()) || named() || withPolicy(payload().cwd);
  // At a change of settings both answer: the answer is the same, and one that was just written can't silence the plugin.
  if (!project || (event !== 'ConfigChange' && inSettings(project))) return;
  const hook = ours(plugin) || installedAbove(project) || recorded();
  if (!hook) return complain(project, 'the plugin was never built');
  try {
    if (input === undefined) require(hook);
    else handOver(hook);
  } catch (error) {
    complain(project, `it can not be loaded (${error instanceof Error ? error.message.split('\n')[0] : error})`);
  }
}

// ---------------------------------------------------------------- whose rules

/** The nearest folder upwards with a bylaw.yaml. */
function withPolicy(start) {
  return typeof start === 'string' && path.isAbsolute(start) ? upwards(start, (folder) => fs.existsSync(path.join(folder, 'bylaw.yaml')) && folder) : undefined;
}

function upwards(start, look) {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const found = look(folder);
    if (found) return found;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** A session above several projects: the project of the file that the call names. */
function named() {
  const tool = Object(payload().tool_input);
  return withPolicy(tool.file_path) || withPolicy(tool.notebook_path) || withPolicy(tool.path);
}

function payload() {
  try {
    input ??= fs.readFileSync(0, 'utf8');
    return Object(JSON.parse(input));
  } catch {
    return {};
  }
}

// ---------------------------------------------------------------- where the hook is

function ours(root) {
  const file = path.join(root, 'dist', 'hook.cjs');
  return fs.existsSync(file) ? file : undefined;
}

function installedAbove(project) {
  return upwards(project, (folder) => ours(path.join(folder, 'node_modules', 'bylaw')));
}

/** The place that `bylaw init` noted in bylaw's state folder. */
function recorded() {
  try {
    const state = env.BYLAW_STATE_DIR || path.join(env.XDG_STATE_HOME || path.join(home(), '.local', 'state'), 'bylaw');
    const { hook } = JSON.parse(fs.readFileSync(path.join(state, 'install.json'), 'utf8'));
    return fs.existsSync(hook) ? hook : undefined;
  } catch {
    return undefined;
  }
}

function home() {
  return env.HOME || env.USERPROFILE || require('node:os').homedir();
}

/** For the rare call whose project only its payload names. */
function handOver(hook) {
  const { stdout, stderr, error } = require('node:child_process').spawnSync(process.execPath, [hook, event], { input, env });
  if (error) throw error;
  fs.writeSync(2, stderr);
  fs.writeSync(1, stdout);
}

// ---------------------------------------------------------------- the settings come first

/** Whether the settings call bylaw for this event; both at once would count everything twice. */
function inSettings(project) {
  const start = env.CLAUDE_PROJECT_DIR || project;
  return settingsFiles(start).some((file) => handlersIn(file).some((handler) => isOurs(handler, start)));
}

/** Those of the folder that the session began in, the local ones of the repo's root, the user's and the administrator's. */
function settingsFiles(start) {
  const claude = (folder, name) => path.join(folder, '.claude', name);
  const managed = { darwin: '/Library/Application Support/ClaudeCode', win32: 'C:\\Program Files\\ClaudeCode' }[process.platform] || '/etc/claude-code';
  const user = env.CLAUDE_CONFIG_DIR || path.join(home(), '.claude');
  return [...new Set([claude(start, 'settings.json'), claude(start, 'settings.local.json'), claude(mainRoot(start), 'settings.local.json'), path.join(user, 'settings.json'), path.join(managed, 'managed-settings.json'), ...filesIn(path.join(managed, 'managed-settings.d'))])];
}

/** The repo's root; in a worktree, where `.git` is a file, that of the main one. */
function mainRoot(start) {
  const root = upwards(start, (folder) => fs.existsSync(path.join(folder, '.git')) && folder) || start;
  try {
    const git = path.resolve(root, fs.readFileSync(path.join(root, '.git'), 'utf8').replace(/^gitdir: /, '').trim());
    return path.dirname(path.resolve(git, fs.readFileSync(path.join(git, 'commondir'), 'utf8').trim()));
  } catch {
    return root;
  }
}

function filesIn(folder) {
  try {
    return fs.readdirSync(folder).map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

/** Handlers for this event that the client asks about every call. */
function handlersIn(file) {
  try {
    const text = fs.readFileSync(file, 'utf8');
    // Most files name us nowhere, and need not be parsed.
    if (!/bylaw|hook\.cjs/i.test(text)) return [];
    const groups = JSON.parse(plainJson(text)).hooks[event];
    return groups.filter(({ matcher }) => matcher === undefined || matcher === '' || matcher === '*').flatMap(({ hooks }) => hooks);
  } catch {
    // What is not there, or no JSON, calls nobody.
    return [];
  }
}

/** The client takes comments and trailing commas; strings stay as they are. */
function plainJson(text) {
  const strings = /("(?:[^"\\]|\\.)*")/.source;
  return text.replace(/^\uFEFF/, '').replace(new RegExp(`${strings}|//[^\\n]*|/\\*[^]*?\\*/`, 'g'), '$1').replace(new RegExp(`${strings}|,(?=\\s*[}\\]])`, 'g'), '$1');
}

/** One of the forms that init writes or the README shows. A file that it names must be there: one that is missing answers nothing. */
function isOurs(handler, start) {
  if (handler.async === true || handler.asyncRewake === true || handler.if !== undefined) return false;
  if (handler.type === 'http') return /\/hook\/?$/.test(handler.url) && JSON.stringify(handler.headers || {}).includes('BYLAW_TOKEN');
  if (handler.type !== 'command') return false;
  const line = [handler.command, ...(handler.args || [])].join('\n').replace(/\$\{?CLAUDE_PROJECT_DIR\}?/g, () => start);
  const script = /(?:\/|[A-Za-z]:[\\/])[^\n"']*?(?:[\\/]\.claude[\\/]bylaw|[\\/]dist[\\/]hook)\.cjs/.exec(line);
  // In one line the first path may be that of node.
  if (script) return fs.existsSync(script[0]) || fs.existsSync(script[0].split(/\s/).at(-1));
  return /(?:^|[\\/\s])bylaw(?:\.mjs|@\S*)?["']?\s+hook\b/.test(line);
}

// ---------------------------------------------------------------- nothing is found

/** Never silent: a guard that does nothing must say so. */
function complain(project, fault) {
  const text = `bylaw is not installed on this machine: ${fault}, so no rule of ${project} is kept. Run \`npm ci\` in ${plugin}.`;
  fs.writeSync(2, `bylaw: ${text}\n`);
  const refuse = event === 'PreToolUse' && isStrict(project) && !isRepair();
  const reply = refuse
    ? { hookSpecificOutput: { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: `${text} Its policy says \`on-error: deny\`: until then every other call is refused.` } }
    : { systemMessage: text };
  fs.writeSync(1, `${JSON.stringify(reply)}\n`);
}

/** Nothing here can read YAML; the words are enough. */
function isStrict(project) {
  try {
    return /^[^#\n]*\bon-error:\s*["']?deny\b/m.test(fs.readFileSync(path.join(project, 'bylaw.yaml'), 'utf8'));
  } catch {
    return true;
  }
}

/** Installing what is missing is always allowed, there and here. */
function isRepair() {
  const { tool_input: { command } = {} } = payload();
  if (typeof command !== 'string') return false;
  const there = command.startsWith(`cd ${plugin} && `) ? command.slice(`cd ${plugin} && `.length) : command.replace(` --prefix ${plugin}`, '');
  return /^\s*(npm (ci|i|install)|pnpm (i|install)|yarn( install)?|bun install)\s*$/.test(there);
}
