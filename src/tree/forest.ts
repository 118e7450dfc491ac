// Owns: Forest, all trees of a session as one immutable value, and finding nodes in it.
// Must never: change; `with` makes the next one.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { NO_SLOT } from "./_page.ts";
import { parseNodeId, treeIdOf } from "./node-id.ts";
import type { Tree } from "./tree.ts";

/** A live node. */
export interface Found {
  /** The tree it is in. */
  readonly tree: Tree;
  /** Where the node is in its tree's columns. */
  readonly slot: number;
}

/** All trees of a session as one immutable value: a version of everything. Holding it is a snapshot, O(1). */
export class Forest {
  /** Every tree ever made, by id; dropped ones too, since they can be raised again. */
  readonly all: ReadonlyMap<string, Tree>;

  constructor(all: ReadonlyMap<string, Tree> = new Map()) {
    this.all = all;
  }

  /** Trees in sight, in the order of their making. */
  get trees(): Tree[] {
    return [...this.all.values()].filter((tree) => !tree.facts.dropped);
  }

  /** The ordinal of the next tree. Never one that was used. */
  get nextOrdinal(): number {
    return this.all.size + 1;
  }

  /** The same with one tree replaced or added. Costs a copy of the list of trees. */
  with(tree: Tree): Forest {
    const all = new Map(this.all);
    all.set(tree.id, tree);
    return new Forest(all);
  }

  /** A live node anywhere; `undefined` when there is none. O(depth + trees). */
  find(id: string): Found | undefined {
    const own = parseNodeId(id);
    const candidates = own === undefined ? this.all.values() : [this.all.get(treeIdOf(own.ordinal))];
    for (const tree of candidates) {
      if (tree === undefined || tree.facts.dropped) continue;
      const slot = tree.find(id);
      if (slot !== NO_SLOT) return { tree, slot };
    }
    return undefined;
  }

  /** A live node, or `not_found` saying whether it was removed. */
  node(id: string): Found {
    requireId(id, say`A node`);
    const found = this.find(id);
    if (found !== undefined) return found;
    const removed = [...this.all.values()].some((tree) => tree.slotOf(id) !== NO_SLOT);
    throw new HoldfastError(
      "not_found",
      removed ? "node_removed" : "node_not_found",
      removed
        ? say`Node ${echo(id)} was removed. Undo the removal to get it back, or search for another node.`
        : say`There is no node ${echo(id)}. Use search or select_nodes to find ids.`,
      { data: { nodeId: echo(id) } },
    );
  }

  /** The tree a caller named, or the only one. */
  tree(id?: string): Tree {
    if (id !== undefined) {
      requireId(id, say`A tree`);
      const tree = this.all.get(id);
      if (tree !== undefined && !tree.facts.dropped) return tree;
      throw new HoldfastError(
        "not_found",
        "tree_not_found",
        this.trees.length === 0
          ? say`There is no tree ${echo(id)}, nor any other. Use create_tree.`
          : say`There is no tree ${echo(id)}. Trees: ${sayAll(this.trees.slice(0, 20).map((known) => echo(known.id)))}.`,
        { data: { tree: echo(id) } },
      );
    }
    const trees = this.trees;
    const [only] = trees;
    if (only !== undefined && trees.length === 1) return only;
    if (only === undefined)
      throw new HoldfastError("not_found", "tree_not_found", say`There is no tree yet. Use create_tree.`);
    throw new HoldfastError(
      "invalid_argument",
      "tree_required",
      say`There are ${trees.length} trees: say which with "tree": ${sayAll(trees.slice(0, 20).map((tree) => echo(tree.id)))}.`,
    );
  }

  /** The trees a query covers: the one named, else all. */
  scope(id?: string): readonly Tree[] {
    return id === undefined ? this.trees : [this.tree(id)];
  }
}

function requireId(id: unknown, what: Shown): void {
  if (typeof id === "string") return;
  throw new HoldfastError("invalid_argument", "bad_text", say`${what} is named by its id, which is text.`);
}

/** No trees: where every history begins. */
export const EMPTY_FOREST: Forest = new Forest();
