/** What the client starts: `node hook.cjs [Event]`. Built as CommonJS, which starts faster than modules. */
import { loadPart } from './boot.ts';
import { main } from './main.ts';
import type * as Run from './run.ts';

// The build put the part there with these exports.
const load = (): typeof Run => loadPart('hook-main.cjs', __dirname, process.env, require).exports as typeof Run;

void main(process.argv.slice(2), load);
