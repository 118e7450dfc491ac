import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { resolveLimits } from "../../src/limits.ts";
import {
  addChild,
  apply,
  applyAll,
  between,
  cloneNode,
  copySubtree,
  createTree,
  diffForest,
  dropTree,
  EMPTY_FOREST,
  getNode,
  getPath,
  importMerge,
  invert,
  listTrees,
  moveAfter,
  moveBefore,
  moveNode,
  removeNode,
  sameForest,
  search,
  sortChildren,
  tagNode,
  updateNodes,
  updatePayload,
  updatePayloadProperty,
  type Changed,
  type Forest,
} from "../../src/tree/operations.ts";
import { forestOf, readingOf } from "./_build.ts";
import { shown } from "./_shown.ts";

function refusal(run: () => unknown): HoldfastError {
  try {
    run();
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error("was accepted");
}

const kids = (forest: Forest, id: string): string[] => {
  const { tree, slot } = forest.node(id);
  const list: string[] = [];
  for (let at = tree.firstOf(slot); at >= 0; at = tree.nextOf(at)) list.push(tree.idOf(at));
  return list;
};
const payload = (forest: Forest, id: string): unknown => {
  const { tree, slot } = forest.node(id);
  return tree.payloadOf(slot);
};

const plan = forestOf("Plan plan { Task a prio=3 { Note x Note y } Task b prio=1 Task c prio=2 }");
// n0 plan, n1 a, n2 x, n3 y, n4 b, n5 c

describe("ids", () => {
  test("[TREE-1] ids are short, and every tree has its own", () => {
    const two = forestOf("Other other { Task z }", plan);
    expect(listTrees(two).map((tree) => [tree.tree, tree.rootNodeId])).toEqual([
      ["t1", "n0"],
      ["t2", "n0-2"],
    ]);
    expect(two.node("n1-2").tree.id).toBe("t2");
    expect(two.find("n01")).toBeUndefined();
    expect(two.find("n1-1")).toBeUndefined();
    expect(two.find("N1")).toBeUndefined();
  });

  test("[TREE-2] an id is never given twice, whatever happens in between", () => {
    const added = addChild(plan, { parentNodeId: "n0", payloadType: "Task" });
    const undone = applyAll(added.forest, added.ops.map(invert).reverse());
    const again = addChild(undone, { parentNodeId: "n0", payloadType: "Task" });
    expect(added.result.nodeId).toBe("n6");
    expect(again.result.nodeId).toBe("n7");
    const restored = applyAll(again.forest, between(again.forest, plan));
    expect(addChild(restored, { parentNodeId: "n0", payloadType: "Task" }).result.nodeId).toBe("n8");
    const dropped = apply(restored, { slice: "tree", op: "drop", tree: "t1" });
    expect(createTree(dropped).result.tree).toBe("t2");
  });

  test("[TREE-2] re-import of a removed id revives it, alone", () => {
    const gone = removeNode(plan, { nodeId: "n1" }).forest;
    const json = {
      NodeId: "n0",
      PayloadType: "Plan",
      Children: [{ NodeId: "n1", PayloadType: "Task", Payload: { name: "back" } }],
    };
    const back = importMerge(gone, { json, strategy: "upsert" });
    expect(kids(back.forest, "n0")).toEqual(["n4", "n5", "n1"]);
    expect(kids(back.forest, "n1")).toEqual([]);
    expect(payload(back.forest, "n1")).toEqual({ name: "back" });
    expect(sameForest(applyAll(back.forest, back.ops.map(invert).reverse()), gone)).toBe(true);
  });

  test("[TREE-4] an unknown or removed id is not_found everywhere", () => {
    const gone = removeNode(plan, { nodeId: "n2" }).forest;
    const calls: ((id: string) => unknown)[] = [
      (id) => addChild(gone, { parentNodeId: id, payloadType: "Task" }),
      (id) => removeNode(gone, { nodeId: id }),
      (id) => moveNode(gone, { nodeId: id, newParentId: "n0" }),
      (id) => moveNode(gone, { nodeId: "n4", newParentId: id }),
      (id) => moveBefore(gone, { nodeId: id, siblingId: "n4" }),
      (id) => moveAfter(gone, { nodeId: "n4", siblingId: id }),
      (id) => updatePayloadProperty(gone, { nodeId: id, propertyName: "a", newValue: 1 }),
      (id) => updatePayload(gone, { nodeId: id, patch: { a: 1 } }),
      (id) => sortChildren(gone, { parentId: id, byProp: "a" }),
      (id) => copySubtree(gone, { sourceId: id, targetParentId: "n0" }),
      (id) => cloneNode(gone, { nodeId: "n4", targetParentId: id }),
      (id) => tagNode(gone, { nodeId: id, tags: ["t"] }),
      (id) => getNode(readingOf(gone), { nodeId: id }),
      (id) => getPath(gone, { nodeId: id }),
      (id) => updateNodes(gone, { filter: [], patch: { a: 1 }, rootNodeId: id }),
    ];
    for (const call of calls) {
      expect(refusal(() => call("n2"))).toMatchObject({ code: "not_found", reason: "node_removed" });
      expect(refusal(() => call("nope"))).toMatchObject({ code: "not_found", reason: "node_not_found" });
    }
  });

  test("[TREE-6] with several trees a function without a node asks which", () => {
    const two = forestOf("Other other { Task a }", plan);
    const one = refusal(() => updateNodes(two, { filter: [], patch: { a: 1 } }));
    expect(one).toMatchObject({ code: "invalid_argument", reason: "tree_required" });
    expect(one.message).toContain("t2");
    expect(
      updateNodes(two, { filter: [{ path: "name", op: "eq", value: "a" }], patch: { k: 1 }, tree: "t2" })
        .result.nodes,
    ).toEqual([{ nodeId: "n1-2", status: "updated" }]);
    expect(search(readingOf(two), { filters: [{ path: "name", op: "eq", value: "a" }] }).total).toBe(2);
    expect(refusal(() => search(readingOf(two), { filters: [], tree: "t9" }))).toMatchObject({
      code: "not_found",
    });
  });
});

describe("payloads", () => {
  test("[TREE-7] what comes in is copied and frozen", () => {
    const props = { list: [1, { deep: true }] };
    const { forest } = addChild(plan, { parentNodeId: "n0", payloadType: "Task", payloadProps: props });
    props.list.push(2);
    (props.list[1] as { deep: boolean }).deep = false;
    expect(payload(forest, "n6")).toEqual({ list: [1, { deep: true }] });
    const read = payload(forest, "n6") as { list: unknown[] };
    expect(() => read.list.push(3)).toThrow(TypeError);
    const set = updatePayloadProperty(forest, {
      nodeId: "n6",
      propertyName: "list.1.deep",
      newValue: 5,
    }).forest;
    expect(Object.isFrozen((payload(set, "n6") as { list: unknown[] }).list[1])).toBe(true);
    expect(payload(forest, "n6")).toEqual({ list: [1, { deep: true }] });
  });

  test("[TREE-7] what a journal brings back is frozen too", () => {
    const made = addChild(plan, { parentNodeId: "n0", payloadType: "T", payloadProps: { list: [{ k: 1 }] } });
    const set = updatePayload(made.forest, { nodeId: "n6", patch: { more: { deep: [] } } });
    const ops = JSON.parse(JSON.stringify([...made.ops, ...set.ops])) as typeof made.ops;
    const read = payload(applyAll(plan, ops), "n6") as { list: object[]; more: { deep: unknown[] } };
    for (const part of [read, read.list, read.list[0], read.more, read.more.deep])
      expect(Object.isFrozen(part)).toBe(true);
  });

  test("[TREE-8] __proto__, constructor and toString are names like any other", () => {
    const props = JSON.parse(
      '{"__proto__":{"evil":1},"constructor":"c","toString":2,"in":{"__proto__":3}}',
    ) as object;
    let { forest } = addChild(plan, { parentNodeId: "n0", payloadType: "Task", payloadProps: props });
    expect(JSON.stringify(payload(forest, "n6"))).toBe(JSON.stringify(props));
    expect(({} as { evil?: number }).evil).toBeUndefined();
    forest = updatePayload(forest, { nodeId: "n6", patch: JSON.parse('{"__proto__":7}') as object }).forest;
    expect(Object.getPrototypeOf(payload(forest, "n6"))).toBe(Object.prototype);
    expect(JSON.stringify(payload(forest, "n6"))).toContain('"__proto__":7');
    expect(search(readingOf(forest), { filters: [{ path: "__proto__", op: "eq", value: 7 }] }).total).toBe(1);
    expect(
      search(readingOf(forest), { filters: [{ path: "constructor", op: "contains", value: "c" }] }).total,
    ).toBe(1);
    expect(
      search(readingOf(forest), { filters: [{ path: "valueOf", op: "contains", value: "native" }] }).total,
    ).toBe(0);
    const out = getNode(readingOf(forest), { nodeId: "n6", excludedProperties: ["__proto__"] });
    expect(JSON.stringify(out)).not.toContain('__proto__":7');
  });

  test("[TREE-9] what is not JSON, too deep or too large is refused", () => {
    const add = (payloadProps: unknown): HoldfastError =>
      refusal(() => addChild(plan, { parentNodeId: "n0", payloadType: "Task", payloadProps }));
    const loop: Record<string, unknown> = {};
    loop["self"] = { loop };
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(add({ f: () => 1 }).reason).toBe("not_json");
    expect(add({ n: Number.NaN }).reason).toBe("not_json");
    expect(add({ d: new Date() }).reason).toBe("not_json");
    expect(add({ big: 10n }).reason).toBe("not_json");
    expect(add(loop).reason).toBe("cycle");
    expect(add({ deep }).reason).toBe("payload_too_deep");
    expect(add([]).reason).toBe("payload_not_object");
    expect(add({ text: "x".repeat(10 * 1024 * 1024) })).toMatchObject({
      code: "invalid_argument",
      reason: "payload_too_large",
    });
    // Growing piece by piece meets the same limit.
    const half = "x".repeat(600_000);
    const one = updatePayloadProperty(plan, { nodeId: "n1", propertyName: "a", newValue: half }).forest;
    const two = refusal(() =>
      updatePayloadProperty(one, { nodeId: "n1", propertyName: "b", newValue: half }),
    );
    expect(two.reason).toBe("payload_too_large");
  });
});

describe("create and add", () => {
  test("[TREE-24] a tree with payload types accepts only those", () => {
    const payloadTypes = { Task: { properties: { name: "string", prio: { kind: "integer" } } }, Free: {} };
    const { forest } = createTree(EMPTY_FOREST, {
      payloadTypes,
      payloadType: "Task",
      payloadProps: { name: "root" },
    });
    const add = (payloadType: string, payloadProps: unknown) => () =>
      addChild(forest, { parentNodeId: "n0", payloadType, payloadProps });
    expect(refusal(add("System.IO.File", {}))).toMatchObject({
      code: "invalid_argument",
      reason: "unknown_payload_type",
    });
    expect(refusal(add("Task", { nmae: 1 })).reason).toBe("unknown_property");
    expect(refusal(add("Task", { nmae: 1 })).message).toContain('Did you mean "name"?');
    expect(refusal(add("Task", { prio: 1.5 })).reason).toBe("wrong_kind");
    expect(add("Task", { prio: 1, name: null })().result.nodeId).toBe("n1");
    expect(add("Free", { anything: [1] })().result.nodeId).toBe("n1");
    expect(refusal(() => updatePayload(forest, { nodeId: "n0", patch: { other: 1 } })).reason).toBe(
      "unknown_property",
    );
    expect(
      refusal(() =>
        createTree(EMPTY_FOREST, { payloadTypes: { A: { properties: { x: { kind: "date" } } } } }),
      ).reason,
    ).toBe("bad_payload_types");
    expect(
      addChild(plan, { parentNodeId: "n0", payloadType: "Whatever", payloadProps: { any: 1 } }).result.nodeId,
    ).toBe("n6");
  });

  test("[TREE-25] add_child appends last and answers the id", () => {
    const made = addChild(plan, { parentNodeId: "n0", payloadType: "Task", payloadProps: { name: "d" } });
    expect(made.result).toEqual({ nodeId: "n6", parentNodeId: "n0" });
    expect(kids(made.forest, "n0")).toEqual(["n1", "n4", "n5", "n6"]);
    expect(kids(plan, "n0")).toEqual(["n1", "n4", "n5"]);
  });

  test("[TREE-5] a tree has 1,024 levels and no more", () => {
    let forest = createTree(EMPTY_FOREST).forest;
    let last = "n0";
    for (let i = 1; i < 1_024; i++) {
      const made = addChild(forest, { parentNodeId: last, payloadType: "Task" });
      forest = made.forest;
      last = made.result.nodeId;
    }
    const over = refusal(() => addChild(forest, { parentNodeId: last, payloadType: "Task" }));
    expect(over).toMatchObject({ code: "invalid_argument", reason: "too_deep" });
    expect(over.message).toContain("1024");
    const side = addChild(forest, { parentNodeId: "n0", payloadType: "Task" });
    const two = addChild(side.forest, { parentNodeId: side.result.nodeId, payloadType: "Task" });
    const above = (1_022).toString(36);
    expect(
      refusal(() => moveNode(two.forest, { nodeId: side.result.nodeId, newParentId: `n${above}` })).reason,
    ).toBe("too_deep");
    expect(moveNode(two.forest, { nodeId: two.result.nodeId, newParentId: `n${above}` }).result.moved).toBe(
      true,
    );
    expect(refusal(() => copySubtree(forest, { sourceId: "n0", targetParentId: "n0" })).reason).toBe(
      "too_deep",
    );
    expect(refusal(() => cloneNode(forest, { nodeId: "n0", targetParentId: last })).reason).toBe("too_deep");
    // The full depth works in every function.
    expect(getPath(forest, { nodeId: last })).toHaveLength(1_024);
    expect(search(readingOf(forest), { filters: [] }).total).toBe(1_024);
  });
});

describe("update", () => {
  test("[TREE-26] one property, also by path", () => {
    const { forest } = addChild(plan, {
      parentNodeId: "n0",
      payloadType: "Task",
      payloadProps: { meta: { owner: "a" }, items: [{ k: 1 }], "x.y": 1 },
    });
    const set = (propertyName: string, newValue: unknown): Changed<unknown> =>
      updatePayloadProperty(forest, { nodeId: "n6", propertyName, newValue });
    expect(payload(set("meta.owner", "b").forest, "n6")).toMatchObject({ meta: { owner: "b" } });
    expect(payload(set("meta.new", [1]).forest, "n6")).toMatchObject({ meta: { owner: "a", new: [1] } });
    expect(payload(set("items.0.k", 2).forest, "n6")).toMatchObject({ items: [{ k: 2 }] });
    expect(payload(set("items.1", 3).forest, "n6")).toMatchObject({ items: [{ k: 1 }, 3] });
    expect(payload(set("x.y", 2).forest, "n6")).toMatchObject({ "x.y": 2 });
    expect(payload(set("fresh", null).forest, "n6")).toMatchObject({ fresh: null });
    expect(set("meta.owner", "a").ops).toEqual([]);
    for (const path of ["none.owner", "meta.owner.deep", "items.5", "items.k"])
      expect(refusal(() => set(path, 1))).toMatchObject({ code: "invalid_argument", reason: "no_such_path" });
    expect(refusal(() => set("a", undefined)).reason).toBe("missing_value");
    const unset = applyAll(set("fresh", 1).forest, set("fresh", 1).ops.map(invert));
    expect(payload(unset, "n6")).toEqual(payload(forest, "n6"));
  });

  test("[TREE-27] guarded names are refused on every node, ignoring case", () => {
    for (const name of [
      "NodeId",
      "children",
      "PARENT",
      "PayloadType",
      "isExpanded",
      "ChildrenCount",
      "@tags",
      "@Continued",
    ]) {
      const guarded = { code: "invalid_argument", reason: "guarded_property" };
      expect(
        refusal(() => updatePayloadProperty(plan, { nodeId: "n1", propertyName: name, newValue: 1 })),
      ).toMatchObject(guarded);
      expect(
        refusal(() => updatePayloadProperty(plan, { nodeId: "n1", propertyName: `${name}.x`, newValue: 1 })),
      ).toMatchObject(guarded);
      expect(refusal(() => updatePayload(plan, { nodeId: "n0", patch: { ok: 1, [name]: 1 } }))).toMatchObject(
        guarded,
      );
      expect(
        refusal(() => addChild(plan, { parentNodeId: "n0", payloadType: "T", payloadProps: { [name]: 1 } })),
      ).toMatchObject(guarded);
      expect(updateNodes(plan, { filter: [], patch: { [name]: 1 } }).result).toMatchObject({
        updated: 0,
        failed: 6,
      });
    }
  });

  test("[TREE-28] read-only and role-limited properties are forbidden", () => {
    const payloadTypes = {
      Task: { properties: { id: { readOnly: true }, budget: { roles: ["lead"] }, name: {} } },
    };
    const { forest } = createTree(EMPTY_FOREST, { payloadTypes, payloadProps: { id: 7, budget: 1 } });
    const set = (name: string, role?: string) => () =>
      updatePayloadProperty(
        forest,
        { nodeId: "n0", propertyName: name, newValue: 9 },
        role === undefined ? {} : { role },
      );
    expect(refusal(set("id", "lead"))).toMatchObject({ code: "forbidden", reason: "read_only_property" });
    expect(refusal(set("budget", "editor"))).toMatchObject({
      code: "forbidden",
      reason: "role_cannot_write",
    });
    expect(refusal(set("budget"))).toMatchObject({ code: "forbidden" });
    expect(set("budget", "lead")().result.changed).toEqual(["budget"]);
    expect(set("name")().result.changed).toEqual(["name"]);
    const merged = refusal(() => importMerge(forest, { json: { NodeId: "n0", Payload: { id: 8 } } }));
    expect(merged).toMatchObject({ code: "forbidden" });
  });

  test("[TREE-28] imports and new nodes do not get round the guards", () => {
    const payloadTypes = {
      Task: { properties: { id: { readOnly: true }, budget: { roles: ["lead"] }, name: {} } },
      Note: { properties: { id: {}, budget: {}, name: {} } },
    };
    const lead = { role: "lead" };
    const { forest } = createTree(EMPTY_FOREST, { payloadTypes, payloadType: "Note" });
    const add = (payloadProps: object, caller: object): Forest =>
      addChild(forest, { parentNodeId: "n0", payloadType: "Task", payloadProps }, caller).forest;
    expect(refusal(() => add({ budget: 1 }, { role: "editor" })).reason).toBe("role_cannot_write");
    expect(add({ id: 1 }, { role: "editor" }).tree().live).toBe(2);
    const grown = add({ id: 7, budget: 1, name: "a" }, lead);
    const removed = removeNode(grown, { nodeId: "n1" }).forest;
    const into = (from: Forest, node: object, more: object = {}): string =>
      refusal(() =>
        importMerge(from, { json: { NodeId: "n0", Children: [node] }, ...more }, { role: "editor" }),
      ).reason;
    const task = { NodeId: "n1", PayloadType: "Task" };
    // A removed node that comes back, one that is replaced, one that gets another type, and a new one.
    expect(into(removed, { ...task, Payload: { id: 8, budget: 1, name: "a" } })).toBe("read_only_property");
    expect(into(removed, { ...task, Payload: { id: 7, budget: 2, name: "a" } })).toBe("role_cannot_write");
    expect(into(removed, { ...task, Payload: { name: "a" } })).toBe("read_only_property");
    expect(into(grown, { ...task, Payload: { id: 7 } }, { strategy: "replace" })).toBe("role_cannot_write");
    expect(into(grown, { ...task, PayloadType: "Note", Payload: { id: 9 } })).toBe("read_only_property");
    expect(into(grown, { PayloadType: "Task", Payload: { budget: 5 } })).toBe("role_cannot_write");
    const same = { ...task, Payload: { id: 7, budget: 1, name: "b" } };
    expect(importMerge(removed, { json: { NodeId: "n0", Children: [same] } }, lead).result.created).toBe(1);
  });

  test("[TREE-29] a patch is set as a whole or not at all", () => {
    const done = updatePayload(plan, { nodeId: "n1", patch: { prio: 9, name: "a2", extra: { deep: [1] } } });
    expect(payload(done.forest, "n1")).toEqual({ name: "a2", prio: 9, extra: { deep: [1] } });
    expect(done.ops).toHaveLength(1);
    expect(
      refusal(() => updatePayload(plan, { nodeId: "n1", patch: { prio: 9, "no.such": 1 } })).reason,
    ).toBe("no_such_path");
    expect(refusal(() => updatePayload(plan, { nodeId: "n1", patch: {} })).reason).toBe("bad_patch");
    expect(payload(plan, "n1")).toEqual({ name: "a", prio: 3 });
  });

  test("[TREE-30] update_nodes goes node by node and says how each ended", () => {
    const payloadTypes = { Task: { properties: { name: {}, prio: {} } }, Note: { properties: { name: {} } } };
    let { forest } = createTree(EMPTY_FOREST, {
      payloadTypes,
      payloadType: "Task",
      payloadProps: { name: "r" },
    });
    forest = addChild(forest, {
      parentNodeId: "n0",
      payloadType: "Note",
      payloadProps: { name: "x" },
    }).forest;
    forest = addChild(forest, { parentNodeId: "n0", payloadType: "Task", payloadProps: { prio: 4 } }).forest;
    const done = updateNodes(forest, { filter: [], patch: { prio: 4 } });
    expect(done.result).toMatchObject({ matched: 3, updated: 1, failed: 1 });
    expect(done.result.nodes.map((node) => node.status)).toEqual(["updated", "failed", "unchanged"]);
    expect(done.result.nodes[1]?.error).toMatchObject({
      code: "invalid_argument",
      reason: "unknown_property",
    });
    expect(payload(done.forest, "n0")).toEqual({ name: "r", prio: 4 });
    let big = plan;
    for (let i = 0; i < 500; i++)
      big = addChild(big, { parentNodeId: "n0", payloadType: "Task", payloadProps: { k: 1 } }).forest;
    // More than a batch: page by page, each node once, though the updates change what the filter matches.
    let at: string | undefined;
    const seen: string[] = [];
    for (let page = 0; page < 3; page++) {
      const filter = [{ path: "k", op: "eq" as const, value: 1 }];
      const some = updateNodes(
        big,
        { filter, patch: { k: 2 }, ...(at === undefined ? {} : { pageToken: at }) },
        { limits: resolveLimits({ batchItems: 200 }) },
      );
      expect(some.result.matched).toBe(500 - seen.length);
      seen.push(...some.result.nodes.map((node) => node.nodeId));
      big = some.forest;
      at = some.result.pageToken;
    }
    expect(at).toBeUndefined();
    expect(new Set(seen).size).toBe(500);
    expect(refusal(() => updateNodes(big, { filter: [], patch: { a: 1 }, pageToken: "zz" })).reason).toBe(
      "bad_page_token",
    );
  });
});

describe("move and order", () => {
  test("[TREE-31] remove takes the branch and says how many; the root stays", () => {
    const done = removeNode(plan, { nodeId: "n1" });
    expect(done.result).toEqual({ removed: "n1", nodes: 3, parentNodeId: "n0" });
    expect(kids(done.forest, "n0")).toEqual(["n4", "n5"]);
    expect(done.forest.tree().live).toBe(3);
    expect(refusal(() => removeNode(plan, { nodeId: "n0" }))).toMatchObject({
      code: "invalid_argument",
      reason: "root",
    });
  });

  test("[TREE-14] a removed branch comes back whole", () => {
    const tagged = tagNode(plan, { nodeId: "n3", tags: ["t"] }).forest;
    const gone = removeNode(tagged, { nodeId: "n1" });
    const back = applyAll(gone.forest, gone.ops.map(invert));
    expect(shown(back.tree())).toEqual(shown(tagged.tree()));
  });

  test("[TREE-32] move_node appends last; cycles, the root and other trees are refused", () => {
    expect(kids(moveNode(plan, { nodeId: "n2", newParentId: "n0" }).forest, "n0")).toEqual([
      "n1",
      "n4",
      "n5",
      "n2",
    ]);
    expect(moveNode(plan, { nodeId: "n5", newParentId: "n0" })).toMatchObject({
      ops: [],
      result: { moved: false },
    });
    expect(kids(moveNode(plan, { nodeId: "n1", newParentId: "n0" }).forest, "n0")).toEqual([
      "n4",
      "n5",
      "n1",
    ]);
    for (const newParentId of ["n1", "n2"])
      expect(refusal(() => moveNode(plan, { nodeId: "n1", newParentId }))).toMatchObject({
        code: "invalid_argument",
        reason: "cycle",
      });
    expect(refusal(() => moveNode(plan, { nodeId: "n0", newParentId: "n1" })).reason).toBe("root");
    const two = forestOf("Other other", plan);
    expect(refusal(() => moveNode(two, { nodeId: "n1", newParentId: "n0-2" })).reason).toBe("other_tree");
  });

  test("[TREE-33] move_before and move_after put a node right beside its sibling", () => {
    const before = moveBefore(plan, { nodeId: "n5", siblingId: "n1" });
    expect(kids(before.forest, "n0")).toEqual(["n5", "n1", "n4"]);
    expect(before.result).toEqual({ nodeId: "n5", parentNodeId: "n0", moved: true });
    expect(kids(moveAfter(plan, { nodeId: "n1", siblingId: "n4" }).forest, "n0")).toEqual(["n4", "n1", "n5"]);
    expect(kids(moveBefore(plan, { nodeId: "n4", siblingId: "n5" }).forest, "n0")).toEqual([
      "n1",
      "n4",
      "n5",
    ]);
    expect(kids(moveAfter(plan, { nodeId: "n5", siblingId: "n4" }).forest, "n0")).toEqual(["n1", "n4", "n5"]);
    expect(refusal(() => moveBefore(plan, { nodeId: "n2", siblingId: "n4" })).reason).toBe("not_siblings");
    expect(refusal(() => moveBefore(plan, { nodeId: "n0", siblingId: "n4" })).reason).toBe("not_siblings");
    expect(refusal(() => moveAfter(plan, { nodeId: "n4", siblingId: "n4" })).reason).toBe("same_node");
  });

  test("[TREE-34] sort_children is stable, keeps every child, and puts nodes without a value last", () => {
    const f = forestOf('P p { T a k=2 T b k="x" T c k=1 T d T e k=2 T f k="B" T g k=10 }');
    const order = (direction: "asc" | "desc"): string[] => {
      const done = sortChildren(f, { parentId: "n0", byProp: "k", direction });
      return kids(done.forest, "n0").map((id) => (payload(done.forest, id) as { name: string }).name);
    };
    expect(order("asc").join("")).toBe("caegfbd");
    expect(order("desc").join("")).toBe("bfgaecd");
    expect(sortChildren(f, { parentId: "n1", byProp: "k" })).toMatchObject({
      ops: [],
      result: { children: 0 },
    });
    expect(
      refusal(() => sortChildren(f, { parentId: "n0", byProp: "k", direction: "up" as "asc" })).reason,
    ).toBe("bad_direction");
  });
});

describe("copies", () => {
  test("[TREE-35] copy_subtree leaves the source, and may copy into itself", () => {
    const done = copySubtree(plan, { sourceId: "n1", targetParentId: "n4" });
    expect(done.result).toEqual({ nodeId: "n6", nodes: 3, mode: "duplicate" });
    expect(kids(done.forest, "n0")).toEqual(["n1", "n4", "n5"]);
    expect(kids(done.forest, "n6")).toEqual(["n7", "n8"]);
    const changed = updatePayloadProperty(done.forest, { nodeId: "n6", propertyName: "prio", newValue: 99 });
    expect(payload(changed.forest, "n1")).toEqual({ name: "a", prio: 3 });
    const self = copySubtree(plan, { sourceId: "n1", targetParentId: "n2" });
    expect(self.result.nodes).toBe(3);
    expect(kids(self.forest, "n2")).toEqual(["n6"]);
    expect(self.forest.tree().live).toBe(9);
    const two = forestOf("Other other", plan);
    const across = copySubtree(two, { sourceId: "n1", targetParentId: "n0-2" });
    expect(kids(across.forest, "n0-2")).toEqual(["n1-2"]);
    expect(
      refusal(() => copySubtree(two, { sourceId: "n1", targetParentId: "n0-2", mode: "reference" })).reason,
    ).toBe("other_tree");
  });

  test("[TREE-36] a reference shares its payload both ways, and the result names both", () => {
    const { forest } = copySubtree(plan, { sourceId: "n1", targetParentId: "n0", mode: "reference" });
    const one = updatePayloadProperty(forest, { nodeId: "n6", propertyName: "prio", newValue: 8 });
    expect(one.result).toEqual({ nodeId: "n6", changed: ["prio"], shared: ["n1"] });
    expect(payload(one.forest, "n1")).toEqual({ name: "a", prio: 8 });
    const two = updatePayloadProperty(one.forest, { nodeId: "n1", propertyName: "prio", newValue: 9 });
    expect(two.result.shared).toEqual(["n6"]);
    expect(payload(two.forest, "n6")).toEqual({ name: "a", prio: 9 });
    const gone = removeNode(two.forest, { nodeId: "n1" }).forest;
    const last = updatePayloadProperty(gone, { nodeId: "n6", propertyName: "prio", newValue: 0 });
    expect(last.result.shared).toBeUndefined();
    expect(diffForest(forest, one.forest).trees[0]?.diff.changed.map((node) => node.nodeId)).toEqual([
      "n1",
      "n6",
    ]);
  });

  test("[TREE-37] clone_node copies one node, without its children", () => {
    const done = cloneNode(plan, { nodeId: "n1", targetParentId: "n5" });
    expect(kids(done.forest, "n5")).toEqual(["n6"]);
    expect(kids(done.forest, "n6")).toEqual([]);
    expect(payload(done.forest, "n6")).toEqual({ name: "a", prio: 3 });
    expect(
      updatePayloadProperty(done.forest, { nodeId: "n6", propertyName: "prio", newValue: 1 }).result.shared,
    ).toBeUndefined();
  });
});

describe("tags and refusals", () => {
  test("[TREE-38] tags are a set, added and taken away", () => {
    const one = tagNode(plan, { nodeId: "n1", tags: ["b", "a", "b"] });
    expect(one.result.tags).toEqual(["a", "b"]);
    const two = tagNode(one.forest, { nodeId: "n1", tags: ["c"], remove: ["a", "zz"] });
    expect(two.result.tags).toEqual(["b", "c"]);
    expect(tagNode(two.forest, { nodeId: "n1", tags: ["b"] }).ops).toEqual([]);
    expect(refusal(() => tagNode(plan, { nodeId: "n1" })).reason).toBe("no_tags");
    expect(refusal(() => tagNode(plan, { nodeId: "n1", tags: ["a"], remove: ["a"] })).reason).toBe(
      "tag_twice",
    );
    expect(refusal(() => tagNode(plan, { nodeId: "n1", tags: [""] })).code).toBe("invalid_argument");
    expect(
      refusal(() => tagNode(plan, { nodeId: "n1", tags: Array.from({ length: 65 }, (_, i) => `t${i}`) }))
        .code,
    ).toBe("invalid_argument");
  });

  test("[TREE-39] [TREE-11] a refused change leaves the forest as it was", () => {
    const before = shown(plan.tree());
    expect(() => updatePayload(plan, { nodeId: "n1", patch: { prio: 1, NodeId: 2 } })).toThrow();
    expect(() =>
      importMerge(plan, {
        json: { NodeId: "n1", Payload: { prio: 77 }, Children: [{ NodeId: "z", Payload: { parent: 1 } }] },
      }),
    ).toThrow();
    expect(shown(plan.tree())).toEqual(before);
    const a = addChild(plan, { parentNodeId: "n0", payloadType: "A" });
    const b = addChild(plan, { parentNodeId: "n0", payloadType: "B" });
    expect(a.forest.tree().typeOf(6)).toBe("A");
    expect(b.forest.tree().typeOf(6)).toBe("B");
    expect(plan.tree().holds(6)).toBe(false);
  });
});

describe("drop", () => {
  test("[TREE-95] a dropped tree is out of sight, its ids are never reused, and it comes back whole", () => {
    const two = createTree(plan, { name: "second" }).forest;
    const grown = addChild(two, { parentNodeId: "n0-2", payloadType: "T" }).forest;
    const dropped = dropTree(grown, { tree: "t2" });
    expect(dropped.result).toEqual({ tree: "t2", nodes: 2 });
    expect(dropped.forest.trees.map((tree) => tree.id)).toEqual(["t1"]);
    expect(refusal(() => dropped.forest.node("n1-2")).code).toBe("not_found");
    expect(refusal(() => dropTree(dropped.forest, { tree: "t2" })).reason).toBe("tree_not_found");
    expect(createTree(dropped.forest).result.tree).toBe("t3");
    expect(sameForest(applyAll(dropped.forest, dropped.ops.map(invert)), grown)).toBe(true);
  });
});
