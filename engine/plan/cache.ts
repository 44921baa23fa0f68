/** Plans compiled beforehand, outside the repo; a hook call only asks `stat` whether one is still fresh. */
import { fstatSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Fact, OnError, Plan, Rule, Shelf, Slot } from '../model.ts';
import { cacheFolder, projectKey } from '../state/places.ts';
import { lazyList, lazyRecord } from './lazy.ts';

/** Changes with the shape of plans. */
export const PLAN_VERSION = 8;

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
    return unpack(whole ? inMemory(readFileSync(file)) : onDisk(file), whole);
  } catch {
    return undefined;
  }
}

// -- the file: the length of the head; the head, which says what follows where; a line for each rule, each fact, each event of the index,
// -- and the folders of each tool

/** Bytes of a plan file, by place. */
interface Source {
  readonly size: number;
  readonly text: (start: number, length: number) => string;
}

/** Larger files are not read at once: of 10,000 rules a call needs a few. */
const SMALL = 512_000;

function onDisk(file: string): Source {
  const { size } = statSync(file);
  if (size <= SMALL) return inMemory(readFileSync(file));
  // Open until the process ends; a file that takes its place meanwhile is another one.
  const handle = openSync(file, 'r');
  const text = (start: number, length: number): string => {
    const bytes = Buffer.allocUnsafe(length);
    if (readSync(handle, bytes, 0, length, start) !== length) throw new Error(`${file} is cut off`);
    return bytes.toString('utf8');
  };
  return { size: fstatSync(handle).size, text };
}

function inMemory(bytes: Buffer): Source {
  return { size: bytes.length, text: (start, length) => bytes.toString('utf8', start, start + length) };
}

/** Of the first line, which holds a number. */
const FIRST = 12;

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
  const further: Further[] = [];
  const shelves = events.map((event) => packShelf(index[event], further));
  const lines = [...rules, ...names.map((name) => facts[name]), ...shelves, ...further].map((each) => Buffer.from(JSON.stringify(each)));
  const head: Head = { ...rest, ...(plan === undefined ? {} : { plan: small as NonNullable<Head['plan']> }), rules: rules.length, facts: names, events, lengths: lines.map((line) => line.length) };
  const end = Buffer.from('\n');
  const first = Buffer.from(JSON.stringify(head));
  return Buffer.concat([Buffer.from(`${String(first.length).padEnd(FIRST - 1)}\n`), first, end, ...lines.flatMap((line) => [line, end])]);
}

/** The one rule it holds; or rules, names of moving facts, and folders with their slots: without the names of keys, which would be most of the text. */
type PackedSlot = readonly [readonly number[], readonly string[], number?] | number;
/** Lines of their own, because an event asks for the folders of one tool. */
type PackedFolders = readonly [readonly string[], readonly PackedSlot[]];
/** What concerns any tool, the tools, and their slots; or the line of the first of them, where there are many. */
type PackedShelf = readonly [PackedSlot, readonly string[], readonly PackedSlot[] | number];
/** Lines after those of the events. */
type Further = PackedFolders | PackedSlot;
const MANY_TOOLS = 64;

function packShelf(shelf: Shelf | undefined, lines: Further[]): PackedShelf {
  const { any = { rules: [], moving: [] }, byTool = {} } = shelf ?? {};
  const tools = Object.keys(byTool).sort();
  const forAny = packSlot(any, lines);
  const slots = tools.map((tool) => packSlot(byTool[tool] ?? any, lines));
  if (slots.length < MANY_TOOLS) return [forAny, tools, slots];
  for (const slot of slots) lines.push(slot);
  return [forAny, tools, lines.length - slots.length];
}

function packSlot({ rules, moving, byFolder }: Slot, lines: Further[]): PackedSlot {
  const [only] = rules;
  if (byFolder === undefined) return only !== undefined && rules.length === 1 && moving.length === 0 ? only : [rules, moving];
  const folders = Object.keys(byFolder).sort();
  lines.push([folders, folders.map((folder) => packSlot(byFolder[folder] ?? { rules: [], moving: [] }, lines))]);
  return [rules, moving, lines.length - 1];
}

function plainRecord<T>(names: readonly string[], read: (index: number) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name, index) => [name, read(index)]));
}

/** Throws if the file was cut off: its last byte is the end of its last line. */
function unpack({ size, text }: Source, whole: boolean): Cached | undefined {
  const length = Number(text(0, FIRST));
  const head: Partial<Head> = JSON.parse(text(FIRST, length));
  const { lengths, rules = 0, facts = [], events = [], plan: small, ...rest } = head;
  const cached = checked(rest);
  if (cached === undefined || lengths === undefined) return undefined;
  const starts = new Uint32Array(lengths.length);
  let end = FIRST + length + 1;
  lengths.forEach((each, line) => {
    starts[line] = end;
    end += each + 1;
  });
  const counted = rules + facts.length + events.length;
  if (end !== size || lengths.length < counted) return undefined;
  const line = (number: number): never => JSON.parse(text(starts[number] ?? 0, lengths[number] ?? 0)) as never;
  if (small === undefined) return cached;
  const list = <T>(count: number, from: number): readonly T[] => (whole ? Array.from({ length: count }, (_, number) => line(from + number)) : lazyList(count, (number) => line(from + number)));
  const record = <T>(names: readonly string[], from: number, read: (value: never) => T): Readonly<Record<string, T>> =>
    whole ? plainRecord(names, (number) => read(line(from + number))) : lazyRecord(names, (number) => read(line(from + number)));
  const unpackShelf = ([any, tools, slots]: PackedShelf): Shelf => ({ any: unpackSlot(any), byTool: recordOf(tools, slots) });
  const unpackSlot = (packed: PackedSlot): Slot => {
    if (typeof packed === 'number') return { rules: [packed], moving: [] };
    const [ofRules, moving, folders] = packed;
    return { rules: ofRules, moving, ...(folders === undefined ? {} : { byFolder: recordOf(...(line(counted + folders) as PackedFolders)) }) };
  };
  const recordOf = (keys: readonly string[], slots: readonly PackedSlot[] | number): Readonly<Record<string, Slot>> => {
    const read = (number: number): Slot => unpackSlot(typeof slots === 'number' ? line(counted + slots + number) : (slots[number] ?? [[], []]));
    return whole ? plainRecord(keys, read) : lazyRecord(keys, read);
  };
  return { ...cached, plan: { ...small, rules: list<Rule>(rules, 0), facts: record(facts, rules, (fact: Fact) => fact), index: record(events, rules + facts.length, unpackShelf) } };
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
    // Absence is common, and an exception for it would be dear.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { path, was: 'absent' };
    if (found.isDirectory()) return { path, was: readdirSync(path).filter((name) => /\.ya?ml$/.test(name)).sort().join('/') };
    return { path, was: `${found.size} ${found.mtimeMs} ${found.ino}` };
  } catch {
    return { path, was: 'absent' };
  }
}
