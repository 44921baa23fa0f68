/** `bylaw report`, `bylaw gate` and `bylaw audit`: what a session came to. */
import type { Plan } from '../engine/model.ts';
import { compliance, type Compliance } from '../engine/report/compliance.ts';
import { readAudit } from '../hooks/audit.ts';
import { here, policyNamed, sessionOf, sessions, type Here } from './project.ts';
import { verdictLine } from './status.ts';
import { Exit, paintFor, print } from './terminal.ts';

export interface ReportOptions {
  readonly session?: string;
  readonly policy?: string;
  readonly json?: boolean;
  readonly min?: string;
}

export function report(options: ReportOptions): void {
  const reports = reportsOf(here(), options);
  if (options.json === true) return print(JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2));
  const paint = paintFor(process.stdout);
  for (const each of reports) {
    const { violations } = each;
    print(`${paint.strong(each.policy)}  session ${each.session_id || 'none'}`);
    print(`  score ${(each.valid ? paint.good : paint.bad)(String(each.compliance_score))}  ${each.total_tool_calls} calls · ${violations.blocked} denied · ${violations.warned} advised · ${violations.allowed} passed`);
    for (const row of each.violation_breakdown) print(`  ${String(row.count).padStart(4)}  ${row.type}${row.blocked === true ? '' : '  (advised)'}`);
    for (const text of each.recommendations) print(`  - ${text}`);
    print('');
  }
}

/** Exit 1 if a policy's score is below the minimum. */
export function gate(options: ReportOptions): void {
  const place = here();
  if (options.session === undefined) throw new Exit(2, 'name the session: --session ID');
  if (options.min !== undefined && !/^\d{1,3}$/.test(options.min)) throw new Exit(2, `${options.min} is no score; write a number from 0 to 100`);
  if (!sessions(place.store).includes(options.session) && readAudit(place.store.folder, options.session).length === 0) throw new Exit(2, `no session ${options.session} is known here`);
  const reports = reportsOf(place, options);
  const least = (each: Compliance): number => (options.min === undefined ? (place.plan.homes[each.policy]?.report?.pass ?? 80) : Number(options.min));
  const below = reports.filter((each) => each.compliance_score < least(each));
  if (options.json === true) print(JSON.stringify({ passed: below.length === 0, reports }, null, 2));
  else for (const each of reports) print(`${each.compliance_score < least(each) ? 'below' : 'passed'}  ${each.policy}  ${each.compliance_score} of at least ${least(each)}`);
  if (below.length > 0) throw new Exit(1);
}

function reportsOf({ plan, store }: Here, options: ReportOptions): readonly Compliance[] {
  const session = sessionOf(store, options.session) ?? '';
  const state = store.read(session);
  const entries = readAudit(store.folder, session);
  return chosen(plan, options).map((home) => compliance(plan, home, session, state, entries));
}

/** The policy named, else those that describe a report, else all with rules. */
function chosen(plan: Plan, { policy }: ReportOptions): readonly Plan['homes'][string][] {
  const homes = Object.values(plan.homes);
  if (policy !== undefined) return homes.filter((home) => home.name === policyNamed(plan, policy));
  const reporting = homes.filter((home) => home.report !== undefined);
  return reporting.length > 0 ? reporting : homes.filter((home) => plan.rules.some((rule) => rule.home === home.name && rule.speak !== undefined));
}

export function auditTail(options: { readonly lines?: string; readonly session?: string; readonly json?: boolean }): void {
  const { store } = here();
  const entries = readAudit(store.folder, options.session).slice(-Number(options.lines ?? 20));
  if (entries.length === 0 && options.json !== true) return print('nothing has been said yet');
  for (const entry of entries) print(options.json === true ? JSON.stringify(entry) : `${entry.time.slice(0, 10)} ${verdictLine(entry)}`);
}
