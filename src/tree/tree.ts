// Owns: Tree, one immutable root over pages of nodes, and every read of a single record.
// Must never: change. A TreeDraft makes the next Tree; this one stays readable for as long as it is held.

import type { JsonObject } from "../value.ts";
import { findId, NO_IDS, type IdTable } from "./_id-table.ts";
import {
  COUNT,
  EMPTY,
  FIELDS,
  FIRST,
  LAST,
  MASK,
  NEXT,
  NO_SLOT,
  PARENT,
  PREV,
  ROOT_SLOT,
  TYPE,
  pageAt,
  type Page,
  type Table,
} from "./_page.ts";
import { isMarked, NONE_REMOVED, type Removed } from "./_removed.ts";
import { nodeIdOf, parseNodeId, treeIdOf } from "./node-id.ts";
import type { PayloadTypes } from "./payload-types.ts";

/** What a tree knows besides its nodes. */
export interface TreeFacts {
  /** Where it is among all trees that ever were. */
  readonly ordinal: number;
  /** The tree's name. */
  readonly name: string;
  /** With types declared, only these types and their properties are accepted. */
  readonly types: PayloadTypes | undefined;
  /** True after its creation was taken back; the nodes stay, so that it can be raised again. */
  readonly dropped: boolean;
}

/** The columns under a root. Private to the room. */
export interface TreeColumns {
  readonly table: Table;
  /** Slots given out so far; they are never given out twice. */
  readonly size: number;
  /** Nodes that reach the root. */
  readonly live: number;
  /** No node was ever deeper: an upper bound that spares most moves a walk. */
  readonly deepest: number;
  readonly typeNames: readonly string[];
  readonly ids: IdTable;
  /** The same object as long as only payloads and tags change. */
  readonly shape: object;
  /** The same object for all versions of one tree. */
  readonly kin: object;
  /** Marks on removed nodes. */
  readonly removed: Removed;
}

export const NO_COLUMNS: Omit<TreeColumns, "kin"> = {
  table: [],
  size: 0,
  live: 0,
  deepest: 0,
  typeNames: [],
  ids: NO_IDS,
  shape: {},
  removed: NONE_REMOVED,
};

const NO_TAGS: readonly string[] = Object.freeze([]);

/** Reads of single records, for trees and drafts alike. Slots must lie in `0..size-1`. All are O(1) unless said. */
export abstract class NodeRecords {
  /** What is said of the tree as a whole. */
  readonly facts: TreeFacts;
  /** How many slots are in use, those of removed nodes included. */
  abstract readonly size: number;
  /** How many nodes there are. */
  abstract readonly live: number;
  /** The deepest level that a node has. */
  abstract readonly deepest: number;
  /** The payload types, by number. */
  abstract readonly typeNames: readonly string[];
  /** @internal */
  abstract readonly table: Table;
  /** @internal */
  abstract readonly removed: Removed;
  /** @internal */
  abstract idTable(): IdTable;

  /** `t1`, `t2`, ... */
  readonly id: string;

  constructor(facts: TreeFacts, id: string = treeIdOf(facts.ordinal)) {
    this.facts = facts;
    this.id = id;
  }

  /** @internal */
  page(slot: number): Page | undefined {
    return pageAt(this.table, slot);
  }

  /** @internal */
  field(slot: number, field: number): number {
    const page = this.page(slot);
    return page === undefined ? NO_SLOT : (page.links[(slot & MASK) * FIELDS + field] as number);
  }

  /** The parent; below zero for the root. */
  parentOf(slot: number): number {
    return this.field(slot, PARENT);
  }
  /** The sibling before; below zero when there is none. */
  prevOf(slot: number): number {
    return this.field(slot, PREV);
  }
  /** The next sibling; below zero when there is none. */
  nextOf(slot: number): number {
    return this.field(slot, NEXT);
  }
  /** The first child; below zero when there is none. */
  firstOf(slot: number): number {
    return this.field(slot, FIRST);
  }
  /** The last child; below zero when there is none. */
  lastOf(slot: number): number {
    return this.field(slot, LAST);
  }
  /** How many children. */
  countOf(slot: number): number {
    const count = this.field(slot, COUNT);
    return count < 0 ? 0 : count;
  }
  /** The payload type of a node. */
  typeOf(slot: number): string {
    return this.typeNames[this.field(slot, TYPE)] ?? "";
  }
  /** Frozen. */
  payloadOf(slot: number): JsonObject {
    return this.page(slot)?.payloads[slot & MASK] ?? NO_PAYLOAD;
  }
  /** The tags of a node. */
  tagsOf(slot: number): readonly string[] {
    return this.page(slot)?.tags?.[slot & MASK] ?? NO_TAGS;
  }
  /** The foreign id of an imported node. */
  aliasOf(slot: number): string | undefined {
    return this.page(slot)?.ids?.[slot & MASK];
  }
  /** The id of a node. */
  idOf(slot: number): string {
    return this.aliasOf(slot) ?? nodeIdOf(this.facts.ordinal, slot);
  }
  /** The next node of the ring that shares this node's payload; the slot itself when it shares with none. */
  twinOf(slot: number): number {
    const twin = this.page(slot)?.twins?.[slot & MASK] ?? NO_SLOT;
    return twin === NO_SLOT ? slot : twin;
  }

  /** True for a slot that holds a node, live or removed. */
  holds(slot: number): boolean {
    return slot >= 0 && slot < this.size && (allKnown(this) || this.field(slot, TYPE) !== EMPTY);
  }

  /** True when the node reaches the root. O(1), but O(depth) in a tree that a very large branch was removed from. */
  isLive(slot: number): boolean {
    return this.holds(slot) && reachesRoot(this, slot);
  }

  /** The slot of a node this tree has ever held under `id`, live or removed; -1 otherwise. */
  slotOf(id: string): number {
    const own = parseNodeId(id);
    if (own === undefined) return findId(this.idTable(), id, (slot) => this.aliasOf(slot));
    if (own.ordinal !== this.facts.ordinal || !this.holds(own.slot)) return NO_SLOT;
    return this.aliasOf(own.slot) === undefined ? own.slot : NO_SLOT;
  }

  /**
   * The slot an operation names: as slotOf, but the slot's own id is understood also for a node with a foreign one.
   * @internal
   */
  slotNamed(name: string): number {
    const own = parseNodeId(name);
    if (own === undefined) return this.slotOf(name);
    return own.ordinal === this.facts.ordinal && this.holds(own.slot) ? own.slot : NO_SLOT;
  }

  /** The slot of a live node; -1 otherwise. Costs what isLive costs. */
  find(id: string): number {
    const slot = this.slotOf(id);
    return slot !== NO_SLOT && reachesRoot(this, slot) ? slot : NO_SLOT;
  }

  /** Levels above the node: 0 for the root. O(depth). */
  depthOf(slot: number): number {
    let depth = 0;
    for (let up = this.parentOf(slot); up !== NO_SLOT; up = this.parentOf(up)) depth++;
    return depth;
  }
}

/** True when every slot holds a node, live or marked. Then nobody has to look at one, which is most of the time at a million nodes. */
function allKnown(nodes: NodeRecords): boolean {
  return nodes.live + nodes.removed.count === nodes.size;
}

function reachesRoot(nodes: NodeRecords, slot: number): boolean {
  if (isMarked(nodes.removed, slot)) return false;
  if (allKnown(nodes)) return true;
  let at = slot;
  for (let up = nodes.parentOf(at); up !== NO_SLOT; up = nodes.parentOf(at)) at = up;
  return at === ROOT_SLOT;
}

const NO_PAYLOAD: JsonObject = Object.freeze({});

/**
 * One version of a tree. Holding it is a snapshot: O(1), readable for ever, sharing all but the changed pages with
 * the versions before and after.
 */
export class Tree extends NodeRecords {
  /** How many slots are in use, those of removed nodes included. */
  readonly size: number;
  /** How many nodes there are. */
  readonly live: number;
  /** The deepest level that a node has. */
  readonly deepest: number;
  /** The payload types, by number. */
  readonly typeNames: readonly string[];
  /** @internal */
  readonly table: Table;
  /** @internal */
  readonly shape: object;
  /** @internal */
  readonly kin: object;
  /** @internal */
  readonly removed: Removed;
  readonly #ids: IdTable;

  /** @internal */
  constructor(facts: TreeFacts, columns: TreeColumns, id?: string) {
    super(facts, id);
    this.size = columns.size;
    this.live = columns.live;
    this.deepest = columns.deepest;
    this.typeNames = columns.typeNames;
    this.table = columns.table;
    this.shape = columns.shape;
    this.kin = columns.kin;
    this.removed = columns.removed;
    this.#ids = columns.ids;
  }

  /** @internal */
  idTable(): IdTable {
    return this.#ids;
  }
}
