/** Case files of the conformance format (schema 1) → cases with their events, placeholders still in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../engine/model.ts';

export interface CaseFile {
  readonly system: string;
  readonly schema: number;
  readonly defaults?: { readonly event?: JsonObject };
  readonly cases: readonly Case[];
}

export interface Case {
  readonly id: string;
  readonly tier: string;
  readonly note?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Files;
  readonly steps: readonly Step[];
}

/** Path → content; an object is JSON, `{$content, $age_hours}` an old file. */
export type Files = Readonly<Record<string, Json>>;

export interface Step {
  readonly event?: JsonObject;
  readonly bare?: boolean;
  readonly raw_stdin?: string;
  readonly hook_event_name?: string;
  readonly cli?: readonly string[];
  readonly repeat?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly write_files?: Files;
  readonly delete_files?: readonly string[];
  readonly expect?: Expect;
}

export interface Expect {
  readonly decision?: 'none' | 'allow' | 'deny' | 'block' | 'ask';
  readonly reason_contains?: readonly string[];
  readonly reason_not_contains?: readonly string[];
  readonly reason_matches?: readonly string[];
  readonly context_contains?: readonly string[];
  readonly context_not_contains?: readonly string[];
  readonly context_matches?: readonly string[];
  readonly stdout_contains?: readonly string[];
  readonly stdout_not_contains?: readonly string[];
  readonly stdout_matches?: readonly string[];
  readonly context_differs_from_step?: readonly number[];
  readonly capture?: Readonly<Record<string, { readonly from: string; readonly regex: string }>>;
  readonly exit_ok?: boolean;
  readonly state?: JsonObject;
  readonly files?: Readonly<Record<string, FileExpect>>;
}

export interface FileExpect {
  readonly exists?: boolean;
  readonly contains?: readonly string[] | string;
  readonly not_contains?: readonly string[] | string;
  readonly json?: Json;
  readonly last_line_json?: Json;
  readonly lines?: number;
}

export function readCases(folder: string): readonly CaseFile[] {
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)).sort();
  return names.map((name) => {
    const file: CaseFile = parse(readFileSync(join(folder, name), 'utf8'));
    if (file.schema !== 1) throw new Error(`${name}: schema ${file.schema} is not known`);
    return file;
  });
}

/** The event of a step as the host would send it. */
export function eventOf(step: Step, defaults: JsonObject): JsonObject {
  return step.bare === true ? (step.event ?? {}) : { ...defaults, ...step.event };
}

/** `${PROJECT}` `${HOME}` `${STATE_DIR}` `${NOW±n}` `${REPEAT c*n}`, and what was captured; in keys and values. */
export function fill<T extends Json>(value: T, names: Readonly<Record<string, string>>): T;
export function fill(value: Json, names: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') return fillText(value, names);
  if (Array.isArray(value)) return value.map((each: Json) => fill(each, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [fillText(key, names), fill(each, names)]));
}

function fillText(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{([^}]+)\}/g, (whole, name: string) => {
    const [, sign, seconds] = /^NOW(?:([+-])(\d+))?$/.exec(name) ?? [];
    // With fractions, so that the seconds until the first step do not round up.
    if (name.startsWith('NOW')) return String(Date.now() / 1000 + (sign === '-' ? -1 : 1) * Number(seconds ?? 0));
    const [, unit, times] = /^REPEAT (.+)\*(\d+)$/.exec(name) ?? [];
    if (unit !== undefined) return unit.repeat(Number(times));
    return Object.hasOwn(names, name) ? (names[name] ?? whole) : whole;
  });
}

/** Content as text: JSON for objects. */
export function textOf(content: Json): string {
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2);
}
