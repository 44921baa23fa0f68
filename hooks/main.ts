/** The process of one hook call: all of stdin in, at most one JSON object out, exit code 0 whatever happens. */
import { readAll, writeAll } from './pipe.ts';
import { projectOf, type Call } from './project.ts';
import type { hook } from './run.ts';

/** `load` brings the rest; without a project it is not asked. */
export async function main(args: readonly string[], load: () => { readonly hook: typeof hook } | Promise<{ readonly hook: typeof hook }>): Promise<void> {
  const [event] = args;
  const call: Call = { input: readAll(0), env: process.env, cwd: process.cwd(), ...(event === undefined ? {} : { event }) };
  const project = projectOf(call);
  if (project === undefined) return;
  const { output, notes } = await (await load()).hook(call);
  if (notes.length > 0) writeAll(2, notes.map((note) => `bylaw: ${note.replace(/\s*\n\s*/g, ' ')}\n`).join(''));
  if (output !== undefined) writeAll(1, `${JSON.stringify(output)}\n`);
}
