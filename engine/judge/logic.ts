/** JsonLogic over facts: only known operators, only declared facts, absent facts noticed. */
import jsonLogic from 'json-logic-js';
import type { Json, JsonObject, Logic } from '../model.ts';
import { matchesGlob, matchesRegex } from './match.ts';

const LOCAL = ['map', 'filter', 'reduce', 'all', 'none', 'some'] as const;
export const OPERATORS: readonly string[] = [
  'var', '==', '===', '!=', '!==', '>', '>=', '<', '<=', '!', '!!', 'and', 'or', 'if', '?:',
  '%', '/', '*', '+', '-', 'max', 'min', 'in', 'cat', 'substr', 'merge', 'glob', 'regex', 'startsWith', ...LOCAL,
];

/** The value of a fact, or undefined if it is absent. */
export type Read = (fact: string) => Json | undefined;

let reading: { read: Read; missed: string | undefined } = { read: () => undefined, missed: undefined };

/**
 * The logic's value; `missed` names an absent fact that was read without a default.
 * json-logic-js keeps its operators in one table, so `var` reads through a variable of this module; a fact that is read may itself be logic.
 */
export function applyLogic(logic: Logic, read: Read): { readonly value: Json; readonly missed?: string } {
  const outer = reading;
  const own: typeof reading = { read, missed: undefined };
  reading = own;
  try {
    const value = toJson(jsonLogic.apply(logic, FACTS));
    return own.missed === undefined ? { value } : { value, missed: own.missed };
  } finally {
    reading = outer;
  }
}

/** Facts a logic reads, with whether it gives a default. */
export function variables(logic: Logic): readonly { readonly fact: string; readonly path: readonly (string | number)[] }[] {
  const found: { fact: string; path: (string | number)[] }[] = [];
  walk(logic, [], false, (operator, args, path, local) => {
    if (operator !== 'var' || local) return;
    const name = Array.isArray(args) ? args[0] : args;
    if (typeof name === 'string') found.push({ fact: name, path: [...path, 'var', ...(Array.isArray(args) ? [0] : [])] });
  });
  return found;
}

/** Regexes that a logic holds, with where they stand. */
export function regexesOf(logic: Logic): readonly { readonly regex: string; readonly path: readonly (string | number)[] }[] {
  const found: { regex: string; path: readonly (string | number)[] }[] = [];
  walk(logic, [], false, (operator, args, path) => {
    if (operator === 'regex' && Array.isArray(args) && typeof args[1] === 'string') found.push({ regex: args[1], path: [...path, operator, 1] });
  });
  return found;
}

export type LogicFault = { readonly path: readonly (string | number)[] } & (
  | { readonly kind: 'unknown-operator'; readonly operator: string }
  | { readonly kind: 'several-operators'; readonly operators: readonly string[] }
  | { readonly kind: 'forbidden-name'; readonly name: string }
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'dynamic-name' }
  /** The pattern of `regex` or `glob` is not written out. */
  | { readonly kind: 'dynamic-pattern'; readonly operator: string }
);

const MAX_DEPTH = 32;

/** What makes a logic unusable; it would otherwise be taken for data and be true. */
export function logicFaults(logic: Logic): readonly LogicFault[] {
  const faults: LogicFault[] = [];
  const visit = (node: Json, path: readonly (string | number)[], depth: number): void => {
    if (depth > MAX_DEPTH) return void faults.push({ kind: 'too-deep', path });
    if (Array.isArray(node)) return node.forEach((item: Json, index) => visit(item, [...path, index], depth + 1));
    if (!isObject(node)) return;
    const operators = Object.keys(node);
    if (operators.length !== 1) return void faults.push({ kind: 'several-operators', operators, path });
    const operator = operators[0] ?? '';
    if (!OPERATORS.includes(operator)) return void faults.push({ kind: 'unknown-operator', operator, path: [...path, operator] });
    const args = node[operator] ?? null;
    if (operator === 'var') {
      const name = Array.isArray(args) ? (args[0] ?? null) : args;
      if (typeof name !== 'string') faults.push({ kind: 'dynamic-name', path: [...path, operator] });
      else if (/(^|\.)(__proto__|prototype|constructor)(\.|$)/.test(name)) faults.push({ kind: 'forbidden-name', name, path: [...path, operator] });
    }
    if ((operator === 'regex' || operator === 'glob') && !(Array.isArray(args) && typeof args[1] === 'string')) faults.push({ kind: 'dynamic-pattern', operator, path: [...path, operator] });
    visit(args, [...path, operator], depth + 1);
  };
  visit(logic, [], 0);
  return faults;
}

type Visit = (operator: string, args: Json, path: readonly (string | number)[], local: boolean) => void;

function walk(node: Json, path: readonly (string | number)[], local: boolean, visit: Visit): void {
  if (Array.isArray(node)) return node.forEach((item: Json, index) => walk(item, [...path, index], local, visit));
  if (!isObject(node)) return;
  for (const [operator, args] of Object.entries(node)) {
    visit(operator, args, path, local);
    if (operator === 'var') continue;
    const inner = LOCAL.some((name) => name === operator);
    if (inner && Array.isArray(args)) args.forEach((item: Json, index) => walk(item, [...path, operator, index], local || index === 1, visit));
    else walk(args, [...path, operator], local, visit);
  }
}

// Inside map, filter and the like, json-logic-js passes the element as data: anything but FACTS is local.
const FACTS: JsonObject = Object.freeze(Object.create(null));

function readVariable(this: unknown, name: unknown, otherwise: unknown): unknown {
  if (this !== FACTS) return local(this, name) ?? otherwise ?? null;
  const value = typeof name === 'string' ? reading.read(name) : undefined;
  if (value !== undefined) return value;
  if (otherwise === undefined) reading.missed ??= String(name);
  return otherwise ?? null;
}

function local(data: unknown, name: unknown): unknown {
  if (name === '' || name === null || name === undefined) return data;
  let value: unknown = data;
  for (const part of String(name).split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

jsonLogic.add_operation('var', readVariable);
jsonLogic.add_operation('glob', (value, pattern) => typeof pattern === 'string' && matchesGlob(pattern, String(value ?? ''), 'word', false));
jsonLogic.add_operation('regex', (value, pattern) => typeof pattern === 'string' && matchesRegex(pattern, String(value ?? ''), false));
jsonLogic.add_operation('startsWith', (value, start) => String(value ?? '').startsWith(String(start ?? '')));

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toJson(value: unknown): Json {
  return value === undefined ? null : JSON.parse(JSON.stringify(value) ?? 'null');
}
