/** The policy schema with a project's own names in it, so that an editor completes them. */
import type { Loaded } from '../engine/load/load.ts';
import type { Schema } from '../engine/load/validate.ts';
import { factNames } from '../engine/load/world.ts';

interface Open {
  [key: string]: unknown;
}

export function teamSchema(schema: Schema, { world }: Loaded): unknown {
  const copy: Open = structuredClone({ ...schema });
  if (world === undefined) return copy;
  const { definitions, lists } = world;
  const known = inner(copy, 'definitions');
  const names = [...lists.keys()].map((name) => ({ type: 'string', const: `$${name}` }));
  const tools = inner(known, 'tool-name');
  tools['anyOf'] = [...[tools['anyOf']].flat(), ...names];
  const facts = inner(inner(known, 'matcher-keys'), 'properties');
  // `<rule>.count` and `<rule>.phase` are in the schema as patterns.
  for (const name of factNames(world).filter((each) => !each.includes('.'))) {
    facts[name] ??= { description: describe(definitions.facts.get(name)?.home.name), allOf: [{ $ref: '#/definitions/value' }], anyOf: [...names, {}] };
  }
  const rules = inner(inner(copy, 'properties'), 'rules');
  rules['properties'] = Object.fromEntries([...definitions.rules].map(([id, rule]) => [id, { description: `Rule of ${rule.home.name}.`, allOf: [{ $ref: '#/definitions/rule' }] }]));
  return copy;
}

function inner(object: Open, key: string): Open {
  const value: Open = Object(object[key]);
  object[key] = value;
  return value;
}

function describe(home: string | undefined): string {
  return home === undefined ? 'A built-in fact.' : `Fact declared in ${home}.`;
}
