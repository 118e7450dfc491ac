// Owns: the operations a tree changes by: plain JSON values, each with an inverse.
// Must never: hold anything that is not in the value itself; what an inverse needs is written when it is made.

import type { Shown } from "../errors.ts";
import type { Json, JsonObject } from "../value.ts";
import type { PayloadTypes } from "./payload-types.ts";
import { nodeIdOf } from "./node-id.ts";

/*
 * Nodes are named by id. An operation may name any node by its slot's own id too (`n4f`), also one that carries a
 * foreign id: an inverse is made without a tree at hand and may know no other name.
 */

/**
 * Where a node is among its siblings. Read in this order: right after `after` if that is still a child of
 * `parent`; else right before `before` if that is one; else first when `after` is null; else last.
 */
export interface NodePlace {
  /** The parent. */
  readonly parent: string;
  /** The sibling right after it; null: it is last. */
  readonly after: string | null;
  /** The sibling right before it; null: it is first. */
  readonly before: string | null;
  /** The parent itself is part of a removed branch. */
  readonly removed?: true;
}

/** A node as it is made. Slots, not ids: a row must stay small, an import has a million of them. */
export interface NodeRow {
  /** The node's slot. */
  readonly s: number;
  /** Its parent's slot; -1 for a tree's root. */
  readonly u: number;
  /** The sibling it comes after (-1: first). Only when the parent is not made by the same operation; else last. */
  readonly a?: number;
  /** The type of its payload. */
  readonly t: string;
  /** Payload; absent when it shares that of slot `r`. */
  readonly p?: JsonObject;
  /** The slot whose payload it shares. */
  readonly r?: number;
  /** A foreign id. */
  readonly id?: string;
  /** Its tags. */
  readonly g?: readonly string[];
}

/** What every operation says: its kind and its tree. */
export interface OpBase<O extends string> {
  /** The kind of state. */
  readonly slice: "tree";
  /** What kind of operation it is. */
  readonly op: O;
  /** The tree. */
  readonly tree: string;
}

/** A new tree with its root. */
export interface CreateOp extends OpBase<"create"> {
  /** Where the tree is among all that ever were. */
  readonly ordinal: number;
  /** The tree's name. */
  readonly name: string;
  /** The payload types that it declares. */
  readonly types?: PayloadTypes;
  /** Its root. */
  readonly root: NodeRow;
}

/** Takes a tree out of sight, or back. */
export interface DropOp extends OpBase<"drop" | "raise"> {}

/** New nodes. Parents come before their children. */
export interface InsertOp extends OpBase<"insert"> {
  /** The nodes, parents before children. */
  readonly rows: readonly NodeRow[];
}

/** Branches that change place. `from` null: it was the top of a removed branch; `to` null: it becomes one. */
export interface PlaceOp extends OpBase<"place"> {
  /** What moves, in order. */
  readonly items: readonly Placing[];
}

/** One branch that changes its place. */
export interface Placing {
  /** The node. */
  readonly node: string;
  /** Where it was; null: it was not there. */
  readonly from: NodePlace | null;
  /** Where it goes; null: it is removed. */
  readonly to: NodePlace | null;
  /** Nodes of the branch; counted only when it leaves the tree or comes back. */
  readonly n: number;
}

/** All children of a parent in another order. */
export interface OrderOp extends OpBase<"order"> {
  /** Whose children. */
  readonly parent: string;
  /** The children in their order before. */
  readonly was: readonly string[];
  /** The children in their new order. */
  readonly now: readonly string[];
}

/** Properties set; `was` or `now` absent: the property is not there. */
export interface SetOp extends OpBase<"set"> {
  /** The node. */
  readonly node: string;
  /** The properties that change. */
  readonly edits: readonly PropertyEdit[];
}

/** One property before and after, by path. */
export interface PropertyEdit {
  /** The property, key by key. */
  readonly path: readonly string[];
  /** The value before; absent when there was none. */
  readonly was?: Json;
  /** The value then; absent when it is removed. */
  readonly now?: Json;
}

/** Another type and payload. */
export interface PayloadOp extends OpBase<"payload"> {
  /** The node. */
  readonly node: string;
  /** Its payload before. */
  readonly was: Typed;
  /** Its payload then. */
  readonly now: Typed;
}

/** A type with its payload. */
export interface Typed {
  /** The type. */
  readonly type: string;
  /** The properties. */
  readonly payload: JsonObject;
}

/** Tags added and removed. */
export interface TagOp extends OpBase<"tag"> {
  /** The node. */
  readonly node: string;
  /** Tags that come. */
  readonly add: readonly string[];
  /** Tags that go. */
  readonly remove: readonly string[];
}

/** One recorded change: plain JSON with all that its inverse needs. */
export type TreeOp = CreateOp | DropOp | InsertOp | PlaceOp | OrderOp | SetOp | PayloadOp | TagOp;

/** Why an operation cannot be applied now. */
export interface TreeRefusal {
  /** Why, as a word to compare with. */
  readonly reason: Lowercase<string>;
  /** What is in the way. */
  readonly message: Shown;
  /** The tree. */
  readonly tree: string;
  /** The node. */
  readonly node?: string;
}

/**
 * The keys an operation touches: its tree. O(1). Never throws.
 *
 * @example keysOf(op)  // ["tree:t1"]
 */
export function keysOf(op: TreeOp): readonly string[] {
  return [`tree:${op.tree}`];
}

/**
 * The operation that takes this one back. O(operation). Never throws.
 *
 * @example apply(apply(forest, op), invert(op))  // shows what `forest` shows
 */
export function invert(op: TreeOp): TreeOp {
  const { slice, tree } = op;
  switch (op.op) {
    case "create":
      return { slice, op: "drop", tree };
    case "drop":
      return { slice, op: "raise", tree };
    case "raise":
      return { slice, op: "drop", tree };
    case "insert":
      return removalOf(op);
    case "place":
      return { slice, op: "place", tree, items: op.items.map(turn).reverse() };
    case "order":
      return { ...op, was: op.now, now: op.was };
    case "set":
      return { ...op, edits: op.edits.map(turnEdit).reverse() };
    case "payload":
      return { ...op, was: op.now, now: op.was };
    case "tag":
      return { ...op, add: op.remove, remove: op.add };
  }
}

function turn(item: Placing): Placing {
  return { ...item, from: item.to, to: item.from };
}

function turnEdit(edit: PropertyEdit): PropertyEdit {
  return {
    path: edit.path,
    ...("now" in edit ? { was: edit.now } : {}),
    ...("was" in edit ? { now: edit.was } : {}),
  };
}

/** The branches that an insert made, taken away last first, so that the inverse brings them back first first. */
function removalOf(op: InsertOp): PlaceOp {
  const ordinal = Number.parseInt(op.tree.slice(1), 36);
  const ids = new Map<number, string>();
  const top = new Map<number, number>();
  const sizes = new Map<number, number>();
  const lastTop = new Map<number, number>();
  const tops: { row: NodeRow; after: number }[] = [];
  const name = (slot: number): string => ids.get(slot) ?? nodeIdOf(ordinal, slot);
  for (const row of op.rows) {
    if (row.id !== undefined) ids.set(row.s, row.id);
    const above = top.get(row.u);
    if (above === undefined) {
      tops.push({ row, after: row.a ?? lastTop.get(row.u) ?? -1 });
      lastTop.set(row.u, row.s);
      top.set(row.s, row.s);
      sizes.set(row.s, 1);
    } else {
      top.set(row.s, above);
      sizes.set(above, (sizes.get(above) as number) + 1);
    }
  }
  const items = tops.map(({ row, after }): Placing => {
    const from = { parent: name(row.u), after: after < 0 ? null : name(after), before: null };
    return { node: name(row.s), from, to: null, n: sizes.get(row.s) as number };
  });
  return { slice: "tree", op: "place", tree: op.tree, items: items.reverse() };
}
