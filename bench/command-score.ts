/** Prints how the analysis does on the corpus of traced commands. */
import { readFileSync } from 'node:fs';
import { analyse, type Analysis } from '../engine/command/analyse.ts';
import { covers } from '../engine/command/covers.ts';

interface Entry {
  readonly id: string;
  readonly command: string;
  readonly kind: 'evasion' | 'benign';
  readonly class: string;
  readonly runs: readonly (readonly string[])[];
  readonly opaque: boolean;
  readonly deny: readonly string[];
}

const rules = ['rm', 'git push', 'npm test', 'pytest', 'curl'];
const quiet = new Set(['script-file', 'inline-code']);
const file = process.argv[2] ?? new URL('../test/command/corpus.jsonl', import.meta.url);
const entries: readonly Entry[] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const named = (analysis: Analysis, rule: string): boolean => analysis.runs.some((run) => covers(rule, run) === 'yes');
const maybe = (analysis: Analysis, rule: string): boolean => analysis.runs.some((run) => covers(rule, run) === 'unknown');
const tally = { evasions: 0, found: 0, flagged: 0, missed: 0, benign: 0, alarms: 0, asks: 0, prefixes: 0, prefixesMissing: 0 };
const details: string[] = [];

for (const entry of entries) {
  const analysis = analyse(entry.command);
  const show = (what: string, more = ''): void =>
    void details.push(
      `${what} ${entry.id}: ${JSON.stringify(entry.command)} ${more} ${JSON.stringify(analysis.runs.map((run) => run.argv))} ${analysis.opaque.map((opaque) => opaque.reason)}`,
    );
  if (entry.kind === 'evasion') {
    tally.evasions += 1;
    const isNamed = entry.deny.length > 0 && entry.deny.every((rule) => named(analysis, rule));
    const isFlagged = analysis.opaque.length > 0 || entry.deny.some((rule) => maybe(analysis, rule));
    if (isNamed) tally.found += 1;
    else if (isFlagged) tally.flagged += 1;
    else tally.missed += 1;
    if (!isNamed) show(isFlagged ? 'flagged' : 'MISSED');
  } else {
    tally.benign += 1;
    const alarms = rules.filter((rule) => !entry.deny.includes(rule) && named(analysis, rule));
    if (alarms.length > 0) show('ALARM', alarms.join());
    const asks =
      analysis.opaque.filter(({ reason }) => !quiet.has(reason)).length > 0 ||
      rules.some((rule) => !entry.deny.includes(rule) && maybe(analysis, rule));
    if (asks) show('ASK');
    if (alarms.length > 0) tally.alarms += 1;
    if (asks) tally.asks += 1;
  }
  if (entry.opaque) continue;
  for (const prefix of entry.runs) {
    tally.prefixes += 1;
    if (analysis.runs.some(({ argv }) => prefix.every((word, index) => argv[index] === word))) continue;
    tally.prefixesMissing += 1;
    show('PREFIX', JSON.stringify(prefix));
  }
}

for (const line of details) console.log(line);
const percent = (part: number, whole: number): string => `${part}/${whole} (${((100 * part) / whole).toFixed(1)} %)`;
console.log(`evasions named             ${percent(tally.found, tally.evasions)}`);
console.log(`evasions named or flagged  ${percent(tally.found + tally.flagged, tally.evasions)}`);
console.log(`benign: false alarms       ${percent(tally.alarms, tally.benign)}`);
console.log(`benign: flagged            ${percent(tally.asks, tally.benign)}`);
console.log(`run prefixes found         ${percent(tally.prefixes - tally.prefixesMissing, tally.prefixes)}`);
process.exitCode = tally.missed + tally.alarms + tally.asks + tally.prefixesMissing > 0 ? 1 : 0;
