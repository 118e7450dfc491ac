// Owns: whether an operation may be applied to a forest as it is now. Used by changes, undo and restore alike.
// Must never: change anything, or stop at the first reason.

import { echo, say, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { fits, LARGE_ORDER, rememberFit } from "./_outcomes.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import { heightBound } from "./_target.ts";
import type { Forest } from "./forest.ts";
import type { InsertOp, Placing, TreeRefusal, SetOp, TreeOp } from "./tree-op.ts";
import { sameValue, valueBelow } from "./payload.ts";
import { runNow } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { childrenOf, isWithin, measureSteps, hasOrderSteps } from "./walk.ts";

/**
 * Every reason against an operation; empty: it may be applied. O(change + depth), O(branch) for a removal.
 *
 * @example
 * const problems = refuse(forest, op);
 * if (problems.length === 0) apply(forest, op);
 */
export function refuse(forest: Forest, op: TreeOp, limits: Limits = DEFAULT_LIMITS): TreeRefusal[] {
  const refusals: TreeRefusal[] = [];
  const no = (reason: Lowercase<string>, message: Shown, node?: string): void => {
    refusals.push({ reason, message, tree: op.tree, ...(node === undefined ? {} : { node }) });
  };
  const tree = forest.all.get(op.tree);
  if (op.op === "create") {
    if (tree !== undefined) no("tree_exists", say`Tree ${echo(op.tree)} exists already.`);
    if (forest.trees.length >= limits.treeCount)
      no("too_many_trees", say`At most ${limits.treeCount} trees.`);
    return refusals;
  }
  if (tree === undefined || tree.facts.dropped !== (op.op === "raise")) {
    if (tree !== undefined && op.op === "raise")
      no("tree_exists", say`Tree ${echo(op.tree)} is there already.`);
    else no("tree_not_found", say`There is no tree ${echo(op.tree)}.`);
    return refusals;
  }
  switch (op.op) {
    case "insert":
      refuseInsert(tree, op, limits, no);
      break;
    case "place":
      for (const item of op.items) refusePlacing(tree, item, limits, no);
      break;
    case "order": {
      const parent = liveSlot(tree, op.parent, no);
      if (parent === NO_SLOT || fits(op, tree)) break;
      if (runNow(hasOrderSteps(tree, parent, op.was))) {
        if (op.was.length > LARGE_ORDER) rememberFit(op, tree);
        break;
      }
      const listed = new Set(op.was.map((id) => tree.slotNamed(id)));
      const now = childrenOf(tree, parent).filter((slot) => listed.has(slot));
      const present = new Set(now);
      const was = op.was.map((id) => tree.slotNamed(id)).filter((slot) => present.has(slot));
      if (now.some((slot, i) => slot !== was[i]))
        no("order_changed", say`The children of ${echo(op.parent)} were reordered since.`, op.parent);
      break;
    }
    case "set":
      refuseSet(tree, op, no);
      break;
    case "payload": {
      const slot = liveSlot(tree, op.node, no);
      if (slot === NO_SLOT) break;
      if (tree.typeOf(slot) !== op.was.type || !sameValue(tree.payloadOf(slot), op.was.payload))
        no("value_changed", say`The payload of ${echo(op.node)} was changed since.`, op.node);
      break;
    }
    case "tag": {
      const slot = liveSlot(tree, op.node, no);
      if (slot === NO_SLOT) break;
      const tags = tree.tagsOf(slot);
      if (op.add.some((tag) => tags.includes(tag)) || op.remove.some((tag) => !tags.includes(tag)))
        no("tags_changed", say`The tags of ${echo(op.node)} were changed since.`, op.node);
      break;
    }
    default:
  }
  return refusals;
}

type No = (reason: Lowercase<string>, message: Shown, node?: string) => void;

function liveSlot(tree: Tree, id: string, no: No): number {
  const slot = tree.slotNamed(id);
  if (slot !== NO_SLOT && tree.isLive(slot)) return slot;
  if (slot === NO_SLOT) no("node_not_found", say`There is no node ${echo(id)}.`, id);
  else no("node_removed", say`Node ${echo(id)} was removed.`, id);
  return NO_SLOT;
}

function refuseInsert(tree: Tree, op: InsertOp, limits: Limits, no: No): void {
  const depths = new Map<number, number>();
  for (const row of op.rows) {
    if (tree.holds(row.s)) no("id_taken", say`Slot ${row.s} is taken.`, tree.idOf(row.s));
    let above = depths.get(row.u);
    if (above === undefined) {
      if (!tree.isLive(row.u)) {
        no("parent_removed", say`The parent ${echo(tree.idOf(Math.max(0, row.u)))} is not there any more.`);
        return;
      }
      above = tree.depthOf(row.u);
      depths.set(row.u, above);
    }
    depths.set(row.s, above + 1);
    if (above + 1 >= limits.treeDepth) {
      no("too_deep", say`A tree has at most ${limits.treeDepth} levels.`);
      return;
    }
  }
  if (tree.size + op.rows.length > limits.treeNodes)
    no("too_many_nodes", say`A tree holds at most ${limits.treeNodes} nodes.`);
}

function refusePlacing(tree: Tree, item: Placing, limits: Limits, no: No): void {
  const { node } = item;
  const slot = tree.slotNamed(node);
  if (slot === NO_SLOT) return no("node_not_found", say`There is no node ${echo(node)}.`, node);
  if (slot === ROOT_SLOT) return no("root", say`The root can neither be moved nor removed.`, node);
  const live = tree.isLive(slot);
  const { from, to } = item;
  if (live && (from === null || from.removed === true))
    return no("node_there", say`Node ${echo(node)} is in the tree already.`, node);
  if (!live && from !== null && from.removed !== true)
    return no("node_removed", say`Node ${echo(node)} was removed.`, node);
  if (tree.parentOf(slot) !== (from === null ? NO_SLOT : tree.slotNamed(from.parent)))
    return no("moved_since", say`Node ${echo(node)} was moved since.`, node);
  const willLive = to !== null && to.removed !== true;
  if (live !== willLive) {
    const now = runNow(measureSteps(tree, slot)).nodes;
    if (now !== item.n)
      no("branch_changed", say`The branch of ${echo(node)} held ${item.n} nodes, now it holds ${now}.`, node);
  }
  if (to === null) return undefined;
  const parent = tree.slotNamed(to.parent);
  if (parent === NO_SLOT || tree.isLive(parent) !== willLive)
    return no("parent_removed", say`The place under ${echo(to.parent)} is not there any more.`, node);
  if (isWithin(tree, parent, slot))
    return no("cycle", say`${echo(to.parent)} lies inside the branch of ${echo(node)}.`, node);
  const top = tree.depthOf(parent) + 1;
  if (top + heightBound(tree, slot) >= limits.treeDepth)
    if (top + runNow(measureSteps(tree, slot)).height >= limits.treeDepth)
      no("too_deep", say`There the branch would be deeper than ${limits.treeDepth} levels.`, node);
  return undefined;
}

function refuseSet(tree: Tree, op: SetOp, no: No): void {
  const slot = liveSlot(tree, op.node, no);
  if (slot === NO_SLOT) return;
  const payload = tree.payloadOf(slot);
  for (const edit of op.edits)
    if (!sameValue(valueBelow(payload, edit.path), edit.was))
      no("value_changed", say`${echo(edit.path.join("."))} of ${echo(op.node)} was changed since.`, op.node);
}
