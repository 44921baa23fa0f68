/** Whether a regex of a policy is safe to run on any text: RE2's syntax, and no attack that recheck can find. Loaded only by `check`. */
import type { RegexFault } from '../engine/load/world.ts';

/** Milliseconds for one pattern; what can't be decided by then is left to the watchdog. */
const TIMEOUT = 3_000;

export async function regexChecker(): Promise<(regex: string) => RegexFault | undefined> {
  const [{ RE2JS }, module] = await Promise.all([import('re2js'), import('recheck/lib/browser.js')]);
  // Node and the bundle give CommonJS as `default`, tsx gives its names.
  const recheck = module.default ?? module;
  return (regex) => {
    try {
      RE2JS.compile(regex, RE2JS.MULTILINE);
    } catch {
      return { message: 'the regex uses what can take for ever: lookaround or backreferences', help: 'say it with two matchers, or with `unless`' };
    }
    const found = recheck.checkSync(regex, 'm', { timeout: TIMEOUT, checker: 'automaton' });
    if (found.status !== 'vulnerable') return undefined;
    const degree = found.complexity?.summary ?? 'slow';
    const attack = found.attack?.pattern ?? '';
    return { message: `the regex is slow on some texts (${degree}), for example on ${attack.slice(0, 120)}`, help: 'begin it with `^` or a fixed word, repeat a narrow class such as `[^\\s]` instead of `.`, or match two facts' };
  };
}
