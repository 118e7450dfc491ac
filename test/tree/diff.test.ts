import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addChild,
  apply,
  copySubtree,
  createTree,
  diff,
  diffForest,
  diffSubtree,
  diffText,
  EMPTY_FOREST,
  moveAfter,
  moveBefore,
  moveNode,
  removeNode,
  sortChildren,
  tagNode,
  updatePayload,
  updatePayloadProperty,
  type Forest,
  type TreeDiff,
} from "../../src/tree/operations.ts";
import { forestOf } from "./_build.ts";
import { shown } from "./_shown.ts";

const plan = forestOf("Plan plan { Task a prio=3 { Note x Note y } Task b Task c Task d }");
// n0 plan, n1 a, n2 x, n3 y, n4 b, n5 c, n6 d

const from = (b: Forest): TreeDiff => diff(plan.tree(), b.tree());
const brief = (d: TreeDiff): Record<string, string> =>
  Object.fromEntries(
    Object.entries(d)
      .filter(([, list]: [string, readonly unknown[]]) => list.length > 0)
      .map(([key, list]: [string, readonly { nodeId: string }[]]) => [
        key,
        list.map((node) => node.nodeId).join(" "),
      ]),
  );

describe("versions of one tree", () => {
  test("[TREE-83] every kind of change is listed under its name", () => {
    expect(brief(from(plan))).toEqual({});
    const changed = from(updatePayload(plan, { nodeId: "n1", patch: { prio: 5, meta: { k: [1] } } }).forest);
    expect(changed.changed).toEqual([
      {
        nodeId: "n1",
        type: "Task",
        name: "a",
        path: "plan/a",
        changes: [
          { path: "prio", was: 3, now: 5 },
          { path: "meta", now: { k: [1] } },
        ],
      },
    ]);
    const nested = updatePayload(plan, { nodeId: "n1", patch: { meta: { k: 1, l: 2 } } }).forest;
    const inner = updatePayloadProperty(nested, { nodeId: "n1", propertyName: "meta.l", newValue: 3 }).forest;
    expect(diff(nested.tree(), inner.tree()).changed[0]?.changes).toEqual([
      { path: "meta.l", was: 2, now: 3 },
    ]);
    expect(from(tagNode(plan, { nodeId: "n2", tags: ["t"] }).forest).tags).toMatchObject([
      { nodeId: "n2", added: ["t"], removed: [] },
    ]);
    const there = updatePayloadProperty(plan, { nodeId: "n1", propertyName: "prio", newValue: 9 }).forest;
    expect(
      brief(from(updatePayloadProperty(there, { nodeId: "n1", propertyName: "prio", newValue: 3 }).forest)),
    ).toEqual({});
  });

  test("[TREE-84] a branch stands once, by its top, with the number of its nodes", () => {
    const added = copySubtree(plan, { sourceId: "n1", targetParentId: "n4" }).forest;
    expect(from(added).added).toMatchObject([
      { nodeId: "n7", nodes: 3, parentNodeId: "n4", path: "plan/b/a" },
    ]);
    const removed = removeNode(plan, { nodeId: "n1" }).forest;
    expect(from(removed).removed).toMatchObject([{ nodeId: "n1", nodes: 3, parentNodeId: "n0" }]);
    expect(diff(removed.tree(), plan.tree()).added).toMatchObject([{ nodeId: "n1", nodes: 3 }]);
    // A node that moved into a new branch counts as moved, not as new.
    let mixed = addChild(plan, {
      parentNodeId: "n0",
      payloadType: "Task",
      payloadProps: { name: "new" },
    }).forest;
    mixed = moveNode(mixed, { nodeId: "n1", newParentId: "n7" }).forest;
    expect(from(mixed).added).toMatchObject([{ nodeId: "n7", nodes: 1 }]);
    expect(brief(from(mixed))).toEqual({ added: "n7", moved: "n1" });
    // Edits inside a branch that is gone do not show.
    const edited = updatePayload(plan, { nodeId: "n2", patch: { k: 1 } }).forest;
    expect(brief(from(removeNode(edited, { nodeId: "n1" }).forest))).toEqual({ removed: "n1" });
  });

  test("[TREE-85] a move is a move, another place among siblings is a reorder", () => {
    expect(from(moveNode(plan, { nodeId: "n2", newParentId: "n4" }).forest).moved).toMatchObject([
      { nodeId: "n2", from: "n1", to: "n4" },
    ]);
    expect(from(moveBefore(plan, { nodeId: "n6", siblingId: "n1" }).forest).reordered).toMatchObject([
      { nodeId: "n0", children: ["n6"] },
    ]);
    expect(from(moveAfter(plan, { nodeId: "n1", siblingId: "n5" }).forest).reordered).toMatchObject([
      { nodeId: "n0", children: ["n1"] },
    ]);
    // Coming and going of others is no reorder.
    const fewer = removeNode(removeNode(plan, { nodeId: "n4" }).forest, { nodeId: "n6" }).forest;
    expect(brief(from(fewer))).toEqual({ removed: "n4 n6" });
    const more = addChild(plan, { parentNodeId: "n0", payloadType: "T" }).forest;
    expect(brief(from(moveBefore(more, { nodeId: "n7", siblingId: "n4" }).forest))).toEqual({ added: "n7" });
    const sorted = sortChildren(plan, { parentId: "n0", byProp: "name", direction: "desc" }).forest;
    expect(from(sorted).reordered[0]?.children).toHaveLength(3);
  });

  test("[TREE-83] its cost follows the changes: one edit in a tree of 100,000 looks at a page or two", () => {
    const { forest } = createTree(EMPTY_FOREST);
    const rows = Array.from({ length: 100_000 }, (_, i) => ({
      s: i + 1,
      u: 0,
      a: i === 0 ? -1 : i,
      t: "T",
      p: { k: i },
    }));
    const big = apply(forest, { slice: "tree", op: "insert", tree: "t1", rows });
    const edited = updatePayload(big, { nodeId: "n5k", patch: { k: -1 } }).forest;
    const moved = moveBefore(edited, { nodeId: "n1", siblingId: "n9" }).forest;
    let looked = 0;
    const tree = moved.tree();
    const watch = Object.create(tree) as typeof tree;
    watch.nextOf = (slot) => {
      looked++;
      return tree.nextOf(slot);
    };
    expect(brief(diff(big.tree(), edited.tree()))).toEqual({ changed: "n5k" });
    // Only a real reorder walks the children, and only to name them.
    const added = addChild(edited, { parentNodeId: "n0", payloadType: "T" }).forest;
    const spy = Object.assign(Object.create(added.tree()) as typeof tree, {
      nextOf: (slot: number) => watch.nextOf(slot),
    });
    expect(brief(diff(edited.tree(), spy))).toEqual({ added: "n255t" });
    expect(looked).toBeLessThan(10);
  });

  test("[TREE-83] diff names exactly what differs, for random edits", () => {
    const edits = fc.array(fc.tuple(fc.nat(5), fc.nat(100), fc.nat(100)), { maxLength: 12, size: "max" });
    fc.assert(
      fc.property(edits, edits, (first, second) => {
        const a = run(plan, first);
        const b = run(a, second);
        const d = diff(a.tree(), b.tree());
        const before = new Map((shown(a.tree()) as Shown[]).map((node) => [node.id, node]));
        const after = new Map((shown(b.tree()) as Shown[]).map((node) => [node.id, node]));
        const both = [...after.keys()].filter((id) => before.has(id));
        const ids = (list: readonly { nodeId: string }[]): string[] => list.map((node) => node.nodeId).sort();
        expect(ids(d.moved)).toEqual(
          both.filter((id) => before.get(id)?.parent !== after.get(id)?.parent).sort(),
        );
        expect(ids(d.changed)).toEqual(
          both
            .filter((id) => JSON.stringify(sorted(before.get(id))) !== JSON.stringify(sorted(after.get(id))))
            .sort(),
        );
        expect(d.added.reduce((sum, node) => sum + node.nodes, 0)).toBe(after.size - both.length);
        expect(d.removed.reduce((sum, node) => sum + node.nodes, 0)).toBe(before.size - both.length);
        const orderOf = (node: Shown | undefined, other: Shown | undefined): string =>
          (node?.children ?? []).filter((id) => other?.children.includes(id)).join();
        expect(ids(d.reordered)).toEqual(
          both
            .filter((id) => orderOf(before.get(id), after.get(id)) !== orderOf(after.get(id), before.get(id)))
            .sort(),
        );
      }),
      { numRuns: 300 },
    );
  });
});

interface Shown {
  id: string;
  parent: string | null;
  children: string[];
  payload: Record<string, unknown>;
}

const sorted = (node: Shown | undefined): unknown =>
  Object.entries(node?.payload ?? {}).sort(([x], [y]) => (x < y ? -1 : 1));

function run(start: Forest, edits: readonly (readonly [number, number, number])[]): Forest {
  let forest = start;
  for (const [what, x, y] of edits) {
    const ids = (shown(forest.tree()) as Shown[]).map((node) => node.id);
    const a = ids[x % ids.length] as string;
    const b = ids[y % ids.length] as string;
    try {
      if (what === 0) ({ forest } = addChild(forest, { parentNodeId: a, payloadType: "T" }));
      if (what === 1) ({ forest } = removeNode(forest, { nodeId: a }));
      if (what === 2) ({ forest } = moveNode(forest, { nodeId: a, newParentId: b }));
      if (what === 3) ({ forest } = moveBefore(forest, { nodeId: a, siblingId: b }));
      if (what === 4)
        ({ forest } = updatePayloadProperty(forest, { nodeId: a, propertyName: "k", newValue: y % 3 }));
      if (what === 5)
        ({ forest } = copySubtree(forest, { sourceId: a, targetParentId: b, mode: "reference" }));
    } catch {
      // Refused: nothing happened.
    }
  }
  return forest;
}

describe("other differences", () => {
  test("[TREE-83] between forests: trees made and dropped too", () => {
    const two = createTree(plan).forest;
    expect(diffForest(plan, two)).toEqual({ created: ["t2"], dropped: [], trees: [] });
    const dropped = apply(two, { slice: "tree", op: "drop", tree: "t2" });
    expect(diffForest(two, dropped)).toEqual({ created: [], dropped: ["t2"], trees: [] });
    const edited = updatePayload(two, { nodeId: "n1", patch: { k: 1 } }).forest;
    expect(diffForest(two, edited).trees.map((entry) => entry.tree)).toEqual(["t1"]);
    expect(diffForest(two, edited, "tree:t2").trees).toEqual([]);
  });

  test("[TREE-86] two branches are compared by names", () => {
    let forest = copySubtree(plan, { sourceId: "n1", targetParentId: "n0" }).forest; // n7 a, n8 x, n9 y
    expect(brief(diffSubtree(forest, { aId: "n1", bId: "n7" }))).toEqual({});
    forest = updatePayloadProperty(forest, { nodeId: "n8", propertyName: "k", newValue: 1 }).forest;
    forest = addChild(forest, {
      parentNodeId: "n7",
      payloadType: "Note",
      payloadProps: { name: "z" },
    }).forest;
    forest = moveNode(forest, { nodeId: "n9", newParentId: "n8" }).forest;
    const d = diffSubtree(forest, { aId: "n1", bId: "n7" });
    expect(brief(d)).toEqual({ changed: "n8", added: "na", moved: "n9" });
    expect(d.moved[0]).toMatchObject({ from: "n1", to: "n8" });
    const back = diffSubtree(forest, { aId: "n7", bId: "n1" });
    expect(brief(back)).toMatchObject({ removed: "na" });
    const turned = moveBefore(copySubtree(plan, { sourceId: "n1", targetParentId: "n0" }).forest, {
      nodeId: "n9",
      siblingId: "n8",
    }).forest;
    expect(diffSubtree(turned, { aId: "n1", bId: "n7" }).reordered).toHaveLength(1);
  });

  test("[TREE-87] text: a line for each entry, and what is left out is counted", () => {
    let b = updatePayload(plan, { nodeId: "n1", patch: { prio: 5, note: "new" } }).forest;
    b = removeNode(b, { nodeId: "n4" }).forest;
    b = moveNode(b, { nodeId: "n2", newParentId: "n5" }).forest;
    b = addChild(b, { parentNodeId: "n0", payloadType: "Task", payloadProps: { name: "e/f" } }).forest;
    b = tagNode(b, { nodeId: "n3", tags: ["t"] }).forest;
    b = moveBefore(b, { nodeId: "n6", siblingId: "n1" }).forest;
    expect(diffText(from(b))).toBe(
      [
        '+ n7 Task "plan/e\\\\/f"',
        "- n4 Task plan/b",
        "> n2 Note plan/c/x from n1 to n5",
        "~ n0 Plan plan children reordered: n6",
        "* n1 Task plan/a prio: 3 -> 5",
        '* n1 Task plan/a note: (none) -> "new"',
        "* n3 Note plan/a/y tags: +t",
      ].join("\n"),
    );
    expect(diffText(from(b), 3).split("\n").at(-1)).toBe("... 5 more");
    expect(diffText(from(plan))).toBe("No difference.");
  });
});
