/** A plan that is read line by line is the plan that was compiled. */
import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENGINE } from '../engine/version.ts';
import { PLAN_VERSION, readCache, writeCache, type Cached } from '../engine/plan/cache.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { loadProject } from '../engine/plan/compile.ts';
import { lazyList, lazyRecord } from '../engine/plan/lazy.ts';
import { makePlace } from './place.ts';

const MANY_FOLDERS = Array.from({ length: 20 }, (_, number) => `  part-${number}: { match: { tool: [Edit, Write], path: src/part${number}/** }, limit: 1, deny: 'Ä {count}.' }`).join('\n');

const MANY_TOOLS = Array.from({ length: 80 }, (_, number) => `  tool-${number}: { match: { tool: mcp__x__${number} }, deny: No. }`).join('\n');

test('whole or by line, it is what was written; a file that was cut off is none', () => {
  const place = makePlace({ 'bylaw.yaml': `bylaw: 1\nextends: [bylaw:four-layer, bylaw:pipeline]\nrules:\n${MANY_FOLDERS}\n${MANY_TOOLS}\n` });
  const { core } = loadProject(place.project, place.env);
  assert.ok(core);
  const plan = buildPlan(core);
  const cached: Cached = { version: PLAN_VERSION, engine: ENGINE, project: place.project, plan, onError: 'allow', stamps: [] };
  const file = join(place.folder, 'cache', 'plan.json');
  writeCache(file, cached);
  const plain = JSON.parse(JSON.stringify(cached));
  assert.ok(plan.index['PreToolUse']?.byTool['Edit']?.byFolder);
  for (const whole of [true, false]) assert.deepEqual(JSON.parse(JSON.stringify(readCache(file, whole))), plain, whole ? 'whole' : 'by line');
  // Written again from what was read by line, as after a policy broke.
  const again = readCache(file);
  assert.ok(again);
  writeCache(file, again);
  assert.deepEqual(JSON.parse(JSON.stringify(readCache(file))), plain);

  const bytes = readFileSync(file);
  for (const length of [0, 10, bytes.length >> 1, bytes.length - 1]) {
    writeFileSync(file, bytes);
    truncateSync(file, length);
    assert.equal(readCache(file), undefined, `${length} bytes`);
  }
  place.remove();
});

test('an entry is read when it is looked at, and once', () => {
  const asked: number[] = [];
  const list = lazyList(1000, (index) => (asked.push(index), { index }));
  assert.equal(list.length, 1000);
  assert.equal(list[7], list[7]);
  assert.deepEqual(asked, [7]);
  assert.equal(list[1000], undefined);
  assert.equal(list.filter(({ index }) => index < 3).length, 3);
  assert.equal(asked.length, 1000);
});

test('a record has the names it was given and no others', () => {
  const asked: number[] = [];
  const names = ['__proto__', 'a', 'b', 'constructor', 'z'];
  const record = lazyRecord(names, (index) => (asked.push(index), { index }));
  assert.ok(Object.hasOwn(record, 'b') && 'b' in record && !Object.hasOwn(record, 'toString') && !('c' in record));
  assert.equal(record['b'], record['b']);
  assert.equal(record['toString'], undefined);
  assert.deepEqual(asked, [2]);
  assert.deepEqual(Object.keys(record), names);
  assert.deepEqual(Object.values(record).map(({ index }) => index), [0, 1, 2, 3, 4]);
});
