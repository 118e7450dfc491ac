// Owns: SortedMap, a persistent map from strings to values in code-unit order. A change copies one path of the
// tree and shares the rest, so that old versions stay whole and two versions differ only where nodes differ.

import type { Steps } from "../text/steps.ts";

const FULL = 32;
/** How full nodes are that are made in one go: room is left, so that the next insertions need not split. */
const FILLED = 24;
/** Entries and nodes that a comparison goes through between two pauses. */
const STEP = 256;

interface Leaf<V> {
  readonly height: 0;
  readonly keys: readonly string[];
  readonly values: readonly V[];
}

/** `keys[i]` is the first key under `children[i]`. No node but an empty root is empty. */
interface Branch<V> {
  readonly height: number;
  readonly keys: readonly string[];
  readonly children: readonly Node[];
  readonly _?: V;
}

type Node<V = unknown> = Leaf<V> | Branch<V>;

export interface EntryChange<V> {
  readonly key: string;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

export class SortedMap<V> {
  readonly size: number;
  readonly #root: Node<V>;

  private constructor(root: Node<V>, size: number) {
    this.#root = root;
    this.size = size;
  }

  static empty<V>(): SortedMap<V> {
    return new SortedMap<V>({ height: 0, keys: [], values: [] }, 0);
  }

  /** The map of entries that are sorted by key, each key once. One pass, a fraction of setting them one by one. */
  static from<V>(keys: readonly string[], values: readonly V[]): SortedMap<V> {
    if (keys.length === 0) return SortedMap.empty<V>();
    let nodes: Node<V>[] = [];
    for (let i = 0; i < keys.length; i += FILLED)
      nodes.push({ height: 0, keys: keys.slice(i, i + FILLED), values: values.slice(i, i + FILLED) });
    for (let height = 1; nodes.length > 1; height++) {
      const above: Node<V>[] = [];
      for (let i = 0; i < nodes.length; i += FILLED) {
        const children = nodes.slice(i, i + FILLED);
        above.push({ height, keys: children.map((child) => child.keys[0] as string), children });
      }
      nodes = above;
    }
    return new SortedMap<V>(nodes[0] as Node<V>, keys.length);
  }

  get(key: string): V | undefined {
    let node = this.#root;
    while (isBranch(node)) node = node.children[childIndex(node.keys, key)] as Node<V>;
    const at = lowerBound(node.keys, key);
    return node.keys[at] === key ? node.values[at] : undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** A map in which `key` has `value`, at the cost of copying about three short arrays. */
  set(key: string, value: V): SortedMap<V> {
    const had = this.has(key);
    const nodes = setIn(this.#root, key, value);
    return new SortedMap(rootOf(nodes), had ? this.size : this.size + 1);
  }

  delete(key: string): SortedMap<V> {
    if (!this.has(key)) return this;
    const node = deleteIn(this.#root, key);
    if (node === undefined) return SortedMap.empty<V>();
    let root = node;
    while (isBranch(root) && root.children.length === 1) root = root.children[0] as Node<V>;
    return new SortedMap(root, this.size - 1);
  }

  /** The first entry whose key is `from` or later. */
  first(from = ""): readonly [string, V] | undefined {
    let node = this.#root;
    let next: Node<V> | undefined;
    while (isBranch(node)) {
      const at = childIndex(node.keys, from);
      next = (node.children[at + 1] as Node<V> | undefined) ?? next;
      node = node.children[at] as Node<V>;
    }
    const at = lowerBound(node.keys, from);
    if (at < node.keys.length) return [node.keys[at] as string, node.values[at] as V];
    // All of its leaf is before it: the first entry of what comes next.
    while (next !== undefined && isBranch(next)) next = next.children[0] as Node<V>;
    return next === undefined ? undefined : [next.keys[0] as string, next.values[0] as V];
  }

  /** Entries in order, from `from` on, up to but without `to`. */
  *entries(from = "", to?: string): Generator<readonly [string, V], void, undefined> {
    const stack: { node: Node<V>; at: number }[] = [];
    let node = this.#root;
    while (isBranch(node)) {
      const at = childIndex(node.keys, from);
      stack.push({ node, at });
      node = node.children[at] as Node<V>;
    }
    stack.push({ node, at: lowerBound(node.keys, from) });
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const { node, at } = frame;
      if (at >= node.keys.length) {
        stack.pop();
        const parent = stack.at(-1);
        if (parent !== undefined) parent.at++;
      } else if (isBranch(node)) stack.push({ node: node.children[at] as Node<V>, at: 0 });
      else {
        const key = node.keys[at] as string;
        if (to !== undefined && key >= to) return;
        frame.at++;
        yield [key, node.values[at] as V];
      }
    }
  }

  /** What turns `this` into `other`. The cost follows the number of differences, not the size. */
  *changesTo(other: SortedMap<V>): Generator<EntryChange<V>, void, undefined> {
    for (const change of this.changesToSteps(other)) if (change !== undefined) yield change;
  }

  /** The same with pauses (`undefined`): maps that share no nodes are gone through as a whole. */
  *changesToSteps(other: SortedMap<V>): Generator<EntryChange<V> | undefined, void, undefined> {
    const a = new MapCursor(this.#root);
    const b = new MapCursor(other.#root);
    for (let step = 1; ; step++) {
      if (step % STEP === 0) yield undefined;
      const left = a.current();
      const right = b.current();
      if (left === undefined && right === undefined) return;
      if (left !== undefined && right !== undefined && left.node !== undefined && left.node === right.node) {
        a.next();
        b.next();
      } else if (shouldDescend(left, right)) a.descend();
      else if (shouldDescend(right, left)) b.descend();
      else if (right === undefined || (left !== undefined && left.key < right.key)) {
        yield { key: (left as Place<V>).key, before: (left as Place<V>).value, after: undefined };
        a.next();
      } else if (left === undefined || right.key < left.key) {
        yield { key: right.key, before: undefined, after: right.value };
        b.next();
      } else {
        if (left.value !== right.value) yield { key: left.key, before: left.value, after: right.value };
        a.next();
        b.next();
      }
    }
  }
}

/** A map with the entries of `map` that shares with `onto` every node whose entries are the same. */
export function* graftSteps<V>(
  map: SortedMap<V>,
  onto: SortedMap<V>,
  isSame: (a: V, b: V) => boolean,
): Steps<SortedMap<V>> {
  let grafted = onto;
  for (const change of onto.changesToSteps(map)) {
    yield;
    if (change === undefined) continue;
    const { key, before, after } = change;
    if (after === undefined) grafted = grafted.delete(key);
    else if (before === undefined || !isSame(before, after)) grafted = grafted.set(key, after);
  }
  return grafted;
}

/** Where a walk is: before a whole node (`height` 0 and up) or before one entry (`height` -1). */
interface Place<V> {
  readonly key: string;
  readonly height: number;
  readonly node: Node<V> | undefined;
  readonly value: V | undefined;
}

class MapCursor<V> {
  readonly #stack: { node: Node<V>; at: number }[] = [];
  #whole: Node<V> | undefined;

  constructor(root: Node<V>) {
    this.#whole = root.keys.length === 0 ? undefined : root;
  }

  current(): Place<V> | undefined {
    if (this.#whole !== undefined)
      return {
        key: this.#whole.keys[0] as string,
        height: this.#whole.height,
        node: this.#whole,
        value: undefined,
      };
    const frame = this.#stack.at(-1);
    if (frame === undefined) return undefined;
    const { node, at } = frame;
    const key = node.keys[at] as string;
    if (!isBranch(node)) return { key, height: -1, node: undefined, value: node.values[at] as V };
    const child = node.children[at] as Node<V>;
    return { key, height: child.height, node: child, value: undefined };
  }

  descend(): void {
    const node = this.current()?.node;
    if (node === undefined) return;
    this.#whole = undefined;
    this.#stack.push({ node, at: 0 });
  }

  next(): void {
    if (this.#whole !== undefined) {
      this.#whole = undefined;
      return;
    }
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1)) {
      frame.at++;
      if (frame.at < frame.node.keys.length) return;
      this.#stack.pop();
    }
  }
}

/** Of two walks, the one before the taller node opens it; at equal height the one that is less far. */
function shouldDescend<V>(one: Place<V> | undefined, other: Place<V> | undefined): boolean {
  if (one === undefined || one.height < 0) return false;
  if (other === undefined || one.height > other.height) return true;
  return one.height === other.height && one.key <= other.key;
}

function isBranch<V>(node: Node<V>): node is Branch<V> {
  return node.height > 0;
}

/** Index of the first key that is `key` or later. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the child under which `key` belongs. */
function childIndex(keys: readonly string[], key: string): number {
  const at = lowerBound(keys, key);
  return keys[at] === key ? at : Math.max(0, at - 1);
}

function setIn<V>(node: Node<V>, key: string, value: V): Node<V>[] {
  if (!isBranch(node)) {
    const at = lowerBound(node.keys, key);
    const replace = node.keys[at] === key ? 1 : 0;
    const keys = node.keys.slice();
    const values = node.values.slice();
    keys.splice(at, replace, key);
    values.splice(at, replace, value);
    return split(keys, values, (keys, values) => ({ height: 0, keys, values }));
  }
  const at = childIndex(node.keys, key);
  const made = setIn(node.children[at] as Node<V>, key, value);
  const children = node.children.slice();
  children.splice(at, 1, ...made);
  const keys = children.map((child) => child.keys[0] as string);
  return split(keys, children, (keys, children) => ({ height: node.height, keys, children }));
}

function split<V, X>(keys: string[], items: X[], make: (keys: string[], items: X[]) => Node<V>): Node<V>[] {
  if (keys.length <= FULL) return [make(keys, items)];
  const half = keys.length >>> 1;
  return [make(keys.slice(0, half), items.slice(0, half)), make(keys.slice(half), items.slice(half))];
}

function rootOf<V>(nodes: Node<V>[]): Node<V> {
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return only;
  return {
    height: (only?.height ?? 0) + 1,
    keys: nodes.map((node) => node.keys[0] as string),
    children: nodes,
  };
}

/** The node without `key`, or nothing when that leaves it empty. Thin nodes are left thin: lookups stay logarithmic. */
function deleteIn<V>(node: Node<V>, key: string): Node<V> | undefined {
  if (!isBranch(node)) {
    const at = lowerBound(node.keys, key);
    if (node.keys.length === 1) return undefined;
    return { height: 0, keys: without(node.keys, at), values: without(node.values, at) };
  }
  const at = childIndex(node.keys, key);
  const child = deleteIn(node.children[at] as Node<V>, key);
  if (child === undefined && node.children.length === 1) return undefined;
  const children = node.children.slice();
  if (child === undefined) children.splice(at, 1);
  else children[at] = child;
  return { height: node.height, keys: children.map((child) => child.keys[0] as string), children };
}

function without<X>(items: readonly X[], at: number): X[] {
  const copy = items.slice();
  copy.splice(at, 1);
  return copy;
}
