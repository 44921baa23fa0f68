/** System 1: `orchestrator-mode.json` is a person's level for the policy, or that it is active by itself; violations are a count. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LEVELS, type Json, type JsonObject, type Level, type LevelSetting } from '../../../engine/model.ts';
import type { Came } from '../compare.ts';
import { change, countCell, countIn, put, record, valuesIn, worded, type Adapter, type Stage } from '../adapter.ts';

const MODE = /\/\.htmlgraph\/orchestrator-mode\.json$/;
const POLICY = 'orchestrator-mode';
const BREAKER = 'facts:\n  circuit-breaker: { first: [{ is: true }] }\n';

export const htmlgraph: Adapter = {
  system: 'htmlgraph-orchestrator',
  pack: POLICY,
  readings: [
    { name: 'circuit-breaker', tiers: ['later'], yaml: BREAKER },
    { name: 'more-commands', tiers: ['repo'], yaml: "lists:\n  test-and-build-commands: { add: ['^uv run pytest', '^make (test|build)'] }\n  quiet-commands: { add: ['^git log'] }\n" },
    {
      name: 'htmlgraph-within-three-parents',
      tiers: ['repo'],
      yaml: "facts:\n  graph-near: { exists: ['{host.cwd}/.htmlgraph', '{host.cwd}/../.htmlgraph', '{host.cwd}/../../.htmlgraph', '{host.cwd}/../../../.htmlgraph'] }\n",
      entry: `{ pack: bylaw:${POLICY}, bypass: { graph-near: false } }`,
    },
    {
      name: 'reflection',
      tiers: ['repo'],
      yaml: `rules:
  python-is-reflected-on:
    event: PostToolUse
    match: { tool: Bash, by: main, command: ['^uv run ', '^python3? ', 'pytest'] }
    advise: 'ORCHESTRATOR REFLECTION: could a subagent have done this? {command}'
`,
    },
    { name: 'soft-launch', tiers: ['ambiguous'], yaml: 'level: guidance\n' },
    { name: 'multiedit-is-work', tiers: ['ambiguous'], yaml: 'lists:\n  implementation-tools: { add: [MultiEdit] }\n' },
    { name: 'no-history-while-off', tiers: ['ambiguous'], yaml: 'rules:\n  calls-are-listed: { active: null }\n' },
  ],

  seed(path, content, stage) {
    if (!MODE.test(path)) return false;
    const given = record(content) ?? {};
    setLevel(stage, settingOf(given, stage));
    // The original's file stays when the mode ends.
    if (content === undefined) stage.notes.delete('file');
    else stage.notes.set('file', true);
    if (typeof given['violations'] === 'number') put(stage, 'strict-violations', countCell(given['violations']));
    return true;
  },

  state(stage) {
    const mode = modeOf(stage);
    return mode === undefined ? {} : { mode };
  },

  file(path, stage) {
    if (!MODE.test(path)) return undefined;
    const mode = modeOf(stage);
    return mode === undefined ? null : JSON.stringify(mode);
  },

  async command(args, stage) {
    const [group, verb, ...rest] = args;
    if (group !== 'orchestrator') return unknown(args);
    switch (verb) {
      case 'enable': {
        const level = levelOption(rest);
        return worded('Orchestrator mode enabled', await stage.bylaw('enable', '--policy', POLICY, '--project', ...(level === undefined ? [] : ['--level', level])));
      }
      case 'set-level':
        return worded('Level set', await stage.bylaw('level', rest[0] ?? '', '--policy', POLICY, '--project'));
      case 'disable':
        return worded('Orchestrator mode disabled', await stage.bylaw('disable', '--policy', POLICY, '--project'));
      case 'reset-violations':
        return worded('Violations reset', await stage.bylaw('state', 'reset', 'strict-violations', '--session', stage.lastSession()));
      case 'status':
        return status(stage);
      default:
        return unknown(args);
    }
  },
};

function unknown(args: readonly string[]): Came {
  return { code: 2, stdout: '', stderr: `the original has no command ${args.join(' ')}` };
}

function levelOption(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    if (arg === '--level' || arg === '-l') return args[index + 1] ?? '';
    if (arg.startsWith('--level=')) return arg.slice('--level='.length);
  }
  return undefined;
}

/** Enabled by hand: a person's level. Activated by itself: no word of a person, it follows the features. */
function settingOf({ enabled, enforcement_level: level, auto_activated: auto, disabled_by_user: refused, activated_at: at }: JsonObject, stage: Stage): LevelSetting | undefined {
  const since = Date.parse(String(at ?? '')) || Date.now();
  if (refused === true && enabled !== true) return { level: 'disabled', policy: POLICY, at: since };
  const known: Level | undefined = level === undefined ? (stage.reading === 'soft-launch' ? 'guidance' : 'strict') : LEVELS.find((each) => each === level);
  return enabled === true && auto !== true && known !== undefined ? { level: known, policy: POLICY, at: since } : undefined;
}

function setLevel(stage: Stage, setting: LevelSetting | undefined): void {
  change(stage, (state) => ({ ...state, project: { ...state.project, levels: [...state.project.levels.filter((each) => each.policy !== POLICY), ...(setting === undefined ? [] : [setting])] } }));
}

function modeOf(stage: Stage): JsonObject | undefined {
  const session = stage.lastSession();
  const state = stage.store.read(session);
  const setting = [...state.session.levels, ...state.project.levels].findLast((each) => each.policy === POLICY);
  const active = hasFeatures(stage) || valuesIn(stage, 'orchestrator-skill', 'project', session).length > 0;
  if (setting === undefined && !active && !stage.notes.has('file')) return undefined;
  const violations = countIn(stage, 'strict-violations', 'session', session);
  return {
    enabled: setting === undefined ? active : setting.level !== 'disabled',
    enforcement_level: setting === undefined || setting.level === 'disabled' ? 'strict' : setting.level,
    auto_activated: setting === undefined,
    disabled_by_user: setting?.level === 'disabled',
    activated_at: new Date(setting?.at ?? Date.now()).toISOString(),
    session_id: session,
    violations,
    circuit_breaker_triggered: violations >= 3,
  };
}

function hasFeatures({ root }: Stage): boolean {
  const folder = join(root, '.htmlgraph', 'features');
  return existsSync(folder) && readdirSync(folder).length > 0;
}

/** What `bylaw status --json` says of the policy, in the original's words. */
async function status(stage: Stage): Promise<Came> {
  const came = await stage.bylaw('status', '--session', stage.lastSession(), '--json');
  if (came.code !== 0) return came;
  const policies: Json | undefined = record(came.stdout)?.['policies'];
  const policy = Array.isArray(policies) ? policies.map((each: Json) => record(each)).find((each) => each?.['name'] === POLICY) : undefined;
  const on = policy?.['active'] === true && policy['level'] !== 'disabled';
  const refused = policy?.['level'] === 'disabled' ? ' by user' : '';
  return { ...came, stdout: on ? `Orchestrator mode: enabled\nEnforcement level: ${String(policy['level'])}\nActivated at: ${String(modeOf(stage)?.['activated_at'])}, ${String(policy['from'])}\n` : `Orchestrator mode: disabled${refused}\n` };
}
