// Owns: applying operations: total on recorded ones, pure towards the forest it is given.
// Must never: refuse. An operation that no longer fits is judged by `refuse` before; here it does what it still can.

import type { Json, JsonObject } from "../value.ts";
import { TreeDraft } from "./_tree-draft.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import { fits, LARGE_ORDER, outcomeOf, rememberOutcome } from "./_outcomes.ts";
import { SlotSet } from "./_slot-set.ts";
import { heightBound } from "./_target.ts";
import { EMPTY_FOREST, Forest } from "./forest.ts";
import type { NodeRow, OrderOp, NodePlace, PlaceOp, TreeOp } from "./tree-op.ts";
import { deepFreeze, EMPTY_PAYLOAD, withValue } from "./payload.ts";
import { Tree, type NodeRecords, type TreeFacts } from "./tree.ts";
import { runNow, STEP, type Steps } from "./steps.ts";
import { childrenOf, isWithin, hasOrderSteps } from "./walk.ts";

/**
 * The forest after one operation. The forest given stays as it was. O(change), whatever the size of the tree. Never
 * throws: an operation that names what is not there changes nothing, so ask {@link refuse} first.
 *
 * @example const next = apply(forest, op);
 */
export function apply(forest: Forest, op: TreeOp): Forest {
  return applyAll(forest, [op]);
}

/**
 * The forest after several operations, within one epoch: pages are copied once, however often they change. O(changes).
 * It refuses nothing, as {@link apply}.
 *
 * @example const next = applyAll(forest, ops);
 */
export function applyAll(forest: Forest, ops: Iterable<TreeOp>): Forest {
  const drafts = new Map<string, TreeDraft>();
  let all: Map<string, Tree> | undefined;
  for (const op of ops) {
    if (op.op === "create" || op.op === "drop" || op.op === "raise") {
      all ??= new Map(forest.all);
      const draft = drafts.get(op.tree);
      if (draft !== undefined) all.set(op.tree, draft.done());
      drafts.delete(op.tree);
      const tree = applyToTree(all.get(op.tree), op);
      if (tree !== undefined) all.set(op.tree, tree);
      continue;
    }
    let draft = drafts.get(op.tree);
    if (draft === undefined) {
      const tree = (all ?? forest.all).get(op.tree);
      if (tree === undefined) continue;
      if (op.op === "order" && op.now.length > LARGE_ORDER) {
        all ??= new Map(forest.all);
        all.set(op.tree, outcomeOf(op, tree) ?? applyLarge(tree, op));
        continue;
      }
      draft = new TreeDraft(tree);
      drafts.set(op.tree, draft);
    }
    applyToDraft(draft, op);
  }
  if (drafts.size === 0 && all === undefined) return forest;
  all ??= new Map(forest.all);
  for (const [id, draft] of drafts) all.set(id, draft.done());
  return all.size === 0 ? EMPTY_FOREST : new Forest(all);
}

function applyLarge(tree: Tree, op: OrderOp): Tree {
  const draft = new TreeDraft(tree);
  applyToDraft(draft, op);
  const after = draft.done();
  if (fits(op, tree)) rememberOutcome(op, tree, after);
  return after;
}

function applyToTree(
  tree: Tree | undefined,
  op: Extract<TreeOp, { op: "create" | "drop" | "raise" }>,
): Tree | undefined {
  if (op.op !== "create")
    return tree === undefined
      ? undefined
      : new TreeDraft(tree).done({ ...tree.facts, dropped: op.op === "drop" });
  if (tree !== undefined) return tree;
  const facts: TreeFacts = { ordinal: op.ordinal, name: op.name, types: op.types, dropped: false };
  const draft = new TreeDraft(facts);
  const { root } = op;
  draft.put(ROOT_SLOT, root.t, frozen(root.p ?? EMPTY_PAYLOAD), root.id);
  if (root.g !== undefined) draft.setTags(ROOT_SLOT, root.g);
  draft.live = 1;
  return draft.done();
}

/** @internal */
export function applyToDraft(draft: TreeDraft, op: TreeOp): void {
  switch (op.op) {
    case "insert":
      return insertRows(draft, op.rows);
    case "place":
      return place(draft, op);
    case "order": {
      const parent = draft.slotNamed(op.parent);
      if (parent !== NO_SLOT) reorder(draft, parent, op.now);
      return undefined;
    }
    case "set": {
      const slot = draft.slotNamed(op.node);
      if (slot === NO_SLOT) return undefined;
      let payload: JsonObject = draft.payloadOf(slot);
      for (const edit of op.edits) payload = withValue(payload, edit.path, frozen(edit.now)) ?? payload;
      return draft.setPayload(slot, payload);
    }
    case "payload": {
      const slot = draft.slotNamed(op.node);
      if (slot === NO_SLOT) return undefined;
      draft.setType(slot, op.now.type);
      return draft.setPayload(slot, frozen(op.now.payload));
    }
    case "tag": {
      const slot = draft.slotNamed(op.node);
      if (slot === NO_SLOT) return undefined;
      const tags = draft.tagsOf(slot).filter((tag) => !op.remove.includes(tag));
      for (const tag of op.add) if (!tags.includes(tag)) tags.push(tag);
      return draft.setTags(slot, Object.freeze(tags.sort()));
    }
    default:
      return undefined;
  }
}

/** Operations that come out of a journal are freshly parsed; what a tree shows cannot be changed by its readers. */
function frozen<T extends Json | undefined>(value: T): T {
  return typeof value !== "object" || value === null || Object.isFrozen(value)
    ? value
    : (deepFreeze(value) as T);
}

function insertRows(draft: TreeDraft, rows: readonly NodeRow[]): void {
  // Depth of the nodes made here and of their parents; -1: not live.
  const depths = new Map<number, number>();
  for (const row of rows) {
    if (draft.holds(row.s)) continue;
    const known = row.r !== undefined && draft.holds(row.r);
    draft.put(
      row.s,
      known ? draft.typeOf(row.r) : row.t,
      known ? draft.payloadOf(row.r) : frozen(row.p ?? EMPTY_PAYLOAD),
      row.id,
    );
    if (known) draft.share(row.s, row.r);
    if (row.g !== undefined) draft.setTags(row.s, row.g);
    if (!draft.holds(row.u)) {
      draft.remove(row.s, 0);
      continue;
    }
    let above = depths.get(row.u);
    if (above === undefined) {
      above = draft.isLive(row.u) ? draft.depthOf(row.u) : -1;
      depths.set(row.u, above);
    }
    const depth = above < 0 ? -1 : above + 1;
    depths.set(row.s, depth);
    if (depth >= 0) draft.live++;
    else draft.remove(row.s, 0);
    if (depth > draft.deepest) draft.deepest = depth;
    const last = draft.lastOf(row.u);
    const after =
      row.a === undefined || (row.a !== NO_SLOT && draft.parentOf(row.a) !== row.u) ? last : row.a;
    draft.link(row.s, row.u, after);
  }
}

function place(draft: TreeDraft, op: PlaceOp): void {
  for (const item of op.items) {
    const slot = draft.slotNamed(item.node);
    if (slot === NO_SLOT || slot === ROOT_SLOT) continue;
    const parent = item.to === null ? NO_SLOT : draft.slotNamed(item.to.parent);
    if (item.to !== null && (parent === NO_SLOT || isWithin(draft, parent, slot))) continue;
    const wasLive = draft.isLive(slot);
    const height = heightBound(draft, slot);
    draft.unlink(slot);
    let isLive = false;
    if (item.to !== null) {
      draft.link(slot, parent, afterOf(draft, parent, item.to));
      isLive = draft.isLive(parent);
      if (isLive) draft.deepest = Math.max(draft.deepest, draft.depthOf(slot) + height);
    }
    if (wasLive && !isLive) draft.remove(slot, item.n);
    if (!wasLive && isLive) draft.revive(slot, item.n);
  }
}

/** The sibling a place means now; NONE: the first place. */
function afterOf(draft: TreeDraft, parent: number, to: NodePlace): number {
  const after = to.after === null ? NO_SLOT : draft.slotNamed(to.after);
  if (after !== NO_SLOT && draft.parentOf(after) === parent) return after;
  const before = to.before === null ? NO_SLOT : draft.slotNamed(to.before);
  if (before !== NO_SLOT && draft.parentOf(before) === parent) return draft.prevOf(before);
  return to.after === null ? NO_SLOT : draft.lastOf(parent);
}

function reorder(draft: TreeDraft, parent: number, now: readonly string[]): void {
  draft.reorder(parent, orderedBy(draft, parent, now));
}

/**
 * Works out in steps what `refuse` and `apply` would otherwise work out at once, where that can take long; then they
 * return it from memory, for this operation on this version. `undefined`: there is nothing to prepare.
 *
 * @example
 * const steps = prepareSteps(forest, op);
 * if (steps !== undefined) await runPaced(steps);
 */
export function prepareSteps(forest: Forest, op: TreeOp): Steps<void> | undefined {
  if (op.op !== "order" || op.now.length <= LARGE_ORDER) return undefined;
  const tree = forest.all.get(op.tree);
  return tree === undefined || outcomeOf(op, tree) !== undefined ? undefined : prepareOrder(tree, op);
}

function* prepareOrder(tree: Tree, op: OrderOp): Steps<void> {
  const parent = tree.slotNamed(op.parent);
  if (parent === NO_SLOT || !(yield* hasOrderSteps(tree, parent, op.was))) return;
  const slots = yield* orderedBySteps(tree, parent, op.now);
  const draft = new TreeDraft(tree);
  yield* draft.reorderSteps(parent, slots);
  rememberOutcome(op, tree, draft.done());
}

/**
 * The children of a parent by a list of names: named ones take the places that named ones hold, in the order of the
 * list; others stay where they are.
 * @internal
 */
export function orderedBy(nodes: NodeRecords, parent: number, names: readonly string[]): number[] {
  return runNow(orderedBySteps(nodes, parent, names));
}

function* orderedBySteps(nodes: NodeRecords, parent: number, names: readonly string[]): Steps<number[]> {
  // The children are gone through once: asking each node named for its parent would go to and fro between all pages.
  const children = new SlotSet(nodes.size);
  let seen = 0;
  for (let child = nodes.firstOf(parent); child !== NO_SLOT; child = nodes.nextOf(child)) {
    children.add(child);
    if (++seen % STEP === 0) yield;
  }
  const named = new SlotSet(nodes.size);
  const wanted: number[] = [];
  for (const name of names) {
    const slot = nodes.slotNamed(name);
    if (slot !== NO_SLOT && children.has(slot) && named.add(slot)) wanted.push(slot);
    if (++seen % STEP === 0) yield;
  }
  if (wanted.length === nodes.countOf(parent)) return wanted;
  let next = 0;
  return childrenOf(nodes, parent).map((slot) => (named.has(slot) ? (wanted[next++] as number) : slot));
}
