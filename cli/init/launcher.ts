/** The text of `.claude/bylaw.cjs`: a committed file that finds bylaw on every machine, and says so where it can't. */

const MARK = '// Written by `bylaw init`';

export function isLauncher(text: string): boolean {
  return text.startsWith(MARK);
}

/** `strict`: while bylaw is missing, tool calls are refused. */
export function launcherText(strict: boolean): string {
  return `${MARK}; commit it. It starts bylaw's hook for Claude
// Code, wherever bylaw is installed: in node_modules here or above, in those of
// the main worktree, or where \`bylaw init\` was last run on this machine.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

/** Refuse tool calls while bylaw is missing: the policy is strict. */
const STRICT = ${strict};

const root = path.dirname(__dirname);
const hook = above(root) || above(mainWorktree()) || recorded();
if (hook) require(hook);
else complain();

function above(folder) {
  while (folder) {
    const file = path.join(folder, 'node_modules', 'bylaw', 'dist', 'hook.cjs');
    if (fs.existsSync(file)) return file;
    const parent = path.dirname(folder);
    folder = parent === folder ? undefined : parent;
  }
}

/** In a worktree \`.git\` is a file that names a folder of the main one. */
function mainWorktree() {
  for (let folder = root; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    try {
      const link = fs.readFileSync(path.join(folder, '.git'), 'utf8');
      const git = path.resolve(folder, link.replace(/^gitdir: /, '').trim());
      const common = fs.readFileSync(path.join(git, 'commondir'), 'utf8').trim();
      return path.dirname(path.resolve(git, common));
    } catch {
      // No file of this name here.
    }
  }
}

/** The place that init noted in bylaw's state folder. */
function recorded() {
  try {
    const env = process.env;
    const state = env.XDG_STATE_HOME || path.join(env.HOME || env.USERPROFILE || require('node:os').homedir(), '.local', 'state');
    const { hook } = JSON.parse(fs.readFileSync(path.join(env.BYLAW_STATE_DIR || path.join(state, 'bylaw'), 'install.json'), 'utf8'));
    if (fs.existsSync(hook)) return hook;
  } catch {
    // Never installed on this machine.
  }
}

function complain() {
  const event = process.argv[2];
  const text = \`bylaw is not installed on this machine, so no rule of \${root} is kept. Run \\\`npm ci\\\` there, or install bylaw as its README says.\`;
  process.stderr.write(\`bylaw: \${text}\\n\`);
  const refuse = STRICT && event === 'PreToolUse' && !isRepair();
  const reply = refuse
    ? { hookSpecificOutput: { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: \`\${text} Its policy is strict: until then every other call is refused.\` } }
    : { systemMessage: text };
  process.stdout.write(JSON.stringify(reply) + '\\n');
}

/** Installing what is missing is always allowed. */
function isRepair() {
  try {
    const { tool_input: input } = JSON.parse(fs.readFileSync(0, 'utf8'));
    return /^\\s*(npm (ci|i|install)|pnpm (i|install)|yarn( install)?|bun install)\\s*$/.test(input.command);
  } catch {
    return false;
  }
}
`;
}
