/** What a verdict asks to be written outside the state: records. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { absolute } from '../engine/judge/paths.ts';
import type { Deed, Event } from '../engine/model.ts';

/** Returns what could not be written. */
export function doDeeds(deeds: readonly Deed[], event: Event): readonly string[] {
  return deeds.flatMap((deed) => {
    const file = absolute(deed.to, event.project, event.home);
    try {
      mkdirSync(dirname(file), { recursive: true });
      if (deed.do === 'record') appendFileSync(file, `${JSON.stringify(deed.line)}\n`);
      return [];
    } catch (error) {
      return [`rule ${deed.rule} can not write ${file}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}
