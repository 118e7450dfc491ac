// Owns: copies: a branch, with its own payloads or sharing them, and single nodes.

import { HoldfastError, say } from "../errors.ts";
import { checkFieldNames } from "../text/options.ts";
import { ForestEdit, RowBatch, type Caller, type Changed } from "./_forest-edit.ts";
import { NO_SLOT } from "./_page.ts";
import { refuseDepth } from "./_target.ts";
import type { Forest } from "./forest.ts";
import { nodeIdOf } from "./node-id.ts";
import { checkNodePayload } from "./payload-types.ts";
import { NODES_PER_STEP, runNow, type Steps } from "./steps.ts";
import { measureSteps, BranchWalk } from "./walk.ts";

/** `duplicate`: the copy has payloads of its own; `reference`: both show every later update of either. */
export type CopyMode = "reference" | "duplicate";

/**
 * Copies a branch under a target, last. `duplicate`: own payloads; `reference`: each copy shares its original's
 * payload, so that an update through either shows in both. The branch is copied as it was before the call, also into
 * itself. Other trees: only `duplicate`. O(branch). Throws `not_found`, `bad_mode`, `other_tree` for a shared payload
 * in another tree, `too_deep`, `too_many_nodes`, and what the types of another tree refuse.
 *
 * @example const { result } = await runPaced(copySubtreeSteps(forest, { sourceId: "n1", targetParentId: "n4" }));
 */
export function* copySubtreeSteps(
  forest: Forest,
  input: { readonly sourceId: string; readonly targetParentId: string; readonly mode?: CopyMode },
  caller: Caller = {},
): Steps<Changed<{ nodeId: string; nodes: number; mode: CopyMode }>> {
  checkFieldNames(say`copySubtree`, input, { sourceId: true, targetParentId: true, mode: true });
  const edit = new ForestEdit(forest, caller);
  const source = forest.node(input.sourceId);
  const target = forest.node(input.targetParentId);
  const mode = input.mode ?? "duplicate";
  if (mode !== "duplicate" && mode !== "reference")
    throw new HoldfastError("invalid_argument", "bad_mode", say`mode must be "duplicate" or "reference".`);
  if (mode === "reference" && source.tree !== target.tree)
    throw new HoldfastError(
      "invalid_argument",
      "other_tree",
      say`Payloads are shared within one tree only. Use mode "duplicate" for another tree.`,
    );
  const { nodes, height } = yield* measureSteps(source.tree, source.slot);
  refuseDepth(target.tree.depthOf(target.slot) + 1 + height, edit.limits);
  if (target.tree.size + nodes > edit.limits.treeNodes)
    throw new HoldfastError(
      "invalid_argument",
      "too_many_nodes",
      say`The copy has ${nodes} nodes; a tree holds at most ${edit.limits.treeNodes}, removed ones included.`,
    );
  if (source.tree !== target.tree) {
    const types = target.tree.facts.types;
    let checked = 0;
    for (const walk = new BranchWalk(source.tree, source.slot); walk.next();) {
      checkNodePayload(types, source.tree.typeOf(walk.slot), source.tree.payloadOf(walk.slot));
      if (++checked % NODES_PER_STEP === 0) yield;
    }
  }
  const batch = new RowBatch(edit, edit.draft(target.tree));
  // Copies of the nodes on the way down: the parent of the next copy is one level up.
  const line: number[] = [];
  let first = NO_SLOT;
  let seen = 0;
  for (const walk = new BranchWalk(source.tree, source.slot); walk.next();) {
    const parent = walk.depth === 0 ? target.slot : (line[walk.depth - 1] as number);
    const tags = source.tree.tagsOf(walk.slot);
    const made = batch.add(parent, {
      t: source.tree.typeOf(walk.slot),
      ...(mode === "reference" ? { r: walk.slot } : { p: source.tree.payloadOf(walk.slot) }),
      ...(tags.length === 0 ? {} : { g: tags }),
    });
    line[walk.depth] = made;
    if (first === NO_SLOT) first = made;
    if (++seen % NODES_PER_STEP === 0) yield;
  }
  batch.flush();
  return edit.done({ nodeId: nodeIdOf(target.tree.facts.ordinal, first), nodes, mode });
}

/**
 * As {@link copySubtreeSteps}, at once. Blocks for the whole branch.
 *
 * @example copySubtree(forest, { sourceId: "n1", targetParentId: "n4" }).result.nodeId
 */
export function copySubtree(
  forest: Forest,
  input: Parameters<typeof copySubtreeSteps>[1],
  caller?: Caller,
): Changed<{ nodeId: string; nodes: number; mode: CopyMode }> {
  return runNow(copySubtreeSteps(forest, input, caller));
}

/**
 * Copies one node without its children. O(depth). Throws `not_found`, `too_deep`, `too_many_nodes`, and what the
 * target's types refuse.
 *
 * @example cloneNode(forest, { nodeId: "n1", targetParentId: "n0" }).result.nodeId
 */
export function cloneNode(
  forest: Forest,
  input: { readonly nodeId: string; readonly targetParentId: string },
  caller: Caller = {},
): Changed<{ nodeId: string; parentNodeId: string }> {
  checkFieldNames(say`cloneNode`, input, { nodeId: true, targetParentId: true });
  const edit = new ForestEdit(forest, caller);
  const node = forest.node(input.nodeId);
  const target = forest.node(input.targetParentId);
  const type = node.tree.typeOf(node.slot);
  const payload = node.tree.payloadOf(node.slot);
  if (node.tree !== target.tree) checkNodePayload(target.tree.facts.types, type, payload);
  refuseDepth(target.tree.depthOf(target.slot) + 1, edit.limits);
  const tags = node.tree.tagsOf(node.slot);
  const batch = new RowBatch(edit, edit.draft(target.tree));
  const slot = batch.add(target.slot, { t: type, p: payload, ...(tags.length === 0 ? {} : { g: tags }) });
  batch.flush();
  return edit.done({ nodeId: nodeIdOf(target.tree.facts.ordinal, slot), parentNodeId: input.targetParentId });
}
