import { describe, expect, test, vi } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import {
  addChild,
  applyAll,
  collapseNode,
  copySubtreeSteps,
  createTree,
  EMPTY_FOREST,
  exportSubtree,
  exportView,
  getSubtree,
  importJsonSteps,
  importListingSteps,
  importMerge,
  importMergeSteps,
  importTreeSteps,
  importView,
  invert,
  NO_VIEWS,
  removeNode,
  runNow,
  sameForest,
  setFilters,
  type Forest,
  type NodeJson,
  type Steps,
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

const plan = forestOf(
  "Plan plan { Task a prio=3 .urgent { Note x Note y } Task b prio=1 { Note x } Task c }",
);
// n0 plan, n1 a, n2 x, n3 y, n4 b, n5 x, n6 c
const names = (forest: Forest, tree?: string): string => {
  const root = forest.tree(tree).idOf(0);
  const text = (json: NodeJson): string => {
    const kids = json["Children"] as NodeJson[];
    const own = ((json["Payload"] as NodeJson)["name"] ?? "-") as string;
    return kids.length === 0 ? own : `${own}(${kids.map(text).join(" ")})`;
  };
  return text(getSubtree({ forest }, { nodeId: root, pageSize: 200 }).root);
};

describe("views out and in", () => {
  const views = setFilters(collapseNode(NO_VIEWS, plan, { nodeId: "n1" }).views, {
    scope: "view",
    excluded: ["prio"],
  }).views;
  const out = exportView(readingOf(plan, { views }), { rootNodeId: "n0", includeViewRoot: true }).json;

  test("[TREE-74] export then import restores default, expansion and filters", () => {
    for (const rootLookupStrategy of ["nodeId", "path"] as const) {
      const back = importView(plan, NO_VIEWS, { viewJson: JSON.stringify(out), rootLookupStrategy });
      expect(back.ops).toEqual([]);
      expect(back.result).toMatchObject({ rootNodeId: "n0", restored: 5, unknown: 0 });
      expect(
        exportView(readingOf(plan, { views: back.views }), { rootNodeId: "n0", includeViewRoot: true }).json,
      ).toEqual(out);
    }
    expect(exportView(readingOf(plan), { rootNodeId: "n1" }).json["NodeId"]).toBe("n1");
    const partial = importView(removeNode(plan, { nodeId: "n4" }).forest, NO_VIEWS, { viewJson: out });
    expect(partial.result.unknown).toBe(2);
  });

  test("[TREE-75] a document that is no view is refused, saying what is missing", () => {
    const take = (viewJson: unknown, rootLookupStrategy: "nodeId" | "create" = "nodeId"): HoldfastError =>
      refusal(() => importView(plan, NO_VIEWS, { viewJson, rootLookupStrategy }));
    expect(take({ View: {} }).reason).toBe("missing_root");
    expect(take({ RootNodeId: "n0" }).reason).toBe("missing_view");
    expect(take({ RootNodeId: "zz", View: { NodeId: "zz" } })).toMatchObject({ code: "not_found" });
    expect(take("{").reason).toBe("bad_json");
    expect(take([]).reason).toBe("bad_view");
    expect(take({ RootNodeId: "n0", View: { Children: 5 } }).reason).toBe("not_a_node");
    expect(take({ View: { Children: [7] } }, "create").reason).toBe("not_a_node");
    expect(
      refusal(() => importView(plan, NO_VIEWS, { viewJson: out, rootLookupStrategy: "best" as "path" }))
        .reason,
    ).toBe("bad_strategy");
  });

  test("[TREE-76] create builds a tree from the view, with its expansion", () => {
    const made = importView(plan, NO_VIEWS, {
      viewJson: out,
      rootLookupStrategy: "create",
      payloadTypes: ["Plan", "Task", "Note"],
    });
    expect(made.result.created).toMatchObject({ tree: "t2", rootNodeId: "n0-2", nodes: 5 });
    expect(names(made.forest, "t2")).toBe("plan(a b(x) c)");
    const bad = refusal(() =>
      importView(plan, NO_VIEWS, { viewJson: out, rootLookupStrategy: "create", payloadTypes: ["Plan"] }),
    );
    expect(bad.reason).toBe("unknown_payload_type");
    const view = exportView(readingOf(made.forest, { views: made.views }), { rootNodeId: "n0-2" }).json;
    expect((view["Children"] as NodeJson[])[0]).toMatchObject({ IsExpanded: false, ChildrenCount: 0 });
  });
});

describe("branches out and in", () => {
  test("[TREE-77] [TREE-3] export and import in a fresh session give the same tree, ids included", () => {
    const json = exportSubtree(readingOf(plan), { nodeId: "n0" }).json;
    const made = runNow(importTreeSteps(EMPTY_FOREST, { json: JSON.stringify(json) }));
    expect(shown(made.forest.tree())).toEqual(shown(plan.tree()));
    expect(made.result.renamed).toEqual([]);
    expect(sameForest(applyAll(EMPTY_FOREST, made.ops), made.forest)).toBe(true);
    expect(exportSubtree(readingOf(plan), { nodeId: "n1", includeViewRoot: false }).json).toMatchObject({
      Children: [{ NodeId: "n2" }, { NodeId: "n3" }],
    });
  });

  test("[TREE-3] ids in use, twice in a document, of our form out of reach, or too long are renamed", () => {
    const json = {
      NodeId: "root-x",
      Children: [
        { NodeId: "a" },
        { NodeId: "a" },
        { NodeId: "n5" },
        { NodeId: "nzzzzz" },
        { NodeId: "n1-2" },
        { NodeId: "x".repeat(500) },
        { Payload: {} },
      ],
    };
    const one = runNow(importTreeSteps(EMPTY_FOREST, { json }));
    const tree = one.forest.tree();
    expect(tree.idOf(0)).toBe("root-x");
    expect(one.forest.node("a").slot).toBe(6);
    expect(one.forest.node("n5").slot).toBe(5);
    expect(one.result.renamed.map((entry) => entry.from.slice(0, 6))).toEqual([
      "a",
      "nzzzzz",
      "n1-2",
      "xxxxxx",
    ]);
    for (const { to } of one.result.renamed) expect(one.forest.find(to)).toBeDefined();
    const two = runNow(
      importTreeSteps(one.forest, { json: { NodeId: "root-x", Children: [{ NodeId: "a" }] } }),
    );
    expect(two.result.renamed.map((entry) => entry.from)).toEqual(["root-x", "a"]);
    expect(two.forest.node("a").tree.id).toBe("t1");
  });

  test("[TREE-82] a large import is many bounded operations, taken back like one", () => {
    const json = {
      Children: Array.from({ length: 30 }, (_, i) => ({
        NodeId: `g${i}`,
        Children: Array.from({ length: 500 }, (_, k) => ({ Payload: { k } })),
      })),
    };
    const made = importMerge(plan, { json });
    expect(made.result.created).toBe(15_031);
    expect(made.ops.length).toBeGreaterThan(3);
    for (const op of made.ops) expect(JSON.stringify(op).length).toBeLessThan(400_000);
    expect(sameForest(applyAll(plan, made.ops), made.forest)).toBe(true);
    const undo = made.ops.map(invert).reverse();
    const back = applyAll(made.forest, undo);
    expect(sameForest(back, plan)).toBe(true);
    expect(sameForest(applyAll(back, undo.map(invert).reverse()), made.forest)).toBe(true);
  });
});

describe("import_merge", () => {
  const doc = {
    NodeId: "n0",
    PayloadType: "Plan",
    Payload: { name: "plan", state: "new" },
    Children: [
      {
        NodeId: "n4",
        PayloadType: "Task",
        Payload: { name: "b", prio: 9 },
        Children: [{ NodeId: "z", PayloadType: "Note", Payload: { name: "z" } }],
      },
      {
        NodeId: "n1",
        PayloadType: "Task",
        Payload: { name: "a" },
        "@tags": ["new"],
        Children: [{ NodeId: "n2", PayloadType: "Note", Payload: { name: "x" } }],
      },
    ],
  };
  const back = (made: { ops: readonly Parameters<typeof invert>[0][]; forest: Forest }): boolean =>
    sameForest(applyAll(made.forest, made.ops.map(invert).reverse()), plan);

  test("[TREE-78] upsert sets what the document gives and leaves the rest", () => {
    const made = importMerge(plan, { json: doc, strategy: "upsert", matchBy: "nodeId" });
    expect(names(made.forest)).toBe("plan(a(x y) b(x z) c)");
    expect(made.forest.node("n1").tree.payloadOf(1)).toEqual({ name: "a", prio: 3 });
    expect(made.forest.node("n1").tree.tagsOf(1)).toEqual(["new", "urgent"]);
    expect(made.result).toMatchObject({
      created: 1,
      updated: 3,
      unchanged: 1,
      skipped: 0,
      removed: 0,
      ids: { created: ["z"], updated: ["n0", "n4", "n1"] },
    });
    expect(back(made)).toBe(true);
  });

  test("[TREE-78] replace takes over properties, children and order", () => {
    const made = importMerge(plan, { json: doc, strategy: "replace", matchBy: "nodeId" });
    expect(names(made.forest)).toBe("plan(b(z) a(x))");
    expect(made.forest.node("n1").tree.payloadOf(1)).toEqual({ name: "a" });
    expect(made.forest.node("n1").tree.tagsOf(1)).toEqual(["new"]);
    expect(made.result).toMatchObject({ created: 1, removed: 3 });
    expect([...made.result.ids.removed].sort()).toEqual(["n3", "n5", "n6"]);
    expect(back(made)).toBe(true);
    const moved = importMerge(plan, {
      json: {
        NodeId: "n0",
        Payload: {},
        Children: [{ NodeId: "n4", Payload: {}, Children: [{ NodeId: "n1", Payload: { name: "a" } }] }],
      },
      strategy: "replace",
    });
    expect(moved.forest.tree().parentOf(1)).toBe(4);
    expect(back(moved)).toBe(true);
    const turned = refusal(() =>
      importMerge(plan, { json: { NodeId: "n2", Children: [{ NodeId: "n1" }] }, strategy: "replace" }),
    );
    expect(turned.reason).toBe("cycle");
  });

  test("[TREE-78] skip leaves matched nodes alone and creates the others", () => {
    const made = importMerge(plan, { json: doc, strategy: "skip" });
    expect(made.result).toMatchObject({ created: 1, updated: 0, skipped: 4 });
    expect(made.forest.node("n4").tree.payloadOf(4)).toEqual({ name: "b", prio: 1 });
    expect(names(made.forest)).toBe("plan(a(x y) b(x z) c)");
    expect(back(made)).toBe(true);
  });

  test("[TREE-79] by path, names match level by level, the n-th with the n-th", () => {
    const json = {
      PayloadType: "Plan",
      Payload: { name: "plan" },
      Children: [
        {
          PayloadType: "Task",
          Payload: { name: "b" },
          Children: [
            { PayloadType: "Note", Payload: { name: "x", seen: 1 } },
            { PayloadType: "Note", Payload: { name: "x", seen: 2 } },
          ],
        },
      ],
    };
    const made = importMerge(plan, { json, matchBy: "path" });
    expect(made.result).toMatchObject({ created: 1, updated: 1, unchanged: 2 });
    expect(made.forest.node("n5").tree.payloadOf(5)).toEqual({ name: "x", seen: 1 });
    expect(made.forest.node("n2").tree.payloadOf(2)).toEqual({ name: "x" });
    const again = importMerge(made.forest, { json, matchBy: "path" });
    expect(again.result).toMatchObject({ created: 0, updated: 0, unchanged: 4 });
    expect(again.ops).toEqual([]);
    const aside = importMerge(plan, {
      json: { PayloadType: "Task", Payload: { name: "b", k: 1 } },
      matchBy: "path",
    });
    expect(aside.result.ids.updated).toEqual(["n4"]);
    const under = importMerge(plan, {
      json: { Payload: { name: "new" } },
      matchBy: "path",
      parentNodeId: "n6",
    });
    expect(names(under.forest)).toBe("plan(a(x y) b(x) c(new))");
    for (const bad of [{ strategy: "merge" }, { matchBy: "name" }])
      expect(refusal(() => importMerge(plan, { json, ...bad } as never)).code).toBe("invalid_argument");
  });
});

describe("documents", () => {
  test("[TREE-81] a JSON document is one node for each value, in order", () => {
    const made = runNow(
      importJsonSteps(EMPTY_FOREST, {
        name: "app.json",
        json: JSON.parse('{"b":[1,"two",null],"a":{"__proto__":true}}'),
      }),
    );
    const tree = made.forest.tree();
    const all = shown(tree) as {
      type: string;
      payload: { name: unknown; value?: unknown };
      parent: string | null;
    }[];
    expect(all.map((node) => [node.type, node.payload.name, node.payload.value, node.parent])).toEqual([
      ["Object", "app.json", undefined, null],
      ["Array", "b", undefined, "n0"],
      ["Number", 0, 1, "n1"],
      ["String", 1, "two", "n1"],
      ["Null", 2, null, "n1"],
      ["Object", "a", undefined, "n0"],
      ["Boolean", "__proto__", true, "n5"],
    ]);
    expect(made.forest.tree().facts.name).toBe("app.json");
  });

  test("[TREE-81] a directory listing is one node for each directory and file", () => {
    const entries = [
      { path: "src/index.ts", size_bytes: 12 },
      { path: "src/lib/", kind: "directory" as const },
      { path: "README.md", size_bytes: 3 },
      { path: "src/lib/a.ts", size_bytes: 1 },
    ];
    const made = runNow(importListingSteps(EMPTY_FOREST, { entries, name: "workspace" }));
    expect(names(made.forest)).toBe("workspace(src(index.ts lib(a.ts)) README.md)");
    expect(made.forest.node("n2").tree.payloadOf(2)).toEqual({
      name: "index.ts",
      path: "src/index.ts",
      size_bytes: 12,
    });
    expect(made.forest.tree().typeOf(3)).toBe("Directory");
  });

  test("[TREE-96] a saved tree keeps its name and its payload types", () => {
    const json = {
      Name: "plan",
      PayloadTypes: { A: { properties: { n: { kind: "number" } } } },
      Tree: { PayloadType: "A", Payload: { n: 1 }, Children: [{ PayloadType: "A" }] },
    };
    const { forest, result } = runNow(importTreeSteps(EMPTY_FOREST, { json }));
    expect(result.nodes).toBe(2);
    expect(forest.tree().facts).toMatchObject({ name: "plan", types: json.PayloadTypes });
    expect(refusal(() => addChild(forest, { parentNodeId: "n0", payloadType: "B" })).reason).toBe(
      "unknown_payload_type",
    );
    expect(importMerge(plan, { json }).result.created).toBe(2);
  });

  test("[TREE-79] ids beyond those listed are counted", () => {
    const json = { NodeId: "n0", Children: Array.from({ length: 230 }, () => ({ PayloadType: "T" })) };
    const { result } = importMerge(plan, { json });
    expect(result).toMatchObject({ created: 230, unlisted: 30 });
    expect(result.ids.created).toHaveLength(200);
  });

  test("[TREE-80] a million levels, a cycle and what is no node end at once with a reason", () => {
    const deepText = `${'{"Children":['.repeat(1_000_000)}${"]}".repeat(1_000_000)}`;
    expect(refusal(() => importMerge(plan, { json: deepText }))).toMatchObject({
      code: "invalid_argument",
      reason: "too_deep",
    });
    expect(
      refusal(() =>
        runNow(
          importJsonSteps(EMPTY_FOREST, {
            name: "x",
            json: JSON.parse(`${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`),
          }),
        ),
      ).reason,
    ).toBe("too_deep");
    const loop: { Children: unknown[] } = { Children: [{ Payload: {} }] };
    loop.Children.push({ Children: [loop] });
    expect(refusal(() => importMerge(plan, { json: loop })).reason).toBe("cycle");
    const list: unknown[] = [];
    list.push(list);
    expect(refusal(() => runNow(importJsonSteps(EMPTY_FOREST, { name: "x", json: list }))).reason).toBe(
      "cycle",
    );
    const self = { Payload: {} as Record<string, unknown> };
    self.Payload["self"] = self;
    expect(refusal(() => importMerge(plan, { json: self })).reason).toBe("cycle");
    const inside = { NodeId: "n0", Children: [{ foo: 1 }] };
    for (const json of [{}, { foo: 1 }, inside, "{}"])
      expect(refusal(() => importMerge(plan, { json })).reason).toBe("not_a_node");
    for (const json of [5, "null", "[1]", { Children: { a: 1 } }, { NodeId: 5 }, { PayloadType: "" }])
      expect(refusal(() => importMerge(plan, { json })).code).toBe("invalid_argument");
    // A small document that would unfold without end stops at the node limit.
    let twice: object = { Payload: {} };
    for (let i = 0; i < 60; i++) twice = { Children: [twice, twice] };
    expect(
      refusal(() => importMerge(plan, { json: twice }, { limits: { ...limits(), treeNodes: 10_000 } }))
        .reason,
    ).toBe("too_many_nodes");
  });

  test("[TREE-80] a chain of imports cannot go past the depth limit either", () => {
    let { forest } = createTree(EMPTY_FOREST);
    let last = "n0";
    for (let i = 0; i < 600; i++) {
      const made = addChild(forest, { parentNodeId: last, payloadType: "T" });
      ({ forest } = made);
      last = made.result.nodeId;
    }
    let json: object = { Payload: {} };
    for (let i = 0; i < 600; i++) json = { Children: [json] };
    expect(refusal(() => importMerge(forest, { json, parentNodeId: last })).reason).toBe("too_deep");
  });
});

import { DEFAULT_LIMITS, type Limits } from "../../src/limits.ts";

function limits(): Limits {
  return DEFAULT_LIMITS;
}

describe("in steps", () => {
  /** Runs the work; `most` is how often `add` of a set was called between two pauses, at most. */
  function counted<T>(steps: Steps<T>): {
    readonly value: T;
    readonly pauses: number;
    readonly most: number;
  } {
    const add = vi.spyOn(Set.prototype, "add");
    let most = 0;
    try {
      for (let pauses = 0; ; pauses++) {
        add.mockClear();
        const step = steps.next();
        most = Math.max(most, add.mock.calls.length);
        if (step.done === true) return { value: step.value, pauses, most };
      }
    } finally {
      add.mockRestore();
    }
  }

  test("[TREE-97] a large document becomes a tree, or a part of one, and is copied, with a pause for every few nodes", () => {
    const count = 20_000;
    const children = Array.from({ length: count }, (_, i) => ({ NodeId: `x${i}`, PayloadType: "T" }));
    const json = { PayloadType: "Plan", Children: children };
    const made = counted(importTreeSteps(EMPTY_FOREST, { json }));
    expect(made.value.result.nodes).toBe(count + 1);
    expect(made.most).toBeLessThan(5_000);
    expect(made.pauses).toBeGreaterThan((3 * count) / 1_024);

    const { forest } = createTree(EMPTY_FOREST);
    const merged = counted(importMergeSteps(forest, { json }));
    expect(merged.value.result.created).toBe(count + 1);
    expect(merged.most).toBeLessThan(5_000);

    const both = createTree(made.value.forest);
    const copied = counted(
      copySubtreeSteps(both.forest, { sourceId: "n0", targetParentId: both.result.rootNodeId }),
    );
    expect(copied.value.result.nodes).toBe(count + 1);
    expect(copied.pauses).toBeGreaterThan((2 * count) / 512);
  });
});
