// Owns: the document order of a tree as columns, made on the first query of a shape and cached while it is in use.
// Must never: outlive its shape. A change of structure or type makes a new shape; a change of payload does not.

import { FIELDS, FIRST, MASK, NEXT, NO_SLOT, ROOT_SLOT, TYPE, type Page } from "./_page.ts";
import { STEP, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";

/**
 * Live nodes from first to last, by their place in document order. 20 bytes a node.
 *
 * A branch is a run of places, from its top up to `ends` of it. So a node's first child has the next place, its next
 * sibling the place where it ends, and whether one node lies below another is a matter of two comparisons.
 */
export interface DocumentOrder {
  readonly slots: Int32Array;
  /** Place of the parent; -1 for the root. */
  readonly parents: Int32Array;
  /** Place after the last node of the branch. */
  readonly ends: Int32Array;
  readonly types: Int32Array;
  /** All places by type, ascending within one: those of type t from `typeStarts[t]` up to `typeStarts[t + 1]`. */
  readonly byType: Int32Array;
  readonly typeStarts: Int32Array;
}

/** Orders cached at once; a shape used longer ago makes its order again. */
const CACHED = 4;

const orders = new WeakMap<object, DocumentOrder>();
const recent: WeakRef<object>[] = [];

/** O(nodes) once for a shape, then O(1). */
export function* documentOrder(tree: Tree): Steps<DocumentOrder> {
  const known = orders.get(tree.shape);
  if (known !== undefined) return known;
  const order = yield* makeOrder(tree);
  orders.set(tree.shape, order);
  recent.push(new WeakRef(tree.shape));
  if (recent.length > CACHED) {
    const oldest = recent.shift()?.deref();
    if (oldest !== undefined) orders.delete(oldest);
  }
  return order;
}

function* makeOrder(tree: Tree): Steps<DocumentOrder> {
  const count = tree.live;
  const slots = new Int32Array(count);
  const parents = new Int32Array(count);
  const ends = new Int32Array(count);
  const types = new Int32Array(count);
  const typeStarts = new Int32Array(tree.typeNames.length + 1);
  // By level, of the branches that are open: the place of the top, and the slot to go on with after it.
  const tops = new Int32Array(tree.deepest + 2);
  const nexts = new Int32Array(tree.deepest + 2).fill(NO_SLOT);
  let level = 0;
  let slot: number = ROOT_SLOT;
  for (let at = 0; at < count;) {
    const { links } = tree.page(slot) as Page;
    const record = (slot & MASK) * FIELDS;
    const type = links[record + TYPE] as number;
    slots[at] = slot;
    parents[at] = level === 0 ? -1 : (tops[level - 1] as number);
    ends[at] = at + 1;
    types[at] = type;
    typeStarts[type + 1] = (typeStarts[type + 1] as number) + 1;
    tops[level] = at++;
    if (at % STEP === 0) yield;
    const next = links[record + NEXT] as number;
    const down = links[record + FIRST] as number;
    if (down !== NO_SLOT) {
      nexts[level++] = next;
      slot = down;
      continue;
    }
    slot = next;
    while (slot === NO_SLOT && level > 0) {
      slot = nexts[--level] as number;
      ends[tops[level] as number] = at;
    }
    if (slot === NO_SLOT) break;
  }
  const byType = yield* sortByType(types, typeStarts);
  return { slots, parents, ends, types, byType, typeStarts };
}

/** Places sorted by type. `starts[t + 1]` holds the count of type t, and in the end the sum of all counts up to t. */
function* sortByType(types: Int32Array, starts: Int32Array): Steps<Int32Array> {
  for (let t = 1; t < starts.length; t++) starts[t] = (starts[t] as number) + (starts[t - 1] as number);
  const byType = new Int32Array(types.length);
  const next = starts.slice();
  for (let at = 0; at < types.length; at++) {
    const type = types[at] as number;
    const to = next[type] as number;
    byType[to] = at;
    next[type] = to + 1;
    if (at % STEP === STEP - 1) yield;
  }
  return byType;
}

/** Where a branch begins and ends in the order. */
export function branchRange(order: DocumentOrder, slot: number): readonly [from: number, to: number] {
  const from = slot === ROOT_SLOT ? 0 : order.slots.indexOf(slot);
  return [from, order.ends[from] as number];
}
