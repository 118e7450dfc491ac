// The rules of history hold for trees, whatever was changed: checked by the suite that every slice takes.

import { join } from "node:path";
import { HoldfastError } from "../../src/errors.ts";
import { treeSlice, type TreesState } from "../../src/session/tree/tree-slice.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import {
  addChild,
  cloneNode,
  copySubtree,
  createTree,
  importMerge,
  moveAfter,
  moveBefore,
  moveNode,
  removeNode,
  sortChildren,
  tagNode,
  updatePayload,
  updatePayloadProperty,
  BranchWalk,
  type Changed,
  type Forest,
  type TreeOp,
} from "../../src/tree/operations.ts";
import { scratch } from "../store/scratch.ts";
import { historySuite, type SliceUnderTest } from "./history-suite.ts";
import { below, pick, type Random } from "./random.ts";

function idsOf(forest: Forest): string[] {
  const ids: string[] = [];
  for (const tree of forest.trees)
    for (const walk = new BranchWalk(tree, 0); walk.next();) ids.push(tree.idOf(walk.slot));
  return ids;
}

/** One change of any kind; undefined where the dice ask for something that is refused. */
function changeOf(forest: Forest, random: Random): Changed<unknown> | undefined {
  const ids = idsOf(forest);
  if (ids.length === 0 || (forest.trees.length < 3 && random() < 0.05))
    return createTree(forest, { payloadProps: { name: pick(random, ["plan", "list"]) } });
  const one = (): string => pick(random, ids);
  const name = (): string => pick(random, ["a", "b", "c"]);
  const kinds: (() => Changed<unknown>)[] = [
    () =>
      addChild(forest, {
        parentNodeId: one(),
        payloadType: pick(random, ["Task", "Note"]),
        payloadProps: { name: name(), prio: below(random, 9) },
      }),
    () => addChild(forest, { parentNodeId: one(), payloadType: "Task", payloadProps: { name: name() } }),
    () =>
      updatePayloadProperty(forest, {
        nodeId: one(),
        propertyName: pick(random, ["name", "prio", "x"]),
        newValue: below(random, 5),
      }),
    () => updatePayload(forest, { nodeId: one(), patch: { x: name(), y: { z: below(random, 3) } } }),
    () => removeNode(forest, { nodeId: one() }),
    () => moveNode(forest, { nodeId: one(), newParentId: one() }),
    () => moveBefore(forest, { nodeId: one(), siblingId: one() }),
    () => moveAfter(forest, { nodeId: one(), siblingId: one() }),
    () => sortChildren(forest, { parentId: one(), byProp: "prio" }),
    () =>
      copySubtree(forest, {
        sourceId: one(),
        targetParentId: one(),
        mode: pick(random, ["duplicate", "reference"]),
      }),
    () => cloneNode(forest, { nodeId: one(), targetParentId: one() }),
    () => tagNode(forest, { nodeId: one(), tags: [name()] }),
    () => tagNode(forest, { nodeId: one(), remove: [name()] }),
    () =>
      importMerge(forest, {
        json: { NodeId: `x${below(random, 4)}`, PayloadType: "Note", name: name(), Children: [] },
        tree: pick(random, forest.trees).id,
      }),
  ];
  if (ids.length > 60) return removeNode(forest, { nodeId: one() });
  return pick(random, kinds)();
}

const trees: SliceUnderTest<TreesState, TreeOp> = {
  name: "trees",
  slice: treeSlice,
  isHidden: (change) => change.op === "place" && change.items.some(({ from }) => from?.removed === true),
  async change({ forest }, random) {
    try {
      const [op] = changeOf(forest, random)?.ops ?? [];
      return op;
    } catch (error) {
      if (HoldfastError.is(error)) return undefined;
      throw error;
    }
  },
  view({ forest }) {
    const seen: Record<string, unknown[]> = {};
    for (const tree of forest.trees) {
      const nodes: unknown[] = [tree.facts.name];
      for (const walk = new BranchWalk(tree, 0); walk.next();)
        nodes.push([
          walk.depth,
          tree.idOf(walk.slot),
          tree.typeOf(walk.slot),
          tree.payloadOf(walk.slot),
          tree.tagsOf(walk.slot),
        ]);
      seen[tree.id] = nodes;
    }
    return seen;
  },
  scopes: ({ forest }) => forest.trees.map(({ id }) => id),
  within: (view, scope) => [(view as Record<string, unknown>)[scope]],
};

const root = scratch("memory");
let stores = 0;
const onDisk = () => sqliteStore({ directory: join(root, String(++stores)) });

historySuite(trees);
historySuite({ ...trees, name: "trees, in SQLite" }, { store: onDisk, runs: 5 });
