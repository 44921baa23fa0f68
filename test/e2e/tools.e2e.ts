/** Tools beyond the usual ones: shell text elsewhere, and MCP servers. */
import assert from 'node:assert/strict';
import type { Call } from './model.ts';
import { bash, group, passed, refused, type Place } from './scenario.ts';

const scenario = group('tools');

scenario('shell text is judged in Monitor and in the background too', async ({ govern, session, has }) => {
  await govern(`
rules:
  no-touch: { match: { runs: touch }, deny: Nothing is touched here. }
`);
  const monitor: Call = { tool: 'Monitor', input: { command: 'touch a', description: 'a', timeout_ms: 5000, persistent: false } };
  const { results } = await session([{ tool: 'ToolSearch', input: { query: 'select:Monitor' } }, monitor, { tool: 'Bash', input: { command: 'touch b', run_in_background: true } }]);
  refused(results[1], /Nothing is touched here/);
  refused(results[2], /Nothing is touched here/);
  assert.deepEqual([has('a'), has('b')], [false, false]);
});

/** A server with one tool that writes a file, as small as the protocol allows. */
const DISK = `
const fs = require('node:fs');
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'disk', version: '1' } });
  else if (method === 'tools/list') say(id, { tools: [{ name: 'put', description: 'writes a file', inputSchema: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } } }] });
  else if (method === 'tools/call') {
    fs.writeFileSync(params.arguments.path, params.arguments.text);
    say(id, { content: [{ type: 'text', text: 'written' }] });
  } else if (id !== undefined) say(id, {});
});
`;

async function withDisk({ repo, write, session }: Place, calls: readonly { path: string; text: string }[]): ReturnType<Place['session']> {
  write('disk.cjs', DISK);
  const config = JSON.stringify({ mcpServers: { disk: { command: process.execPath, args: [`${repo}/disk.cjs`] } } });
  const search: Call = { tool: 'ToolSearch', input: { query: 'select:mcp__disk__put' } };
  return session([search, ...calls.map((input) => ({ tool: 'mcp__disk__put', input })), bash('touch z')], { args: ['--mcp-config', config, '--strict-mcp-config'] });
}

scenario('a tool of an MCP server is refused by its name and by its path', async (place) => {
  await place.govern(`
extends: [bylaw:self-protection]
rules:
  docs-are-written-by-people: { match: { tool: 'mcp__disk__*', path: 'docs/**' }, deny: Docs are written by people. }
`);
  place.write('docs/a.md', 'a');
  const settings = place.read('.claude/settings.json');
  const { results } = await withDisk(place, [{ path: `${place.repo}/docs/a.md`, text: '' }, { path: `${place.repo}/.claude/settings.json`, text: '{}' }, { path: `${place.repo}/src.txt`, text: 'x' }]);
  refused(results[1], /Docs are written by people/);
  refused(results[2], /settings that call the hooks/);
  passed(results[3], /written/);
  assert.deepEqual([place.read('docs/a.md'), place.read('.claude/settings.json'), place.read('src.txt')], ['a', settings, 'x']);
});
