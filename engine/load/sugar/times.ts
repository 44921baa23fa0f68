/** `times`: how often a rule speaks until its `until`. */
import { report } from '../world.ts';
import { keyOf, keySpan, memoryOf, type Key } from './key.ts';

/** The client overrides the next one. */
const STOPS = 8;

export const times: Key = {
  names: ['times'],
  expand(rule, draft) {
    const node = keyOf(rule, 'times');
    if (node?.kind === 'scalar' && typeof node.value === 'number') {
      draft.times = node.value;
      if (draft.decision === undefined) report(rule.scene.world, 'idle-key', keySpan(rule, 'times'), '`times` counts what is said, and the rule says nothing', 'add `deny`, `ask` or `advise`');
      const stop = draft.on.find((event) => event === 'Stop' || event === 'SubagentStop');
      if (stop !== undefined && draft.decision === 'deny' && node.value > STOPS) report(rule.scene.world, 'too-many-stops', node.at, `the client overrides the ${STOPS + 1}th refused ${stop} in a row`, `at most ${STOPS}`);
    }
    if (draft.times !== undefined || draft.cadence.kind === 'token') draft.facts.push({ kind: 'said', memory: memoryOf(draft), rule: rule.id });
  },
};
