// Owns: what differs between two branches that are not versions of each other: compared by names.

import { say } from "../errors.ts";
import { checkFieldNames } from "../text/options.ts";
import { NO_SLOT } from "./_page.ts";
import type { Forest, Found } from "./forest.ts";
import { compare, describe, longestIncreasing, type PayloadChange, type TreeDiff } from "./diff.ts";
import { ChildMatcher, keyOf } from "./_child-matcher.ts";
import { nodeName } from "./payload.ts";
import { runNow, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { childrenOf, measureSteps, BranchWalk } from "./walk.ts";

/**
 * From branch `a` to branch `b`. Children match by name, the n-th of equal names with the n-th, nodes without a name by
 * type. A branch gone here and come there, unmistakable by name and type, has moved. O(nodes of both).
 */
export function* diffBranches(a: Found, b: Found): Steps<TreeDiff> {
  const matcher = new ChildMatcher(b.tree);
  const pairs: [number, number][] = [[a.slot, b.slot]];
  const gone: number[] = [];
  const come: number[] = [];
  const reordered = [];
  const changed = [];
  const tags = [];
  for (let i = 0; i < pairs.length; i++) {
    const [x, y] = pairs[i] as [number, number];
    if (i % 512 === 511) yield;
    const changes = changesOf(a.tree, x, b.tree, y);
    if (changes.length > 0) changed.push({ ...describe(b.tree, y), changes });
    const more = b.tree.tagsOf(y).filter((tag) => !a.tree.tagsOf(x).includes(tag));
    const less = a.tree.tagsOf(x).filter((tag) => !b.tree.tagsOf(y).includes(tag));
    if (more.length + less.length > 0) tags.push({ ...describe(b.tree, y), added: more, removed: less });
    const matched: number[] = [];
    for (const [at, child] of childrenOf(a.tree, x).entries()) {
      const key = keyOf(nodeName(a.tree.payloadOf(child)), a.tree.typeOf(child));
      const other = yield* matcher.takeSteps(y, key);
      if (at % 512 === 511) yield;
      if (other === NO_SLOT) gone.push(child);
      else {
        matched.push(other);
        pairs.push([child, other]);
      }
    }
    const there = new Set(matched);
    const kids = childrenOf(b.tree, y);
    for (const child of kids) if (!there.has(child)) come.push(child);
    const places = new Map(kids.map((slot, at) => [slot, at]));
    const inOrder = longestIncreasing(matched.map((slot) => places.get(slot) as number));
    if (inOrder.size < matched.length)
      reordered.push({
        ...describe(b.tree, y),
        children: matched.filter((_, at) => !inOrder.has(at)).map((slot) => b.tree.idOf(slot)),
      });
  }
  const moves = yield* pairMoves(a, gone, b, come);
  const moved = [];
  for (const [x, y] of moves) {
    const [from, to] = [a.tree.idOf(a.tree.parentOf(x)), b.tree.idOf(b.tree.parentOf(y))];
    moved.push({ ...describe(b.tree, y), from, to });
    yield;
  }
  const left = new Set(moves.map(([x]) => x));
  const arrived = new Set(moves.map(([, y]) => y));
  const removed = [];
  for (const slot of gone) if (!left.has(slot)) removed.push(yield* listed(a.tree, slot));
  const added = [];
  for (const slot of come) if (!arrived.has(slot)) added.push(yield* listed(b.tree, slot));
  return { added, removed, moved, reordered, changed, tags };
}

/**
 * As {@link diffBranches}, for two nodes of a forest by their ids. Throws `not_found` for an unknown one.
 *
 * @example const changed = await runPaced(diffSubtreeSteps(forest, { aId: "n1", bId: "n5" }));
 */
export function diffSubtreeSteps(
  forest: Forest,
  input: { readonly aId: string; readonly bId: string },
): Steps<TreeDiff> {
  checkFieldNames(say`diffSubtree`, input, { aId: true, bId: true });
  return diffBranches(forest.node(input.aId), forest.node(input.bId));
}

/**
 * As {@link diffSubtreeSteps}, at once. Blocks for the nodes of both branches. Throws `not_found` for an unknown node.
 *
 * @example diffText(diffSubtree(forest, { aId: "n1", bId: "n5" }))
 */
export function diffSubtree(forest: Forest, input: { readonly aId: string; readonly bId: string }): TreeDiff {
  return runNow(diffSubtreeSteps(forest, input));
}

function* listed(tree: Tree, slot: number): Steps<TreeDiff["added"][number]> {
  const { nodes } = yield* measureSteps(tree, slot);
  yield;
  return { ...describe(tree, slot), nodes, parentNodeId: tree.idOf(tree.parentOf(slot)) };
}

function changesOf(a: Tree, x: number, b: Tree, y: number): PayloadChange[] {
  const changes: PayloadChange[] = [];
  if (a.typeOf(x) !== b.typeOf(y)) changes.push({ path: "PayloadType", was: a.typeOf(x), now: b.typeOf(y) });
  compare(a.payloadOf(x), b.payloadOf(y), changes);
  return changes;
}

/** Branches that read the same, once gone and once come. */
function* pairMoves(
  a: Found,
  gone: readonly number[],
  b: Found,
  come: readonly number[],
): Steps<[number, number][]> {
  const texts = new Map<string, { gone: number[]; come: number[] }>();
  for (const [tree, slots, side] of [
    [a.tree, gone, "gone"],
    [b.tree, come, "come"],
  ] as const)
    for (const slot of slots) {
      const text = yield* reading(tree, slot);
      const entry = texts.get(text) ?? { gone: [], come: [] };
      entry[side].push(slot);
      texts.set(text, entry);
      yield;
    }
  const moves: [number, number][] = [];
  for (const entry of texts.values())
    if (entry.gone.length === 1 && entry.come.length === 1)
      moves.push([entry.gone[0] as number, entry.come[0] as number]);
  return moves;
}

/** A branch as text: shapes, types and payloads. */
function* reading(tree: Tree, slot: number): Steps<string> {
  const parts: string[] = [];
  for (const walk = new BranchWalk(tree, slot); walk.next();) {
    parts.push(`${walk.depth}${tree.typeOf(walk.slot)}${JSON.stringify(tree.payloadOf(walk.slot))}`);
    if (parts.length % 512 === 0) yield;
  }
  return parts.join("\n");
}
