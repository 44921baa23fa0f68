/** Regexes that may take long run only where somebody can stop them: the hook sets up a watchdog, which costs milliseconds, when one is met. */

/** Steps that take well under a second, whatever the regex. */
const STEPS = 10_000_000;

/** Thrown instead of running a regex that may take long. */
export class Unwatched extends Error {}

/** Tools and tests run without a watchdog, and wait. */
let refuses = false;

/** Runs an evaluation that throws `Unwatched` where it would need a watchdog. */
export function unwatched<T>(run: () => T): T {
  const before = refuses;
  refuses = true;
  try {
    return run();
  } finally {
    refuses = before;
  }
}

export function mindTheTime(regex: string, text: string): void {
  if (refuses && worstSteps(regex, text.length) > STEPS) throw new Unwatched(`a watchdog is needed for ${regex}`);
}

interface Shape {
  /** Repetitions without a bound, each of which may try every length. */
  readonly repeats: number;
  /** Choices that multiply the ways. */
  readonly ways: number;
}

const shapes = new Map<string, Shape | 'wild'>();

/** No more than this, by how the regex is built; infinite where repetitions are nested or refer back. */
export function worstSteps(regex: string, length: number): number {
  let shape = shapes.get(regex);
  if (shape === undefined) {
    shape = shapeOf(regex);
    shapes.set(regex, shape);
  }
  return shape === 'wild' ? Infinity : (length + 1) ** (shape.repeats + 1) * shape.ways;
}

function shapeOf(regex: string): Shape | 'wild' {
  const plain = regex.replace(/\\k<|\\[1-9]/g, '\0').replace(/\\./gs, 'x').replace(/\[\^?[^\]]*\]/g, 'x').replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(');
  if (plain.includes('\0') || /\)[*+?{]/.test(plain)) return 'wild';
  const repeats = plain.match(/[*+]|\{\d+,?\d*\}/g)?.length ?? 0;
  const optional = plain.replace(/[*+}]\?/g, '').match(/\?/g)?.length ?? 0;
  const bars = plain.match(/\|/g)?.length ?? 0;
  const groups = plain.match(/\(/g)?.length ?? 0;
  return { repeats, ways: 2 ** optional * (bars + 1) ** Math.max(1, groups) };
}
