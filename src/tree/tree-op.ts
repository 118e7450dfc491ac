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
  readonly parent: string;
  readonly after: string | null;
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
  readonly t: string;
  /** Payload; absent when it shares that of slot `r`. */
  readonly p?: JsonObject;
  readonly r?: number;
  /** A foreign id. */
  readonly id?: string;
  readonly g?: readonly string[];
}

/** What every operation says: its kind and its tree. */
export interface OpBase<O extends string> {
  readonly slice: "tree";
  readonly op: O;
  readonly tree: string;
}

/** A new tree with its root. */
export interface CreateOp extends OpBase<"create"> {
  readonly ordinal: number;
  readonly name: string;
  readonly types?: PayloadTypes;
  readonly root: NodeRow;
}

/** Takes a tree out of sight, or back. */
export interface DropOp extends OpBase<"drop" | "raise"> {}

/** New nodes. Parents come before their children. */
export interface InsertOp extends OpBase<"insert"> {
  readonly rows: readonly NodeRow[];
}

/** Branches that change place. `from` null: it was the top of a removed branch; `to` null: it becomes one. */
export interface PlaceOp extends OpBase<"place"> {
  readonly items: readonly Placing[];
}

/** One branch that changes its place. */
export interface Placing {
  readonly node: string;
  readonly from: NodePlace | null;
  readonly to: NodePlace | null;
  /** Nodes of the branch; counted only when it leaves the tree or comes back. */
  readonly n: number;
}

/** All children of a parent in another order. */
export interface OrderOp extends OpBase<"order"> {
  readonly parent: string;
  readonly was: readonly string[];
  readonly now: readonly string[];
}

/** Properties set; `was` or `now` absent: the property is not there. */
export interface SetOp extends OpBase<"set"> {
  readonly node: string;
  readonly edits: readonly PropertyEdit[];
}

/** One property before and after, by path. */
export interface PropertyEdit {
  readonly path: readonly string[];
  readonly was?: Json;
  readonly now?: Json;
}

/** Another type and payload. */
export interface PayloadOp extends OpBase<"payload"> {
  readonly node: string;
  readonly was: Typed;
  readonly now: Typed;
}

/** A type with its payload. */
export interface Typed {
  readonly type: string;
  readonly payload: JsonObject;
}

/** Tags added and removed. */
export interface TagOp extends OpBase<"tag"> {
  readonly node: string;
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** One recorded change: plain JSON with all that its inverse needs. */
export type TreeOp = CreateOp | DropOp | InsertOp | PlaceOp | OrderOp | SetOp | PayloadOp | TagOp;

/** Why an operation cannot be applied now. */
export interface TreeRefusal {
  readonly reason: Lowercase<string>;
  readonly message: Shown;
  readonly tree: string;
  readonly node?: string;
}

/** The keys an operation touches: its tree. */
export function keysOf(op: TreeOp): readonly string[] {
  return [`tree:${op.tree}`];
}

/** The operation that takes this one back. */
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
