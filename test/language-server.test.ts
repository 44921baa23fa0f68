/** What an editor shows while a policy is written: the real yaml-language-server with our schema, spoken to over stdio. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SCHEMAS = fileURLToPath(new URL('../schema/', import.meta.url));
const SKETCHES = fileURLToPath(new URL('fixtures/sketches/', import.meta.url));
/** Milliseconds that one answer may take; the first one loads the schema. */
const PATIENCE = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'bylaw-editor-'));
let server: Server;

before(async () => {
  server = await startServer(folder);
});
after(() => {
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

test('completion inside a rule offers its keys, with our sentences', async () => {
  const items = await complete(`
    bylaw: 1
    rules:
      two-reads-then-delegate:
        match: { tool: Read }
        |
  `);
  assert.match(items.get('limit') ?? 'not offered', /^The rule fires when its count is above this number/);
  assert.match(items.get('unless') ?? 'not offered', /^What excuses an event from the rule/);
  assert.equal(items.has('match'), false, 'a key that is there is not offered again');
});

const OFFERED = [
  {
    name: '`level: ` offers the four words and nothing else',
    text: `
      bylaw: 1
      level: |
    `,
    offers: ['strict', 'guidance', 'observe', 'disabled'],
    only: true,
  },
  {
    name: 'a rule may be one of the four words',
    text: `
      bylaw: 1
      rules:
        no-direct-edits: |
    `,
    offers: ['strict', 'guidance', 'observe', 'disabled'],
  },
  {
    name: 'the file level offers its keys',
    text: `
      bylaw: 1
      |
    `,
    offers: ['extends', 'level', 'active', 'bypass', 'on-error', 'lists', 'facts', 'defaults', 'rules', 'report', 'audit'],
    only: true,
  },
  {
    name: '`event: ` offers the events',
    text: `
      bylaw: 1
      rules:
        stop-needs-ack:
          event: |
    `,
    offers: ['PreToolUse', 'Stop', 'SubagentStop'],
  },
  {
    name: 'a list of tools offers tools',
    text: `
      bylaw: 1
      rules:
        no-direct-edits:
          match:
            tool: [Write, |]
    `,
    offers: ['Edit', 'Bash', 'WebFetch'],
  },
  {
    name: 'a matcher offers the built-in facts',
    text: `
      bylaw: 1
      rules:
        tests-before-push:
          match:
            tool: Bash
            |
    `,
    offers: ['runs', 'command', 'path', 'by', 'any-case'],
  },
  {
    name: 'an empty matcher offers the built-in facts',
    text: `
      bylaw: 1
      rules:
        tests-before-push:
          match:
            |
    `,
    offers: ['runs', 'command', 'path', 'by', 'any-case'],
  },
  {
    name: '`until` also offers event and idle',
    text: `
      bylaw: 1
      rules:
        three-failures-in-a-row:
          until:
            tool: Bash
            |
    `,
    offers: ['event', 'idle'],
  },
  {
    name: 'a new fact offers the keys of all forms',
    text: `
      bylaw: 1
      facts:
        tested:
          |
    `,
    offers: ['scope', 'count', 'first', 'regex', 'option', 'rows', 'since', 'text', 'json', 'exists', 'run'],
  },
  {
    name: 'a count offers the keys of a count only',
    text: `
      bylaw: 1
      facts:
        reads:
          count: { tool: Read }
          |
    `,
    offers: ['until', 'window', 'per', 'attempts', 'scope'],
    only: true,
  },
  {
    name: 'a step of a policy test offers the verdicts',
    schema: 'test.schema.json',
    text: `
      tests:
        no-direct-edits:
          edits are denied:
            - Edit src/a.ts: |
    `,
    offers: ['allow', 'advise', 'ask', 'deny'],
  },
];
for (const { name, text, offers, only, schema } of OFFERED) {
  test(name, async () => {
    const labels = [...(await complete(text, schema)).keys()];
    const found = only ? labels : labels.filter((label) => offers.includes(label));
    assert.deepEqual(found.toSorted(), offers.toSorted(), `offered: ${labels.join(' ')}`);
  });
}

const HOVERS = [
  { on: 'until', says: /^What empties the rule's or count's state so that counting begins anew/ },
  { on: 'idle', says: /^Empties the state after this long without a change/ },
  { on: 'limit', says: /^The rule fires when its count is above this number/ },
  { on: 'runs', says: /^The programs on a shell line/ },
  { on: 'tool', says: /^The tool that is called/ },
  { on: 'env.CI', says: /^A variable of the environment/ },
  { on: 'deny', says: /^Refuses the event with this text/ },
  { on: 'tests-before-push', says: /^A rule: when it applies/ },
  { on: 'keep', says: /^How long a value is kept/ },
  { on: 'PostToolUse', says: /^After a tool call that succeeded/ },
];
const HOVERED = `
  bylaw: 1
  facts:
    tested: { scope: session, keep: 10m }
  rules:
    tests-before-push:
      match: { tool: Bash, runs: git push }
      unless: { env.CI: true }
      limit: 2
      until: [{ event: PostToolUse }, { idle: 30m }]
      deny: Test first.
`;
for (const { on, says } of HOVERS) {
  test(`hover on \`${on}\``, async () => {
    const { uri, text } = open(HOVERED);
    const answer = (await server.request('textDocument/hover', {
      textDocument: { uri },
      position: positionOf(text, text.indexOf(on, text.indexOf('bylaw: 1')) + 1),
    })) as { contents: { value: string } } | null;
    // The server escapes what could be taken for markdown.
    assert.match((answer?.contents.value ?? 'nothing').replaceAll('\\', ''), says);
  });
}

test('a typo is underlined', async () => {
  const { uri, text } = open(`
    bylaw: 1
    rules:
      two-reads-then-delegate:
        match: { tool: Read }
        limti: 2
        deny: Delegate the rest.
  `);
  const [problem, ...rest] = await server.diagnostics(uri);
  assert.deepEqual(rest, []);
  assert.match(problem!.message, /limti/);
  assert.deepEqual(problem!.range.start, positionOf(text, text.indexOf('limti')));
});

for (const file of readdirSync(SKETCHES)) {
  test(`${file} has no problems in an editor`, async () => {
    const { uri } = open(readFileSync(join(SKETCHES, file), 'utf8'), file.endsWith('.test.yaml') ? 'test.schema.json' : undefined);
    assert.deepEqual(await server.diagnostics(uri), []);
  });
}

// ---------------------------------------------------------------- documents

let opened = 0;

/** Opens a document that names its schema in the first line, as `bylaw init` writes it. */
function open(text: string, schema = 'policy.schema.json') {
  const uri = pathToFileURL(join(folder, `document-${opened++}.yaml`)).href;
  const whole = `# yaml-language-server: $schema=${join(SCHEMAS, schema)}\n${dedent(text)}`;
  server.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text: whole } });
  return { uri, text: whole };
}

/** What is offered at the `|`: label to documentation. */
async function complete(marked: string, schema?: string) {
  const bare = dedent(marked);
  const cursor = bare.lastIndexOf('|');
  const { uri, text } = open(bare.slice(0, cursor) + bare.slice(cursor + 1), schema);
  const answer = (await server.request('textDocument/completion', {
    textDocument: { uri },
    position: positionOf(text, cursor + text.indexOf('\n') + 1),
  })) as { items: { label: string; documentation?: string | { value: string } }[] };
  return new Map(
    answer.items.map(({ label, documentation }) => [
      label,
      typeof documentation === 'object' ? documentation.value : (documentation ?? ''),
    ]),
  );
}

function positionOf(text: string, offset: number) {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)!.length };
}

function dedent(text: string) {
  const lines = text.replace(/^\n/, '').split('\n');
  const indent = lines[0]!.length - lines[0]!.trimStart().length;
  return lines.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length))).join('\n');
}

// ---------------------------------------------------------------- language server protocol

interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}
type Server = Awaited<ReturnType<typeof startServer>>;

async function startServer(root: string) {
  const program = createRequire(import.meta.url).resolve('yaml-language-server/bin/yaml-language-server');
  const child = spawn(process.execPath, [program, '--stdio'], { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);

  const waiting = new Map<string, (outcome: { value?: unknown; error?: Error }) => void>();
  const published = new Map<string, Diagnostic[]>();
  let lastId = 0;
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  child.once('exit', (code, signal) => {
    const error = new Error(`yaml-language-server ended (${code ?? signal}) ${complaints}`);
    for (const settle of waiting.values()) settle({ error });
  });

  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const wait = (key: string) =>
    new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => settle({ error: new Error(`no answer to ${key} ${complaints}`) }), PATIENCE);
      const settle = ({ value, error }: { value?: unknown; error?: Error }) => {
        clearTimeout(timer);
        waiting.delete(key);
        if (error) reject(error);
        else resolve(value);
      };
      waiting.set(key, settle);
    });
  const request = (method: string, params: object) => {
    const id = ++lastId;
    const answer = wait(`${id}`);
    send({ id, method, params });
    return answer;
  };
  const notify = (method: string, params: object) => send({ method, params });
  const diagnostics = async (uri: string) => published.get(uri) ?? ((await wait(uri)) as Diagnostic[]);

  const receive = ({ id, method, params, result, error }: Message) => {
    if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics: found } = params as { uri: string; diagnostics: Diagnostic[] };
      published.set(uri, found);
      waiting.get(uri)?.({ value: found });
    } else if (method === 'workspace/configuration') {
      const { items } = params as { items: { section: string }[] };
      send({ id, result: items.map(({ section }) => (section === 'yaml' ? SETTINGS : {})) });
    } else if (method !== undefined) {
      if (id !== undefined) send({ id, result: null });
    } else {
      waiting.get(`${id}`)?.(error ? { error: new Error(error.message) } : { value: result });
    }
  };
  let buffer = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const head = buffer.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString('latin1', 0, head))?.[1]);
      const end = head + 4 + length;
      if (buffer.length < end) return;
      receive(JSON.parse(buffer.toString('utf8', head + 4, end)));
      buffer = buffer.subarray(end);
    }
  });

  try {
    await request('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      capabilities: {
        workspace: { configuration: true },
        textDocument: { completion: { completionItem: { documentationFormat: ['plaintext'] } } },
      },
    });
    notify('initialized', {});
    notify('workspace/didChangeConfiguration', { settings: { yaml: SETTINGS } });
  } catch (error) {
    kill();
    throw error;
  }
  return { request, notify, diagnostics, kill };
}

/** Nothing here may ask the network for a schema. */
const SETTINGS = {
  schemaStore: { enable: false },
  kubernetesCRDStore: { enable: false },
  validate: true,
  hover: true,
  completion: true,
};
