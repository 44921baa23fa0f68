/** What was counted and what was said in a session → the compliance report of a policy. */
import { applyLogic } from '../judge/logic.ts';
import type { Cell, Finding, Home, Json, Plan, State } from '../model.ts';

/** The field names are part of the contract: programs read them. */
export interface Compliance {
  readonly session_id: string;
  readonly policy: string;
  readonly session_start: string | null;
  readonly session_end: string | null;
  readonly agent_role: string;
  readonly compliance_score: number;
  readonly valid: boolean;
  readonly total_tool_calls: number;
  readonly violations: { readonly blocked: number; readonly warned: number; readonly allowed: number };
  readonly violation_breakdown: readonly { readonly type: string; readonly count: number; readonly blocked?: true; readonly warned?: true }[];
  readonly recommendations: readonly string[];
}

export interface Said {
  readonly time: string;
  readonly rules: readonly Pick<Finding, 'rule' | 'home' | 'decision' | 'label'>[];
}

const PASS = 80;

export function compliance(plan: Plan, home: Home, session: string, state: State, entries: readonly Said[]): Compliance {
  const findings = entries.flatMap((entry) => entry.rules).filter((finding) => finding.home === home.name);
  const denied = findings.filter((finding) => finding.decision === 'deny').length;
  const warned = findings.length - denied - findings.filter((finding) => finding.decision === 'none').length;
  const asked = findings.filter((finding) => finding.decision === 'ask').length;
  const read = (name: string): Json | undefined => {
    if (name === 'denied') return denied;
    if (name === 'advised') return warned - asked;
    return name === 'asked' ? asked : total(state, name);
  };
  const counted = home.report?.calls === undefined ? total(state, `${home.name}.calls`) : Number(applyLogic(home.report.calls, read).value);
  const calls = Math.max(counted, home.report === undefined ? findings.length : 0);
  const score = home.report?.score === undefined ? plainScore(calls, denied) : Math.round(Number(applyLogic(home.report.score, (name) => (name === 'calls' ? calls : read(name))).value));
  return {
    session_id: session,
    policy: home.name,
    session_start: entries[0]?.time ?? null,
    session_end: entries.at(-1)?.time ?? null,
    agent_role: 'main',
    compliance_score: score,
    valid: score >= (home.report?.pass ?? PASS),
    total_tool_calls: calls,
    violations: { blocked: denied, warned, allowed: Math.max(0, calls - denied - warned) },
    violation_breakdown: breakdown(findings),
    recommendations: recommendations(plan, findings.map((finding) => finding.rule)),
  };
}

function plainScore(calls: number, denied: number): number {
  return calls === 0 ? 100 : Math.max(0, Math.round((100 * (calls - denied)) / calls));
}

/** What a count holds, over all values of `per`. */
function total(state: State, name: string): number {
  const { session, project, user } = state;
  const cells = [session.cells, session.turn, ...Object.values(session.agents), project.cells, user.cells].flatMap((each) => (Object.hasOwn(each, name) ? [each[name]] : []));
  return cells.reduce((sum, cell) => sum + countOf(cell), 0);
}

export function countOf(cell: Cell | undefined): number {
  if (cell?.kind === 'count') return Object.values(cell.counts).reduce((sum, count) => sum + count, 0);
  if (cell?.kind === 'calls') return cell.calls.filter((call) => call !== null).length;
  return cell?.kind === 'moments' ? cell.moments.length : 0;
}

function breakdown(findings: readonly Said['rules'][number][]): Compliance['violation_breakdown'] {
  const types = new Map<string, { count: number; blocked: boolean }>();
  for (const finding of findings) {
    if (finding.decision === 'none') continue;
    const type = finding.label ?? finding.rule;
    const blocked = finding.decision === 'deny';
    const key = `${type} ${blocked}`;
    types.set(key, { count: (types.get(key)?.count ?? 0) + 1, blocked });
  }
  return [...types].map(([key, { count, blocked }]) => ({ type: key.slice(0, key.lastIndexOf(' ')), count, ...(blocked ? { blocked: true } : { warned: true }) }));
}

/** What the rules that spoke advise to do instead. */
function recommendations(plan: Plan, rules: readonly string[]): readonly string[] {
  const texts = plan.rules.filter((rule) => rules.includes(rule.id)).flatMap((rule) => rule.speak?.instead?.split('\n')[0]?.trim() ?? []);
  return [...new Set(texts)];
}
