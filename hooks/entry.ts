/** What the client starts: `node hook.cjs [Event] [--serve=PORT]`. */
import { hook, main } from './run.ts';

const args = process.argv.slice(2);
const serve = args.find((arg) => arg.startsWith('--serve='));
if (serve === undefined) void main(args);
else {
  const rest = args.filter((arg) => arg !== serve);
  // A server is a help; the event is answered without it too.
  void import('./ensure.ts').then(({ hookWithServer }) => hookWithServer(rest, Number(serve.slice('--serve='.length)), hook), () => main(rest));
}
