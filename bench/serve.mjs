/** HTTP round trip (keep-alive, with state write and audit) against a bare Node process, interleaved: `node bench/serve.mjs [runs]`. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RUNS = Number(process.argv[2] ?? 200);
/** Requests per bare process: they are so short that one alone would say little. */
const PER_RUN = 5;
const TOKEN = 'a-secret-of-the-bench-0123456789';
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'bylaw-bench-'));
const project = join(folder, 'project');
mkdirSync(project);
// Every read is counted (state) and every verdict is kept (audit: all).
writeFileSync(join(project, 'bylaw.yaml'), 'bylaw: 1\naudit: all\nrules:\n  reads: { match: { tool: Read }, limit: 1000000, deny: Too many. }\n  no-web: { match: { tool: WebFetch }, deny: No web. }\n');
const bare = join(folder, 'bare.mjs');
writeFileSync(bare, "import { readFileSync } from 'node:fs';\nreadFileSync(0);\nprocess.stdout.write('{}');\n");
const env = { PATH: process.env.PATH, HOME: folder, BYLAW_STATE_DIR: join(folder, 'state'), BYLAW_CACHE_DIR: join(folder, 'cache'), BYLAW_TOKEN: TOKEN };

const server = spawn(process.execPath, [join(root, 'dist', 'bylaw.mjs'), 'serve', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const port = await new Promise((resolve) => server.stdout.once('data', (chunk) => resolve(Number(/:(\d+)\/hook/.exec(String(chunk))[1]))));
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const body = JSON.stringify({ session_id: 's', cwd: project, hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: join(project, 'a.ts') } });
const ask = () =>
  new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path: '/hook', method: 'POST', agent, headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } }, (response) => response.resume().on('end', resolve));
    asking.on('error', reject).end(body);
  });
const timed = async (what) => {
  const started = performance.now();
  await what();
  return performance.now() - started;
};

for (let i = 0; i < 50; i++) await ask();
const http = [];
const node = [];
for (let i = 0; i < RUNS; i++) {
  node.push(await timed(() => spawnSync(process.execPath, [bare], { input: body, env })));
  for (let j = 0; j < PER_RUN; j++) http.push(await timed(ask));
}
const at = (times, part) => times.sort((a, b) => a - b)[Math.floor(times.length * part)];
for (const [name, times] of [['bare Node script', node], ['HTTP round trip', http]]) console.log(`${name.padEnd(17)} median ${at(times, 0.5).toFixed(2)} ms  p95 ${at(times, 0.95).toFixed(2)} ms  n ${times.length}`);
console.log(`ratio of medians  ${(at(http, 0.5) / at(node, 0.5)).toFixed(4)}`);
agent.destroy();
server.kill();
rmSync(folder, { recursive: true, force: true });
