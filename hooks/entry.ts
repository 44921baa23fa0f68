/** What the client starts: `node hook.cjs [Event]`. */
import { main } from './run.ts';

void main(process.argv.slice(2));
