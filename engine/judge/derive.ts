/** Pure facts made of other facts: first, regex, option, rows, since. */
import { covers } from '../command/covers.ts';
import type { Json, JsonObject, Term } from '../model.ts';
import { asRun, holds, textOf, type Known, type Look } from './holds.ts';
import { fill } from './fill.ts';
import { isObject, known, knownList, type FormOf } from './know.ts';
import { logicHolds } from './recall.ts';
import { capture } from './match.ts';
import { valuesOf } from './cells.ts';

/** `is` of the first entry that holds; an entry that can't be known matters only if it would change the answer. */
export function first(form: FormOf<'first'>, look: Look): Known {
  const doubtful: { readonly unknown: Known; readonly is: string }[] = [];
  let result: Known = known([]);
  let chosen = '';
  for (const entry of form.entries) {
    const answer = holds(entry.match, look);
    if (answer.is === 'unknown') doubtful.push({ unknown: answer, is: JSON.stringify(entry.is) });
    if (answer.is !== 'yes') continue;
    result = termValue(entry.is, look);
    chosen = JSON.stringify(entry.is);
    break;
  }
  return doubtful.find((entry) => entry.is !== chosen)?.unknown ?? result;
}

/** A term that names a fact keeps that fact's sort. */
function termValue(term: Term, look: Look): Known {
  if (term.is === 'fact') return look(term.fact);
  if (term.is === 'value') return known(term.value);
  let unknown: Known | undefined;
  let origin: 'event' | 'env' | undefined;
  const text = fill(term.text, (name) => {
    const part = look(name);
    if (part.is === 'unknown') unknown = part;
    if (part.is === 'known' && part.origin !== undefined && origin !== 'env') origin = part.origin;
    return part.is === 'known' ? part.values : [];
  });
  return unknown ?? { ...known(text), ...(origin === undefined ? {} : { origin }) };
}

export function regex(form: FormOf<'regex'>, look: Look): Known {
  const of = look(form.of);
  if (of.is === 'unknown') return of;
  return { ...known(of.values.map((value) => capture(form.regex, textOf(value), form.anyCase === true) ?? null)), ...(of.list === undefined ? {} : { list: true }), ...(of.origin === undefined ? {} : { origin: of.origin }) };
}

/** Values given to a program's option: `-m x`, `-mx`, `-am x`, `--message x`, `--message=x`. */
export function option(form: FormOf<'option'>, look: Look): Known {
  const runs = look('runs');
  if (runs.is === 'unknown') return runs;
  const values: string[] = [];
  for (const run of runs.values) {
    const program = asRun(run);
    if (program === undefined || covers(form.of, program) === 'no') continue;
    for (const [index, word] of program.argv.entries()) {
      const value = word === null ? undefined : optionValue(word, program.argv[index + 1], form.options);
      if (value !== undefined) values.push(value);
    }
  }
  return known(values);
}

function optionValue(word: string, next: string | null | undefined, options: readonly string[]): string | undefined {
  for (const name of options) {
    if (word === name) return next ?? undefined;
    if (name.startsWith('--')) {
      if (word.startsWith(`${name}=`)) return word.slice(name.length + 1);
    } else if (/^-[A-Za-z]/.test(word) && word.includes(name.slice(1))) {
      const rest = word.slice(word.indexOf(name.slice(1)) + name.length - 1);
      return rest === '' ? (next ?? undefined) : rest;
    }
  }
  return undefined;
}

/** Rows of a JSON table, each with the plain fields of its parents. */
export function rows(form: FormOf<'rows'>, look: Look): Known {
  const taken: Json[] = [];
  for (const source of form.rows) {
    const dot = source.indexOf('.');
    const base = look(dot < 0 ? source : source.slice(0, dot));
    if (base.is === 'unknown') return base;
    for (const row of tableRows(base.values, dot < 0 ? [] : source.slice(dot + 1).split('.'), {})) {
      const lookRow: Look = (name) => (Object.hasOwn(row, name) ? known(row[name]) : look(name));
      const fits = holds(form.match, lookRow);
      if (fits.is === 'unknown') return fits;
      if (fits.is === 'no') continue;
      const when = logicHolds(form.when, lookRow);
      if (when.is === 'unknown') return when;
      if (when.is === 'no') continue;
      taken.push(row[form.take] ?? null);
    }
  }
  return knownList(taken);
}

function tableRows(values: readonly Json[], path: readonly string[], parents: JsonObject): readonly JsonObject[] {
  return values.flatMap((value): readonly JsonObject[] => {
    if (Array.isArray(value)) return tableRows(value, path, parents);
    if (!isObject(value)) return [];
    const [field, ...rest] = path;
    if (field === undefined) return [{ ...parents, ...value }];
    const own = Object.fromEntries(Object.entries(value).filter(([, item]) => typeof item !== 'object' || item === null));
    const child = Object.hasOwn(value, field) ? value[field] : undefined;
    return child === undefined ? [] : tableRows([child], rest, { ...parents, ...own });
  });
}

/** Whole seconds since a remembered moment; absent if it is no moment, or lies ahead. */
export function since(form: FormOf<'since'>, look: Look, now: number): Known {
  const of = look(form.of);
  if (of.is === 'unknown') return of;
  const moment = of.values[0];
  const at = typeof moment === 'string' ? Date.parse(moment) : typeof moment === 'number' ? moment * 1000 : NaN;
  return known(Number.isNaN(at) || at > now ? [] : [Math.floor((now - at) / 1000)]);
}

/** Values below a path of field names; lists on the way are entered. Own fields only. */
export function walkPath(values: readonly Json[], path: readonly string[]): Json {
  const [field, ...rest] = path;
  if (field === undefined) return values;
  const next = values.flatMap((value): readonly Json[] => {
    if (Array.isArray(value)) return valuesOf(walkPath(value, path));
    return isObject(value) && Object.hasOwn(value, field) ? [value[field] ?? null] : [];
  });
  return walkPath(next, rest);
}

