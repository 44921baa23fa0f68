/**
 * The rules of this folder in an agent that is built with the Claude Agent SDK:
 *
 *   import { query } from '@anthropic-ai/claude-agent-sdk';
 *   import { sdkHooks } from 'bylaw';
 *
 *   const cwd = process.cwd();
 *   for await (const message of query({ prompt: 'Fix the login error.', options: { cwd, hooks: sdkHooks({ cwd }) } })) {
 *     console.log(message);
 *   }
 *
 * `sdkHooks({ cwd, onFailure: 'block' })` also blocks a call if the callback itself fails.
 * Here the callbacks are called by hand, as the SDK would, so that it runs without network and key.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// In your project: from 'bylaw'.
import { createEngine, sdkHooks } from '../../hooks/index.ts';

const cwd = dirname(fileURLToPath(import.meta.url));
/** What rules remember is kept between sessions; an example leaves nothing behind. */
const scratch = mkdtempSync(join(tmpdir(), 'bylaw-example-'));
const env = { ...process.env, BYLAW_STATE_DIR: join(scratch, 'state'), BYLAW_CACHE_DIR: join(scratch, 'cache') };

const engine = createEngine({ env, cwd });
const hooks = sdkHooks({ engine, env, cwd });

const CALLS: readonly (readonly [tool: string, input: object])[] = [
  ['Read', { file_path: join(cwd, 'src/login.ts') }],
  ['Read', { file_path: join(cwd, 'src/session.ts') }],
  ['Read', { file_path: join(cwd, 'src/token.ts') }],
  ['Bash', { command: 'npm test && git push --force' }],
];

for (const [tool, input] of CALLS) {
  const payload = { session_id: 'example', transcript_path: '', cwd, hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input, tool_use_id: 'toolu_1' };
  const reply = await hooks.PreToolUse?.[0]?.hooks[0]?.(payload);
  const output = reply?.hookSpecificOutput;
  const said = output !== undefined && 'permissionDecision' in output ? `${output.permissionDecision}: ${output.permissionDecisionReason.replace('\n', ' ')}` : 'nothing to say';
  console.log(`${tool.padEnd(5)} ${said}`);
}

await engine.close();
rmSync(scratch, { recursive: true, force: true });
