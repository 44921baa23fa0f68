/** What a change of the host's settings would take away from bylaw: asked for here, answered by the edge. */
import { EVENTS } from '../events.ts';
import type { Plan, Wanted } from '../model.ts';
import { eventsOf } from '../plan/events.ts';
import type { Known } from './holds.ts';
import { failed, knownList, type Asker, type Knowledge } from './know.ts';

const KEY = 'disarms';

/** Absent at other events; a change of skills takes nothing away. */
export function disarms({ event, plan, needs }: Knowledge, asker: Asker): Known {
  if (event.event !== 'ConfigChange' || event.source === 'skills') return knownList([]);
  const answer = event.outside[KEY];
  if (answer === undefined) {
    if (asker.cost < 1) return { is: 'unknown', cause: { kind: 'later', cost: 1 } };
    needs.set(KEY, { key: KEY, kind: 'disarms', wanted: wantedBy(plan) });
    return { is: 'unknown', cause: { kind: 'pending' } };
  }
  return 'error' in answer ? failed(KEY, answer.error) : knownList(answer.value);
}

export function wantedBy(plan: Plan): Wanted {
  const events = eventsOf(plan);
  const refuses = (event: string): boolean =>
    EVENTS[event]?.deny === 'prevents' && plan.rules.some(({ on, own, speak }) => on.includes(event) && own !== 'disabled' && (speak?.decision === 'deny' || speak?.decision === 'ask'));
  return { events, refusing: events.filter(refuses) };
}
