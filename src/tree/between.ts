// Owns: the operations that lead from one forest to another: restore, whole or of one tree.
// Must never: take a slot back. What the target does not have is removed, never unmade.

import { TreeDraft } from "./_tree-draft.ts";
import { changedSlotsSteps } from "./_delta.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import { SlotSet } from "./_slot-set.ts";
import { applyToDraft } from "./apply.ts";
import { EMPTY_FOREST, type Forest } from "./forest.ts";
import type { InsertOp, NodeRow, NodePlace, TreeOp } from "./tree-op.ts";
import { sameValue } from "./payload.ts";
import { STEP, type Steps } from "./steps.ts";
import type { NodeRecords, Tree } from "./tree.ts";
import { inDocumentOrder, measureSteps, BranchWalk } from "./walk.ts";

/** Rows in one insert, which is applied at once; a restore of more is several operations. */
export const ROWS_PER_OP = 1_024;

/** Operations as they are found; `undefined` is a pause, after about a millisecond of work. */
export type OpSteps = Generator<TreeOp | undefined, void, undefined>;

/**
 * Operations that, applied in order to `from`, give every live node, order, payload and tag of `to`. O(changes) while
 * both come from one history. `scope` limits it to one tree (`t1` or `tree:t1`). Never throws.
 *
 * @example sameForest(applyAll(forest, between(forest, other)), other)  // true
 */
export function* between(from: Forest, to: Forest, scope?: string): Iterable<TreeOp> {
  for (const op of betweenSteps(from, to, scope)) if (op !== undefined) yield op;
}

/**
 * As {@link between}, with pauses: a restore of a large tree looks at many nodes before it finds what differs. Never
 * throws.
 *
 * @example for (const op of betweenSteps(forest, other)) if (op === undefined) pause(); else ops.push(op);
 */
export function* betweenSteps(from: Forest, to: Forest, scope?: string): OpSteps {
  const only = scope?.startsWith("tree:") === true ? scope.slice(5) : scope;
  const ids = new Set([...from.all.keys(), ...to.all.keys()]);
  for (const id of ids) {
    if (only !== undefined && id !== only) continue;
    const now = from.all.get(id);
    const want = to.all.get(id);
    if (now === want) continue;
    if (want === undefined || want.facts.dropped) {
      if (now !== undefined && !now.facts.dropped) yield { slice: "tree", op: "drop", tree: id };
      continue;
    }
    if (now === undefined) {
      yield* making(want);
      continue;
    }
    if (now.facts.dropped) yield { slice: "tree", op: "raise", tree: id };
    yield* leading(now, want);
  }
}

/** A tree from nothing. */
function* making(want: Tree): OpSteps {
  const { ordinal, name, types } = want.facts;
  const root = rowOf(want, ROOT_SLOT, NO_SLOT, undefined);
  const create: TreeOp = {
    slice: "tree",
    op: "create",
    tree: want.id,
    ordinal,
    name,
    ...(types === undefined ? {} : { types }),
    root,
  };
  yield create;
  const draft = new TreeDraft({ ordinal, name, types, dropped: false });
  draft.put(ROOT_SLOT, root.t, root.p ?? {}, root.id);
  draft.live = 1;
  yield* leading(draft.done(), want);
}

function rowOf(tree: Tree, slot: number, parent: number, after: number | undefined): NodeRow {
  const alias = tree.aliasOf(slot);
  const tags = tree.tagsOf(slot);
  return {
    s: slot,
    u: parent,
    ...(after === undefined ? {} : { a: after }),
    t: tree.typeOf(slot),
    p: tree.payloadOf(slot),
    ...(alias === undefined ? {} : { id: alias }),
    ...(tags.length === 0 ? {} : { g: tags }),
  };
}

/*
 * In document order of the target, so that the ancestors of a node are in place before the node is placed: then no
 * step can close a circle. Each step is tried on a draft, and later steps look at the draft.
 *   1 nodes that `now` never held are made, others whose parent differs are placed, each right after its sibling
 *   2 what the target does not show is removed
 *   3 children in another order are reordered
 *   4 payloads and tags that differ are set
 */
function* leading(now: Tree, want: Tree): OpSteps {
  const slice = "tree";
  const tree = want.id;
  const changed = yield* changedSlotsSteps(now, want);
  const draft = new TreeDraft(now);
  const out: TreeOp[] = [];
  const add = (op: TreeOp): void => {
    applyToDraft(draft, op);
    out.push(op);
  };
  const known = new SlotSet(want.size);
  const live = new SlotSet(want.size);
  const wanted = (slot: number): boolean => {
    if (slot >= want.size) return false;
    if (known.add(slot) && want.isLive(slot)) live.add(slot);
    return live.has(slot);
  };
  let seen = 0;

  const misplaced = new Set<number>();
  for (const slot of changed) {
    if (
      slot !== ROOT_SLOT &&
      wanted(slot) &&
      (!now.holds(slot) || now.parentOf(slot) !== want.parentOf(slot))
    )
      misplaced.add(slot);
    if (++seen % STEP === 0) yield;
  }

  let rows: NodeRow[] = [];
  const made = new Set<number>();
  const lastMade = new Map<number, number>();
  const flush = (): void => {
    if (rows.length === 0) return;
    const insert: InsertOp = { slice, op: "insert", tree, rows };
    add(insert);
    rows = [];
    made.clear();
    lastMade.clear();
  };
  for (const slot of yield* inDocumentOrder(want, ROOT_SLOT, misplaced)) {
    if (++seen % STEP === 0) {
      yield;
      yield* out.splice(0);
    }
    const parent = want.parentOf(slot);
    const after = want.prevOf(slot);
    if (!draft.holds(slot)) {
      const shared = ringMate(want, draft, made, slot);
      const inside = made.has(parent) && (lastMade.get(parent) ?? NO_SLOT) === after;
      if (!inside && made.has(parent)) flush();
      const row = rowOf(want, slot, parent, inside ? undefined : after);
      if (shared === NO_SLOT) rows.push(row);
      else {
        const { p: _, ...rest } = row;
        rows.push({ ...rest, r: shared });
      }
      made.add(slot);
      lastMade.set(parent, slot);
      if (rows.length >= ROWS_PER_OP) flush();
      continue;
    }
    flush();
    const { nodes: n } = yield* measureSteps(draft, slot);
    const to: NodePlace = {
      parent: want.idOf(parent),
      after: after === NO_SLOT ? null : want.idOf(after),
      before: null,
    };
    add({
      slice,
      op: "place",
      tree,
      items: [{ node: want.idOf(slot), from: nodePlaceOf(draft, slot), to, n }],
    });
  }
  flush();

  yield* out.splice(0);

  for (const slot of changed) {
    if (++seen % STEP === 0) yield;
    if (slot === ROOT_SLOT || !draft.holds(slot) || wanted(slot)) continue;
    const parent = draft.parentOf(slot);
    if (parent === NO_SLOT || !wanted(parent)) continue;
    const { nodes: n } = yield* measureSteps(draft, slot);
    add({
      slice,
      op: "place",
      tree,
      items: [{ node: draft.idOf(slot), from: nodePlaceOf(draft, slot), to: null, n }],
    });
  }

  yield* out.splice(0);

  // Order is a matter of the nodes whose links changed and of their parents.
  const asked = new SlotSet(want.size);
  for (const slot of changed) {
    if (++seen % STEP === 0) yield;
    if (!wanted(slot)) continue;
    for (const parent of slot === ROOT_SLOT ? [slot] : [want.parentOf(slot), slot]) {
      if (!asked.add(parent) || (yield* sameOrder(draft, want, parent))) continue;
      const was = yield* children(draft, want, parent);
      const should = yield* children(want, want, parent);
      yield { slice, op: "order", tree, parent: want.idOf(parent), was: was.ids, now: should.ids };
      yield* draft.reorderSteps(parent, should.slots);
    }
  }

  for (const slot of changed) {
    if (++seen % STEP === 0) {
      yield;
      yield* out.splice(0);
    }
    if (!wanted(slot)) continue;
    const was = { type: draft.typeOf(slot), payload: draft.payloadOf(slot) };
    const is = { type: want.typeOf(slot), payload: want.payloadOf(slot) };
    if (was.type !== is.type || !sameValue(was.payload, is.payload))
      add({ slice, op: "payload", tree, node: want.idOf(slot), was, now: is });
    const had = draft.tagsOf(slot);
    const has = want.tagsOf(slot);
    const addTags = has.filter((tag) => !had.includes(tag));
    const remove = had.filter((tag) => !has.includes(tag));
    if (addTags.length + remove.length > 0)
      add({ slice, op: "tag", tree, node: want.idOf(slot), add: addTags, remove });
  }
  yield* out;
}

function* sameOrder(a: NodeRecords, b: NodeRecords, parent: number): Steps<boolean> {
  let x = a.firstOf(parent);
  let y = b.firstOf(parent);
  for (let seen = 1; x === y && x !== NO_SLOT; seen++) {
    x = a.nextOf(x);
    y = b.nextOf(y);
    if (seen % STEP === 0) yield;
  }
  return x === y;
}

/** The children of a parent in `nodes`, and the ids that `named` gives them. */
function* children(
  nodes: NodeRecords,
  named: NodeRecords,
  parent: number,
): Steps<{ readonly slots: number[]; readonly ids: string[] }> {
  const slots: number[] = [];
  const ids: string[] = [];
  for (let at = nodes.firstOf(parent); at !== NO_SLOT; at = nodes.nextOf(at)) {
    slots.push(at);
    ids.push(named.idOf(at));
    if (slots.length % STEP === 0) yield;
  }
  return { slots, ids };
}

/** A node of the same payload ring that is made already, here or before. */
function ringMate(want: Tree, draft: TreeDraft, made: ReadonlySet<number>, slot: number): number {
  for (let at = want.twinOf(slot); at !== slot; at = want.twinOf(at))
    if (draft.holds(at) || made.has(at)) return at;
  return NO_SLOT;
}

/** Where a node is now; null for the top of a removed branch. */
export function nodePlaceOf(nodes: TreeDraft | Tree, slot: number): NodePlace | null {
  const parent = nodes.parentOf(slot);
  if (parent === NO_SLOT) return null;
  const after = nodes.prevOf(slot);
  const before = nodes.nextOf(slot);
  return {
    parent: nodes.idOf(parent),
    after: after === NO_SLOT ? null : nodes.idOf(after),
    before: before === NO_SLOT ? null : nodes.idOf(before),
    ...(nodes.isLive(parent) ? {} : { removed: true }),
  };
}

/**
 * True when two forests show the same: live nodes, order, payloads, tags. For tests and checks; O(nodes). Never throws.
 *
 * @example sameForest(forest, await decode(encode(forest)))  // true
 */
export function sameForest(a: Forest = EMPTY_FOREST, b: Forest = EMPTY_FOREST): boolean {
  const trees = b.trees;
  return a.trees.length === trees.length && a.trees.every((tree, i) => sameTree(tree, trees[i]));
}

function sameTree(a: Tree, b: Tree | undefined): boolean {
  if (b === undefined || a.id !== b.id || a.live !== b.live) return false;
  const x = new BranchWalk(a, ROOT_SLOT);
  const y = new BranchWalk(b, ROOT_SLOT);
  for (;;) {
    const more = x.next();
    if (more !== y.next()) return false;
    if (!more) return true;
    if (x.slot !== y.slot || x.depth !== y.depth || a.typeOf(x.slot) !== b.typeOf(y.slot)) return false;
    if (!sameValue(a.payloadOf(x.slot), b.payloadOf(y.slot))) return false;
    if (a.tagsOf(x.slot).join("\n") !== b.tagsOf(y.slot).join("\n")) return false;
  }
}
