/** Measures the first call in a fresh process and warm calls, on the bundled file. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

mkdirSync('node_modules/.cache', { recursive: true });
buildSync({
  entryPoints: ['engine/command/analyse.ts'],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  outfile: 'node_modules/.cache/bylaw-command.cjs',
  logLevel: 'error',
});
// Processor time, not wall time: the machine is shared.
const cpu = () => {
  const used = process.cpuUsage();
  return (used.user + used.system) / 1000;
};
const probe = `
const cpu = () => { const used = process.cpuUsage(); return (used.user + used.system) / 1000; };
const t0 = cpu();
const { analyse } = require('./node_modules/.cache/bylaw-command.cjs');
const t1 = cpu();
analyse(process.argv[1]);
const t2 = cpu();
analyse(process.argv[1]);
console.log(JSON.stringify([t1 - t0, t2 - t1, cpu() - t2]));`;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1].toFixed(2);
for (const command of [
  'npm run build',
  'cd app && git add -A && git commit -m "fix: x" && git push origin main 2>&1 | tail -5',
  `bash -c 'rm -rf "$1"' _ build`,
]) {
  const rows = Array.from({ length: 15 }, () => JSON.parse(execFileSync(process.execPath, ['-e', probe, command], { encoding: 'utf8' })));
  console.log(
    `load ${median(rows.map((r) => r[0]))} ms, first call ${median(rows.map((r) => r[1]))} ms, second ${median(rows.map((r) => r[2]))} ms: ${command}`,
  );
}
const { createRequire } = await import('node:module');
const { analyse } = createRequire(import.meta.url)('../node_modules/.cache/bylaw-command.cjs');
const commands = readFileSync('test/command/corpus.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line).command);
const measure = (list) => {
  // The best of several rounds: the machine is shared.
  let best = Number.POSITIVE_INFINITY;
  const times = Math.ceil(300 / list.length);
  for (let round = 0; round < 60; round += 1) {
    const start = performance.now();
    for (let time = 0; time < times; time += 1) for (const command of list) analyse(command);
    best = Math.min(best, ((performance.now() - start) * 1000) / (times * list.length));
  }
  return best.toFixed(1);
};
console.log(`warm: ${measure(commands)} µs per corpus command (${commands.length})`);
console.log(
  `warm: ${measure(['npm run build'])} µs for npm run build, ${measure(['cd app && git add -A && git commit -m "fix: x" && git push origin main 2>&1 | tail -5'])} µs for a chain of five`,
);
const worst = {
  'echo {a,b} x 30': `echo ${'{a,b}'.repeat(30)}`,
  'f(){ f; f; }; f': 'f(){ f; f; }; f',
  '$( x 20,000': '$('.repeat(20000),
  '$( x 900 closed': `${'$('.repeat(900)}ls${')'.repeat(900)}`,
  '( x 1,900': '('.repeat(1900),
  '${x:- x 1,900': '${x:-'.repeat(1900),
  'backticks x 1,900': '`'.repeat(1900),
  '$(( x 1,900': '$(('.repeat(950),
  '<( x 1,900': 'cat ' + '<('.repeat(1900),
  '60 KB of words': 'a '.repeat(30000),
  '60 KB of ;': 'a;'.repeat(30000),
  '60 KB quoted': `echo "${'a'.repeat(60000)}"`,
  '60 KB of pipes': 'a|'.repeat(30000) + 'a',
  '60 KB of &&': 'a&&'.repeat(20000) + 'a',
  '60 KB of assignments': 'a=b;'.repeat(15000),
  '60 KB of x+=x': 'x=a;' + 'x=$x$x;'.repeat(8000),
  doubling: 'x=aaaaaaaaaa;' + 'x="$x$x$x$x";'.repeat(40) + 'eval "$x"',
  'nested while': 'while :; do x=$y; y=$x; '.repeat(30) + 'rm x; ' + 'done; '.repeat(30),
  'nested for': 'for i in {1..60}; do '.repeat(8) + 'rm x; ' + 'done; '.repeat(8),
  'nested eval': `eval '`.repeat(1) + `eval eval eval `.repeat(3000) + `ls'`,
  heredocs: 'cat <<E\na\nE\n'.repeat(4000),
  'braces seq': 'echo {1..100000}{1..100000}',
  'nested braces': `echo ${'{a,'.repeat(2000)}${'}'.repeat(2000)}`,
  'open braces': `echo ${'{a,'.repeat(10000)}`,
  globs: `x=${'a'.repeat(4000)}; echo ${'${x##*a*a*a*b}'.repeat(100)}`,
  globs2: `x=${'a'.repeat(4000)}; echo ${'${x//*a*a*ab/c}'.repeat(20)}`,
  suffix: `x=${'a'.repeat(4000)}; echo ${'${x%*a*b}'.repeat(20)}`,
  printf: `printf '%1000s' ${'a '.repeat(20000)} | sh`,
  functions: Array.from({ length: 300 }, (_, i) => `f${i}(){ f${i + 1}; f${i + 1}; }`).join(';') + ';f0',
  case: 'case a in ' + 'a) x=1;; '.repeat(5000) + 'esac',
  'if chain': 'if a; then b; '.repeat(1500) + 'fi; '.repeat(1500),
  'xargs lines': `printf '%s\\n' {1..200} | xargs -I{} sh -c 'for i in {1..60}; do rm {}; done'`,
  arith: `echo $((${'1+'.repeat(20000)}1))`,
  array: `a=(${'b '.repeat(20000)}); echo ${'"${a[@]}" '.repeat(200)}`,
  'set positional': `set -- ${'b '.repeat(5000)}; ${'f "$@"; '.repeat(3000)}`,
  quotes: `'"`.repeat(15000),
  escapes: '\\'.repeat(60000),
  dollars: '$'.repeat(60000),
  lt: '<'.repeat(60000),
  'heredoc open': '<<a '.repeat(15000),
  subscript: `${'a['.repeat(20000)}`,
  'dq dollar': `"$"`.repeat(20000),
  inline: `python3 -c '${'system("a");'.repeat(5000)}'`,
  sed: `sed '${'s/a/b/;'.repeat(7000)}' x`,
  awk: `awk '${'|'.repeat(50000)}'`,
};
let slowest = ['', 0];
for (const [name, command] of Object.entries(worst)) {
  let took = Number.POSITIVE_INFINITY;
  let opaque = [];
  for (let round = 0; round < 3; round += 1) {
    const start = cpu();
    ({ opaque } = analyse(command));
    took = Math.min(took, cpu() - start);
  }
  if (took > slowest[1]) slowest = [name, took];
  if (took > 40) console.log(`  ${took.toFixed(0)} ms ${name}: ${[...new Set(opaque.map((entry) => entry.reason))].join(', ')}`);
}
console.log(`slowest of ${Object.keys(worst).length} hostile inputs: ${slowest[1].toFixed(0)} ms (${slowest[0]})`);
