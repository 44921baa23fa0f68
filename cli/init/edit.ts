/** Edits of a settings text that leave everything else as it is: comments, order, indentation, line ends, byte order mark. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../engine/model.ts';
import { handlersIn, isOurs, isReadable, list, object, parseSettings, TOKEN, type Node } from '../../hooks/hosts/claude-settings.ts';

type Path = readonly (string | number)[];

/** The text with our handlers for exactly these events: what is right stays, what is old is replaced, what is no longer used goes. */
export function register(text: string, handlers: ReadonlyMap<string, JsonObject>): string {
  let next = text;
  const done = new Set<string>();
  // From the last one, so that paths of those before stay.
  for (const { path, event, handler, whole } of [...oursIn(valueIn(next))].reverse()) {
    const wanted = handlers.get(event);
    if (wanted === undefined || !whole || done.has(event)) next = prune(next, path);
    else if (!isDeepStrictEqual(wanted, handler)) next = replace(next, path, wanted);
    if (wanted !== undefined && whole) done.add(event);
  }
  for (const [event, handler] of handlers) if (!done.has(event)) next = append(next, ['hooks', event], { hooks: [handler] });
  return next;
}

/** The text without our handlers and without the lists that are empty then. */
export function unregister(text: string): string {
  return [...oursIn(valueIn(text))].reverse().reduce((next, { path }) => prune(next, path), text);
}

export function withToken(text: string, token: string): string {
  const path = ['env', TOKEN];
  const root = rootOf(text);
  return root !== undefined && nodeAt(root, path) !== undefined ? replace(text, path, token) : insert(text, ['env'], {}, TOKEN, token);
}

export function withoutToken(text: string): string {
  const root = rootOf(text);
  return root !== undefined && nodeAt(root, ['env', TOKEN]) !== undefined ? prune(text, ['env', TOKEN]) : text;
}

/** Handlers of ours with the path to each; `whole` if its group is for every tool. */
function oursIn(settings: JsonObject): readonly { readonly path: Path; readonly event: string; readonly handler: JsonObject; readonly whole: boolean }[] {
  if (!handlersIn(settings).some(({ handler }) => isOurs(handler))) return [];
  return Object.entries(object(settings['hooks']) ?? {}).flatMap(([event, groups]) =>
    list(groups).flatMap((group, outer) => {
      const matcher = object(group)?.['matcher'];
      return list(object(group)?.['hooks']).flatMap((entry, inner) => {
        const handler = object(entry);
        return handler === undefined || !isOurs(handler) ? [] : [{ path: ['hooks', event, outer, 'hooks', inner], event, handler, whole: matcher === undefined || matcher === '' || matcher === '*' }];
      });
    }),
  );
}

function valueIn(text: string): JsonObject {
  const reading = parseSettings(text);
  if (!isReadable(reading)) throw new Error(`settings that can not be read are not edited: ${reading.fault}`);
  return reading.value;
}

function rootOf(text: string): Node | undefined {
  const reading = parseSettings(text);
  return isReadable(reading) ? reading.root : undefined;
}

function nodeAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root;
  for (const step of path) {
    const children: readonly Node[] = node?.children ?? [];
    node = typeof step === 'number' ? children[step] : children.find((each) => each.children?.[0]?.value === step)?.children?.[1];
  }
  return node;
}

// ---------------------------------------------------------------- adding

/** Adds to a list; it and the objects on the way are made where they are missing. */
function append(text: string, path: Path, item: Json): string {
  const root = rootOf(text);
  const node = root === undefined ? undefined : nodeAt(root, path);
  if (node !== undefined) return insertInto(text, node, item);
  return insert(text, path.slice(0, -1), {}, String(path.at(-1)), [item]);
}

/** Adds a key to an object, which is made where it is missing. */
function insert(text: string, path: Path, empty: JsonObject, key: string, value: Json): string {
  const root = rootOf(text);
  // An empty file: nothing to keep but its byte order mark.
  if (root === undefined) return insert(`${text.startsWith('\uFEFF') ? '\uFEFF' : ''}{}\n`, path, empty, key, value);
  const node = nodeAt(root, path);
  if (node !== undefined) return insertInto(text, node, value, key);
  return insert(text, path.slice(0, -1), empty, String(path.at(-1)), { ...empty, [key]: value });
}

/** After the last child and the comments that follow it. */
function insertInto(text: string, container: Node, value: Json, key?: string): string {
  const { unit, eol } = styleOf(text);
  const base = indentAt(text, container.offset);
  const children = container.children ?? [];
  const close = container.offset + container.length - 1;
  const first = children[0];
  const own = first !== undefined && isFirstOnLine(text, first.offset) ? indentAt(text, first.offset) : base + unit;
  const item = `${key === undefined ? '' : `${JSON.stringify(key)}: `}${printed(value, own, unit, eol)}`;
  const end = text.slice(0, close).trimEnd().length;
  const tail = /[\r\n]/.test(text.slice(end, close)) ? '' : eol + base;
  const last = children.at(-1);
  const inserted = text.slice(0, end) + eol + own + item + tail + text.slice(tail === '' ? end : close);
  if (last === undefined || commaAfter(text, last.offset + last.length) !== undefined) return inserted;
  const comma = last.offset + last.length;
  return `${inserted.slice(0, comma)},${inserted.slice(comma)}`;
}

function replace(text: string, path: Path, value: Json): string {
  const root = rootOf(text);
  const node = root === undefined ? undefined : nodeAt(root, path);
  if (node === undefined) return text;
  const { unit, eol } = styleOf(text);
  return text.slice(0, node.offset) + printed(value, indentAt(text, node.offset), unit, eol) + text.slice(node.offset + node.length);
}

const WIDTH = 100;

/** JSON like people write it: short lists of words on one line. */
function printed(value: Json, indent: string, unit: string, eol: string): string {
  const flat = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || flat === '{}' || flat === '[]') return flat;
  const deeper = indent + unit;
  const wrap = (open: string, items: readonly string[], close: string): string => `${open}${eol}${items.map((item) => deeper + item).join(`,${eol}`)}${eol}${indent}${close}`;
  if (!isList(value)) return wrap('{', Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${printed(each, deeper, unit, eol)}`), '}');
  const plain = value.every((each) => typeof each !== 'object' || each === null);
  if (plain && flat.length <= WIDTH) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;
  return wrap('[', value.map((each) => printed(each, deeper, unit, eol)), ']');
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

// ---------------------------------------------------------------- taking away

/** Without the node at the path, and without every list, group or object that is empty then. */
function prune(text: string, path: Path): string {
  let from: Path = path;
  const root = rootOf(text);
  if (root === undefined) return text;
  // A group holds `hooks` and perhaps a matcher: without hooks it is nothing.
  for (let up = path.slice(0, -1); up.length > 0; up = up.slice(0, -1)) {
    const node = nodeAt(root, up);
    const left = node?.children?.length ?? 0;
    const isGroup = up.length === 3 && up[0] === 'hooks';
    if (left > 1 && !isGroup) break;
    from = up;
  }
  return cut(text, root, from);
}

function cut(text: string, root: Node, path: Path): string {
  const container = nodeAt(root, path.slice(0, -1));
  const step = path.at(-1);
  const children = container?.children ?? [];
  const index = typeof step === 'number' ? step : children.findIndex((each) => each.children?.[0]?.value === step);
  const child = children[index];
  if (container === undefined || child === undefined) return text;
  let start = child.offset;
  let end = child.offset + child.length;
  const comma = commaAfter(text, end);
  const before = children[index - 1];
  let lost: number | undefined;
  if (comma !== undefined) end = comma + 1;
  else if (before !== undefined) lost = commaAfter(text, before.offset + before.length);
  const lineStart = lastBreak(text, start);
  const rest = /^[ \t]*(?:\r\n|\r|\n)?/.exec(text.slice(end))?.[0] ?? '';
  if (text.slice(lineStart, start).trim() === '' && /[\r\n]$/.test(rest)) {
    start = lineStart;
    end += rest.length;
  } else if (comma === undefined) start -= /[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  else end += /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  const without = text.slice(0, start) + text.slice(end);
  const result = lost === undefined ? without : without.slice(0, lost) + without.slice(lost + 1);
  return children.length === 1 ? tidied(result, container.offset) : result;
}

/** An object that has nothing left, not even a comment, on one line. */
function tidied(text: string, open: number): string {
  return text.slice(0, open) + text.slice(open).replace(/^([[{])\s*([\]}])/, '$1$2');
}

// ---------------------------------------------------------------- the text around

/** The place of the comma after a node, past space and comments. */
function commaAfter(text: string, end: number): number | undefined {
  const gap = /^(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(end))?.[0].length ?? 0;
  return text[end + gap] === ',' ? end + gap : undefined;
}

/** Where the line of an offset begins. */
function lastBreak(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

function isFirstOnLine(text: string, offset: number): boolean {
  return lastBreak(text, offset) > 0 && text.slice(lastBreak(text, offset), offset).trim() === '';
}

function indentAt(text: string, offset: number): string {
  const start = lastBreak(text, offset);
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? '';
}

/** The step of indentation is that of the first key; the line end is the first one. */
function styleOf(text: string): { readonly unit: string; readonly eol: string } {
  const root = rootOf(text);
  const first = root?.children?.[0];
  const unit = first !== undefined && isFirstOnLine(text, first.offset) ? indentAt(text, first.offset) : '';
  return { unit: unit === '' ? '  ' : unit, eol: /\r\n|\r|\n/.exec(text)?.[0] ?? '\n' };
}
