/** What a verdict asks to be written outside the state: records and reports. */
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { absolute } from '../engine/judge/paths.ts';
import type { Deed, Event, Plan } from '../engine/model.ts';
import { compliance } from '../engine/report/compliance.ts';
import type { Store } from '../engine/state/store.ts';
import { readAudit } from './audit.ts';

/** Returns what could not be written. */
export function doDeeds(deeds: readonly Deed[], event: Event, plan: Plan, store: Store): readonly string[] {
  return deeds.flatMap((deed) => {
    const file = absolute(deed.to, event.project, event.home);
    try {
      mkdirSync(dirname(file), { recursive: true });
      if (deed.do === 'record') appendFileSync(file, `${JSON.stringify(deed.line)}\n`);
      else writeReport(file, deed, event, plan, store);
      return [];
    } catch (error) {
      return [`rule ${deed.rule} can not write ${file}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}

function writeReport(file: string, deed: Extract<Deed, { do: 'report' }>, event: Event, plan: Plan, store: Store): void {
  const home = plan.homes[deed.home];
  if (home === undefined) return;
  const report = compliance(plan, home, event.session, store.read(event.session), readAudit(store.folder, event.session));
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify({ ...report, session_end: new Date(event.now).toISOString(), ...deed.fields }, null, 2)}\n`);
  renameSync(draft, file);
}
