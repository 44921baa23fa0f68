/** A process that counts one event, several times: `worker.ts <root> <key> <session> <times>` */
import { writeCell } from '../../engine/judge/cells.ts';
import { openStore } from '../../engine/state/store.ts';

const [root = '', key = '', session = '', times = '0', scope = 'session'] = process.argv.slice(2);
const store = openStore(root, key);
const where = scope === 'user' ? 'user' : 'session';
for (let i = 0; i < Number(times); i++) {
  store.update(
    session,
    (state) => {
      const cell = state[where].cells['n'];
      const count = cell?.kind === 'count' ? (cell.counts[''] ?? 0) : 0;
      return writeCell(state, where, 'main', 'n', { kind: 'count', counts: { '': count + 1 }, changed: i });
    },
    { user: where === 'user' },
  );
}
