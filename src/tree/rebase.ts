// Owns: carrying an operation over later ones: ids never shift, so it stays as it is or is refused.
// Must never: refuse for a place that no later operation touched; a place is the same node and property, tag, position or branch.

import { echo, say, type Shown } from "../errors.ts";
import { NO_SLOT } from "./_page.ts";
import type { Forest } from "./forest.ts";
import { nodeIdOf } from "./node-id.ts";
import { fits } from "./_outcomes.ts";
import { orderedBy } from "./apply.ts";
import { nodePlaceOf } from "./between.ts";
import type { PropertyEdit, Placing, TreeRefusal, TreeOp } from "./tree-op.ts";
import { sameValue } from "./payload.ts";
import { runNow } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { childrenOf, isWithin, measureSteps } from "./walk.ts";

/**
 * The operation as it must read after `since`, or why a later change is in its way. With the forest as it is now,
 * "inside the branch" and "shares the payload" are known exactly; without it, only nodes named by the operations count,
 * and `refuse` on the forest is the second net. O(op x since). Never throws: a refusal is returned.
 *
 * @example
 * const rebased = rebase(op, since, forest);
 * if (!Array.isArray(rebased)) apply(forest, rebased as TreeOp);
 */
export function rebase(op: TreeOp, since: readonly TreeOp[], forest?: Forest): TreeOp | TreeRefusal[] {
  const refusals: TreeRefusal[] = [];
  const later = since.filter((other) => other.tree === op.tree);
  const tree = forest?.all.get(op.tree);
  const no = (reason: Lowercase<string>, message: Shown, node?: string): void => {
    refusals.push({ reason, message, tree: op.tree, ...(node === undefined ? {} : { node }) });
  };
  switch (op.op) {
    case "create":
      break;
    case "drop":
      if (later.length > 0) no("changed_since", say`Tree ${echo(op.tree)} was changed since.`);
      break;
    case "raise":
      break;
    case "insert":
      for (const other of later)
        if (other.op === "insert" && other.rows.some((row) => op.rows.some((mine) => mine.s === row.s)))
          no("id_taken", say`The ids of these nodes were given to others since.`);
      break;
    case "place":
      for (const item of op.items) {
        const moved = later.some(
          (other) => other.op === "place" && other.items.some((theirs) => same(tree, theirs.node, item.node)),
        );
        if (moved) no("moved_since", say`Node ${echo(item.node)} was moved since.`, item.node);
        else if (
          item.to === null &&
          later.some((other) => touches(other).some((id) => within(tree, id, item.node)))
        )
          no("branch_changed", say`The branch of ${echo(item.node)} was changed since.`, item.node);
      }
      break;
    case "order":
      if (later.some((other) => other.op === "order" && same(tree, other.parent, op.parent)))
        no("order_changed", say`The children of ${echo(op.parent)} were reordered since.`, op.parent);
      break;
    case "set":
      for (const edit of op.edits)
        if (editChanged(op.node, edit, later, tree))
          no(
            "value_changed",
            say`${echo(edit.path.join("."))} of ${echo(op.node)} was changed since.`,
            op.node,
          );
      break;
    case "payload":
      if (
        later.some(
          (other) => (other.op === "set" || other.op === "payload") && shares(tree, other.node, op.node),
        )
      )
        no("value_changed", say`The payload of ${echo(op.node)} was changed since.`, op.node);
      break;
    case "tag": {
      const mine = new Set([...op.add, ...op.remove]);
      for (const other of later)
        if (other.op === "tag" && same(tree, other.node, op.node))
          if ([...other.add, ...other.remove].some((tag) => mine.has(tag)))
            no("tags_changed", say`The tags of ${echo(op.node)} were changed since.`, op.node);
      break;
    }
  }
  if (refusals.length > 0) return refusals;
  return tree === undefined ? op : refreshed(op, tree);
}

/** The operation with the places it leaves as they are now, so that its own inverse leads back exactly. */
function refreshed(op: TreeOp, tree: Tree): TreeOp {
  if (op.op === "place") {
    const items = op.items.map((item): Placing => {
      const slot = tree.slotNamed(item.node);
      if (slot === NO_SLOT) return item;
      const entersOrLeaves = item.to === null || item.from === null || item.from.removed !== item.to.removed;
      const n = entersOrLeaves ? runNow(measureSteps(tree, slot)).nodes : item.n;
      return { ...item, from: item.from === null ? null : nodePlaceOf(tree, slot), n };
    });
    return { ...op, items };
  }
  if (op.op === "order") {
    const parent = tree.slotNamed(op.parent);
    if (parent === NO_SLOT || fits(op, tree)) return op;
    const was = childrenOf(tree, parent);
    return {
      ...op,
      was: was.map((slot) => tree.idOf(slot)),
      now: orderedBy(tree, parent, op.now).map((slot) => tree.idOf(slot)),
    };
  }
  return op;
}

/** Nodes an operation changes, or puts something under. */
function touches(op: TreeOp): string[] {
  switch (op.op) {
    case "insert": {
      const ordinal = Number.parseInt(op.tree.slice(1), 36);
      return op.rows.map((row) => nodeIdOf(ordinal, row.u));
    }
    case "place":
      return op.items.flatMap((item) => [item.node, ...(item.to === null ? [] : [item.to.parent])]);
    case "order":
      return [op.parent];
    case "set":
    case "payload":
    case "tag":
      return [op.node];
    default:
      return [];
  }
}

function same(tree: Tree | undefined, a: string, b: string): boolean {
  return a === b || (tree !== undefined && tree.slotNamed(a) === tree.slotNamed(b));
}

function within(tree: Tree | undefined, id: string, branch: string): boolean {
  if (tree === undefined) return id === branch;
  const slot = tree.slotNamed(id);
  return slot !== NO_SLOT && isWithin(tree, slot, tree.slotNamed(branch));
}

function shares(tree: Tree | undefined, a: string, b: string): boolean {
  if (same(tree, a, b)) return true;
  if (tree === undefined) return false;
  const slot = tree.slotNamed(a);
  const wanted = tree.slotNamed(b);
  if (slot === NO_SLOT) return false;
  for (let at = tree.twinOf(slot); at !== slot; at = tree.twinOf(at)) if (at === wanted) return true;
  return false;
}

/** Whether a property reads otherwise than the operation left it. Changes that cancel out do not count. */
function editChanged(
  node: string,
  edit: PropertyEdit,
  later: readonly TreeOp[],
  tree: Tree | undefined,
): boolean {
  let first: PropertyEdit | undefined;
  let last: PropertyEdit | undefined;
  for (const other of later) {
    if (other.op === "payload" && shares(tree, other.node, node)) return true;
    if (other.op !== "set" || !shares(tree, other.node, node)) continue;
    for (const theirs of other.edits) {
      const length = Math.min(theirs.path.length, edit.path.length);
      let common = 0;
      while (common < length && theirs.path[common] === edit.path[common]) common++;
      if (common < length) continue;
      if (theirs.path.length !== edit.path.length) return true;
      first ??= theirs;
      last = theirs;
    }
  }
  return first !== undefined && !sameValue(first.was, last?.now);
}
