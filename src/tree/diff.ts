// Owns: what differs between two versions of a tree, by comparing pages: the cost follows the changes.
// Must never: list a branch node by node; only its top is listed.

import { bisect } from "../text/bisect.ts";
import type { Json } from "../value.ts";
import { changedSlotsSteps } from "./_delta.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import type { Forest } from "./forest.ts";
import { pathText } from "./read.ts";
import { isObject, nodeName, sameValue } from "./payload.ts";
import { runNow, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { childrenOf, isWithin, measureSteps } from "./walk.ts";

/** A node that differs: its id, type, name, and the names from the root (`path`). */
export interface DiffNode {
  /** The node. */
  readonly nodeId: string;
  /** The type of its payload. */
  readonly type: string;
  /** Its name, where it has one. */
  readonly name?: string;
  /** Where it is, by names from the root. */
  readonly path: string;
}

/** A property that differs; `was` or `now` is absent where it is not there. */
export interface PayloadChange {
  /** The property. */
  readonly path: string;
  /** The value before; absent when there was none. */
  readonly was?: Json;
  /** The value then; absent when it is gone. */
  readonly now?: Json;
}

/** What differs between two versions or branches, by kind. */
export interface TreeDiff {
  /** Tops of new branches, with the number of their nodes. */
  readonly added: readonly (DiffNode & { readonly nodes: number; readonly parentNodeId: string })[];
  /** Nodes that went. */
  readonly removed: readonly (DiffNode & { readonly nodes: number; readonly parentNodeId: string })[];
  /** Nodes with another parent. */
  readonly moved: readonly (DiffNode & { readonly from: string; readonly to: string })[];
  /** Parents whose children are in another order, with those that left the order of the others. */
  readonly reordered: readonly (DiffNode & { readonly children: readonly string[] })[];
  /** Nodes whose payload differs, property by property. */
  readonly changed: readonly (DiffNode & { readonly changes: readonly PayloadChange[] })[];
  /** Nodes whose tags differ. */
  readonly tags: readonly (DiffNode & {
    readonly added: readonly string[];
    readonly removed: readonly string[];
  })[];
}

/** Children up to which the nodes that left the order are named; beyond, only the parent is. */
const NAMED_ORDER = 10_000;

export function describe(tree: Tree, slot: number): DiffNode {
  const name = nodeName(tree.payloadOf(slot));
  return {
    nodeId: tree.idOf(slot),
    type: tree.typeOf(slot),
    ...(name === undefined ? {} : { name }),
    path: pathText(tree, slot),
  };
}

/**
 * From `a` to `b`, two versions of one tree. O(changes) to find, plus the size of branches added or removed. With
 * `root`, only what lies in that branch in either version. Never throws.
 *
 * @example diffText(await runPaced(diffSteps(tree, later)))
 */
export function* diffSteps(a: Tree, b: Tree, root: number = ROOT_SLOT): Steps<TreeDiff> {
  const added = [];
  const removed = [];
  const moved = [];
  const changed = [];
  const tags = [];
  const parents = new Set<number>();
  // In one shape every node is where it was: what is live in the one is live in the other, and nothing moved.
  const sameShape = a.shape === b.shape;
  const liveA = liveness(a, root);
  const liveB = sameShape ? liveA : liveness(b, root);
  let seen = 0;
  for (const slot of yield* changedSlotsSteps(a, b)) {
    if (++seen % 512 === 0) yield;
    const was = liveA(slot);
    const is = liveB(slot);
    if (!was && !is) continue;
    if (!was) {
      const parent = b.parentOf(slot);
      // The top of what is new: its parent was there before.
      if (slot === root || parent === NO_SLOT || !liveA(parent)) continue;
      const { nodes } = yield* measureSteps(b, slot);
      added.push({
        ...describe(b, slot),
        nodes: nodes - arrivals(a, b, slot, liveA),
        parentNodeId: b.idOf(parent),
      });
      continue;
    }
    if (!is) {
      const parent = a.parentOf(slot);
      if (slot === root || parent === NO_SLOT || !liveB(parent)) continue;
      const { nodes } = yield* measureSteps(a, slot);
      removed.push({
        ...describe(a, slot),
        nodes: nodes - arrivals(b, a, slot, liveB),
        parentNodeId: a.idOf(parent),
      });
      continue;
    }
    const from = a.parentOf(slot);
    const to = b.parentOf(slot);
    if (slot !== root && from !== to)
      moved.push({
        ...describe(b, slot),
        from: from === NO_SLOT ? "" : a.idOf(from),
        to: to === NO_SLOT ? "" : b.idOf(to),
      });
    else if (
      !sameShape &&
      slot !== root &&
      to !== NO_SLOT &&
      !parents.has(to) &&
      stayedBefore(a, b, slot) !== stayedBefore(b, a, slot)
    )
      parents.add(to);
    const changes = payloadChanges(a, b, slot);
    if (changes.length > 0) changed.push({ ...describe(b, slot), changes });
    const had = a.tagsOf(slot);
    const has = b.tagsOf(slot);
    const more = has.filter((tag) => !had.includes(tag));
    const less = had.filter((tag) => !has.includes(tag));
    if (more.length + less.length > 0) tags.push({ ...describe(b, slot), added: more, removed: less });
  }
  const reordered = [];
  for (const parent of parents) {
    if (!liveA(parent) || !liveB(parent)) continue;
    const out = outOfOrder(a, b, parent);
    reordered.push({ ...describe(b, parent), children: out.map((slot) => b.idOf(slot)) });
    yield;
  }
  return { added, removed, moved, reordered, changed, tags };
}

/**
 * As {@link diffSteps}, at once. Never throws.
 *
 * @example diffText(diff(before.tree(), after.tree()))
 */
export function diff(a: Tree, b: Tree, root: number = ROOT_SLOT): TreeDiff {
  return runNow(diffSteps(a, b, root));
}

/** What differs between two forests: trees made, dropped, changed. `scope` limits it to one tree. */
export interface ForestDiff {
  /** Trees that came. */
  readonly created: readonly string[];
  /** Trees that went. */
  readonly dropped: readonly string[];
  /** Trees that changed, each with its differences. */
  readonly trees: readonly { readonly tree: string; readonly diff: TreeDiff }[];
}

/**
 * What differs between two forests of one history; `scope` (`t1`) limits it to one tree. O(changes). Never throws.
 *
 * @example const changed = await runPaced(diffForestSteps(forest, other));
 */
export function* diffForestSteps(a: Forest, b: Forest, scope?: string): Steps<ForestDiff> {
  const only = scope?.startsWith("tree:") === true ? scope.slice(5) : scope;
  const created: string[] = [];
  const dropped: string[] = [];
  const trees: { tree: string; diff: TreeDiff }[] = [];
  for (const id of new Set([...a.all.keys(), ...b.all.keys()])) {
    if (only !== undefined && only !== id) continue;
    const was = a.all.get(id);
    const is = b.all.get(id);
    const shownBefore = was !== undefined && !was.facts.dropped;
    const shownNow = is !== undefined && !is.facts.dropped;
    if (shownNow && !shownBefore) created.push(id);
    if (shownBefore && !shownNow) dropped.push(id);
    if (!shownBefore || !shownNow || was === is) continue;
    const found = yield* diffSteps(was, is);
    if (Object.values(found).some((list: readonly unknown[]) => list.length > 0))
      trees.push({ tree: id, diff: found });
  }
  return { created, dropped, trees };
}

/**
 * As {@link diffForestSteps}, at once. Never throws.
 *
 * @example diffForest(forest, other, "t1")
 */
export function diffForest(a: Forest, b: Forest, scope?: string): ForestDiff {
  return runNow(diffForestSteps(a, b, scope));
}

/** Whether a slot is live, and in the branch looked at. Remembered, since paths are shared. */
function liveness(tree: Tree, root: number): (slot: number) => boolean {
  const known = new Map<number, boolean>();
  return (slot) => {
    let live = known.get(slot);
    if (live === undefined) {
      live = tree.isLive(slot) && (root === ROOT_SLOT || isWithin(tree, slot, root));
      known.set(slot, live);
    }
    return live;
  };
}

/** Nodes inside a new branch that were there before: they moved in and are listed as moved. */
function arrivals(before: Tree, after: Tree, top: number, wasLive: (slot: number) => boolean): number {
  let count = 0;
  // Only changed nodes can have moved in, and a node that moved in brings its own branch along.
  const stack = childrenOf(after, top);
  for (let slot = stack.pop(); slot !== undefined; slot = stack.pop()) {
    if (before.holds(slot) && wasLive(slot)) count += runNow(measureSteps(after, slot)).nodes;
    else for (const child of childrenOf(after, slot)) stack.push(child);
  }
  return count;
}

/** Type and payload differences by path. Objects are compared inside, lists and scalars as wholes. */
function payloadChanges(a: Tree, b: Tree, slot: number): PayloadChange[] {
  const changes: PayloadChange[] = [];
  if (a.typeOf(slot) !== b.typeOf(slot))
    changes.push({ path: "PayloadType", was: a.typeOf(slot), now: b.typeOf(slot) });
  compare(a.payloadOf(slot), b.payloadOf(slot), changes);
  return changes;
}

/** Differences of two payloads, in key order. Iterative. */
export function compare(was: Json, now: Json, changes: PayloadChange[]): void {
  const stack: { was: Json | undefined; now: Json | undefined; path: string }[] = [{ was, now, path: "" }];
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const { path } = pair;
    if (pair.was === pair.now) continue;
    if (isObject(pair.was) && isObject(pair.now)) {
      const keys = Object.keys(pair.was);
      for (const key of Object.keys(pair.now)) if (!Object.hasOwn(pair.was, key)) keys.push(key);
      for (let i = keys.length - 1; i >= 0; i--) {
        const key = keys[i] as string;
        const x = Object.hasOwn(pair.was, key) ? pair.was[key] : undefined;
        const y = Object.hasOwn(pair.now, key) ? pair.now[key] : undefined;
        if (x !== y) stack.push({ was: x, now: y, path: path === "" ? key : `${path}.${key}` });
      }
    } else if (!sameValue(pair.was, pair.now))
      changes.push({
        path,
        ...(pair.was === undefined ? {} : { was: pair.was }),
        ...(pair.now === undefined ? {} : { now: pair.now }),
      });
  }
}

/**
 * The children in both versions that left the order of the others: the fewest, by a longest increasing run.
 */
function outOfOrder(a: Tree, b: Tree, parent: number): number[] {
  const before = childrenOf(a, parent).filter((slot) => b.parentOf(slot) === parent);
  const after = childrenOf(b, parent).filter((slot) => a.holds(slot) && a.parentOf(slot) === parent);
  if (after.length > NAMED_ORDER) return [];
  const places = new Map(before.map((slot, i) => [slot, i]));
  const inOrder = longestIncreasing(after.map((slot) => places.get(slot) as number));
  return after.filter((_, i) => !inOrder.has(i));
}

/**
 * The sibling before a node in one version that is a sibling in the other too. Walks only over nodes that came or
 * went, which are changes themselves; so asking all changed nodes stays O(changes), however many siblings there are.
 */
function stayedBefore(tree: Tree, other: Tree, slot: number): number {
  const parent = tree.parentOf(slot);
  let at = tree.prevOf(slot);
  while (at !== NO_SLOT && (!other.holds(at) || other.parentOf(at) !== parent)) at = tree.prevOf(at);
  return at;
}

/** Indexes of one longest increasing subsequence. O(n log n). */
export function longestIncreasing(values: readonly number[]): Set<number> {
  const tails: number[] = [];
  const before = new Int32Array(values.length);
  values.forEach((value, i) => {
    const rank = bisect(tails.length, (j) => (values[tails[j] as number] as number) < value);
    before[i] = rank > 0 ? (tails[rank - 1] as number) : -1;
    tails[rank] = i;
  });
  const longest = new Set<number>();
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] as number) longest.add(at);
  return longest;
}
