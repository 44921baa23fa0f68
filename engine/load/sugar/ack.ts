/** `ack`: a rule that fires until the reply holds the token it gave out. */
import { report } from '../world.ts';
import { readText } from '../texts.ts';
import { keyOf, keySpan, type Key } from './key.ts';

const WITH_REPLY = ['Stop', 'SubagentStop'];

export const ack: Key = {
  names: ['ack'],
  expand(rule, draft) {
    const token = readText(keyOf(rule, 'ack'), ['random'], rule.scene);
    if (token === undefined) return;
    draft.cadence = { kind: 'token', token };
    const silent = draft.on.find((event) => !WITH_REPLY.includes(event));
    if (silent !== undefined) report(rule.scene.world, 'cannot-carry', keySpan(rule, 'ack'), `${silent} comes without a reply that could hold the token`, 'use it on Stop or SubagentStop');
  },
};
