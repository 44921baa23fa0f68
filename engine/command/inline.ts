/** Finds shell text and command lines written as literals in inline code: `os.system("…")`, `run(['git', 'push'])`. */

const call =
  /(?:\b(?:system|popen\d?|Popen|getoutput|getstatusoutput|execSync|exec|execve|execFile|execFileSync|spawn|spawnSync|call|check_call|check_output|run|shell_exec|passthru|proc_open|execute|sh)\s*\(?|`)\s*(?:\(\s*)?/g;

/** Each as a text a shell would run. */
export function literalCommands(code: string): readonly string[] {
  const found: string[] = [];
  for (const match of code.matchAll(call)) {
    const rest = code.slice(match.index + match[0].length);
    if (match[0].startsWith('`')) {
      const end = rest.indexOf('`');
      if (end > 0) found.push(rest.slice(0, end));
      continue;
    }
    const list = /^\[((?:\s*(?:'[^']*'|"[^"]*")\s*,?)+)\]/.exec(rest)?.[1];
    const words = list ?? /^((?:'[^']*'|"[^"]*")(?:\s*,\s*(?:\[\s*)?(?:'[^']*'|"[^"]*"))+)/.exec(rest)?.[1];
    const text = /^(?:'([^']*)'|"([^"]*)"|`([^`]*)`)/.exec(rest);
    if (words !== undefined)
      found.push([...words.matchAll(/'([^']*)'|"([^"]*)"/g)].map((word) => `'${word[1] ?? word[2] ?? ''}'`).join(' '));
    else if (text) found.push(text[1] ?? text[2] ?? text[3] ?? '');
    if (found.length >= 16) break;
  }
  return found;
}
