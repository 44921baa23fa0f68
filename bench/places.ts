/** Throw-away projects for the bench, each with state and plans of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
export const HOOK = join(ROOT, 'dist', 'hook.cjs');
export const BYLAW = join(ROOT, 'dist', 'bylaw.mjs');

export interface Ground {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** A project with this policy; without one there is no bylaw.yaml. */
  readonly project: (name: string, policy?: string) => string;
  readonly remove: () => void;
}

export function makeGround(): Ground {
  const folder = mkdtempSync(join(tmpdir(), 'bylaw-bench-'));
  return {
    folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, BYLAW_STATE_DIR: join(folder, 'state'), BYLAW_CACHE_DIR: join(folder, 'cache'), BYLAW_TOKEN: 'a-secret-of-the-bench-0123456789' },
    project: (name, policy) => {
      const project = join(folder, name);
      mkdirSync(project, { recursive: true });
      if (policy !== undefined) writeFileSync(join(project, 'bylaw.yaml'), policy);
      return project;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const FIVE_PACKS = `bylaw: 1
extends: [bylaw:orchestration-discipline, bylaw:orchestrator-mode, bylaw:workflow-orchestrator, bylaw:four-layer, bylaw:pipeline]
`;

/** As the client writes it. */
export function callOf(cwd: string, tool: string, input: object, more: object = {}): string {
  return `${JSON.stringify({ session_id: 'bench', transcript_path: join(cwd, 't.jsonl'), cwd, prompt_id: 'p', permission_mode: 'default', effort: { level: 'high' }, hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input, tool_use_id: 'toolu_1', ...more })}\n`;
}
