// Owns: small checks that several changes share: same tree, depth, text arguments, what shares a payload.

import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { nearest } from "../text/nearest.ts";
import type { NodeRecords } from "./tree.ts";
import { measureSteps, BranchWalk } from "./walk.ts";
import type { Steps } from "./steps.ts";

/** Nodes walked to learn a height exactly; larger branches use the tree's bound. */
const EXACT = 256;

/** Levels below a node: exact for small branches, else an upper bound from the tree's deepest node. O(1) to O(256). */
export function heightBound(nodes: NodeRecords, slot: number): number {
  let height = 0;
  let seen = 0;
  for (const walk = new BranchWalk(nodes, slot); walk.next();) {
    if (walk.depth > height) height = walk.depth;
    if (++seen > EXACT) return Math.max(height, nodes.deepest - nodes.depthOf(slot));
  }
  return height;
}

/** Refuses a branch that would be too deep under a parent. Walks all of it only when the bound leaves it in doubt. */
export function* refuseHeight(
  nodes: NodeRecords,
  slot: number,
  parent: number,
  limits: Limits,
): Steps<undefined> {
  const top = nodes.depthOf(parent) + 1;
  if (top + heightBound(nodes, slot) < limits.treeDepth) return undefined;
  const { height } = yield* measureSteps(nodes, slot);
  refuseDepth(top + height, limits);
  return undefined;
}

/** `depth` counts from 0, so a tree of 1,024 levels ends at depth 1,023. */
export function refuseDepth(depth: number, limits: Limits): void {
  if (depth >= limits.treeDepth)
    throw new HoldfastError(
      "invalid_argument",
      "too_deep",
      say`A tree has at most ${limits.treeDepth} levels. Put the node higher up, or make the branch flatter.`,
      { data: { limit: limits.treeDepth } },
    );
}

/** The other live nodes that share a node's payload. */
export function sharers(nodes: NodeRecords, slot: number): string[] {
  const ids: string[] = [];
  for (let at = nodes.twinOf(slot); at !== slot; at = nodes.twinOf(at))
    if (nodes.isLive(at)) ids.push(nodes.idOf(at));
  return ids;
}

/** ` Did you mean "x"?`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): Shown {
  const near = nearest(name, known);
  return near === undefined ? say`` : say` Did you mean ${echo(near)}?`;
}

/** A text argument within its bounds. */
export function takeText(value: unknown, what: Shown, max: number): string {
  if (typeof value === "string" && value !== "" && value.length <= max) return value;
  throw new HoldfastError(
    "invalid_argument",
    "bad_text",
    say`${what} must be text of 1 to ${max} characters${typeof value === "string" ? say`, not ${echo(value, 40)}` : say``}.`,
  );
}

/** A list of texts within its bounds, each once. */
export function takeTexts(value: unknown, what: Shown, max: number, count: number): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > count)
    throw new HoldfastError(
      "invalid_argument",
      "bad_list",
      say`${what} must be a list of at most ${count} texts.`,
    );
  return [...new Set(value.map((text) => takeText(text, what, max)))];
}
