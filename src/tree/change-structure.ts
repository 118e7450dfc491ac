// Owns: changes of structure: create, add, remove, move, reorder. Everything is checked before anything changes.
// Must never: leave a half-made change; a refusal is thrown before the first operation.

import { echo, HoldfastError, say } from "../errors.ts";
import { checkFieldNames } from "../text/options.ts";
import { sortKey, compareKeys, stableOrder, type SortKey } from "./_sort.ts";
import { ForestEdit, RowBatch, type Caller, type Changed } from "./_forest-edit.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import { refuseHeight, refuseDepth, takeText } from "./_target.ts";
import { nodePlaceOf } from "./between.ts";
import type { Forest, Found } from "./forest.ts";
import { nodeIdOf, treeIdOf } from "./node-id.ts";
import type { NodePlace } from "./tree-op.ts";
import { checkNewNode, checkNodePayload, takePayloadTypes } from "./payload-types.ts";
import { takePayload } from "./payload.ts";
import { propertyReader } from "./property.ts";
import { runNow, STEP, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { isWithin, measureSteps } from "./walk.ts";

const slice = "tree";

/**
 * A new tree: its name, its root's type and properties, and the types it accepts (any without `payloadTypes`).
 */
export interface CreateTree {
  /** The name of the tree. */
  readonly name?: string;
  /** The types that payloads may have, as JSON. */
  readonly payloadTypes?: unknown;
  /** The type of its root. */
  readonly payloadType?: string;
  /** The properties of its root. */
  readonly payloadProps?: unknown;
}

/**
 * A new tree with a root. With `payloadTypes` it accepts only those types and properties; without, any. O(root's
 * payload + trees). Throws `too_many_trees`, `bad_payload_types`, `bad_text`, and what the types refuse of the root.
 *
 * @example const { forest, result } = createTree(EMPTY_FOREST, { name: "plan" });
 */
export function createTree(
  forest: Forest,
  input: CreateTree = {},
  caller: Caller = {},
): Changed<{ tree: string; rootNodeId: string }> {
  checkFieldNames(say`createTree`, input, {
    name: true,
    payloadTypes: true,
    payloadType: true,
    payloadProps: true,
  });
  const edit = new ForestEdit(forest, caller);
  const { limits } = edit;
  if (forest.trees.length >= limits.treeCount)
    throw new HoldfastError("invalid_argument", "too_many_trees", say`At most ${limits.treeCount} trees.`);
  const types = takePayloadTypes(input.payloadTypes, limits);
  const ordinal = forest.nextOrdinal;
  const tree = treeIdOf(ordinal);
  const name = input.name === undefined ? tree : takeText(input.name, say`name`, limits.treeTagLength);
  const type = takeText(
    input.payloadType ?? (types === undefined ? "Root" : Object.keys(types)[0]),
    say`payloadType`,
    limits.treeTagLength,
  );
  const payload = takePayload(input.payloadProps, say`payloadProps`, limits);
  checkNodePayload(types, type, payload);
  edit.do({
    slice,
    op: "create",
    tree,
    ordinal,
    name,
    ...(types === undefined ? {} : { types }),
    root: { s: ROOT_SLOT, u: NO_SLOT, t: type, p: payload },
  });
  return edit.done({ tree, rootNodeId: nodeIdOf(ordinal, ROOT_SLOT) });
}

/**
 * Takes a tree out of sight, with all its nodes. Its ids are not given out again, and undoing the operation brings it back
 * as it was. O(trees). Throws `not_found` / `tree_not_found`.
 *
 * @example dropTree(forest, { tree: "t2" }).forest.trees.length
 */
export function dropTree(
  forest: Forest,
  input: { readonly tree: string },
  caller: Caller = {},
): Changed<{ tree: string; nodes: number }> {
  checkFieldNames(say`dropTree`, input, { tree: true });
  const edit = new ForestEdit(forest, caller);
  const tree = forest.tree(input.tree);
  edit.do({ slice, op: "drop", tree: tree.id });
  return edit.done({ tree: tree.id, nodes: tree.live });
}

/**
 * A new last child. O(payload + depth). Throws `not_found`, `too_deep`, `too_many_nodes`, `too_many_types`,
 * `guarded_property`, and what the tree's types refuse.
 *
 * @example addChild(forest, { parentNodeId: "n0", payloadType: "Task", payloadProps: { name: "boxes" } }).result.nodeId  // "n1"
 */
export function addChild(
  forest: Forest,
  input: { readonly parentNodeId: string; readonly payloadType: string; readonly payloadProps?: unknown },
  caller: Caller = {},
): Changed<{ nodeId: string; parentNodeId: string }> {
  checkFieldNames(say`addChild`, input, { parentNodeId: true, payloadType: true, payloadProps: true });
  const edit = new ForestEdit(forest, caller);
  const { limits } = edit;
  const parent = forest.node(input.parentNodeId);
  const type = takeText(input.payloadType, say`payloadType`, limits.treeTagLength);
  const payload = takePayload(input.payloadProps, say`payloadProps`, limits);
  checkNewNode(parent.tree.facts.types, type, payload, edit.role);
  refuseNewType(parent.tree, type, limits.treeTypes);
  refuseDepth(parent.tree.depthOf(parent.slot) + 1, limits);
  const batch = new RowBatch(edit, edit.draft(parent.tree));
  const slot = batch.add(parent.slot, { t: type, p: payload });
  batch.flush();
  return edit.done({ nodeId: nodeIdOf(parent.tree.facts.ordinal, slot), parentNodeId: input.parentNodeId });
}

/** Type names are interned per tree; a flood of new ones is refused. */
function refuseNewType(tree: Tree, type: string, max: number): void {
  if (tree.typeNames.length >= max && !tree.typeNames.includes(type))
    throw new HoldfastError(
      "invalid_argument",
      "too_many_types",
      say`A tree has at most ${max} payload types. Use one of them and keep ${echo(type)} in a property.`,
    );
}

function refuseRoot({ slot }: Found, what: "moved" | "removed"): void {
  if (slot === ROOT_SLOT)
    throw new HoldfastError(
      "invalid_argument",
      "root",
      what === "moved"
        ? say`The root cannot be moved.`
        : say`The root cannot be removed. Remove its children.`,
    );
}

/**
 * Removes a node with everything below it. It can be brought back with its ids. O(branch) to count, O(1) to do. Throws
 * `not_found`, and `root` for the root.
 *
 * @example const { result } = await runPaced(removeNodeSteps(forest, { nodeId: "n3" }));
 */
export function* removeNodeSteps(
  forest: Forest,
  input: { readonly nodeId: string },
  caller: Caller = {},
): Steps<Changed<{ removed: string; nodes: number; parentNodeId: string }>> {
  checkFieldNames(say`removeNode`, input, { nodeId: true });
  const edit = new ForestEdit(forest, caller);
  const node = forest.node(input.nodeId);
  refuseRoot(node, "removed");
  const { tree, slot } = node;
  const { nodes: n } = yield* measureSteps(tree, slot);
  const parentNodeId = tree.idOf(tree.parentOf(slot));
  const item = { node: tree.idOf(slot), from: nodePlaceOf(tree, slot), to: null, n };
  edit.do({ slice, op: "place", tree: tree.id, items: [item] });
  return edit.done({ removed: item.node, nodes: n, parentNodeId });
}

/**
 * As {@link removeNodeSteps}, at once. Throws `root` for the root.
 *
 * @example removeNode(forest, { nodeId: "n3" }).result.nodes
 */
export function removeNode(
  forest: Forest,
  input: { readonly nodeId: string },
  caller?: Caller,
): Changed<{ removed: string; nodes: number; parentNodeId: string }> {
  return runNow(removeNodeSteps(forest, input, caller));
}

/** Where a node is after a move; `moved` false: it was there before. */
export interface Moved {
  /** The node. */
  readonly nodeId: string;
  /** Its parent now. */
  readonly parentNodeId: string;
  /** False when it was there already. */
  readonly moved: boolean;
}

/**
 * Puts a node last under another parent of the same tree. O(branch + depth). Throws `not_found`, `cycle` for a place
 * inside the branch, `root`, `other_tree`, `too_deep`.
 *
 * @example const { ops } = await runPaced(moveNodeSteps(forest, { nodeId: "n3", newParentId: "n1" }));
 */
export function* moveNodeSteps(
  forest: Forest,
  input: { readonly nodeId: string; readonly newParentId: string },
  caller: Caller = {},
): Steps<Changed<Moved>> {
  checkFieldNames(say`moveNode`, input, { nodeId: true, newParentId: true });
  const node = forest.node(input.nodeId);
  const parent = forest.node(input.newParentId);
  refuseOtherTree(node, parent);
  refuseRoot(node, "moved");
  if (isWithin(node.tree, parent.slot, node.slot))
    throw new HoldfastError(
      "invalid_argument",
      "cycle",
      say`${echo(input.newParentId)} is ${echo(input.nodeId)} itself or lies below it. Choose a parent outside that branch.`,
    );
  const last = node.tree.lastOf(parent.slot);
  return yield* movedTo(forest, node, parent.slot, last === node.slot ? node.slot : last, caller);
}

/**
 * As {@link moveNodeSteps}, at once. Throws `cycle`, `root`, `other_tree`, `too_deep`.
 *
 * @example moveNode(forest, { nodeId: "n3", newParentId: "n1" }).forest
 */
export function moveNode(
  forest: Forest,
  input: { readonly nodeId: string; readonly newParentId: string },
  caller?: Caller,
): Changed<Moved> {
  return runNow(moveNodeSteps(forest, input, caller));
}

function refuseOtherTree(node: Found, other: Found): void {
  if (node.tree !== other.tree)
    throw new HoldfastError(
      "invalid_argument",
      "other_tree",
      say`The nodes are in two trees (${echo(node.tree.id)}, ${echo(other.tree.id)}). Copy the branch to the other tree, then remove it here.`,
    );
}

/** Puts a node right before or after a sibling. O(1) besides finding both, whatever the number of siblings. */
function moveBeside(
  forest: Forest,
  input: { readonly nodeId: string; readonly siblingId: string },
  before: boolean,
  caller: Caller,
): Changed<Moved> {
  const node = forest.node(input.nodeId);
  const sibling = forest.node(input.siblingId);
  const { tree } = node;
  const parent = tree.parentOf(node.slot);
  if (node.tree === sibling.tree && node.slot === sibling.slot)
    throw new HoldfastError("invalid_argument", "same_node", say`nodeId and siblingId are the same node.`);
  if (tree !== sibling.tree || parent === NO_SLOT || parent !== tree.parentOf(sibling.slot))
    throw new HoldfastError(
      "invalid_argument",
      "not_siblings",
      say`${echo(input.nodeId)} and ${echo(input.siblingId)} have different parents. Use move_node first.`,
    );
  let after = before ? tree.prevOf(sibling.slot) : sibling.slot;
  if (after === node.slot) after = before ? node.slot : tree.prevOf(node.slot);
  const stays = before ? tree.nextOf(node.slot) === sibling.slot : tree.prevOf(node.slot) === sibling.slot;
  return runNow(movedTo(forest, node, parent, stays ? node.slot : after, caller));
}

/**
 * Puts a node right before a sibling. O(depth). Throws `not_siblings` without a common parent.
 *
 * @example moveBefore(forest, { nodeId: "n2", siblingId: "n1" }).forest
 */
export function moveBefore(
  forest: Forest,
  input: { readonly nodeId: string; readonly siblingId: string },
  caller: Caller = {},
): Changed<Moved> {
  checkFieldNames(say`moveBefore`, input, { nodeId: true, siblingId: true });
  return moveBeside(forest, input, true, caller);
}

/**
 * Puts a node right after a sibling. O(depth). Throws `not_siblings` without a common parent.
 *
 * @example moveAfter(forest, { nodeId: "n1", siblingId: "n2" }).forest
 */
export function moveAfter(
  forest: Forest,
  input: { readonly nodeId: string; readonly siblingId: string },
  caller: Caller = {},
): Changed<Moved> {
  checkFieldNames(say`moveAfter`, input, { nodeId: true, siblingId: true });
  return moveBeside(forest, input, false, caller);
}

/** `after` is the sibling it comes after, NO_SLOT for the first place, the node itself when it stays. */
function* movedTo(
  forest: Forest,
  { tree, slot }: Found,
  parent: number,
  after: number,
  caller: Caller,
): Steps<Changed<Moved>> {
  const edit = new ForestEdit(forest, caller);
  const result = { nodeId: tree.idOf(slot), parentNodeId: tree.idOf(parent) };
  if (after === slot) return edit.done({ ...result, moved: false });
  yield* refuseHeight(tree, slot, parent, edit.limits);
  const next = after === NO_SLOT ? tree.firstOf(parent) : tree.nextOf(after);
  const to: NodePlace = {
    parent: tree.idOf(parent),
    after: after === NO_SLOT ? null : tree.idOf(after),
    before: next === NO_SLOT ? null : tree.idOf(next),
  };
  // A move keeps the node in the tree, so nothing counts its branch.
  const item = { node: tree.idOf(slot), from: nodePlaceOf(tree, slot), to, n: 0 };
  edit.do({ slice, op: "place", tree: tree.id, items: [item] });
  return edit.done({ ...result, moved: true });
}

/**
 * Sorts the children of a parent by a property. Always stable; nodes without the property come last. O(n log n) for n
 * children. Throws `not_found`, `bad_text` for a property that is no text, `bad_direction`.
 *
 * @example const { ops } = await runPaced(sortChildrenSteps(forest, { parentId: "n0", byProp: "prio" }));
 */
export function* sortChildrenSteps(
  forest: Forest,
  input: {
    readonly parentId: string;
    readonly byProp: string;
    readonly direction?: "asc" | "desc";
    readonly stable?: boolean;
  },
  caller: Caller = {},
): Steps<Changed<{ parentId: string; children: number; changed: boolean }>> {
  checkFieldNames(say`sortChildren`, input, { parentId: true, byProp: true, direction: true, stable: true });
  const edit = new ForestEdit(forest, caller);
  const { tree, slot } = forest.node(input.parentId);
  const read = propertyReader(takeText(input.byProp, say`byProp`, edit.limits.treeIdLength));
  if (input.direction !== undefined && input.direction !== "asc" && input.direction !== "desc")
    throw new HoldfastError("invalid_argument", "bad_direction", say`direction must be "asc" or "desc".`);
  const sign = input.direction === "desc" ? -1 : 1;
  const children = new Int32Array(tree.countOf(slot));
  const keys: SortKey[] = [];
  const was: string[] = [];
  for (let child = tree.firstOf(slot); child !== NO_SLOT; child = tree.nextOf(child)) {
    children[keys.length] = child;
    keys.push(sortKey(read(tree, child)));
    was.push(tree.idOf(child));
    if (keys.length % STEP === 0) yield;
  }
  const order = yield* stableOrder(children.length, (a, b) => compareKeys(keys[a], keys[b], sign));
  const result = { parentId: input.parentId, children: children.length };
  const slots = new Int32Array(children.length);
  const now: string[] = [];
  let moved = false;
  for (const at of order) {
    moved ||= at !== now.length;
    slots[now.length] = children[at] as number;
    now.push(was[at] as string);
    if (now.length % STEP === 0) yield;
  }
  if (moved) yield* edit.orderSteps(tree, slot, slots, was, now);
  return edit.done({ ...result, changed: moved });
}

/**
 * As {@link sortChildrenSteps}, at once.
 *
 * @example sortChildren(forest, { parentId: "n1", byProp: "prio", direction: "desc" }).forest
 */
export function sortChildren(
  forest: Forest,
  input: Parameters<typeof sortChildrenSteps>[1],
  caller?: Caller,
): Changed<{ parentId: string; children: number; changed: boolean }> {
  return runNow(sortChildrenSteps(forest, input, caller));
}
