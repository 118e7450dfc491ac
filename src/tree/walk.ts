// Owns: walking nodes: document order, paths, ancestors, sizes. Everything iterative.
// Must never: recurse, or hold anything but a cursor.

import { NO_SLOT } from "./_page.ts";
import { STEP, type Steps } from "./steps.ts";
import type { NodeRecords } from "./tree.ts";

/**
 * A cursor over a branch in document order (a node, then its children from first to last). O(1) memory.
 *
 * @example for (const walk = new BranchWalk(tree, slot); walk.next(); ) visit(walk.slot, walk.depth);
 */
export class BranchWalk {
  /** The node it is at; below zero at the end. */
  slot: number = NO_SLOT;
  /** 0 at the node the walk began with. */
  depth = 0;
  readonly #nodes: NodeRecords;
  readonly #root: number;
  readonly #maxDepth: number;
  #started = false;

  constructor(nodes: NodeRecords, root: number, maxDepth: number = Infinity) {
    this.#nodes = nodes;
    this.#root = root;
    this.#maxDepth = maxDepth;
  }

  /** Goes on to the next node; with `descend` false it leaves out what lies below the present one. */
  next(descend = true): boolean {
    const nodes = this.#nodes;
    if (!this.#started) {
      this.#started = true;
      this.slot = this.#root;
      return true;
    }
    if (descend && this.depth < this.#maxDepth) {
      const first = nodes.firstOf(this.slot);
      if (first !== NO_SLOT) {
        this.slot = first;
        this.depth++;
        return true;
      }
    }
    for (let at = this.slot; at !== this.#root;) {
      const next = nodes.nextOf(at);
      if (next !== NO_SLOT) {
        this.slot = next;
        return true;
      }
      at = nodes.parentOf(at);
      this.depth--;
    }
    return false;
  }

  /** Goes on after a node of the branch, as if the walk had just shown it. O(depth). */
  resumeAfter(slot: number): void {
    this.#started = true;
    this.slot = slot;
    this.depth = 0;
    for (let at = slot; at !== this.#root && at !== NO_SLOT; at = this.#nodes.parentOf(at)) this.depth++;
  }
}

/**
 * Children from first to last. O(children). Never throws.
 *
 * @example childrenOf(tree, 0).map((slot) => tree.idOf(slot))
 */
export function childrenOf(nodes: NodeRecords, slot: number): number[] {
  const children: number[] = [];
  for (let at = nodes.firstOf(slot); at !== NO_SLOT; at = nodes.nextOf(at)) children.push(at);
  return children;
}

/**
 * Slots from the root to the node, both included. O(depth). Never throws.
 *
 * @example pathTo(tree, 4)  // [0, 2, 4]
 */
export function pathTo(nodes: NodeRecords, slot: number): number[] {
  const path: number[] = [];
  for (let at = slot; at !== NO_SLOT; at = nodes.parentOf(at)) path.push(at);
  return path.reverse();
}

/**
 * True when `slot` is `ancestor` or lies below it. O(depth). Never throws.
 *
 * @example isWithin(tree, 4, 0)  // true
 */
export function isWithin(nodes: NodeRecords, slot: number, ancestor: number): boolean {
  for (let at = slot; at !== NO_SLOT; at = nodes.parentOf(at)) if (at === ancestor) return true;
  return false;
}

/**
 * The nearest node that is an ancestor of all, or one of them. NONE when they are not in one tree. O(k * depth). Never
 * throws.
 *
 * @example commonAncestor(tree, childrenOf(tree, 0))  // 0, the slot of the root
 */
export function commonAncestor(nodes: NodeRecords, slots: readonly number[]): number {
  let common: number[] | undefined;
  for (const slot of slots) {
    const path = pathTo(nodes, slot);
    if (common === undefined) {
      common = path;
      continue;
    }
    let same = 0;
    while (same < common.length && same < path.length && common[same] === path[same]) same++;
    common.length = same;
  }
  return common?.at(-1) ?? NO_SLOT;
}

/** Size of a branch. */
export interface Measure {
  /** How many nodes were measured. */
  readonly nodes: number;
  /** Levels below the node: 0 for a leaf. */
  readonly height: number;
}

/**
 * Size and height of a branch. O(branch). Never throws.
 *
 * @example const { nodes, height } = runNow(measureSteps(tree, 0));
 */
export function* measureSteps(nodes: NodeRecords, slot: number): Steps<Measure> {
  let count = 0;
  let height = 0;
  for (const walk = new BranchWalk(nodes, slot); walk.next();) {
    count++;
    if (walk.depth > height) height = walk.depth;
    if (count % STEP === 0) yield;
  }
  return { nodes: count, height };
}

/** The given live nodes in document order. Goes only into branches that hold one; stops after the last. */
export function* inDocumentOrder(
  nodes: NodeRecords,
  root: number,
  slots: ReadonlySet<number>,
): Steps<number[]> {
  const found: number[] = [];
  if (slots.size < 2) return [...slots];
  const onTheWay = new Set<number>();
  let seen = 0;
  for (const slot of slots) {
    for (let at = slot; at !== NO_SLOT && !onTheWay.has(at); at = nodes.parentOf(at)) onTheWay.add(at);
    if (++seen % STEP === 0) yield;
  }
  const walk = new BranchWalk(nodes, root);
  for (let more = walk.next(); more; more = walk.next(onTheWay.has(walk.slot))) {
    if (slots.has(walk.slot)) {
      found.push(walk.slot);
      if (found.length === slots.size) break;
    }
    if (++seen % STEP === 0) yield;
  }
  return found;
}

/** True when the children of a parent are exactly these, in this order: what nearly every reordering begins with. */
export function* hasOrderSteps(nodes: NodeRecords, parent: number, names: readonly string[]): Steps<boolean> {
  if (names.length !== nodes.countOf(parent)) return false;
  let at = nodes.firstOf(parent);
  for (let i = 0; i < names.length; i++) {
    if (nodes.slotNamed(names[i] as string) !== at) return false;
    at = nodes.nextOf(at);
    if (i % STEP === STEP - 1) yield;
  }
  return true;
}
