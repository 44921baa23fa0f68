/** The schema and the types of the language say the same: keys, words, events, forms, reasons. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import type { OpaqueReason } from '../engine/command/analysis.ts';
import { EVENTS } from '../engine/events.ts';
import { BUILTIN, NAMESPACES } from '../engine/judge/builtin.ts';
import { KEYS } from '../engine/load/desugar.ts';
import { formOf } from '../engine/load/forms.ts';
import { parse } from '../engine/load/parse.ts';
import { get } from '../engine/load/node.ts';
import { DECISIONS, LEVELS, SCOPES, type Form } from '../engine/model.ts';
import { readSchema } from '../engine/plan/compile.ts';
import { teamSchema } from '../cli/team-schema.ts';
import { loadTexts } from './load-texts.ts';
import { makePlace, ROOT } from './place.ts';

const schema: any = readSchema();
const { definitions } = schema;
const properties = (name: string): string[] => Object.keys(definitions[name].properties);

test('the keys of a rule are the keys that are given a meaning', () => {
  assert.deepEqual(properties('rule').sort(), KEYS.flatMap((key) => key.names).sort());
});

test('defaults take every key of a rule but unless', () => {
  assert.deepEqual(properties('defaults').sort(), properties('rule').filter((key) => key !== 'unless').sort());
});

/** All enums anywhere in a part of the schema, without null. */
function words(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = 'enum' in part && Array.isArray(part.enum) ? part.enum.filter((word) => typeof word === 'string') : 'const' in part && typeof part.const === 'string' ? [part.const] : [];
  return [...own, ...Object.values(part).flatMap(words)];
}

test('levels, scopes and decisions are the words of the types', () => {
  assert.deepEqual(words(definitions.level), [...LEVELS]);
  assert.deepEqual(words(definitions.scope), [...SCOPES]);
  for (const decision of DECISIONS) assert.ok(properties('rule').includes(decision));
});

test('the events an editor offers are the events that are known', () => {
  assert.deepEqual([...new Set(words(definitions['event-name']))].sort(), Object.keys(EVENTS).sort());
});

test('the facts an editor offers are the built-in facts', () => {
  const offered = properties('matcher-keys').filter((name) => name !== 'any-case');
  assert.deepEqual(offered.filter((name) => !BUILTIN.includes(name)), []);
  assert.deepEqual(BUILTIN.filter((name) => !offered.includes(name) && !NAMESPACES.includes(name)), []);
});

/** One of each: a kind that is missing here, or here but not in the type, does not compile. */
const FORMS: Readonly<Record<Exclude<Form['kind'], 'phase' | 'said'>, string>> = {
  remembered: '{ scope: session }', count: '{ count: { tool: Read } }', first: '{ first: [{ is: x }] }', regex: '{ regex: x, of: prompt }', option: '{ option: -m, of: git commit }',
  rows: '{ rows: table, take: id }', since: '{ since: began }', text: '{ text: a.md }', json: '{ json: a.json }', exists: '{ exists: a.md }', run: '{ run: [ls] }',
};

for (const [kind, written] of Object.entries(FORMS)) {
  test(`a fact written as ${written} is a ${kind}, for the schema and for the loader`, () => {
    const { root } = parse('x.yaml', `fact: ${written}`);
    const node = get(root, 'fact');
    assert.ok(node);
    assert.equal(formOf(node), kind);
    const text = `bylaw: 1\nfacts:\n  began: { scope: session }\n  table: { json: t.json }\n  it: ${written}\nrules: { r: { match: { it: true }, deny: x } }\n`;
    const { core, problems } = loadTexts({ 'bylaw.yaml': text });
    assert.deepEqual(problems, []);
    assert.equal(core?.facts.find((fact) => fact.name === 'it')?.form.kind, kind);
  });
}

const REASONS: Readonly<Record<OpaqueReason, true>> = {
  'dynamic-command': true, 'dynamic-argument': true, 'dynamic-script': true, eval: true, 'stdin-script': true, 'generated-script': true, 'script-file': true, 'startup-file': true, 'inline-code': true,
  'glob-command': true, 'loader-env': true, 'prompt-eval': true, 'brace-with-substitution': true, 'zsh-glob-qualifier': true, 'unknown-syntax': true, 'parse-error': true, budget: true, depth: true,
};

test('the reasons of opaque are those of the analyser', () => {
  assert.deepEqual(Object.keys(definitions.rule.properties.opaque.properties).sort(), Object.keys(REASONS).sort());
});

test('a schema with the names of a project still accepts its policies, and knows its lists, facts and rules', () => {
  const text = 'bylaw: 1\nlists: { docs: [README.md] }\nfacts: { tested: { scope: session } }\nrules:\n  keep-docs: { match: { path: $docs }, unless: { tested: true }, deny: x }\n';
  const place = makePlace({ 'bylaw.yaml': text });
  assert.equal(place.bylaw(['check', '--schema', 'team.schema.json']).status, 0);
  const made: any = JSON.parse(readFileSync(join(place.project, 'team.schema.json'), 'utf8'));
  assert.deepEqual(made, JSON.parse(JSON.stringify(teamSchema(readSchema(), loadTexts({ 'bylaw.yaml': text })))));
  assert.ok('tested' in made.definitions['matcher-keys'].properties);
  assert.ok('keep-docs' in made.properties.rules.properties);
  assert.ok(words(made.definitions['tool-name']).includes('$docs'));
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(made);
  assert.ok(validate({ bylaw: 1, rules: { 'keep-docs': { match: { tested: true, tool: '$docs' }, deny: 'x' } } }), JSON.stringify(validate.errors));
  assert.equal(validate({ bylaw: 1, rules: { 'keep-docs': { limti: 1 } } }), false);
  place.remove();
});

test('the shipped schema is the one in the package', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.equal(exports['./schema/*'], './schema/*');
});
