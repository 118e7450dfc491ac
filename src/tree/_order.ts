// Owns: the document order of a tree as columns, made on the first query of a shape and kept while it is in use.
// Must never: outlive its shape. A change of structure or type makes a new shape; a change of payload does not.

import { FIELDS, FIRST, MASK, NEXT, NONE, ROOT, TYPE, type Page } from "./_page.ts";
import { STEP, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";

/** Live nodes from first to last: slot, level, type. 8 bytes a node. */
export interface DocumentOrder {
  readonly slots: Int32Array;
  readonly depths: Uint16Array;
  readonly types: Uint16Array;
}

/** Orders kept at once; a shape used longer ago makes its order again. */
const KEPT = 4;

const orders = new WeakMap<object, DocumentOrder>();
const recent: WeakRef<object>[] = [];

/** O(nodes) once for a shape, then O(1). */
export function* documentOrder(tree: Tree): Steps<DocumentOrder> {
  const known = orders.get(tree.shape);
  if (known !== undefined) return known;
  const slots = new Int32Array(tree.live);
  const depths = new Uint16Array(tree.live);
  const types = new Uint16Array(tree.live);
  const nexts = new Int32Array(tree.deepest + 2).fill(NONE);
  let depth = 0;
  let slot: number = ROOT;
  for (let i = 0; i < slots.length;) {
    const { links } = tree.page(slot) as Page;
    const at = (slot & MASK) * FIELDS;
    slots[i] = slot;
    depths[i] = depth;
    types[i] = links[at + TYPE] as number;
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
  const order = { slots, depths, types };
  orders.set(tree.shape, order);
  recent.push(new WeakRef(tree.shape));
  if (recent.length > KEPT) {
    const oldest = recent.shift()?.deref();
    if (oldest !== undefined) orders.delete(oldest);
  }
  return order;
}

/** Where a branch begins and ends in the order. */
export function branchRange(order: DocumentOrder, slot: number): readonly [from: number, to: number] {
  if (slot === ROOT) return [0, order.slots.length];
  const from = order.slots.indexOf(slot);
  const depth = order.depths[from] as number;
  let to = from + 1;
  while (to < order.depths.length && (order.depths[to] as number) > depth) to++;
  return [from, to];
}
