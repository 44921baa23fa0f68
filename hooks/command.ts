/** A shell text → what it does, as an outside fact. A file of its own, so that a hook call loads the analyser only when a rule asks. */
import { analyse } from '../engine/command/analyse.ts';
import type { Event, Json, Outside } from '../engine/model.ts';

/** Variables whose value in the agent's shell is the same as here. */
const SAME = ['HOME', 'PWD', 'USER', 'TMPDIR', 'CLAUDE_PROJECT_DIR', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'BYLAW_STATE_DIR', 'BYLAW_CACHE_DIR'];

export function analyseCommand(text: string, event: Event): Outside {
  const variables = Object.fromEntries(SAME.flatMap((name) => (event.env[name] === undefined ? [] : [[name, event.env[name]] as const])));
  const { runs, paths, opaque } = analyse(text, { ...(event.home === undefined ? {} : { home: event.home }), variables: { ...variables, PWD: event.cwd } });
  const value: Json = {
    runs: runs.map((run): Json => ({ argv: run.argv, at: run.at, via: run.via, ...(run.heads === undefined ? {} : { heads: run.heads }) })),
    paths: paths.map((access): Json => ({ ...access })),
    opaque: opaque.map((part): Json => ({ reason: part.reason, at: part.at, text: part.text })),
  };
  return { value };
}

// The built hook takes it from here: it is asked about programs that were found here, and its tables are large.
export { covers } from '../engine/command/covers.ts';
