// What a tree shows, in the form of the naive model, and its invariants.

import { expect } from "vitest";
import { NO_SLOT, ROOT_SLOT } from "../../src/tree/_page.ts";
import type { Tree } from "../../src/tree/tree.ts";
import { childrenOf, BranchWalk } from "../../src/tree/walk.ts";

export function shown(tree: Tree): unknown[] {
  const list: unknown[] = [];
  for (const walk = new BranchWalk(tree, ROOT_SLOT); walk.next();) {
    const { slot } = walk;
    const parent = tree.parentOf(slot);
    list.push({
      id: tree.idOf(slot),
      type: tree.typeOf(slot),
      payload: tree.payloadOf(slot),
      tags: [...tree.tagsOf(slot)],
      parent: parent === NO_SLOT ? null : tree.idOf(parent),
      children: childrenOf(tree, slot).map((child) => tree.idOf(child)),
    });
  }
  return list;
}

/** Links agree with each other in both directions, counts with links, bounds with depths. */
export function expectSound(tree: Tree): void {
  let live = 0;
  let deepest = 0;
  for (const walk = new BranchWalk(tree, ROOT_SLOT); walk.next();) {
    live++;
    deepest = Math.max(deepest, walk.depth);
    const children = childrenOf(tree, walk.slot);
    expect(tree.countOf(walk.slot)).toBe(children.length);
    expect(tree.lastOf(walk.slot)).toBe(children.at(-1) ?? NO_SLOT);
    children.forEach((child, i) => {
      expect(tree.parentOf(child)).toBe(walk.slot);
      expect(tree.prevOf(child)).toBe(children[i - 1] ?? NO_SLOT);
    });
  }
  expect(tree.live).toBe(live);
  expect(tree.deepest).toBeGreaterThanOrEqual(deepest);
}
