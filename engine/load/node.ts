/** YAML as a tree in which every key and value knows its place, so that merged rules can still be traced to their lines. */
import type { Json, Span } from '../model.ts';

export type Node = MapNode | ListNode | ScalarNode;
export interface MapNode {
  readonly kind: 'map';
  readonly entries: readonly Entry[];
  readonly at: Span;
}
export interface Entry {
  readonly key: string;
  readonly keyAt: Span;
  readonly value: Node;
}
export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly Node[];
  readonly at: Span;
}
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  readonly at: Span;
  /** A plain text followed by a comment on its line. */
  readonly cut?: true;
}

export function get(node: Node | undefined, key: string): Node | undefined {
  return entry(node, key)?.value;
}

export function entry(node: Node | undefined, key: string): Entry | undefined {
  return node?.kind === 'map' ? node.entries.find((each) => each.key === key) : undefined;
}

export function entries(node: Node | undefined): readonly Entry[] {
  return node?.kind === 'map' ? node.entries : [];
}

/** A single value is a list of one. */
export function items(node: Node | undefined): readonly Node[] {
  if (node === undefined) return [];
  return node.kind === 'list' ? node.items : [node];
}

export function text(node: Node | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

export function isNull(node: Node | undefined): boolean {
  return node?.kind === 'scalar' && node.value === null;
}

export function toJson(node: Node): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toJson);
    case 'map':
      return Object.fromEntries(node.entries.map((each) => [each.key, toJson(each.value)]));
  }
}

/** The node at a path of keys and positions, or the deepest one on the way. */
export function nodeAt(node: Node, path: readonly (string | number)[]): Node {
  let found = node;
  for (const step of path) {
    const next = found.kind === 'map' ? get(found, String(step)) : found.kind === 'list' ? found.items[Number(step)] : undefined;
    if (next === undefined) return found;
    found = next;
  }
  return found;
}
