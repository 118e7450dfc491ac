import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { resolveLimits } from "../../src/limits.ts";
import {
  addChild,
  apply,
  applyAll,
  between,
  copySubtree,
  createTree,
  decode,
  decodeSync,
  EMPTY_FOREST,
  encode,
  importMerge,
  invert,
  keysOf,
  moveAfter,
  moveNode,
  prepareSteps,
  rebase,
  refuse,
  removeNode,
  runNow,
  sameForest,
  sortChildren,
  tagNode,
  updatePayload,
  updatePayloadProperty,
  type Changed,
  type Forest,
  type Steps,
  type TreeOp,
} from "../../src/tree/operations.ts";
import { forestOf } from "./_build.ts";
import { expectSound, shown } from "./_shown.ts";

const plan = forestOf("Plan plan { Task a prio=3 { Note x Note y } Task b prio=1 Task c prio=2 }");
const op = (change: Changed<unknown>): TreeOp => change.ops[0] as TreeOp;
const reasons = (list: TreeOp | readonly { reason: string }[]): string[] =>
  Array.isArray(list) ? list.map((one: { reason: string }) => one.reason) : [];

describe("operations", () => {
  test("[TREE-16] name their tree and survive being written out", () => {
    const change = op(removeNode(plan, { nodeId: "n1" }));
    expect(keysOf(change)).toEqual(["tree:t1"]);
    expect(JSON.parse(JSON.stringify(change))).toEqual(change);
  });

  test("[TREE-18] refuse lists why an operation no longer fits", () => {
    const remove = op(removeNode(plan, { nodeId: "n1" }));
    const gone = apply(plan, remove);
    const cases: [Forest, TreeOp, string][] = [
      [gone, remove, "node_removed"],
      [plan, invert(remove), "node_there"],
      [
        gone,
        op(updatePayloadProperty(plan, { nodeId: "n2", propertyName: "k", newValue: 1 })),
        "node_removed",
      ],
      [gone, op(addChild(plan, { parentNodeId: "n1", payloadType: "T" })), "parent_removed"],
      [gone, op(moveNode(plan, { nodeId: "n4", newParentId: "n2" })), "parent_removed"],
      [
        moveNode(plan, { nodeId: "n1", newParentId: "n4" }).forest,
        op(moveNode(plan, { nodeId: "n4", newParentId: "n1" })),
        "cycle",
      ],
      [
        moveNode(plan, { nodeId: "n2", newParentId: "n4" }).forest,
        op(moveNode(plan, { nodeId: "n2", newParentId: "n5" })),
        "moved_since",
      ],
      [
        updatePayloadProperty(plan, { nodeId: "n1", propertyName: "prio", newValue: 4 }).forest,
        op(updatePayloadProperty(plan, { nodeId: "n1", propertyName: "prio", newValue: 5 })),
        "value_changed",
      ],
      [
        tagNode(plan, { nodeId: "n1", tags: ["t"] }).forest,
        op(tagNode(plan, { nodeId: "n1", tags: ["t"] })),
        "tags_changed",
      ],
      [
        moveAfter(plan, { nodeId: "n1", siblingId: "n5" }).forest,
        op(sortChildren(plan, { parentId: "n0", byProp: "prio" })),
        "order_changed",
      ],
      [addChild(plan, { parentNodeId: "n1", payloadType: "T" }).forest, remove, "branch_changed"],
      [
        addChild(plan, { parentNodeId: "n0", payloadType: "T" }).forest,
        op(addChild(plan, { parentNodeId: "n0", payloadType: "T" })),
        "id_taken",
      ],
      [EMPTY_FOREST, remove, "tree_not_found"],
      [plan, { slice: "tree", op: "raise", tree: "t1" }, "tree_exists"],
      [
        plan,
        { slice: "tree", op: "create", tree: "t1", ordinal: 1, name: "x", root: { s: 0, u: -1, t: "R" } },
        "tree_exists",
      ],
    ];
    for (const [forest, change, reason] of cases) expect(reasons(refuse(forest, change))).toContain(reason);
    const deep = refuse(
      plan,
      op(addChild(plan, { parentNodeId: "n2", payloadType: "T" })),
      resolveLimits({ treeDepth: 3 }),
    );
    expect(reasons(deep)).toEqual(["too_deep"]);
  });

  test("[TREE-19] rebase lets an operation stand unless its own place was touched", () => {
    const set = (id: string, name: string, value: unknown, from = plan): TreeOp =>
      op(updatePayloadProperty(from, { nodeId: id, propertyName: name, newValue: value }));
    const mine = invert(set("n1", "prio", 5));
    expect(
      rebase(mine, [
        set("n1", "other", 1),
        set("n4", "prio", 9),
        op(tagNode(plan, { nodeId: "n1", tags: ["t"] })),
      ]),
    ).toEqual(mine);
    expect(reasons(rebase(mine, [set("n1", "prio", 8)]))).toEqual(["value_changed"]);
    const there = apply(plan, set("n1", "prio", 5));
    const away = set("n1", "prio", 8, there);
    expect(rebase(mine, [away, invert(away)])).toEqual(mine);
    const nested = forestOf('P p meta={"a":1}');
    const inner = invert(set("n0", "meta.a", 2, nested));
    expect(reasons(rebase(inner, [set("n0", "meta", 5, nested)]))).toEqual(["value_changed"]);
    const move = invert(op(moveNode(plan, { nodeId: "n2", newParentId: "n4" })));
    const moved = apply(plan, op(moveNode(plan, { nodeId: "n2", newParentId: "n4" })));
    const later = op(moveNode(moved, { nodeId: "n2", newParentId: "n5" }));
    expect(reasons(rebase(move, [later]))).toEqual(["moved_since"]);
    const tag = invert(op(tagNode(plan, { nodeId: "n1", tags: ["t"] })));
    expect(rebase(tag, [op(tagNode(plan, { nodeId: "n1", tags: ["u"] }))])).toEqual(tag);
    expect(reasons(rebase(tag, [tag]))).toEqual(["tags_changed"]);
    const sorted = op(sortChildren(plan, { parentId: "n0", byProp: "prio" }));
    expect(reasons(rebase(invert(sorted), [sorted]))).toEqual(["order_changed"]);
    const made = createTree(plan);
    expect(reasons(rebase(invert(op(made)), [{ ...set("n1", "k", 1), tree: "t2" }]))).toEqual([
      "changed_since",
    ]);
    expect(rebase(invert(op(made)), [set("n1", "k", 1)])).toEqual(invert(op(made)));
  });

  test("[TREE-88] a place is read by what of it is still there", () => {
    const back = (forest: Forest, after: string | null, before: string | null): string => {
      const gone = apply(forest, op(removeNode(plan, { nodeId: "n4" })));
      const item = { node: "n4", from: null, to: { parent: "n0", after, before }, n: 1 };
      const tree = apply(gone, { slice: "tree", op: "place", tree: "t1", items: [item] }).tree();
      const order: string[] = [];
      for (let at = tree.firstOf(0); at >= 0; at = tree.nextOf(at)) order.push(tree.idOf(at));
      return order.join(" ");
    };
    expect(back(plan, "n1", "n5")).toBe("n1 n4 n5");
    expect(back(plan, "n5", "n1")).toBe("n1 n5 n4");
    expect(back(plan, "n2", "n5")).toBe("n1 n4 n5");
    expect(back(plan, null, "n5")).toBe("n1 n4 n5");
    expect(back(plan, null, "n2")).toBe("n4 n1 n5");
    expect(back(plan, null, null)).toBe("n4 n1 n5");
    expect(back(plan, "n2", "n3")).toBe("n1 n5 n4");
  });

  test("[TREE-20] a branch that the target lacks is removed by one operation", () => {
    const grown = copySubtree(plan, { sourceId: "n1", targetParentId: "n4" }).forest;
    const ops = [...between(grown, plan)];
    expect(ops).toHaveLength(1);
    expect(ops[0]).toMatchObject({ op: "place", items: [{ node: "n6", to: null, n: 3 }] });
    // Undoing the restore, then what came before it, finds the branch whole.
    const undone = applyAll(applyAll(grown, ops), ops.map(invert));
    expect(sameForest(undone, grown)).toBe(true);
    expect([...between(plan, plan)]).toEqual([]);
  });

  test("[TREE-19] an operation rebased on the present forest has an inverse that leads back to it", () => {
    const moved = moveAfter(plan, { nodeId: "n4", siblingId: "n5" });
    const added = addChild(moved.forest, { parentNodeId: "n0", payloadType: "Task" });
    const later = moveAfter(added.forest, { nodeId: "n5", siblingId: "n6" });
    const undo = rebase(invert(op(moved)), [...added.ops, ...later.ops], later.forest) as TreeOp;
    expect(refuse(later.forest, undo)).toEqual([]);
    const undone = apply(later.forest, undo);
    expect(sameForest(apply(undone, invert(undo)), later.forest)).toBe(true);
    const sorted = sortChildren(plan, { parentId: "n0", byProp: "prio" });
    const grown = addChild(sorted.forest, { parentNodeId: "n0", payloadType: "Task" });
    const unsort = rebase(invert(op(sorted)), grown.ops, grown.forest) as TreeOp;
    const unsorted = apply(grown.forest, unsort);
    expect(shown(unsorted.tree())[0]).toMatchObject({ children: ["n1", "n4", "n5", "n6"] });
    expect(sameForest(apply(unsorted, invert(unsort)), grown.forest)).toBe(true);
  });

  describe("[TREE-17] [TREE-67] a reordering of very many children", () => {
    const count = 10_000;
    const rows = Array.from({ length: count }, (_, i) => ({
      s: i + 1,
      u: 0,
      t: "T",
      p: { n: (i * 7_919) % 10_007 },
    }));
    const base = apply(createTree(EMPTY_FOREST).forest, { slice: "tree", op: "insert", tree: "t1", rows });
    const sorted = sortChildren(base, { parentId: "n0", byProp: "n" });
    const [op] = sorted.ops as [TreeOp];
    const written = (): TreeOp => JSON.parse(JSON.stringify(op)) as TreeOp;

    test("is the same whether it was made here or read from a journal, and so is its inverse", () => {
      expect(refuse(base, op)).toEqual([]);
      expect(apply(base, op).tree()).toBe(sorted.forest.tree());
      for (const read of [written(), written()]) {
        const after = apply(base, read);
        expect(sameForest(after, sorted.forest)).toBe(true);
        expectSound(after.tree());
        expect(refuse(after, invert(read))).toEqual([]);
        expect(sameForest(apply(after, invert(read)), base)).toBe(true);
      }
    });

    test("can be prepared in steps, for the version it is prepared for", () => {
      const undo = invert(written());
      let steps = 0;
      for (const pass = prepareSteps(sorted.forest, undo) as Steps<void>; pass.next().done !== true;) steps++;
      expect(steps).toBeGreaterThan((3 * count) / 4_096);
      expect(prepareSteps(sorted.forest, undo)).toBe(undefined);
      expect(refuse(sorted.forest, undo)).toEqual([]);
      expect(rebase(undo, [], sorted.forest)).toBe(undo);
      expect(sameForest(apply(sorted.forest, undo), base)).toBe(true);
      const other = moveAfter(sorted.forest, { nodeId: "n1", siblingId: "n2" }).forest;
      expect(refuse(other, undo).map(({ reason }) => reason)).toEqual(["order_changed"]);
      runNow(prepareSteps(other, undo) as Steps<void>);
      expect(refuse(other, undo).map(({ reason }) => reason)).toEqual(["order_changed"]);
    });

    test("leaves alone what others did to the version it comes upon", () => {
      const edited = updatePayloadProperty(base, { nodeId: "n5", propertyName: "n", newValue: -1 }).forest;
      const more = addChild(edited, { parentNodeId: "n0", payloadType: "T" });
      const after = apply(more.forest, op).tree();
      expect(after.payloadOf(5)).toEqual({ n: -1 });
      expect(after.lastOf(0)).toBe(count + 1);
      expect(after.firstOf(0)).toBe(sorted.forest.tree().firstOf(0));
      expect(prepareSteps(base, { ...op, now: [], was: [] } as TreeOp)).toBe(undefined);
    });
  });

  test("[TREE-19] a shared payload is one place", () => {
    const { forest } = copySubtree(plan, { sourceId: "n1", targetParentId: "n0", mode: "reference" });
    const mine = updatePayloadProperty(forest, { nodeId: "n1", propertyName: "prio", newValue: 5 });
    const theirs = updatePayloadProperty(mine.forest, { nodeId: "n6", propertyName: "prio", newValue: 6 });
    expect(reasons(rebase(invert(op(mine)), theirs.ops, theirs.forest))).toEqual(["value_changed"]);
  });

  test("[TREE-21] undoing an insert is refused when its branch was used since", () => {
    const mine = addChild(plan, { parentNodeId: "n0", payloadType: "Task" });
    const undo = invert(op(mine));
    const id = mine.result.nodeId;
    const used = addChild(mine.forest, { parentNodeId: id, payloadType: "Note" });
    expect(reasons(rebase(undo, used.ops, used.forest))).toEqual(["branch_changed"]);
    expect(reasons(refuse(used.forest, undo))).toEqual(["branch_changed"]);
    const edited = updatePayload(mine.forest, { nodeId: id, patch: { k: 1 } });
    expect(reasons(rebase(undo, edited.ops, edited.forest))).toEqual(["branch_changed"]);
    const deeper = updatePayload(used.forest, { nodeId: used.result.nodeId, patch: { k: 1 } });
    expect(reasons(rebase(undo, deeper.ops, deeper.forest))).toEqual(["branch_changed"]);
    const aside = updatePayload(mine.forest, { nodeId: "n4", patch: { k: 1 } });
    const back = rebase(undo, aside.ops, aside.forest);
    expect(Array.isArray(back)).toBe(false);
    expect(refuse(aside.forest, back as TreeOp)).toEqual([]);
  });

  test("[TREE-17] dropping and raising a tree lose nothing", () => {
    const made = createTree(plan, { name: "second" });
    const grown = addChild(made.forest, { parentNodeId: "n0-2", payloadType: "T" }).forest;
    const dropped = apply(grown, invert(op(made)));
    expect(dropped.trees.map((tree) => tree.id)).toEqual(["t1"]);
    expect(dropped.find("n1-2")).toBeUndefined();
    expect(sameForest(apply(dropped, invert(invert(op(made)))), grown)).toBe(true);
  });
});

describe("checkpoints", () => {
  const rich = (): Forest => {
    let forest = copySubtree(plan, { sourceId: "n1", targetParentId: "n0", mode: "reference" }).forest;
    forest = importMerge(forest, {
      json: { NodeId: "n0", Children: [{ NodeId: "my id/1", Payload: { odd: "\u{1f600}", n: null } }] },
    }).forest;
    forest = tagNode(forest, { nodeId: "my id/1", tags: ["t"] }).forest;
    forest = createTree(forest, { name: "typed", payloadTypes: { A: { self: true } } }).forest;
    forest = createTree(forest, { name: "gone" }).forest;
    return applyAll(forest, [
      { slice: "tree", op: "drop", tree: "t3" },
      ...removeNode(forest, { nodeId: "n2" }).ops,
    ]);
  };

  test("[TREE-22] hold removed branches, foreign ids, shared payloads, types and dropped trees", async () => {
    const forest = rich();
    async function* chunks(): AsyncIterable<Uint8Array> {
      yield* encode(forest);
    }
    const again = await decode(chunks());
    expect(sameForest(again, forest)).toBe(true);
    expectSound(again.tree("t1"));
    expect(again.all.get("t3")?.facts.dropped).toBe(true);
    expect(again.tree("t2").facts.types).toEqual({ A: { self: true } });
    expect(again.node("my id/1").slot).toBe(forest.node("my id/1").slot);
    expect(
      updatePayloadProperty(again, { nodeId: "n6", propertyName: "prio", newValue: 1 }).result.shared,
    ).toEqual(["n1"]);
    expect(again.tree("t1").slotOf("n2")).toBe(2);
    expect(addChild(again, { parentNodeId: "n0", payloadType: "T" }).result.nodeId).toBe(
      addChild(forest, { parentNodeId: "n0", payloadType: "T" }).result.nodeId,
    );
    expect(shown(again.tree("t1"))).toEqual(shown(forest.tree("t1")));
    expect(sameForest(decodeSync(encode(EMPTY_FOREST)), EMPTY_FOREST)).toBe(true);
  });

  test("[TREE-90] come in pieces that hold few nodes, or few large payloads", () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => ({
      s: i + 1,
      u: 0,
      t: "T",
      p: i < 4_900 ? { i } : { text: "x".repeat(40_000) },
    }));
    const { forest } = createTree(EMPTY_FOREST);
    const large = apply(forest, { slice: "tree", op: "insert", tree: "t1", rows });
    const pieces = [...encode(large)];
    const sizes = pieces.map((piece) => piece.length);
    expect(sizes.length).toBeGreaterThan(50);
    expect(Math.max(...sizes)).toBeLessThan(64 * 1_024 + 40_000 + 32 * 1_024);
    expect(sizes.slice(1, 5).every((size) => size < 1_024 * 32)).toBe(true);
    expect(sameForest(decodeSync(pieces), large)).toBe(true);
  });

  test("[TREE-22] a damaged checkpoint is refused, wherever it is cut or changed", () => {
    const whole = Buffer.concat([...encode(rich())]);
    for (let length = 0; length < whole.length; length += 7)
      expect(() => decodeSync([whole.subarray(0, length)])).toThrow(HoldfastError);
    for (let at = 0; at < whole.length; at += 3) {
      const bent = Uint8Array.from(whole);
      bent[at] = (bent[at] as number) ^ 0x55;
      expect(() => decodeSync([bent])).toThrow(HoldfastError);
    }
  });
});
