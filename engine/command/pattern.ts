/** Turns a shell pattern such as `*.t[sx]` into a regular expression that cannot run away. */

/** Steps a backtracking match may need, at most. */
export function matchCost(pattern: string, text: string): number {
  const stars = pattern.split('*').length - 1;
  return text.length ** (stars + 1);
}

/** Without anchors; null when the pattern is not one we read. */
export function patternSource(pattern: string, greedy = true): string | null {
  let source = '';
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === '*') {
      if (pattern.charAt(index + 1) === '*') continue;
      source += greedy ? '[\\s\\S]*' : '[\\s\\S]*?';
    } else if (character === '?') source += '[\\s\\S]';
    else if (character === '\\') source += escape(pattern.charAt((index += 1)));
    else if (character === '[') {
      const end = pattern.indexOf(']', index + 2);
      if (end < 0) source += '\\[';
      else {
        source += bracket(pattern.slice(index + 1, end));
        index = end;
      }
    } else source += escape(character);
  }
  return source.includes('[:') ? null : source;
}

export function matchesPattern(pattern: string, text: string): boolean | null {
  const source = patternSource(pattern);
  return source === null ? null : new RegExp(`^${source}$`).test(text);
}

function bracket(inside: string): string {
  const negated = /^[!^]/.test(inside);
  const members = (negated ? inside.slice(1) : inside).replace(/[\\\]^[]/g, '\\$&');
  return `[${negated ? '^' : ''}${members}]`;
}

function escape(character: string): string {
  return /[\w\s]/.test(character) ? character : `\\${character}`;
}
