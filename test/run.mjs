/** The test command: builds what users get, runs every test file with coverage, and ends with the runner's own summary. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files that hold types and no code: nothing in them can run, so they would count as uncovered. */
const TYPES_ONLY = ['event', 'problem', 'rule', 'state', 'verdict'].map((name) => `engine/model/${name}.ts`).concat('engine/command/analysis.ts');

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wanted = process.argv.slice(2);
const below = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? below(join(folder, entry.name)) : entry.name.endsWith('.test.ts') ? [join(folder, entry.name)] : []));
const files = below(join(root, 'test')).filter((file) => wanted.length === 0 || wanted.some((text) => file.includes(text)));

for (const step of [[join(root, 'cli', 'build.mjs')], [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', join(root, 'tsconfig.types.json')]]) {
  if (spawnSync(process.execPath, step, { stdio: 'inherit' }).status !== 0) process.exit(1);
}

const coverage = mkdtempSync(join(tmpdir(), 'bylaw-coverage-'));
const run = spawn(process.execPath, ['--import', 'tsx', '--test', '--test-concurrency=2', '--test-reporter=spec', ...files], {
  cwd: root,
  env: { ...process.env, ...(wanted.length === 0 ? { NODE_V8_COVERAGE: coverage } : {}), NO_COLOR: '1' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let held = '';
run.stdout.setEncoding('utf8');
run.stdout.on('data', (chunk) => {
  held += chunk;
  // Whole lines go out at once, but the summary and the list of failures wait for the coverage.
  const summary = held.search(/^ℹ tests \d+/m);
  if (summary >= 0) return;
  const end = held.lastIndexOf('\n') + 1;
  process.stdout.write(held.slice(0, end));
  held = held.slice(end);
});
run.on('close', (code) => {
  const summary = held.search(/^ℹ tests \d+/m);
  process.stdout.write(summary < 0 ? held : held.slice(0, summary));
  let enough = 0;
  if (wanted.length === 0) {
    const report = spawnSync(process.execPath, [join(root, 'node_modules', 'c8', 'bin', 'c8.js'), 'report', '--temp-directory', coverage, '--include', 'engine/**', ...TYPES_ONLY.flatMap((file) => ['--exclude', file]), '--exclude-after-remap', '--all', '--reporter', 'text-summary', '--check-coverage', '--lines', '90', '--branches', '0', '--functions', '0', '--statements', '0'], { cwd: root, encoding: 'utf8' });
    process.stdout.write(`coverage of engine/\n${report.stdout}${report.stderr}\n`);
    enough = report.status ?? 1;
  }
  rmSync(coverage, { recursive: true, force: true });
  if (summary >= 0) process.stdout.write(held.slice(summary));
  process.exitCode = code !== 0 || enough !== 0 ? 1 : 0;
});
