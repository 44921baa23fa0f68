/** System 2: flag files under `.claude/state` that only its own hooks wrote are what bylaw remembers; flags and graphs that people make stay files. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { span } from '../../../cli/status.ts';
import type { Json, JsonObject, Scope } from '../../../engine/model.ts';
import { put, record, valuesCell, valuesIn, type Adapter, type Stage } from '../adapter.ts';

const FOR_ALL = 'flags-for-all-sessions';

interface Kept {
  readonly file: string;
  readonly fact: string;
  readonly scope: Scope;
  /** The original's content → values to remember. */
  readonly read: (content: Json) => readonly Json[];
  /** What is remembered → the original's content. */
  readonly write: (values: readonly Json[]) => string;
}

/** A flag's presence counts, not its content. */
const flag = (file: string, fact: string): Kept => ({ file, fact, scope: 'turn', read: () => [true], write: () => '' });

const KEPT: readonly Kept[] = [
  flag('delegation_active', 'delegated'),
  flag('team_mode_active', 'team-used'),
  {
    file: 'workflow_continuation_needed.json',
    fact: 'continuation',
    scope: 'session',
    // A damaged file was thrown away by the original.
    read: (content) => (record(content) === undefined ? [] : [record(content)?.['reason'] ?? true]),
    write: ([reason = '']) => JSON.stringify({ reason, action: 'continue workflow execution' }),
  },
  { file: 'turn_start_timestamp.txt', fact: 'turn-started', scope: 'session', read: (content) => [moment(String(content).trim())], write: ([at = '']) => String(at) },
  {
    file: 'turn_durations.json',
    fact: 'last-turns',
    scope: 'project',
    read: (content) => durations(content),
    write: (values) => JSON.stringify({ durations: values }),
  },
  { file: 'last_turn_duration.txt', fact: 'last-turns', scope: 'project', read: () => [], write: (values) => span(Number(values.at(-1) ?? 0)) },
];

export const workflowOrchestrator: Adapter = {
  system: 'workflow-orchestrator',
  pack: 'workflow-orchestrator',
  readings: [
    { name: 'task-output-in-an-open-turn', tiers: ['ambiguous', 'repo'], yaml: 'rules:\n  no-task-output: disabled\n' },
    { name: 'one-stop-block-per-chain', tiers: ['ambiguous'], yaml: 'rules:\n  no-stop-before-stage-one: { unless: { again: true } }\n' },
    { name: 'a-prompt-drops-the-plan', tiers: ['ambiguous', 'later'], yaml: 'facts:\n  continuation: { scope: turn }\n' },
    {
      name: FOR_ALL,
      tiers: ['ambiguous', 'repo'],
      yaml: `facts:
  delegated: { scope: project }
  team-used: { scope: project }
rules:
  a-prompt-closes-the-turn:
    event: UserPromptSubmit
    match: { source: person }
    then: { forget: [delegated, team-used] }
`,
    },
    { name: 'todos-are-planning', tiers: ['ambiguous', 'repo', 'later'], yaml: 'lists:\n  planning-tools: { add: [TodoWrite] }\n' },
  ],

  seed(path, content, stage) {
    const kept = keptAt(path);
    if (kept === undefined) return false;
    const values = content === undefined ? [] : kept.read(content);
    if (content === undefined || values.length > 0) put(stage, kept.fact, values.length === 0 ? undefined : valuesCell(values), scopeOf(kept, stage));
    return true;
  },

  state: (stage) => ({ flags: flags(stage) }),

  file(path, stage) {
    const kept = keptAt(path);
    if (kept === undefined) return undefined;
    const values = valuesOf(kept, stage);
    return values.length === 0 ? null : kept.write(values);
  },

  async command(args) {
    return { code: 2, stdout: '', stderr: `the original has no command ${args.join(' ')}` };
  },

  skips(path) {
    return /\/validation\/gate_invocations\.\d+$/.test(path) ? "a policy never changes a user's files: it does not rotate a log it did not write" : undefined;
  },
};

function keptAt(path: string): Kept | undefined {
  return KEPT.find((kept) => path.endsWith(`/.claude/state/${kept.file}`));
}

function scopeOf(kept: Kept, stage: Stage): Scope {
  if (kept.scope === 'turn' && stage.reading === FOR_ALL) return 'project';
  return kept.fact === 'continuation' && stage.reading === 'a-prompt-drops-the-plan' ? 'turn' : kept.scope;
}

function valuesOf(kept: Kept, stage: Stage): readonly Json[] {
  return valuesIn(stage, kept.fact, scopeOf(kept, stage), stage.lastSession());
}

/** Names of the flags that stand, those on disk included. */
function flags(stage: Stage): JsonObject {
  const folder = join(stage.root, '.claude', 'state');
  const real = existsSync(folder) ? readdirSync(folder) : [];
  const held = KEPT.filter((kept) => valuesOf(kept, stage).length > 0).map((kept) => kept.file);
  return Object.fromEntries([...real, ...held].map((name) => [name, true]));
}

/** Unix seconds as a number; anything else as it is. */
function moment(text: string): Json {
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function durations(content: Json): readonly Json[] {
  const given = record(content)?.['durations'];
  return Array.isArray(given) ? given : [];
}
