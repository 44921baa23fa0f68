/** System 3: `orchestrator-session-state.json` is the cached role, the count of reads, the list of files and of violations. */
import { readAudit } from '../../../hooks/audit.ts';
import { existsSync, readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../../engine/model.ts';
import { countCell, countIn, put, record, valuesCell, valuesIn, worded, type Adapter, type Stage } from '../adapter.ts';

const STATE = /\/\.claude\/context\/tmp\/orchestrator-session-state\.json$/;
const AUDIT = /\/\.claude\/context\/logs\/orchestrator-audit\.log$/;
const VIOLATIONS = /\/\.claude\/context\/logs\/orchestrator-violations\.log$/;
const REPORT = /\/\.claude\/context\/reports\/orchestrator-compliance-[^/]*\.json$/;

export const fourLayer: Adapter = {
  system: 'four-layer-orchestrator-enforcement',
  pack: 'four-layer',
  readings: [
    {
      name: 'legacy-tool-field',
      tiers: ['repo', 'later'],
      yaml: 'rules:\n  no-direct-edits: { match: { add: [{ tool: false, host.tool: [Write, Edit] }] } }\n  no-direct-search: { match: { add: [{ tool: false, host.tool: [Grep, Glob] }] } }\n',
    },
    {
      name: 'commands-of-the-original',
      tiers: ['ambiguous', 'repo'],
      yaml: 'lists:\n  work-commands: [rm -r, rm -f, git add, git commit, git push, git pull, git merge, git rebase, npm run, npm test, pnpm, node .claude/tools/*]\n',
    },
    { name: 'recursion-guard', tiers: ['repo'], yaml: '', entry: "{ pack: bylaw:four-layer, bypass: { env.CLAUDE_ORCHESTRATOR_HOOK_EXECUTING: 'true' } }" },
    { name: 'no-gap-for-edit-tools', tiers: ['ambiguous'], yaml: 'rules:\n  no-direct-edits: { match: { tool: { add: [MultiEdit, NotebookEdit] } } }\n' },
    { name: 'old-run-folder', tiers: ['ambiguous', 'repo'], yaml: "lists:\n  coordination-files: { add: ['**/.claude/context/runs/**', '**/*plan*.json', '**/plan*/**/*.json'] }\n" },
  ],

  seed(path, content, stage) {
    if (!STATE.test(path)) return false;
    const given = record(content) ?? {};
    const { agent_role: role, read_count: reads, violations, files_read: files, session_id: id } = given;
    put(stage, 'cached-role', typeof role === 'string' ? valuesCell([role]) : undefined, 'project');
    put(stage, 'reads', typeof reads === 'number' && reads > 0 ? countCell(reads) : undefined);
    put(stage, 'files-read', Array.isArray(files) && files.length > 0 ? valuesCell(files) : undefined);
    put(stage, 'violations', Array.isArray(violations) && violations.length > 0 ? valuesCell(violations.map((each: Json) => record(each)?.['type'] ?? 'UNKNOWN')) : undefined);
    // The original makes its own session ids; bylaw knows the host's. Its records are read under the original's.
    if (typeof id === 'string') stage.notes.set('session_id', id);
    return true;
  },

  state: (stage) => stateOf(stage),

  file(path, stage) {
    if (STATE.test(path)) return isEmpty(stage) ? null : JSON.stringify({ ...stateOf(stage), kept: stage.store.read(stage.session), audited: violations(stage) });
    if (VIOLATIONS.test(path)) return violations(stage).map((each) => `${JSON.stringify(each)}\n`).join('') || null;
    if ((!AUDIT.test(path) && !REPORT.test(path)) || !existsSync(path)) return undefined;
    const id = stage.notes.get('session_id');
    return id === undefined ? undefined : readFileSync(path, 'utf8').replaceAll(JSON.stringify(stage.session), JSON.stringify(id));
  },

  async command(args, stage) {
    const [verb, first, second] = args;
    const session = stage.lastSession();
    switch (verb) {
      case 'init': {
        await stage.bylaw('state', 'reset', '--session', session);
        const role = second ?? first ?? 'orchestrator';
        return worded('Session initialized', await stage.bylaw('state', 'set', 'cached-role', role, '--session', session));
      }
      case 'reset':
        return worded('Read counter reset', await stage.bylaw('state', 'reset', 'reads', 'files-read', '--session', session));
      case 'clear':
        stage.notes.delete('session_id');
        return worded('Session cleared', await stage.bylaw('state', 'reset', '--session', session));
      case 'summary':
        return stage.bylaw('report', '--session', session, '--policy', 'four-layer', '--json');
      case 'validate-orchestrator':
        return stage.bylaw('gate', '--session', args[args.indexOf('--session-id') + 1] ?? session, '--policy', 'four-layer');
      default:
        return { code: 2, stdout: '', stderr: `the original has no command ${String(verb)}` };
    }
  },
};

function stateOf(stage: Stage): JsonObject {
  const [role] = valuesIn(stage, 'cached-role', 'project');
  const last = violations(stage).at(-1);
  return {
    session_id: idOf(stage),
    ...(role === undefined ? {} : { agent_role: role }),
    read_count: countIn(stage, 'reads'),
    violations: valuesIn(stage, 'violations', 'session').length,
    files_read: [...valuesIn(stage, 'files-read', 'session')],
    ...(last === undefined ? {} : { last_violation: last }),
  };
}

function isEmpty(stage: Stage): boolean {
  return valuesIn(stage, 'cached-role', 'project').length === 0 && Object.keys(stage.store.read(stage.session).session.cells).length === 0;
}

function idOf(stage: Stage): Json {
  return stage.notes.get('session_id') ?? stage.session;
}

/** Refused calls, from bylaw's audit. */
function violations(stage: Stage): readonly JsonObject[] {
  return readAudit(stage.store.folder, stage.session).flatMap((entry) => {
    const rule = entry.rules.find((each) => each.decision === 'deny' && each.home === 'four-layer');
    if (rule === undefined) return [];
    return [{ session_id: idOf(stage), type: rule.label ?? rule.rule, blocked: true, tool: entry.tool ?? null, tool_input: entry.input ?? {}, timestamp: entry.time, reason: rule.text }];
  });
}
