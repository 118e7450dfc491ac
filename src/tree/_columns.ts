// Owns: property values in document order, each read once and kept while the order is in use: what selectors test.
// Must never: show a value of another version. Columns belong to one version; the next takes over what did not change.

import type { Json } from "../value.ts";
import { changedSlots } from "./_delta.ts";
import type { DocumentOrder } from "./_order.ts";
import { valueBelow } from "./payload.ts";
import type { Tree } from "./tree.ts";

/** Stands for "no such property", so that a missing one is not looked for again. */
export const ABSENT: unique symbol = Symbol("absent");

/** What a column holds at a place: `undefined` until it is read. */
export type Cell = Json | typeof ABSENT | undefined;

/** One property of all nodes, by their place in document order. */
export interface Column {
  /** For a place that was read before; `cells[at] ?? read(at)` is the way to ask. */
  readonly cells: readonly Cell[];
  /** Reads a place, and remembers it. */
  readonly read: (at: number) => Exclude<Cell, undefined>;
}

/** Properties kept for one version: 8 bytes a node each. The one asked for longest ago goes first. */
const KEPT = 6;

/** Columns with more changes than one node in this many begin anew. */
const WORTH_KEEPING = 8;

export class Columns {
  readonly #tree: Tree;
  readonly #order: DocumentOrder;
  readonly #cells = new Map<string, Cell[]>();

  private constructor(tree: Tree, order: DocumentOrder) {
    this.#tree = tree;
    this.#order = order;
  }

  /** The columns of a version: those at hand, or made from those of another version of the same order. */
  static of(tree: Tree, order: DocumentOrder): Columns {
    const known = latest.get(order);
    if (known !== undefined && known.#tree === tree) return known;
    const columns = new Columns(tree, order);
    if (known !== undefined) columns.#takeOver(known);
    latest.set(order, columns);
    return columns;
  }

  /** Copies: whoever still reads the other version goes on reading it. */
  #takeOver(other: Columns): void {
    const changed = changedSlots(other.#tree, this.#tree);
    if (changed.length > this.#order.slots.length / WORTH_KEEPING) return;
    const places = placesOf(this.#order, this.#tree.size);
    for (const [name, from] of other.#cells) {
      const cells = from.slice();
      for (const slot of changed) cells[places[slot] as number] = undefined;
      this.#cells.set(name, cells);
    }
  }

  column(path: readonly string[]): Column {
    const name = JSON.stringify(path);
    const cells = this.#cells.get(name) ?? emptyCells(this.#order.slots.length);
    this.#cells.delete(name);
    this.#cells.set(name, cells);
    for (const oldest of this.#cells.keys()) {
      if (this.#cells.size <= KEPT) break;
      this.#cells.delete(oldest);
    }
    const tree = this.#tree;
    const { slots } = this.#order;
    const read = (at: number): Exclude<Cell, undefined> => {
      const found = valueBelow(tree.payloadOf(slots[at] as number), path);
      const cell = found === undefined ? ABSENT : found;
      cells[at] = cell;
      return cell;
    };
    return { cells, read };
  }
}

const latest = new WeakMap<DocumentOrder, Columns>();

/** An array of that length without anything in it yet. */
function emptyCells(length: number): Cell[] {
  const cells: Cell[] = [];
  cells.length = length;
  return cells;
}

const placesByOrder = new WeakMap<DocumentOrder, Int32Array>();

/** Place in document order, by slot. Removed nodes have none: what they read as is never asked for. */
function placesOf(order: DocumentOrder, size: number): Int32Array {
  let places = placesByOrder.get(order);
  if (places === undefined) {
    places = new Int32Array(size).fill(-1);
    const { slots } = order;
    for (let at = 0; at < slots.length; at++) places[slots[at] as number] = at;
    placesByOrder.set(order, places);
  }
  return places;
}
