/** Times → medians, ratios and a table. */

export interface Times {
  readonly median: number;
  readonly p95: number;
  readonly runs: number;
}

export interface Figure extends Times {
  readonly name: string;
  readonly unit: 'ms' | 'µs' | 'MB';
}

/** A figure that has a target: its ratio to another one, or itself. */
export interface Target {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly unit: '×' | 'µs';
}

export function timesOf(values: readonly number[]): Times {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { median: at(0.5), p95: at(0.95), runs: sorted.length };
}

export function printFigures(title: string, figures: readonly Figure[], bare: Figure | undefined): void {
  const width = Math.max(...figures.map(({ name }) => name.length));
  console.log(`\n${title.padEnd(width)}    median       p95  ${bare === undefined ? '' : 'ratio to bare'}`);
  for (const figure of figures) {
    const ratio = bare === undefined ? '' : (figure.median / bare.median).toFixed(bare.median > 10 * figure.median ? 4 : 2);
    console.log(`${figure.name.padEnd(width)}  ${number(figure.median)} ${number(figure.p95)} ${figure.unit}  ${ratio}`);
  }
}

export function printTargets(targets: readonly Target[]): void {
  const width = Math.max(...targets.map(({ name }) => name.length));
  console.log(`\n${'target'.padEnd(width)}     value   at most`);
  for (const { name, value, most, unit } of targets) console.log(`${name.padEnd(width)}  ${value.toFixed(3).padStart(8)}  ${String(most).padStart(7)} ${unit}  ${value <= most ? 'met' : 'MISSED'}`);
}

function number(value: number): string {
  return value.toFixed(value < 10 ? 3 : 1).padStart(9);
}
