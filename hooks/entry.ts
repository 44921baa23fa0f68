/** What the client starts: `node hook.cjs [Event] [--serve=PORT]`. Built as CommonJS, which starts faster than modules. */
import { loadPart } from './boot.ts';
import { main } from './main.ts';
import type * as Run from './run.ts';

// The build put the part there with these exports.
const load = (): typeof Run => loadPart('hook-main.cjs', __dirname, process.env, require).exports as typeof Run;
const args = process.argv.slice(2);
const serve = args.find((arg) => arg.startsWith('--serve='));
if (serve === undefined) void main(args, load);
else {
  const rest = args.filter((arg) => arg !== serve);
  // A server is a help; the event is answered without it too.
  void import('./ensure.ts').then(({ hookWithServer }) => hookWithServer(rest, Number(serve.slice('--serve='.length)), load().hook), () => main(rest, load));
}
