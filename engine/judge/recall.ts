/** Facts from the state: remembered values, counts, phases. */
import type { Json } from '../model.ts';
import { every, NO, YES, type Answer } from './answer.ts';
import { readCell } from './cells.ts';
import { excuses, holds, textOf, type Known, type Look } from './holds.ts';
import { known, logicValue, type FormOf, type Knowledge } from './know.ts';
import { applyLogic, variables } from './logic.ts';
import type { Counted, Logic, Trigger } from '../model.ts';

export function remembered({ state, event }: Knowledge, name: string, form: FormOf<'remembered'>): Json {
  const cell = readCell(state, event, name, form.memory);
  if (cell?.kind !== 'values') return [];
  return cell.values.filter((kept) => form.keep === undefined || event.now - kept.at <= form.keep).map((kept) => kept.value);
}

/** Counted so far, within the window, for the present value of `per`, and the present event if it is counted. */
export function count(knowledge: Knowledge, name: string, form: FormOf<'count'>, look: Look): Known {
  const present = isCounted(knowledge, form.counted, form.memory.until, look);
  if (present.is === 'unknown') return present;
  const per = perKey(form, look);
  if (typeof per !== 'string') return per;
  const { state, event } = knowledge;
  const cell = readCell(state, event, name, form.memory);
  let before = 0;
  if (cell?.kind === 'count') before = Object.hasOwn(cell.counts, per) ? (cell.counts[per] ?? 0) : 0;
  else if (cell?.kind === 'calls') before = cell.calls.filter((call) => call === per).length;
  else if (cell?.kind === 'moments') before = cell.moments.filter(([at, of]) => of === per && isRecent(form, at, event.now)).length;
  return known([before + (present.is === 'yes' ? 1 : 0)]);
}

export function isRecent(form: FormOf<'count'>, at: number, now: number): boolean {
  return form.window === undefined || !('time' in form.window) || now - at < form.window.time;
}

/** The value that counts are kept apart by; empty where there is no `per`. */
export function perKey(form: FormOf<'count'>, look: Look): string | Extract<Known, { is: 'unknown' }> {
  if (form.per === undefined) return '';
  const per = look(form.per);
  return per.is === 'known' ? per.values.map(textOf).join(' ') : per;
}

/** Whether the event is one that is counted: its event, its match, no exception, and not its reset. */
export function isCounted({ event }: Knowledge, counted: Counted, until: readonly Trigger[], look: Look): Answer {
  if (!counted.on.includes(event.event)) return NO;
  const matched = holds(counted.match, look);
  if (matched.is === 'no') return NO;
  return every(
    [
      () => matched,
      () => not(counted.unless.length === 0 ? NO : excuses(counted.unless, counted.match, look)),
      () => logicHolds(counted.when, look),
      () => not(triggered(until, event.event, look)),
    ],
    (part) => part(),
  );
}

export function triggered(until: readonly Trigger[], event: string, look: Look): Answer {
  for (const trigger of until) {
    if (!trigger.on.includes(event)) continue;
    const answer = holds(trigger.match, look);
    if (answer.is !== 'no') return answer;
  }
  return NO;
}

/** True if the logic is; false if it reads an absent fact without a default. */
export function logicHolds(when: Logic | undefined, look: Look): Answer {
  if (when === undefined) return YES;
  for (const { fact } of variables(when)) {
    const value = look(fact);
    if (value.is === 'unknown') return value;
  }
  const result = applyLogic(when, (fact) => {
    const value = look(fact);
    return logicValue(value);
  });
  if (result.missed !== undefined) return { is: 'no', because: `${result.missed} is absent` };
  const { value } = result;
  return value === false || value === null || value === 0 || value === '' || (Array.isArray(value) && value.length === 0) ? NO : YES;
}

export function not(answer: Answer): Answer {
  return answer.is === 'unknown' ? answer : answer.is === 'yes' ? NO : YES;
}

/** The stored phase, or `start` if there is none or it is not a phase any more. */
export function phase({ state, event }: Knowledge, name: string, form: FormOf<'phase'>): string {
  const cell = readCell(state, event, name, form.memory);
  const stored = cell?.kind === 'phase' ? cell.phase : undefined;
  return stored !== undefined && Object.hasOwn(form.phases, stored) ? stored : form.start;
}
