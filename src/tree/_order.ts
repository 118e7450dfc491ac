// Owns: the document order of a tree as columns, made on the first query of a shape and kept while it is in use.
// Must never: outlive its shape. A change of structure or type makes a new shape; a change of payload does not.

import { FIELDS, FIRST, MASK, NEXT, NONE, ROOT, TYPE, type Page } from "./_page.ts";
import { STEP, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";

/** Live nodes from first to last. 8 bytes a node. */
export interface DocumentOrder {
  readonly slots: Int32Array;
  /**
   * Level and type: `level << LEVEL | type`. One column, since a pass reads both of every node. It is one longer than
   * `slots`, with a 0 at the end: a node has children when the next one stands on a deeper level.
   */
  readonly marks: Int32Array;
}

/** Shift a mark by LEVEL for the level; the low bits are the type. */
export const LEVEL = 16;
export const TYPE_BITS = 0xffff;

/** Orders kept at once; a shape used longer ago makes its order again. */
const KEPT = 4;

const orders = new WeakMap<object, DocumentOrder>();
const recent: WeakRef<object>[] = [];

/** O(nodes) once for a shape, then O(1). */
export function* documentOrder(tree: Tree): Steps<DocumentOrder> {
  const known = orders.get(tree.shape);
  if (known !== undefined) return known;
  const slots = new Int32Array(tree.live);
  const marks = new Int32Array(tree.live + 1);
  const nexts = new Int32Array(tree.deepest + 2).fill(NONE);
  let depth = 0;
  let slot: number = ROOT;
  for (let i = 0; i < slots.length;) {
    const { links } = tree.page(slot) as Page;
    const at = (slot & MASK) * FIELDS;
    slots[i] = slot;
    marks[i] = (depth << LEVEL) | (links[at + TYPE] as number);
    if (++i % STEP === 0) yield;
    const down = links[at + FIRST] as number;
    if (down !== NONE) {
      nexts[depth++] = links[at + NEXT] as number;
      slot = down;
      continue;
    }
    slot = links[at + NEXT] as number;
    while (slot === NONE && depth > 0) slot = nexts[--depth] as number;
    if (slot === NONE) break;
  }
  const order = { slots, marks };
  orders.set(tree.shape, order);
  recent.push(new WeakRef(tree.shape));
  if (recent.length > KEPT) {
    const oldest = recent.shift()?.deref();
    if (oldest !== undefined) orders.delete(oldest);
  }
  return order;
}

export function levelAt(order: DocumentOrder, at: number): number {
  return (order.marks[at] as number) >>> LEVEL;
}

/** Where a branch begins and ends in the order. */
export function branchRange(order: DocumentOrder, slot: number): readonly [from: number, to: number] {
  if (slot === ROOT) return [0, order.slots.length];
  const from = order.slots.indexOf(slot);
  const depth = levelAt(order, from);
  let to = from + 1;
  while (levelAt(order, to) > depth) to++;
  return [from, to];
}
