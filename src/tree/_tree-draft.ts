// Owns: Draft, the one place where pages change: an epoch of its own between one root and the next.
// Must never: judge. What may be done is decided before (refuse, changes); a draft only keeps links consistent.

import type { JsonObject } from "../value.ts";
import { IdTableDraft, type IdTable } from "./_id-table.ts";
import {
  COUNT,
  FIELDS,
  FIRST,
  LAST,
  MASK,
  NEXT,
  NO_SLOT,
  PAGE,
  PARENT,
  PREV,
  TYPE,
  emptyColumn,
  newEpoch,
  ownPage,
  type Page,
  type Table,
} from "./_page.ts";
import { branchesToMark, markAll, NONE_REMOVED, type Removed } from "./_removed.ts";
import { runNow, STEP, type Steps } from "./steps.ts";
import { NO_COLUMNS, NodeRecords, Tree, type TreeFacts } from "./tree.ts";

/** Not a slot, and not NONE. */
const UNLISTED = -2;

export class TreeDraft extends NodeRecords {
  size: number;
  live: number;
  deepest: number;
  typeNames: readonly string[];
  table: Table;
  removed: Removed;
  #tableOwned = false;
  #epoch: number = newEpoch();
  #ids: IdTable;
  #idDraft: IdTableDraft | undefined;
  #typeIndex: Map<string, number> | undefined;
  #typesOwned = false;
  #shape: object;
  readonly #kin: object;

  constructor(from: Tree | TreeFacts) {
    const base = from instanceof Tree ? from : NO_COLUMNS;
    if (from instanceof Tree) super(from.facts, from.id);
    else super(from);
    this.size = base.size;
    this.live = base.live;
    this.deepest = base.deepest;
    this.typeNames = base.typeNames;
    this.table = base.table;
    this.removed = base.removed;
    this.#shape = base.shape;
    this.#kin = from instanceof Tree ? from.kin : {};
    this.#ids = from instanceof Tree ? from.idTable() : NO_COLUMNS.ids;
  }

  idTable(): IdTable {
    return this.#idDraft?.done() ?? this.#ids;
  }

  /** The next root. The draft may go on: what it changes from here on belongs to a new epoch. */
  done(facts: TreeFacts = this.facts): Tree {
    const { table, size, live, deepest, typeNames, removed } = this;
    const ids = this.idTable();
    const shape = this.#shape;
    const columns = { table, size, live, deepest, typeNames, ids, shape, kin: this.#kin, removed };
    const tree = new Tree(facts, columns, this.id);
    this.#ids = tree.idTable();
    this.#idDraft = undefined;
    this.#tableOwned = false;
    this.#typesOwned = false;
    this.#epoch = newEpoch();
    return tree;
  }

  #own(slot: number): Page {
    if (!this.#tableOwned) {
      this.table = this.table.slice();
      this.#tableOwned = true;
    }
    return ownPage(this.table, slot, this.#epoch);
  }

  #links(slot: number): Int32Array {
    const page = this.#own(slot);
    if (page.linksOwner !== this.#epoch) {
      page.links = page.links.slice();
      page.linksOwner = this.#epoch;
    }
    return page.links;
  }

  #payloads(slot: number): (JsonObject | undefined)[] {
    const page = this.#own(slot);
    if (page.payloadsOwner !== this.#epoch) {
      page.payloads = page.payloads.slice();
      page.payloadsOwner = this.#epoch;
    }
    return page.payloads;
  }

  #write(slot: number, field: number, value: number): void {
    this.#links(slot)[(slot & MASK) * FIELDS + field] = value;
  }

  #typeAt(name: string): number {
    this.#typeIndex ??= new Map(this.typeNames.map((known, i) => [known, i]));
    let at = this.#typeIndex.get(name);
    if (at === undefined) {
      at = this.typeNames.length;
      this.typeNames = this.#typesOwned ? this.typeNames : this.typeNames.slice();
      this.#typesOwned = true;
      (this.typeNames as string[]).push(name);
      this.#typeIndex.set(name, at);
    }
    return at;
  }

  /** Puts a node into an empty slot. It hangs in the air until it is linked. */
  put(slot: number, type: string, payload: JsonObject, alias?: string): void {
    this.#shape = {};
    const links = this.#links(slot);
    const at = (slot & MASK) * FIELDS;
    links.fill(NO_SLOT, at, at + FIELDS);
    links[at + COUNT] = 0;
    links[at + TYPE] = this.#typeAt(type);
    this.#payloads(slot)[slot & MASK] = payload;
    if (slot >= this.size) this.size = slot + 1;
    if (alias === undefined) return;
    const page = this.#own(slot);
    page.ids ??= emptyColumn<string>();
    page.ids[slot & MASK] = alias;
    this.#idDraft ??= new IdTableDraft(this.#ids);
    this.#idDraft.add(alias, slot, (other) => this.aliasOf(other));
  }

  /** Links a node that hangs in the air as the child right after `after`; NONE: as the first. O(1). */
  link(slot: number, parent: number, after: number): void {
    this.#shape = {};
    const next = after === NO_SLOT ? this.firstOf(parent) : this.nextOf(after);
    const record = this.#links(slot);
    const at = (slot & MASK) * FIELDS;
    record[at + PARENT] = parent;
    record[at + PREV] = after;
    record[at + NEXT] = next;
    if (after === NO_SLOT) this.#write(parent, FIRST, slot);
    else this.#write(after, NEXT, slot);
    if (next === NO_SLOT) this.#write(parent, LAST, slot);
    else this.#write(next, PREV, slot);
    this.#write(parent, COUNT, this.countOf(parent) + 1);
  }

  /** Takes a node with all below it out of its parent. O(1). */
  unlink(slot: number): void {
    const parent = this.parentOf(slot);
    if (parent === NO_SLOT) return;
    this.#shape = {};
    const prev = this.prevOf(slot);
    const next = this.nextOf(slot);
    if (prev === NO_SLOT) this.#write(parent, FIRST, next);
    else this.#write(prev, NEXT, next);
    if (next === NO_SLOT) this.#write(parent, LAST, prev);
    else this.#write(next, PREV, prev);
    this.#write(parent, COUNT, this.countOf(parent) - 1);
    const record = this.#links(slot);
    const at = (slot & MASK) * FIELDS;
    record[at + PARENT] = NO_SLOT;
    record[at + PREV] = NO_SLOT;
    record[at + NEXT] = NO_SLOT;
  }

  /** Counts the nodes of a branch that was removed: O(branch) up to some thousand nodes, then O(1). */
  remove(top: number, count: number): void {
    this.live -= count;
    const branch = branchesToMark(this, [top]);
    if (branch !== undefined) this.removed = markAll(this.removed, branch, true);
  }

  /** Counts the nodes of a branch that was revived. Costs what removing it does. */
  revive(top: number, count: number): void {
    this.live += count;
    if (this.removed.count === 0) return;
    const branch = branchesToMark(this, [top]);
    // Marks may lie anywhere in a large branch: all are given up, and checks walk.
    this.removed = branch === undefined ? NONE_REMOVED : markAll(this.removed, branch, false);
  }

  /** Rewrites the order of all children of a parent. `slots` must be exactly its children. */
  reorder(parent: number, slots: readonly number[]): void {
    runNow(this.reorderSteps(parent, slots));
  }

  *reorderSteps(parent: number, slots: ArrayLike<number>): Steps<void> {
    this.#shape = {};
    if (slots.length > STEP) yield* this.#relinkByPage(slots);
    else
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i] as number;
        this.#relink(slot, i === 0 ? NO_SLOT : (slots[i - 1] as number), slots[i + 1] ?? NO_SLOT);
      }
    const first = slots[0] ?? NO_SLOT;
    const last = slots[slots.length - 1] ?? NO_SLOT;
    if (this.firstOf(parent) !== first) this.#write(parent, FIRST, first);
    if (this.lastOf(parent) !== last) this.#write(parent, LAST, last);
  }

  /** A page is copied only where an order really changes. */
  #relink(slot: number, prev: number, next: number): void {
    if (this.prevOf(slot) !== prev) this.#write(slot, PREV, prev);
    if (this.nextOf(slot) !== next) this.#write(slot, NEXT, next);
  }

  /** Many links at once, page by page: in the order of the list they would go to and fro between all pages. */
  *#relinkByPage(slots: ArrayLike<number>): Steps<void> {
    const prevs = new Int32Array(this.size).fill(UNLISTED);
    const nexts = new Int32Array(this.size);
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] as number;
      prevs[slot] = i === 0 ? NO_SLOT : (slots[i - 1] as number);
      nexts[slot] = i + 1 < slots.length ? (slots[i + 1] as number) : NO_SLOT;
      if (i % STEP === STEP - 1) yield;
    }
    for (let slot = 0; slot < prevs.length; slot++) {
      const prev = prevs[slot] as number;
      if (prev !== UNLISTED) this.#relink(slot, prev, nexts[slot] as number);
      if (slot % STEP === STEP - 1) yield;
    }
  }

  /** Gives a node, and every node that shares its payload, another payload. O(ring). */
  setPayload(slot: number, payload: JsonObject): void {
    let at = slot;
    do {
      this.#payloads(at)[at & MASK] = payload;
      at = this.twinOf(at);
    } while (at !== slot);
  }

  /** Gives a node, and every node that shares its payload, another type. O(ring). */
  setType(slot: number, type: string): void {
    if (this.typeOf(slot) === type) return;
    this.#shape = {};
    const typeAt = this.#typeAt(type);
    let at = slot;
    do {
      this.#write(at, TYPE, typeAt);
      at = this.twinOf(at);
    } while (at !== slot);
  }

  /** Lets `slot` share the payload of `with`. Once only, when it is made. */
  share(slot: number, other: number): void {
    const next = this.twinOf(other);
    this.#twins(slot)[slot & MASK] = next;
    this.#twins(other)[other & MASK] = slot;
  }

  #twins(slot: number): Int32Array {
    const page = this.#own(slot);
    page.twins ??= new Int32Array(PAGE).fill(NO_SLOT);
    return page.twins;
  }

  setTags(slot: number, tags: readonly string[]): void {
    const page = this.#own(slot);
    page.tags ??= emptyColumn<readonly string[]>();
    page.tags[slot & MASK] = tags.length === 0 ? undefined : tags;
  }
}
