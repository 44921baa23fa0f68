/** Outside facts for commands: all at hand, nothing loaded late. */
import type { Event, Need, Outside } from '../engine/model.ts';
import { analyseCommand } from '../hooks/command.ts';
import { findDisarms } from '../hooks/disarms.ts';
import { look } from '../hooks/outside.ts';

export function lookOutside(need: Need, event: Event): Outside {
  if (need.kind === 'disarms') return findDisarms(need.wanted, event);
  return need.kind === 'command' ? analyseCommand(need.text, event) : look(need, event);
}
