/** Plans compiled beforehand, outside the repo; a hook call only asks `stat` whether one is still fresh. */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Fact, OnError, Plan, Rule, Shelf } from '../model.ts';
import { cacheFolder, projectKey } from '../state/places.ts';
import { lazyList, lazyRecord } from './lazy.ts';

/** Changes with the shape of plans. */
export const PLAN_VERSION = 3;

export interface Cached {
  readonly version: number;
  readonly engine: string;
  readonly project: string;
  /** The last plan that could be built; it stays in force while the policy is broken. */
  readonly plan?: Plan;
  /** The problems of a broken policy, as text. */
  readonly broken?: string;
  /** What a broken policy without a last good plan does. */
  readonly onError: OnError;
  readonly stamps: readonly Stamp[];
}

/** A file or folder that the plan depends on, as it was. */
export interface Stamp {
  readonly path: string;
  /** `size mtime` of a file, the names in a folder, or `absent`. */
  readonly was: string;
}

export function cacheFile(project: string, env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), projectKey(project), 'plan.json');
}

/** Undefined if there is none, or none of this version. `whole`: for many events, all of it is read at once. */
export function readCache(file: string, whole = false): Cached | undefined {
  try {
    return unpack(readFileSync(file), whole);
  } catch {
    return undefined;
  }
}

// -- the file: a line that says what follows where, then a line for each rule, each fact, and each event of the index

interface Head extends Omit<Cached, 'plan'> {
  readonly plan?: Omit<Plan, 'rules' | 'facts' | 'index'>;
  readonly rules: number;
  /** Names, sorted. */
  readonly facts: readonly string[];
  readonly events: readonly string[];
  /** Bytes of each line after this one, without its end. */
  readonly lengths: readonly number[];
}

function pack(cached: Cached): Buffer {
  const { plan, ...rest } = cached;
  const { rules = [], facts = {}, index = {}, ...small } = plan ?? {};
  const names = Object.keys(facts).sort();
  const events = Object.keys(index).sort();
  const lines = [...rules, ...names.map((name) => facts[name]), ...events.map((event) => index[event])].map((each) => Buffer.from(JSON.stringify(each)));
  const head: Head = { ...rest, ...(plan === undefined ? {} : { plan: small as NonNullable<Head['plan']> }), rules: rules.length, facts: names, events, lengths: lines.map((line) => line.length) };
  const end = Buffer.from('\n');
  return Buffer.concat([Buffer.from(JSON.stringify(head)), end, ...lines.flatMap((line) => [line, end])]);
}

/** Throws if the file was cut off: its last byte is the end of its last line. */
function unpack(bytes: Buffer, whole: boolean): Cached | undefined {
  const first = bytes.indexOf('\n');
  const head: Partial<Head> = JSON.parse(bytes.toString('utf8', 0, first < 0 ? undefined : first));
  const { lengths, rules = 0, facts = [], events = [], plan: small, ...rest } = head;
  const cached = checked(rest);
  if (cached === undefined || lengths === undefined) return undefined;
  const starts = new Uint32Array(lengths.length);
  let end = first + 1;
  lengths.forEach((length, line) => {
    starts[line] = end;
    end += length + 1;
  });
  if (end !== bytes.length || lengths.length !== rules + facts.length + events.length) return undefined;
  const line = (number: number): never => JSON.parse(bytes.toString('utf8', starts[number] ?? 0, (starts[number] ?? 0) + (lengths[number] ?? 0))) as never;
  if (small === undefined) return cached;
  const list = <T>(count: number, from: number): readonly T[] => (whole ? Array.from({ length: count }, (_, number) => line(from + number)) : lazyList(count, (number) => line(from + number)));
  const record = <T>(names: readonly string[], from: number): Readonly<Record<string, T>> =>
    whole ? Object.fromEntries(names.map((name, number) => [name, line(from + number)])) : lazyRecord(names, (number) => line(from + number));
  return { ...cached, plan: { ...small, rules: list<Rule>(rules, 0), facts: record<Fact>(facts, rules), index: record<Shelf>(events, rules + facts.length) } };
}

/** Undefined if the text is no plan of this version. */
export function asCached(text: string): Cached | undefined {
  try {
    return checked(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function checked(value: Partial<Cached>): Cached | undefined {
  if (value.version !== PLAN_VERSION || !Array.isArray(value.stamps) || value.engine === undefined || value.project === undefined) return undefined;
  return { ...value, version: PLAN_VERSION, engine: value.engine, project: value.project, stamps: value.stamps, onError: value.onError ?? 'allow' };
}

export function writeCache(file: string, cached: Cached): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, pack(cached), { mode: 0o600 });
  renameSync(draft, file);
}

export function isFresh(cached: Cached, engine: string): boolean {
  return cached.engine === engine && cached.stamps.every((stamp) => stampOf(stamp.path).was === stamp.was);
}

export function stampOf(path: string): Stamp {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return { path, was: readdirSync(path).filter((name) => /\.ya?ml$/.test(name)).sort().join('/') };
    return { path, was: `${found.size} ${found.mtimeMs} ${found.ino}` };
  } catch {
    return { path, was: 'absent' };
  }
}
