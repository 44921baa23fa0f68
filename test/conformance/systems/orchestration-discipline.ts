/** System 0: `<id>-delegation.json` is the streak, the one hard stop and the live agents; `stop-ack-<id>` is the pending token. */
import type { Json, JsonObject } from '../../../engine/model.ts';
import { cellsIn, change, countCell, countIn, put, record, type Adapter, type Stage } from '../adapter.ts';

const DELEGATION = /\/([^/]*)-delegation\.json$/;
const TOKEN = /\/stop-ack-([^/]*)$/;

export const orchestrationDiscipline: Adapter = {
  system: 'orchestration-discipline',
  pack: 'orchestration-discipline',
  readings: [
    { name: 'guide-from-cwd', tiers: ['ambiguous', 'repo'], yaml: "facts:\n  momentum-guide: { text: '{host.cwd}/.claude/momentum-guide.md' }\n" },
    { name: 'token-first', tiers: ['ambiguous', 'repo', 'later'], yaml: 'rules:\n  stop-needs-ack: { unless: null, times: 8 }\n' },
    { name: 'guarded-while-agents-run', tiers: ['ambiguous', 'modern', 'later'], yaml: 'rules:\n  delegate-first: { unless: { remove: [{ running: true }] } }\n  solo-streak: { unless: { remove: [{ running: true }] } }\n' },
  ],

  seed(path, content, stage) {
    const session = DELEGATION.exec(path)?.[1];
    if (session !== undefined) {
      seedDelegation(session, content, stage);
      return true;
    }
    const acking = TOKEN.exec(path)?.[1];
    if (acking === undefined) return false;
    put(stage, 'stop-needs-ack.said', content === undefined ? undefined : { kind: 'said', times: 1, token: String(content).trim(), changed: Date.now() }, 'session', acking);
    return true;
  },

  state(stage, expected) {
    const sessions = Object.fromEntries([...new Set([stage.session, ...stage.events.map((event) => String(event['session_id'] ?? ''))])].map((id) => [id, ofSession(stage, id, expected)]));
    return { ...ofSession(stage, stage.session, expected), sessions };
  },

  file(path, stage) {
    const session = DELEGATION.exec(path)?.[1];
    if (session !== undefined) return isFresh(delegation(stage, session)) ? null : JSON.stringify(delegation(stage, session));
    const acking = TOKEN.exec(path)?.[1];
    return acking === undefined ? undefined : (token(stage, acking) ?? null);
  },

  async command(args) {
    return { code: 2, stdout: '', stderr: `the original has no command ${args.join(' ')}` };
  },
};

/** Repairs as the original made them when it read its record. */
function seedDelegation(session: string, content: Json | undefined, stage: Stage): void {
  const given = record(content) ?? {};
  const streak = given['streak'] ?? 0;
  const read = Number.isInteger(streak) ? given : {};
  put(stage, 'solo-streak.count', Number(read['streak'] ?? 0) > 0 ? countCell(Number(streak)) : undefined, 'session', session);
  put(stage, 'delegate-first.said', read['block_fired'] === true ? { kind: 'said', times: 1, changed: Date.now() } : undefined, 'session', session);
  const live = Number.isInteger(read['subagent_count']) ? Math.max(0, Number(read['subagent_count'])) : 0;
  const running = Object.fromEntries([...stopping(stage), ...Array.from({ length: live }, (_, number) => `agent-${number}`)].slice(0, live).map((id) => [id, '']));
  change(stage, (state) => ({ ...state, session: { ...state.session, running } }), session);
}

/** Ids of agents that stop in the case without having started in it: they were among those that ran before. */
function stopping(stage: Stage): readonly string[] {
  const started = new Set<string>();
  return stage.events.flatMap((event) => {
    const id = String(event['agent_id'] ?? '');
    if (event['hook_event_name'] === 'SubagentStart') started.add(id);
    return event['hook_event_name'] === 'SubagentStop' && id !== '' && !started.has(id) ? [id] : [];
  });
}

function ofSession(stage: Stage, session: string, expected: JsonObject): JsonObject {
  const held = delegation(stage, session);
  const pending = token(stage, session);
  // The original writes its defaults at a delegation, bylaw keeps nothing then: absent and all defaults are the same.
  const absent = isFresh(held) && JSON.stringify(expected).includes('"$absent":true');
  return { ...(absent ? {} : { delegation: held }), ...(pending === undefined ? {} : { ack_token: pending }) };
}

function delegation(stage: Stage, session: string): JsonObject {
  const said = cellsIn(stage, 'session', session)['delegate-first.said'];
  return {
    streak: countIn(stage, 'solo-streak.count', 'session', session),
    block_fired: said?.kind === 'said' && said.times > 0,
    subagent_count: Object.keys(stage.store.read(session).session.running).length,
  };
}

function isFresh(held: JsonObject): boolean {
  return held['streak'] === 0 && held['block_fired'] === false && held['subagent_count'] === 0;
}

function token(stage: Stage, session: string): string | undefined {
  const cell = cellsIn(stage, 'session', session)['stop-needs-ack.said'];
  return cell?.kind === 'said' ? cell.token : undefined;
}
