/** Compiled code of the hook for V8, made once per build and Node: a hook call then need not parse its own source. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from '../engine/plan/compile.ts';
import { codeFile, loadPart, PARTS, type Part } from '../hooks/boot.ts';
import type * as Run from '../hooks/run.ts';

/** Uses what rules commonly use, so that the functions behind it are compiled when the cache is made. */
const POLICY = `bylaw: 1
extends: [bylaw:base]
facts:
  tested: { scope: session }
rules:
  reads: { match: { tool: Read, by: main }, limit: 1, until: { tool: $delegation }, deny: 'Read {count} of {path}.', instead: Delegate. }
  files: { match: { tool: $edit-tools, path: ['.env', 'src/**', '*.{pem,key}'] }, unless: { path: docs/** }, advise: '{path} has an owner.' }
  pushes: { match: { runs: git push --force }, unless: { tested: true }, deny: No. }
  tests: { event: PostToolUse, match: { runs: npm test }, then: { remember: { tested: true } } }
  streak: { match: { tool: [Read, Edit, Bash], by: main }, until: { tool: $delegation }, advise: { 2: 'Call {count}.', 4 and doubling: 'Call {count}!' } }
  stops: { event: Stop, ack: 'ACK-{random}', times: 3, scope: turn, deny: 'End with {token}.' }
  logic: { match: { tool: WebFetch }, when: { '==': [{ var: tool }, WebFetch] }, deny: No web. }
`;
const EVENTS: readonly object[] = [
  { hook_event_name: 'SessionStart', source: 'startup' },
  { hook_event_name: 'UserPromptSubmit', prompt: 'fix it' },
  { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: 'src/a.ts' } },
  { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: '.env' } },
  { hook_event_name: 'PreToolUse', tool_name: 'Edit', tool_input: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' } },
  { hook_event_name: 'PreToolUse', tool_name: 'Edit', tool_input: { file_path: 'lib/a.pem', old_string: 'a', new_string: 'b' } },
  { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'cd src && npm test | tail -5; git -C . push --force origin main > out.txt' } },
  { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_response: {} },
  { hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: { url: 'https://example.com' } },
  { hook_event_name: 'PreToolUse', tool_name: 'Agent', tool_input: { subagent_type: 'Explore', prompt: 'look' } },
  { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'done' },
];

/** Failure costs time only: the hook compiles its source then. */
export async function warm(env: NodeJS.ProcessEnv): Promise<void> {
  const from = dirname(fileURLToPath(import.meta.url));
  if (!PARTS.every((name) => existsSync(join(from, name))) || existsSync(codeFile('hook-main.cjs', env))) return;
  const folder = mkdtempSync(join(tmpdir(), 'bylaw-warm-'));
  try {
    const parts = await exercised(from, folder);
    // The main part last: its file says that all are there.
    for (const [name, { script }] of [...parts].sort(([a], [b]) => Number(a === 'hook-main.cjs') - Number(b === 'hook-main.cjs'))) write(codeFile(name, env), script.createCachedData());
  } catch {
    // The folder can't be written, or the disk is full.
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a project of its own, with state and plans of its own. */
async function exercised(from: string, folder: string): Promise<ReadonlyMap<string, Part>> {
  const env = { ...process.env, BYLAW_STATE_DIR: join(folder, 'state'), BYLAW_CACHE_DIR: join(folder, 'cache'), CLAUDE_PROJECT_DIR: folder };
  writeFileSync(join(folder, 'bylaw.yaml'), POLICY);
  compile(folder, env);
  const require = createRequire(import.meta.url);
  const parts = new Map<string, Part>();
  const main = loadPart('hook-main.cjs', from, env, require, parts);
  // The build put the part there with these exports.
  const { hook } = main.exports as typeof Run;
  for (const event of EVENTS) {
    const input = JSON.stringify({ session_id: 'warm', cwd: folder, ...event });
    await hook({ input, env, cwd: folder });
  }
  return parts;
}

function write(file: string, data: Buffer): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, data, { mode: 0o600 });
  renameSync(draft, file);
}
