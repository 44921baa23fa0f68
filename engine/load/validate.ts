/** A tree against a JSON Schema (Ajv) → problems at the keys and values that are wrong. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Problem, Span } from '../model.ts';
import type { Code } from '../report/codes.ts';
import { didYouMean } from '../report/suggest.ts';
import { entries, entry, nodeAt, toJson, type Node } from './node.ts';

export type Schema = Readonly<Record<string, unknown>>;

const compiled = new WeakMap<Schema, ValidateFunction>();

export function validate(root: Node, schema: Schema): readonly Problem[] {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = new Ajv({ allErrors: true, verbose: true, strict: true, allowUnionTypes: true }).compile(schema);
    compiled.set(schema, check);
  }
  if (check(toJson(root))) return [];
  return mostTelling(check.errors ?? []).map((error) => problemOf(error, root));
}

/** Errors of an alternative that was not meant, and the summaries over them, say nothing; the deepest one at a place does. */
function mostTelling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const telling = errors.filter((error) => !['if', 'anyOf', 'oneOf', 'allOf', 'not'].includes(error.keyword) && error.propertyName === undefined);
  const rank = (error: ErrorObject): number => ['additionalProperties', 'propertyNames', 'const', 'required', 'enum', 'pattern', 'type'].indexOf(error.keyword);
  const best = new Map<string, ErrorObject>();
  for (const error of telling.length > 0 ? telling : errors) {
    const place = `${error.instancePath} ${keyOf(error) ?? ''}`;
    const other = best.get(place);
    if (other === undefined || rank(error) < rank(other)) best.set(place, error);
  }
  const places = [...best.values()];
  return places.filter((error) => keyOf(error) !== undefined || !places.some((other) => other.instancePath.startsWith(`${error.instancePath}/`)));
}

/** The key that an error is about, where it is about a key. */
function keyOf(error: ErrorObject): string | undefined {
  const { params } = error;
  if (error.keyword === 'additionalProperties') return String(params['additionalProperty']);
  return error.keyword === 'propertyNames' ? String(params['propertyName']) : undefined;
}

function problemOf(error: ErrorObject, root: Node): Problem {
  const path = error.instancePath.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const node = nodeAt(root, path);
  const last = path.at(-1) ?? 'the file';
  const name = /^\d+$/.test(last) ? `entry ${Number(last) + 1} of \`${path.at(-2) ?? ''}\`` : last === 'the file' ? last : `\`${last}\``;
  const make = (code: Code, at: Span, message: string, help?: string): Problem => ({ code, severity: 'error', at, message, ...(help === undefined ? {} : { help }) });
  const key = keyOf(error);
  const keySpan = entry(node, key ?? '')?.keyAt ?? node.at;
  switch (error.keyword) {
    case 'additionalProperties': {
      const known = Object.keys(Object(error.parentSchema?.['properties']));
      const help = didYouMean(key ?? '', known) ?? (known.length > 0 && known.length <= 32 ? `possible keys: ${known.join(', ')}` : undefined);
      return make('unknown-key', keySpan, `${subject(path)} has no key \`${key}\``, help);
    }
    case 'propertyNames':
      return make('wrong-form', keySpan, `\`${key}\` can not be a key of ${name}`, formOf(error, last));
    case 'required':
      return make('missing-key', firstOf(node.at), `${subject(path)} needs the key \`${String(error.params['missingProperty'])}\``, error.params['missingProperty'] === 'bylaw' ? 'begin with `bylaw: 1`' : undefined);
    case 'enum':
    case 'const': {
      const allowed: readonly unknown[] = error.keyword === 'const' ? [error.params['allowedValue']] : [error.params['allowedValues']].flat();
      const given = JSON.stringify(error.data);
      if (last === 'bylaw') return make('unknown-version', node.at, `language version ${given} is not known`, given === '"1"' ? 'write `bylaw: 1`, a number without quotes' : 'this bylaw reads version 1');
      const words = allowed.map(String);
      const word = String(error.data);
      const help = ['off', 'no', 'false', 'none'].includes(word) && words.includes('disabled') ? 'did you mean `disabled`?' : didYouMean(word, words);
      return make('unknown-word', node.at, `${name} can not be \`${word}\``, help ?? `possible words: ${words.join(', ')}`);
    }
    case 'type': {
      const types = [error.params['type']].flat().map(String);
      const wanted = types.filter((type) => type !== 'null' || types.length === 1).map((type) => TYPES[type] ?? type);
      return make('wrong-type', node.kind === 'scalar' ? node.at : firstOf(node.at), `${name} must be ${wanted.join(' or ')}`, formOf(error, last));
    }
    case 'maxProperties':
      if (['when', 'calls', 'score'].includes(last)) return make('several-operators', entries(node)[1]?.keyAt ?? firstOf(node.at), `one object has the operators ${entries(node).map((each) => `\`${each.key}\``).join(' and ')}`, 'join them: { and: [ …, … ] }');
      break;
    default:
  }
  return make('wrong-form', node.kind === 'scalar' ? node.at : firstOf(node.at), `${name} ${wrongness(error)}`, formOf(error, last));
}

/** What is wrong with a value of the right type. */
function wrongness({ keyword, params, data, message }: ErrorObject): string {
  if (keyword === 'pattern') return `can not be \`${String(data)}\``;
  if (keyword === 'minimum') return `must be at least ${String(params['limit'])}`;
  return ['minItems', 'minProperties', 'minLength'].includes(keyword) ? 'is empty' : (message ?? 'has the wrong form');
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'a map', array: 'a list', string: 'a text', integer: 'a whole number', number: 'a number', boolean: 'true or false', null: 'null',
};

function formOf(error: ErrorObject, last: string): string | undefined {
  if (['deny', 'ask', 'advise'].includes(last)) return 'counts look like `2`, `16 and doubling` or `12 and every 6`; quote a text that starts with `{`';
  if (error.keyword === 'pattern' && String(error.schema).includes('ms|s|m')) return 'a time is a number and a unit: `30s`, `10m`, `2h`';
  const description: unknown = error.parentSchema?.['description'];
  return typeof description === 'string' ? firstSentence(description) : undefined;
}

/** Descriptions are prose; problems are in lower case without a final period. */
function firstSentence(text: string): string {
  const sentence = /^.*?(?=\.(?:\s|$)|$)/s.exec(text)?.[0] ?? text;
  return /^[A-Z][a-z]*\b/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence;
}

/** Who has the key: `rule x`, `fact x`, `the file`. */
function subject(path: readonly string[]): string {
  const [section, name, ...rest] = path;
  if (section === undefined) return 'the file';
  const kind = section === 'rules' ? 'rule' : section === 'facts' ? 'fact' : section === 'lists' ? 'list' : undefined;
  if (kind === undefined || name === undefined) return `\`${path.join('.')}\``;
  return rest.length === 0 ? `${kind} \`${name}\`` : `\`${rest.join('.')}\` of ${kind} \`${name}\``;
}

function firstOf(at: Span): Span {
  return { ...at, end: Math.min(at.end, at.start + 1) };
}
