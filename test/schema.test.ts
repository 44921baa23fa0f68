/** The schemas: they compile strictly, describe every key, accept the sketches, and point at the real mistake. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { DECISIONS, LEVELS, SCOPES } from '../engine/model.ts';

const SKETCHES = new URL('fixtures/sketches/', import.meta.url);
const schemas = { policy: read('policy'), test: read('test') };
type Kind = keyof typeof schemas;

/** As the loader does it; the schemas hold nothing that strict mode does not know. */
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
const validators: Record<Kind, ValidateFunction> = {
  policy: ajv.compile(schemas.policy),
  test: ajv.compile(schemas.test),
};

for (const kind of ['policy', 'test'] as const) {
  test(`every key of ${kind}.schema.json has a description`, () => {
    const keys = [...keysOf(schemas[kind], '#')];
    assert.ok(keys.length > 30, `only ${keys.length} keys found: the walk is broken`);
    assert.deepEqual(
      keys.filter(({ key }) => !describe(schemas[kind], key)).map(({ at }) => at),
      [],
    );
  });

  test(`every definition of ${kind}.schema.json is used`, () => {
    const text = JSON.stringify(schemas[kind]);
    const names = Object.keys(schemas[kind].definitions as object);
    assert.deepEqual(names.filter((name) => !new RegExp(`"#/definitions/${name}["/]`).test(text)), []);
  });
}

test('defaults has every key of a rule but `unless`', () => {
  const { rule, defaults } = schemas.policy.definitions as Record<string, { properties: object }>;
  assert.deepEqual(
    Object.keys(defaults!.properties),
    Object.keys(rule!.properties).filter((key) => key !== 'unless'),
  );
});

test('the words of the schemas are the words of the model', () => {
  for (const words of [LEVELS, SCOPES, ['allow', ...DECISIONS]]) {
    const enums = [...enumsOf(schemas)].filter((found) => found.includes(words[0]) && found.length > 3);
    assert.ok(enums.length > 0);
    for (const found of enums) assert.deepEqual(found.filter((word) => word !== null).toSorted(), words.toSorted());
  }
});

for (const file of readdirSync(SKETCHES)) {
  test(`${file} is valid`, () => {
    assert.deepEqual(mistakes(file.endsWith('.test.yaml') ? 'test' : 'policy', readFileSync(new URL(file, SKETCHES), 'utf8')), []);
  });
}

const FINE: readonly (readonly [name: string, kind: Kind, text: string])[] = [
  ['a file with nothing but its version', 'policy', 'bylaw: 1'],
  ['one word is a level', 'policy', 'bylaw: 1\nrules: { no-eval: observe }'],
  ['null removes a rule, a fact and a list', 'policy', 'bylaw: 1\nrules: { a: null }\nfacts: { b: null }\nlists: { c: null }'],
  [
    'null removes any key of a rule',
    'policy',
    `bylaw: 1\nrules: { a: { ${Object.keys((schemas.policy.definitions as Record<string, { properties: object }>).rule!.properties)
      .map((key) => `${key}: null`)
      .join(', ')} } }`,
  ],
  ['null removes a key of a matcher', 'policy', 'bylaw: 1\nrules: { a: { match: { path: null } } }'],
  ['lists in a matcher can be edited', 'policy', 'bylaw: 1\nrules: { a: { match: { tool: { add: [Edit], remove: [Write] } } } }'],
  ['lists of matchers can be edited', 'policy', 'bylaw: 1\nrules: { a: { until: { add: [{ idle: 5m }], remove: [{ tool: Task }] } } }'],
  ['events of a rule can be edited', 'policy', 'bylaw: 1\nrules: { a: { event: { add: [SessionEnd] } } }'],
  ['unknown events and tools are for the loader', 'policy', 'bylaw: 1\nrules: { a: { event: Stopp, match: { tool: Reed } } }'],
  ['a row may lead on by event', 'policy', 'bylaw: 1\nrules: { a: { phases: { IDLE: { qa: { SubagentStop: DONE } }, DONE: {} } } }'],
  ['count keys', 'policy', "bylaw: 1\nrules: { a: { advise: { 2: two, '12 and every 6': more, 16 and doubling: most } } }"],
  ['an extends entry with everything', 'policy', 'bylaw: 1\nextends: [{ pack: ./a.yaml, level: observe, active: true, bypass: { env.X: true }, as: x }]'],
  ['active by a list of matchers', 'policy', 'bylaw: 1\nactive: [{ features: true }, { env.ON: "1" }]'],
  ['a window of calls or of time', 'policy', 'bylaw: 1\nrules: { a: { window: 4 }, b: { window: 500ms } }'],
  ['forget one, several, or one value', 'policy', 'bylaw: 1\nrules: { a: { then: { forget: x } }, b: { then: { forget: [x, y] } }, c: { then: { forget: { x: $path } } } }'],
  ['report and audit', 'policy', 'bylaw: 1\nreport: { calls: 10, score: { var: denied }, pass: 90 }\naudit: all'],
];
for (const [name, kind, text] of FINE) test(`fine: ${name}`, () => assert.deepEqual(mistakes(kind, text), []));

/** All that is reported, but for `if`, which only says that its branch failed, and for what `propertyNames` sums up. */
const WRONG: readonly (readonly [name: string, kind: Kind, text: string, reported: readonly string[]])[] = [
  ['no version', 'policy', 'rules: {}', ['required bylaw']],
  ['another version', 'policy', 'bylaw: 2', ['/bylaw const']],
  ['not a map', 'policy', '- bylaw: 1', ['type']],
  ['unknown key of a file', 'policy', 'bylaw: 1\nrule: {}', ['additionalProperties rule']],
  ['unknown level', 'policy', 'bylaw: 1\nlevel: hard', ['/level enum']],
  ['extends is not a list', 'policy', 'bylaw: 1\nextends: bylaw:base', ['/extends type']],
  ['extends without a pack', 'policy', 'bylaw: 1\nextends: [{ level: strict }]', ['/extends/0 required pack']],
  ['active is false', 'policy', 'bylaw: 1\nactive: false', ['/active const']],
  ['a list of numbers', 'policy', 'bylaw: 1\nlists: { ports: [80] }', ['/lists/ports/0 type']],
  ['a list that is a text', 'policy', 'bylaw: 1\nlists: { tools: Read }', ['/lists/tools type']],
  ['unless as a default', 'policy', 'bylaw: 1\ndefaults: { unless: { by: main } }', ['/defaults additionalProperties unless']],
  ['unknown key of a rule', 'policy', 'bylaw: 1\nrules: { reads: { limti: 2 } }', ['/rules/reads additionalProperties limti']],
  ['a rule that is no level', 'policy', 'bylaw: 1\nrules: { reads: off }', ['/rules/reads enum']],
  ['a rule that is a list', 'policy', 'bylaw: 1\nrules: { reads: [] }', ['/rules/reads type']],
  ['a limit in words', 'policy', 'bylaw: 1\nrules: { reads: { limit: two } }', ['/rules/reads/limit type']],
  ['a limit below 0', 'policy', 'bylaw: 1\nrules: { reads: { limit: -1 } }', ['/rules/reads/limit minimum']],
  ['times 0', 'policy', 'bylaw: 1\nrules: { reads: { times: 0 } }', ['/rules/reads/times minimum']],
  ['a window without a unit', 'policy', "bylaw: 1\nrules: { reads: { window: '10' } }", ['/rules/reads/window pattern']],
  ['an unknown scope', 'policy', 'bylaw: 1\nrules: { reads: { scope: global } }', ['/rules/reads/scope enum']],
  ['a placeholder without quotes', 'policy', 'bylaw: 1\nrules: { stop: { deny: {guide} } }', ['/rules/stop/deny propertyNames guide']],
  ['a wrong count key', 'policy', 'bylaw: 1\nrules: { solo: { advise: { 4 and tripling: x } } }', ['/rules/solo/advise propertyNames 4 and tripling']],
  ['match is a text', 'policy', 'bylaw: 1\nrules: { reads: { match: Read } }', ['/rules/reads/match type']],
  ['a map that is no value', 'policy', 'bylaw: 1\nrules: { reads: { match: { tool: { glob: R* } } } }', ['/rules/reads/match/tool additionalProperties glob']],
  ['regex beside add', 'policy', 'bylaw: 1\nrules: { a: { match: { tool: { regex: x, add: [y] } } } }', ['/rules/a/match/tool maxProperties']],
  ['null in a list of values', 'policy', 'bylaw: 1\nrules: { a: { match: { tool: [Read, null] } } }', ['/rules/a/match/tool/1 type']],
  ['an edit with other keys', 'policy', 'bylaw: 1\nrules: { a: { unless: { add: [{ tool: Read }], path: x } } }', ['/rules/a/unless additionalProperties path']],
  ['a matcher inside a list is wrong', 'policy', 'bylaw: 1\nrules: { a: { unless: [{ tool: Read }, { path: { globs: x } }] } }', ['/rules/a/unless/1/path additionalProperties globs']],
  ['idle is no duration', 'policy', 'bylaw: 1\nrules: { a: { until: { idle: 30 } } }', ['/rules/a/until/idle type']],
  ['an event by regex', 'policy', 'bylaw: 1\nrules: { a: { until: { event: { regex: x } } } }', ['/rules/a/until/event additionalProperties regex']],
  ['unknown effect', 'policy', 'bylaw: 1\nrules: { a: { then: { forgets: x } } }', ['/rules/a/then additionalProperties forgets']],
  ['unknown key of record', 'policy', 'bylaw: 1\nrules: { a: { then: { record: { to: x.log, filds: {} } } } }', ['/rules/a/then/record additionalProperties filds']],
  ['a phase that is a text', 'policy', 'bylaw: 1\nrules: { a: { phases: { IDLE: DONE } } }', ['/rules/a/phases/IDLE type']],
  ['a typo in the key of a fact', 'policy', 'bylaw: 1\nfacts: { reads: { conut: { tool: Read } } }', ['/facts/reads additionalProperties conut']],
  ['a key of another form', 'policy', 'bylaw: 1\nfacts: { reads: { count: { tool: Read }, keep: 5m } }', ['/facts/reads additionalProperties keep']],
  ['two forms', 'policy', 'bylaw: 1\nfacts: { x: { text: a.md, json: b.json } }', ['/facts/x additionalProperties json', '/facts/x additionalProperties text']],
  ['regex without of', 'policy', 'bylaw: 1\nfacts: { id: { regex: x } }', ['/facts/id required of']],
  ['a program as one text', 'policy', 'bylaw: 1\nfacts: { ruff: { run: ruff check } }', ['/facts/ruff/run type']],
  ['a wrong entry of first', 'policy', 'bylaw: 1\nfacts: { role: { first: [{ when: { by: main } }] } }', ['/facts/role/first/0 additionalProperties when']],
  ['a fact that is a text', 'policy', 'bylaw: 1\nfacts: { role: main }', ['/facts/role type']],
  ['unknown audit', 'policy', 'bylaw: 1\naudit: none', ['/audit enum']],
  ['two operators in one JsonLogic', 'policy', "bylaw: 1\nrules: { a: { when: { '<': [1, 2], '>': [1, 2] } } }", ['/rules/a/when maxProperties']],

  ['no tests', 'test', 'policy: ./a.yaml', ['required tests']],
  ['an empty case', 'test', 'tests: { a: { b: [] } }', ['/tests/a/b minItems']],
  ['an unknown verdict', 'test', 'tests: { a: { b: [Read x: refuse] } }', ['/tests/a/b/0/Read x pattern']],
  ['a verdict with empty brackets', 'test', "tests: { a: { b: [Read x: 'deny []'] } }", ['/tests/a/b/0/Read x pattern']],
  ['a step without a verdict', 'test', 'tests: { a: { b: [Read x] } }', ['/tests/a/b/0 pattern']],
  ['two short steps in one map', 'test', 'tests: { a: { b: [{ Read x: allow, Read y: deny }] } }', ['/tests/a/b/0 maxProperties']],
  ['a long step without expect', 'test', 'tests: { a: { b: [{ event: { tool: Read } }] } }', ['/tests/a/b/0 required expect']],
  ['a long step without event', 'test', 'tests: { a: { b: [{ expect: deny }] } }', ['/tests/a/b/0 dependencies event']],
  ['an unknown key of a long step', 'test', 'tests: { a: { b: [{ event: {}, expect: deny, say: x }] } }', ['/tests/a/b/0 additionalProperties say']],
  ['an unknown key of an event', 'test', 'tests: { a: { b: [{ event: { tol: Read }, expect: deny }] } }', ['/tests/a/b/0/event additionalProperties tol']],
  ['a case without steps', 'test', 'tests: { a: { b: { level: strict } } }', ['/tests/a/b required steps']],
  ['a clock without a zone', 'test', 'tests: { a: { b: { clock: 2026-01-31T09:00, steps: [Read x: allow] } } }', ['/tests/a/b/clock pattern']],
  ['a wait without a unit', 'test', 'tests: { a: { b: [wait 10] } }', ['/tests/a/b/0 pattern']],
  ['a link with text', 'test', 'tests: { a: { b: { files: { x: { link: y, text: z } }, steps: [Read x: allow] } } }', ['/tests/a/b/files/x propertyNames text']],
];
for (const [name, kind, text, reported] of WRONG) test(`wrong: ${name}`, () => assert.deepEqual(mistakes(kind, text), reported));

// ---------------------------------------------------------------- helpers

type Schema = Readonly<Record<string, unknown>>;

function read(kind: string): Schema {
  return JSON.parse(readFileSync(new URL(`../schema/${kind}.schema.json`, import.meta.url), 'utf8'));
}

/** `path keyword name` of each error, the name being the key that is missing or too much. */
function mistakes(kind: Kind, text: string) {
  const validate = validators[kind];
  validate(parse(text));
  const found = (validate.errors ?? [])
    .filter(({ keyword, propertyName }) => keyword !== 'if' && propertyName === undefined)
    .map(({ instancePath, keyword, params }) =>
      [instancePath, keyword, params.additionalProperty ?? params.missingProperty ?? params.propertyName].filter(Boolean).join(' '),
    );
  return [...new Set(found)];
}

/** Every entry of every `properties` and `patternProperties`, at any depth. */
function* keysOf(schema: unknown, at: string): Generator<{ readonly at: string; readonly key: Schema }> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [word, inner] of Object.entries(schema)) {
    if (word === 'properties' || word === 'patternProperties') {
      for (const [name, key] of Object.entries(inner as Record<string, Schema>)) yield { at: `${at}/${word}/${name}`, key };
    }
    yield* keysOf(inner, `${at}/${word}`);
  }
}

function* enumsOf(schema: unknown): Generator<readonly unknown[]> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [word, inner] of Object.entries(schema)) {
    if (word === 'enum') yield inner;
    else yield* enumsOf(inner);
  }
}

function describe(root: Schema, schema: Schema): unknown {
  if (schema.description !== undefined || typeof schema.$ref !== 'string') return schema.description;
  const path = schema.$ref.split('/').slice(1);
  return describe(root, path.reduce<unknown>((node, step) => (node as Schema)[step], root) as Schema);
}
