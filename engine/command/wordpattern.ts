/** Matches one word against one word of a pattern: `*`, `?`, `[ab]`, `{a,b}` and `(a|b)`. */

const words = new Map<string, readonly string[]>();

/** Splits a pattern at blanks outside of parentheses and braces. */
export function patternWords(pattern: string): readonly string[] {
  const known = words.get(pattern);
  if (known) return known;
  const split = pattern.match(/(?:\([^)]*\)|\{[^}]*\}|\\.|\S)+/g) ?? [];
  if (words.size > 1000) words.clear();
  words.set(pattern, split);
  return split;
}

const compiled = new Map<string, readonly string[]>();

export function wordMatches(pattern: string, text: string, anyCase: boolean): boolean {
  if (!/[*?[{(\\]/.test(pattern)) return anyCase ? pattern.toLowerCase() === text.toLowerCase() : pattern === text;
  let choices = compiled.get(pattern);
  if (!choices) {
    choices = alternatives(pattern, 64);
    if (compiled.size > 1000) compiled.clear();
    compiled.set(pattern, choices);
  }
  return choices.some((choice) => (anyCase ? globMatches(choice.toLowerCase(), text.toLowerCase()) : globMatches(choice, text)));
}

/** `a{b,c}` and `a(b|c)` as the patterns they stand for. */
function alternatives(pattern: string, limit: number): readonly string[] {
  const match = /\(([^()]*)\)|\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (!match) return [pattern];
  const items = match[1] === undefined ? (match[2] ?? '').split(',') : match[1].split('|');
  const before = pattern.slice(0, match.index);
  const after = pattern.slice(match.index + match[0].length);
  const results: string[] = [];
  for (const item of items) {
    if (results.length > limit) break;
    results.push(...alternatives(before + item + after, limit));
  }
  return results.slice(0, limit);
}

/** Greedy with one place to come back to, so at worst length times length. */
function globMatches(pattern: string, text: string): boolean {
  let [at, from] = [0, 0];
  let [star, resume] = [-1, 0];
  while (from < text.length) {
    const width = at < pattern.length && pattern.charAt(at) !== '*' ? single(pattern, at, text.charAt(from)) : 0;
    if (width > 0) {
      at += width;
      from += 1;
    } else if (pattern.charAt(at) === '*') {
      star = at;
      resume = from;
      at += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      from = resume;
    } else return false;
  }
  while (pattern.charAt(at) === '*') at += 1;
  return at === pattern.length;
}

/** How many characters of the pattern match one character; 0 when they do not. */
function single(pattern: string, at: number, character: string): number {
  const symbol = pattern.charAt(at);
  if (symbol === '?') return 1;
  if (symbol === '\\' && at + 1 < pattern.length) return pattern.charAt(at + 1) === character ? 2 : 0;
  const end = symbol === '[' ? pattern.indexOf(']', at + 2) : -1;
  if (end < 0) return symbol === character ? 1 : 0;
  const inside = pattern.slice(at + 1, end);
  const negated = /^[!^]/.test(inside);
  const members = negated ? inside.slice(1) : inside;
  let found = false;
  for (let index = 0; index < members.length; index += 1) {
    if (members.charAt(index + 1) === '-' && index + 2 < members.length) {
      found ||= members.charAt(index) <= character && character <= members.charAt(index + 2);
      index += 2;
    } else found ||= members.charAt(index) === character;
  }
  return found === negated ? 0 : end - at + 1;
}
