import { describe, expect, test } from "vitest";
import {
  addChild,
  apply,
  applyAll,
  createTree,
  decodeSync,
  diff,
  EMPTY_FOREST,
  encode,
  expandAll,
  getPath,
  getSubtree,
  invert,
  listChildren,
  moveBefore,
  moveNode,
  NO_VIEWS,
  removeNode,
  sameForest,
  search,
  selectNodes,
  sortChildren,
  tagNode,
  takeRuleset,
  updatePayloadProperty,
  validateTree,
  type Forest,
  type NodeRow,
  type TreeOp,
} from "../../src/tree/operations.ts";
import { changedSlotsSteps } from "../../src/tree/_delta.ts";
import { runNow } from "../../src/tree/steps.ts";
import { PAGE } from "../../src/tree/_page.ts";
import { readingOf } from "./_build.ts";
import { shown } from "./_shown.ts";

const WIDE = process.env["HOLDFAST_LONG"] === "1" ? 1_000_000 : 100_000;

function wide(count: number): Forest {
  const { forest } = createTree(EMPTY_FOREST);
  const rows = Array.from({ length: count }, (_, i): NodeRow => ({
    s: i + 1,
    u: 0,
    a: i === 0 ? -1 : i,
    t: "T",
    p: { k: i % 10 },
  }));
  return apply(forest, { slice: "tree", op: "insert", tree: "t1", rows });
}

/** Pages that two versions do not share. */
function pagesBetween(a: Forest, b: Forest): number {
  return new Set(runNow(changedSlotsSteps(a.tree(), b.tree())).map((slot) => Math.floor(slot / PAGE))).size;
}

describe("the store", () => {
  test("[TREE-10] a kept tree never changes", () => {
    const start = wide(500);
    const before = shown(start.tree());
    let forest = start;
    for (let i = 1; i < 200; i++) {
      forest = updatePayloadProperty(forest, {
        nodeId: `n${i.toString(36)}`,
        propertyName: "k",
        newValue: -i,
      }).forest;
      forest = moveNode(forest, { nodeId: `n${i.toString(36)}`, newParentId: "ndu" }).forest;
      forest = tagNode(forest, { nodeId: "n3", tags: [`t${i % 60}`] }).forest;
    }
    expect(shown(start.tree())).toEqual(before);
  });

  test("[TREE-10] [TREE-83] edits far apart in a large tree show in the new version, and nowhere else", () => {
    const start = wide(100_000);
    const places = [1, 31, 32, 1_023, 1_024, 32_767, 32_768, 65_535, 65_536, 99_999, 100_000];
    let forest = start;
    for (const at of places)
      forest = updatePayloadProperty(forest, {
        nodeId: `n${at.toString(36)}`,
        propertyName: "k",
        newValue: `edit ${at}`,
      }).forest;
    expect(runNow(changedSlotsSteps(start.tree(), forest.tree()))).toEqual(places);
    const again = decodeSync(encode(forest)).tree();
    for (let slot = 1; slot <= 100_000; slot++) {
      const now = places.includes(slot) ? `edit ${slot}` : (slot - 1) % 10;
      if (start.tree().payloadOf(slot)["k"] !== (slot - 1) % 10) expect(slot).toBe("unchanged before");
      if (forest.tree().payloadOf(slot)["k"] !== now) expect(slot).toBe("as edited");
      if (again.payloadOf(slot)["k"] !== now) expect(slot).toBe("as edited, after reading it back");
    }
  });

  test("[TREE-4] a slot left out holds no node, and the nodes beside it are found", () => {
    const { forest } = createTree(EMPTY_FOREST);
    const rows: NodeRow[] = [1, 2, 5].map((s) => ({ s, u: 0, t: "T" }));
    const sparse = apply(forest, { slice: "tree", op: "insert", tree: "t1", rows });
    expect(["n1", "n2", "n3", "n4", "n5", "n6"].map((id) => sparse.find(id)?.slot)).toEqual([
      1,
      2,
      undefined,
      undefined,
      5,
      undefined,
    ]);
    const less = removeNode(sparse, { nodeId: "n2" }).forest;
    expect(["n1", "n2", "n5"].map((id) => less.find(id)?.slot)).toEqual([1, undefined, 5]);
    expect(["n1", "n2", "n5"].map((id) => less.tree().slotOf(id))).toEqual([1, 2, 5]);
  });

  test("[TREE-4] [TREE-11] a node is removed in the versions it was removed in, whatever was asked of others", () => {
    let base = wide(100);
    base = addChild(base, { parentNodeId: "n1", payloadType: "T" }).forest;
    base = addChild(base, { parentNodeId: "n2", payloadType: "T" }).forest;
    base = removeNode(base, { nodeId: "n2" }).forest;
    const row = (u: number): Forest =>
      apply(base, { slice: "tree", op: "insert", tree: "t1", rows: [{ s: 103, u, t: "T" }] });
    const versions = [
      ["under a live node", row(101), true],
      ["under a removed node", row(102), false],
      ["under nothing", row(500), false],
      ["under a live node again", row(1), true],
      ["removed with its branch", removeNode(row(101), { nodeId: "n1" }).forest, false],
    ] as const;
    for (let round = 0; round < 2; round++)
      for (const [what, forest, live] of versions) {
        const asked = [103, 102, 100].map((slot) => forest.tree().isLive(slot));
        expect([what, ...asked]).toEqual([what, live, false, true]);
      }
  });

  test("[TREE-2] [TREE-4] a branch too large to mark is removed and revived like any other, marked ones inside included", () => {
    const count = 20_000;
    const rows = Array.from({ length: count }, (_, i): NodeRow => ({ s: i + 1, u: i === 0 ? 0 : 1, t: "T" }));
    const { forest } = createTree(EMPTY_FOREST);
    const base = apply(forest, { slice: "tree", op: "insert", tree: "t1", rows });
    const live = (of: Forest): boolean[] => [0, 1, 5, 6, count].map((slot) => of.tree().isLive(slot));
    const small = removeNode(base, { nodeId: "n5" });
    expect(live(small.forest)).toEqual([true, true, false, true, true]);
    const large = removeNode(small.forest, { nodeId: "n1" });
    expect(live(large.forest)).toEqual([true, false, false, false, false]);
    expect(live(decodeSync(encode(large.forest)))).toEqual([true, false, false, false, false]);
    const undo = (from: Forest, ops: readonly TreeOp[]): Forest =>
      applyAll(from, [...ops].reverse().map(invert));
    const back = undo(large.forest, large.ops);
    expect(live(back)).toEqual([true, true, false, true, true]);
    expect(live(decodeSync(encode(back)))).toEqual([true, true, false, true, true]);
    expect(live(undo(back, small.ops))).toEqual([true, true, true, true, true]);
    expect(live(undo(undo(large.forest, small.ops), large.ops))).toEqual([true, true, true, true, true]);
  });

  test("[TREE-11] two changes from one forest do not see each other", () => {
    const base = wide(100);
    const a = addChild(base, { parentNodeId: "n1", payloadType: "A", payloadProps: { a: 1 } });
    const b = addChild(base, { parentNodeId: "n1", payloadType: "B", payloadProps: { b: 2 } });
    expect(a.result.nodeId).toBe(b.result.nodeId);
    expect(a.forest.tree().payloadOf(101)).toEqual({ a: 1 });
    expect(b.forest.tree().payloadOf(101)).toEqual({ b: 2 });
    expect(base.tree().typeNames).toEqual(["Root", "T"]);
    expect(base.tree().live).toBe(101);
  });

  test("[TREE-13] a move beside a sibling touches as few pages among a million as among ten", () => {
    const few = wide(10);
    const many = wide(WIDE);
    const last = `n${WIDE.toString(36)}`;
    const small = pagesBetween(few, moveBefore(few, { nodeId: "na", siblingId: "n3" }).forest);
    const large = pagesBetween(many, moveBefore(many, { nodeId: last, siblingId: "n3" }).forest);
    expect(small).toBe(1);
    expect(large).toBeLessThanOrEqual(3);
    expect(
      pagesBetween(
        many,
        updatePayloadProperty(many, { nodeId: last, propertyName: "k", newValue: 99 }).forest,
      ),
    ).toBe(1);
    expect(pagesBetween(many, removeNode(many, { nodeId: "n5k" }).forest)).toBeLessThanOrEqual(2);
  });

  test("[TREE-15] a parent of very many children works in every function", () => {
    const forest = wide(WIDE);
    const reading = readingOf(forest);
    expect(listChildren(reading, { nodeId: "n0", limit: 5 }).total).toBe(WIDE);
    expect(search(reading, { filters: [{ path: "k", op: "eq", value: 3 }], limit: 1 }).total).toBe(WIDE / 10);
    expect(selectNodes(reading, { queryDsl: "T[k=3]:has(+ T[k=4])", limit: 1 }).total).toBe(WIDE / 10);
    expect(getSubtree(reading, { nodeId: "n0" }).nodes).toBe(50);
    expect(expandAll(NO_VIEWS, forest, { rootNodeId: "n0" }).result.nodes).toBe(WIDE + 1);
    const sorted = sortChildren(forest, { parentId: "n0", byProp: "k", direction: "desc" });
    expect(sorted.forest.tree().payloadOf(sorted.forest.tree().firstOf(0))).toEqual({ k: 9 });
    expect(diff(forest.tree(), sorted.forest.tree()).reordered).toHaveLength(1);
    expect(sameForest(decodeSync(encode(sorted.forest)), sorted.forest)).toBe(true);
    expect(
      validateTree(
        forest,
        takeRuleset({
          id: "r",
          rules: [
            { rule: "range", property: "k", max: 8 },
            { rule: "unique", property: "zz" },
          ],
        }),
      ).total,
    ).toBe(WIDE / 10);
    expect(
      removeNode(addChild(forest, { parentNodeId: "n7", payloadType: "T" }).forest, { nodeId: "n7" }).result
        .nodes,
    ).toBe(2);
  });

  test("[TREE-15] a tree of the full depth works in every function", () => {
    const { forest } = createTree(EMPTY_FOREST);
    const rows = Array.from({ length: 1_023 }, (_, i): NodeRow => ({
      s: i + 1,
      u: i,
      ...(i === 0 ? { a: -1 } : {}),
      t: "T",
      p: { name: `d${i}` },
    }));
    const op = { slice: "tree", op: "insert", tree: "t1", rows } as const;
    const deep = applyAll(forest, [op]);
    const reading = readingOf(deep);
    expect(getPath(deep, { nodeId: "nsf" })).toHaveLength(1_024);
    expect(selectNodes(reading, { queryDsl: "T T T T:leaf" }).total).toBe(1);
    expect(selectNodes(reading, { queryDsl: "T:has(T T T:leaf)" }).total).toBe(1_020);
    expect(JSON.stringify(getSubtree(reading, { nodeId: "n0", pageSize: 200 }).root).length).toBeGreaterThan(
      1_000,
    );
    expect(sameForest(decodeSync(encode(deep)), deep)).toBe(true);
    expect(removeNode(deep, { nodeId: "n1" }).result.nodes).toBe(1_023);
  });
});
