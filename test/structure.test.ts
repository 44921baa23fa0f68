/** Why a hook call is fast, without a clock: what it loads, reads, locks and writes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makePlace, ROOT, type Place } from './place.ts';

const HOOK = join(ROOT, 'dist', 'hook.cjs');
/** Modules of Node that take milliseconds to load. */
const DEAR = ['crypto', 'child_process', 'http', 'https', 'net', 'tls', 'dns', 'worker_threads', 'readline', 'zlib', 'inspector', 'stream/promises', 'fs/promises'];

interface Seen {
  readonly modules: readonly string[];
  /** `what path`, in order. */
  readonly files: readonly string[];
}

/** Loaded before the hook: notes what is asked of the disk, and at the end which modules of Node there are. */
const SPY = `const fs = require('node:fs');
const seen = [];
for (const name of ['readFileSync', 'openSync', 'writeFileSync', 'appendFileSync', 'renameSync', 'statSync', 'readdirSync', 'unlinkSync', 'mkdirSync']) {
  const real = fs[name];
  fs[name] = (...all) => {
    seen.push(name.replace('Sync', '') + ' ' + all[0] + (name === 'openSync' ? ' ' + all[1] : ''));
    return real(...all);
  };
}
process.on('exit', () => require('node:fs').writeFileSync(process.env.SPY_FILE, JSON.stringify({ files: seen, modules: process.moduleLoadList })));
`;

describe('a hook call on a warm cache', () => {
  let place: Place;
  before(() => {
    place = makePlace({
      'bylaw.yaml': "bylaw: 1\nextends: [bylaw:base]\nrules:\n  reads: { match: { tool: Read }, limit: 100, advise: 'Read {count}.' }\n  every-read: { match: { tool: Read }, advise: 'A read.' }\n  no-web: { match: { tool: WebFetch }, deny: No web. }\n  pushes: { match: { runs: git push }, deny: No. }\n",
    });
    writeFileSync(join(place.folder, 'spy.cjs'), SPY);
    place.hook({ hook_event_name: 'PreToolUse', tool_name: 'Grep', tool_input: {} });
  });
  after(() => place.remove());

  const call = (payload: object, cwd = place.project): Seen & { readonly stdout: string } => {
    const file = join(place.folder, 'seen.json');
    const done = spawnSync(process.execPath, ['--require', join(place.folder, 'spy.cjs'), HOOK], { cwd, env: { ...place.env, CLAUDE_PROJECT_DIR: cwd, SPY_FILE: file }, encoding: 'utf8', input: JSON.stringify({ session_id: 's', cwd, hook_event_name: 'PreToolUse', ...payload }) });
    assert.equal(done.stderr, '');
    const { files, modules } = JSON.parse(readFileSync(file, 'utf8'));
    return { stdout: done.stdout, files, modules: modules.map((name: string) => name.replace(/^NativeModule /, '')) };
  };
  const read = { tool_name: 'Read', tool_input: { file_path: '/x/a.ts' } };

  test('loads no module of Node that takes long, and of bylaw only what judges', () => {
    const { modules, files } = call(read);
    assert.deepEqual(DEAR.filter((name) => modules.includes(name)), []);
    const own = files.filter((line) => line.startsWith(`readFile ${join(ROOT, 'dist')}`)).map((line) => basename(line));
    assert.deepEqual(own, ['hook.cjs', 'hook-main.cjs']);
  });

  test('the shell analyser is loaded for a shell line that a rule asks about, and for nothing else', () => {
    const loads = (payload: object): boolean => call(payload).files.some((line) => line.includes('hook-command.cjs'));
    assert.equal(loads({ tool_name: 'Bash', tool_input: { command: 'git status' } }), true);
    assert.equal(loads({ tool_name: 'WebFetch', tool_input: { url: 'x' } }), false);
  });

  test('takes one lock, parses the state once, writes it once, appends to the audit once', () => {
    call(read);
    const { files, stdout } = call(read);
    assert.match(stdout, /A read/);
    const count = (pattern: RegExp): number => files.filter((line) => pattern.test(line)).length;
    assert.equal(count(/^open \S+\/lock wx$/), 1, 'locks');
    // Once to judge, once under the lock to see that nobody wrote meanwhile.
    assert.equal(count(/^readFile \S+\/session-s\.json$/), 2, 'reads');
    assert.equal(count(/^writeFile \S+\/session-s\.json/), 1, 'writes');
    assert.equal(count(/^rename /), 1, 'replaced whole');
    assert.equal(count(/^appendFile \S+\/audit\.jsonl$/), 1, 'audit');
    assert.deepEqual(files.filter((line) => line.startsWith('writeFile ') && !/session-s\.json|audit\.jsonl/.test(line)), []);
  });

  test('what changes nothing takes no lock and writes nothing', () => {
    const { files } = call({ tool_name: 'Grep', tool_input: { pattern: 'x' } });
    assert.deepEqual(files.filter((line) => /^(open .* wx|writeFile .*|appendFile .*|rename .*|mkdir .*|unlink .*)$/.test(line)), []);
  });

  test('no YAML is read: whether the plan is fresh is asked by stat', () => {
    const { files } = call(read);
    assert.deepEqual(files.filter((line) => /^(readFile|open) .*\.ya?ml/.test(line)), []);
    assert.ok(files.some((line) => line === `stat ${join(place.project, 'bylaw.yaml')}`));
    assert.equal(files.filter((line) => /^readFile .*plan\.json$/.test(line)).length, 1);
  });

  test('without bylaw.yaml nothing but the entry is loaded, and no file is opened', () => {
    const { files, modules, stdout } = call(read, place.folder);
    assert.equal(stdout, '');
    assert.deepEqual(files, [`readFile ${HOOK}`]);
    assert.deepEqual(DEAR.filter((name) => modules.includes(name)), []);
  });

  test('compiled code is kept for this build and this Node, and a damaged or missing one only costs time', () => {
    const code = call(read).files.find((line) => line.endsWith('hook-main.cjs.bin'))?.slice('readFile '.length) ?? '';
    assert.ok(existsSync(code) && basename(code).includes(process.version));
    for (const damage of ['', 'not code', readFileSync(code).subarray(0, 1000)]) {
      writeFileSync(code, damage);
      assert.match(call({ tool_name: 'WebFetch', tool_input: {} }).stdout, /No web/);
    }
  });
});
