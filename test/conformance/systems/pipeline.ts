/** System 4: `pipeline-state.json` is the phase of `agent-pipeline`, its history, and three remembered texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cell, Json, JsonObject, Move } from '../../../engine/model.ts';
import { cellsIn, put, record, valuesCell, valuesIn, worded, type Adapter, type Stage } from '../adapter.ts';

const STATE = /\/\.claude\/state\/pipeline-state\.json$/;
const BACKUP = /\/\.claude\/state\/pipeline-state\.json\.backup$/;
const PHASE = 'agent-pipeline.phase';
const SHARED = 'one-pipeline-for-all-sessions';
const CONTEXTS = ['gathered', 'refined', 'orchestration'] as const;

export const pipeline: Adapter = {
  system: 'pipeline-enforcement',
  pack: 'pipeline',
  readings: [
    {
      name: 'orchestrator-starts-agents',
      tiers: ['repo', 'ambiguous', 'later'],
      yaml: `rules:
  agent-pipeline:
    moves: [{ event: SubagentStop }, { event: PreToolUse, tool: $delegation, agent: strategic-orchestrator }]
    phases: { REFINING: { strategic-orchestrator: { PreToolUse: ORCHESTRATING_ACTIVE, SubagentStop: EXECUTING } } }
`,
    },
    { name: 'every-start-resets', tiers: ['ambiguous', 'repo'], yaml: 'lists:\n  fresh-starts: [startup, clear, resume, compact]\n' },
    {
      name: SHARED,
      tiers: ['ambiguous', 'repo'],
      yaml: 'facts:\n  gathered: { scope: project }\n  refined: { scope: project }\n  orchestration: { scope: project }\nrules:\n  agent-pipeline: { scope: project }\n',
    },
    {
      name: 'unknown-states-are-named',
      tiers: ['ambiguous', 'repo'],
      yaml: `rules:
  agent-pipeline: { phases: { ORCHESTRATING: { strategic-orchestrator: { SubagentStop: EXECUTING } } } }
  no-agents-in-an-unknown-state:
    match: { tool: $delegation, agent-pipeline.phase: ORCHESTRATING }
    deny: 'Unknown state: ORCHESTRATING.'
`,
    },
  ],

  seed(path, content, stage) {
    if (!STATE.test(path)) return BACKUP.test(path);
    const given = record(content);
    put(stage, PHASE, given === undefined ? undefined : phaseOf(given), scopeOf(stage));
    for (const name of CONTEXTS) {
      const text = record(given?.['context'])?.[name];
      put(stage, name, text === undefined || text === '' ? undefined : valuesCell([text]), scopeOf(stage));
    }
    return true;
  },

  state: (stage) => stateOf(stage),

  file(path, stage) {
    if (BACKUP.test(path)) return backup(stage) ?? null;
    if (!STATE.test(path)) return undefined;
    const cells = cellsIn(stage, scopeOf(stage), stage.lastSession());
    return [PHASE, ...CONTEXTS].some((name) => cells[name] !== undefined) ? JSON.stringify(stateOf(stage)) : null;
  },

  async command([verb, reason], stage) {
    if (verb === 'reset') {
      const done = await stage.bylaw('state', 'reset', '--session', stage.lastSession(), '--reason', reason ?? 'Manual reset');
      return worded(`Pipeline reset to IDLE; a backup was made`, done);
    }
    if (verb === 'init') return worded('Pipeline state initialized', await stage.bylaw('state', 'reset', '--session', stage.lastSession()));
    return { code: 2, stdout: '', stderr: `the original has no command ${String(verb)}` };
  },
};

function scopeOf({ reading }: Stage): 'session' | 'project' {
  return reading === SHARED ? 'project' : 'session';
}

function phaseOf(given: JsonObject): Cell | undefined {
  const past = Array.isArray(given['history']) ? given['history'].map(moveOf) : [];
  const phase = given['state'];
  if (phase === undefined && past.length === 0) return undefined;
  return { kind: 'phase', ...(typeof phase === 'string' ? { phase } : {}), history: past, changed: Date.now() };
}

function moveOf(entry: Json): Move {
  const { agent, timestamp, state_before, state_after, reason } = record(entry) ?? {};
  return { agent: String(agent ?? ''), from: String(state_before ?? ''), to: String(state_after ?? ''), at: Date.parse(String(timestamp ?? '')) || 0, event: 'SubagentStop', ...(reason === undefined ? {} : { reason: String(reason) }) };
}

function stateOf(stage: Stage): JsonObject {
  const session = stage.lastSession();
  const scope = scopeOf(stage);
  const cell = cellsIn(stage, scope, session)[PHASE];
  const machine = cell?.kind === 'phase' ? cell : undefined;
  return {
    version: '1.0',
    state: machine?.phase ?? 'IDLE',
    timestamp: new Date(machine?.changed ?? Date.now()).toISOString(),
    session_id: '',
    context: Object.fromEntries(CONTEXTS.map((name) => [name, valuesIn(stage, name, scope, session)[0] ?? ''])),
    history: historyOf(machine).map((move) => ({
      agent: move.agent,
      timestamp: new Date(move.at).toISOString(),
      state_before: move.from,
      state_after: move.to,
      ...(move.event === 'PreToolUse' ? { trigger: 'immediate_on_approval' } : {}),
      ...(move.reason === undefined ? {} : { reason: move.reason }),
    })),
  };
}

/** A session's start empties the original's file; bylaw keeps the history and forgets the phase. */
function historyOf(machine: Extract<Cell, { kind: 'phase' }> | undefined): readonly Move[] {
  const all = machine?.history ?? [];
  return machine?.phase === undefined && all.at(-1)?.agent !== 'reset' ? [] : all;
}

/** The latest backup of the session, in the original's words. */
function backup(stage: Stage): string | undefined {
  const folder = join(stage.store.folder, 'backups');
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.startsWith('session-')).sort();
  } catch {
    return undefined;
  }
  const last = names.at(-1);
  if (last === undefined) return undefined;
  const cell = record(record(record(readFileSync(join(folder, last), 'utf8'))?.['cells'])?.[PHASE]);
  return JSON.stringify({ version: '1.0', state: cell?.['phase'] ?? 'IDLE', history: cell?.['history'] ?? [] });
}
