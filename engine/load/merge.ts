/** An override on top of what it overrides: maps by key, scalars and lists replace, `{add, remove}` edits a list, null removes. */
import { entries, get, isNull, items, toJson, type Entry, type MapNode, type Node } from './node.ts';

export function merge(base: Node, over: Node): Node {
  if (over.kind === 'map' && isEdit(over)) return edit(base, over);
  if (base.kind !== 'map' || over.kind !== 'map') return over;
  return mergeMaps(base, over);
}

export function mergeMaps(base: MapNode, over: MapNode): MapNode {
  const merged: Entry[] = base.entries.map((old) => {
    const changed = over.entries.find((each) => each.key === old.key);
    if (changed === undefined) return old;
    return { ...changed, value: isNull(changed.value) ? changed.value : merge(old.value, changed.value) };
  });
  const added = over.entries.filter((each) => !base.entries.some((old) => old.key === each.key));
  return { ...base, entries: [...merged, ...added] };
}

/** `{add: […], remove: […]}` */
export function isEdit(node: Node): boolean {
  return node.kind === 'map' && node.entries.length > 0 && node.entries.every(({ key }) => key === 'add' || key === 'remove');
}

/** What is left of an edit where there is nothing to edit: what it adds. */
export function edit(base: Node | undefined, over: Node): Node {
  const gone = new Set(items(get(over, 'remove')).map(jsonOf));
  const kept = items(base).filter((node) => !gone.has(jsonOf(node)));
  const present = new Set(kept.map(jsonOf));
  const added = items(get(over, 'add')).filter((node) => !present.has(jsonOf(node)));
  return { kind: 'list', items: [...kept, ...added], at: over.at };
}

/** Entries of an edit's `remove` that the base does not have: a typo would silently do nothing. */
export function idleRemovals(base: Node | undefined, over: Node): readonly Node[] {
  const present = new Set(items(base).map(jsonOf));
  return items(get(over, 'remove')).filter((node) => !present.has(jsonOf(node)));
}

/** Keys that were removed on purpose. */
export function withoutNulls(node: MapNode): MapNode {
  return { ...node, entries: node.entries.filter((each) => !isNull(each.value)) };
}

export function sameJson(a: Node, b: Node): boolean {
  return jsonOf(a) === jsonOf(b);
}

function jsonOf(node: Node): string {
  return JSON.stringify(sorted(node));
}

function sorted(node: Node): unknown {
  if (node.kind === 'list') return node.items.map(sorted);
  if (node.kind === 'scalar') return toJson(node);
  return Object.fromEntries([...entries(node)].sort((a, b) => (a.key < b.key ? -1 : 1)).map((each) => [each.key, sorted(each.value)]));
}
