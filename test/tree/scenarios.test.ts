// Every scenario of the agent-interface specification that a pure room can show, by its name. Those about roles,
// read-only mode, rate, version tokens, idempotency and audit belong to the call path.

import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import {
  addChild,
  applyAll,
  between,
  bookmark,
  cloneNode,
  collapseAll,
  collapseNode,
  copySubtree,
  createTree,
  diff,
  diffSubtree,
  EMPTY_FOREST,
  expandAll,
  expandNode,
  exportSubtree,
  exportView,
  getCommonAncestor,
  getNode,
  getPath,
  getSubtree,
  getView,
  importMerge,
  importView,
  invert,
  lintPayload,
  listBookmarks,
  listChildren,
  moveAfter,
  moveBefore,
  moveNode,
  NO_VIEWS,
  queryByTag,
  removeBookmark,
  removeNode,
  sameForest,
  search,
  searchAdvanced,
  selectNodes,
  setExpansionRecursive,
  setFilters,
  sortChildren,
  tagNode,
  takeRuleset,
  toggleNode,
  updateNodes,
  updatePayload,
  updatePayloadProperty,
  validateTree,
  type Forest,
  type NodeJson,
} from "../../src/tree/operations.ts";
import { forestOf, readingOf } from "./_build.ts";

const plan = forestOf(`
  Plan plan {
    Area home { Task paint prio=2 status="open" meta={"owner":"ines"} Task fix prio=7 status="done" }
    Area work { Task write prio=7 status="open" { Note draft } Task call prio=1 status="open" }
  }`);
// n0 plan; n1 home, n2 paint, n3 fix; n4 work, n5 write, n6 draft, n7 call
const reading = readingOf(plan);
const ids = (items: readonly NodeJson[]): unknown[] => items.map((item) => item["NodeId"]);
const kids = (forest: Forest, nodeId: string): unknown[] =>
  ids(listChildren(readingOf(forest), { nodeId }).items);
const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (HoldfastError.is(error)) return error.code;
    throw error;
  }
  return "ok";
};
const plainJson = (value: unknown): void => expect(JSON.parse(JSON.stringify(value))).toEqual(value);

describe("core agent operations", () => {
  test("[TREE-44] [TREE-48] Scenario: Read tree structure", () => {
    const { json } = getView(reading, { rootNodeId: "n0", depthLimit: 1, includedProperties: ["name"] });
    plainJson(json);
    expect(json["Children"]).toMatchObject([
      { NodeId: "n1", name: "home" },
      { NodeId: "n4", name: "work" },
    ]);
    expect(JSON.stringify(json)).not.toContain("paint");
  });

  test("[TREE-61] [TREE-58] Scenario: Search and navigation", () => {
    const page = search(reading, {
      rootNodeId: "n0",
      filters: [
        { path: "status", op: "eq", value: "OPEN" },
        { path: "prio", op: "eq", value: 7 },
      ],
    });
    expect(page.items).toMatchObject([{ NodeId: "n5", Path: "plan/work/write" }]);
  });

  test("[TREE-41] Scenario: Expand and collapse operations", () => {
    const { views, result } = collapseNode(NO_VIEWS, plan, { nodeId: "n4" });
    expect(result.isExpanded).toBe(false);
    expect(JSON.stringify(getView(readingOf(plan, { views }), { rootNodeId: "n0" }).json)).not.toContain(
      "draft",
    );
  });

  test("[TREE-26] [TREE-39] Scenario: Mutate tree data", () => {
    const done = updatePayloadProperty(plan, { nodeId: "n5", propertyName: "status", newValue: "done" });
    expect(getNode(readingOf(done.forest), { nodeId: "n5" })["Payload"]).toMatchObject({ status: "done" });
    expect(
      codeOf(() => updatePayloadProperty(plan, { nodeId: "n5", propertyName: "status.x", newValue: 1 })),
    ).toBe("invalid_argument");
  });
});

describe("safety", () => {
  test("[TREE-28] Scenario: Property update guards", () => {
    const { forest } = createTree(EMPTY_FOREST, {
      payloadTypes: { T: { properties: { id: { readOnly: true } } } },
      payloadProps: { id: 1 },
    });
    expect(codeOf(() => updatePayload(forest, { nodeId: "n0", patch: { id: 2 } }))).toBe("forbidden");
  });

  test("[TREE-27] Scenario: Guard internal properties on self-payload nodes", () => {
    const { forest } = createTree(EMPTY_FOREST, { payloadTypes: { T: { self: true } } });
    for (const propertyName of ["NodeId", "Children", "Parent", "PayloadType"])
      expect(codeOf(() => updatePayloadProperty(forest, { nodeId: "n0", propertyName, newValue: 1 }))).toBe(
        "invalid_argument",
      );
  });

  test("[TREE-30] [TREE-60] Scenario: Batch size limits", () => {
    expect(codeOf(() => getCommonAncestor(plan, { nodeIds: Array.from({ length: 501 }, () => "n1") }))).toBe(
      "invalid_argument",
    );
  });

  test("[TREE-4] [TREE-50] Scenario: Standard error codes", () => {
    expect(codeOf(() => getNode(reading, { nodeId: "zz" }))).toBe("not_found");
    expect(codeOf(() => moveNode(plan, { nodeId: "n1", newParentId: "n1" }))).toBe("invalid_argument");
    expect(codeOf(() => getView(reading, { rootNodeId: "n0", pageToken: "bad" }))).toBe("invalid_argument");
  });
});

describe("tool catalogue", () => {
  test("[TREE-44] [TREE-52] [TREE-56] [TREE-57] [TREE-61] Scenario: Core read tools", () => {
    const options = { includedProperties: ["name"], excludedProperties: ["meta"] };
    plainJson(getNode(reading, { nodeId: "n2", ...options }));
    plainJson(
      getView(reading, {
        rootNodeId: "n0",
        includeViewRoot: true,
        defaultExpanded: true,
        depthLimit: 2,
        pageSize: 5,
        ...options,
      }).json,
    );
    plainJson(
      search(reading, { rootNodeId: "n0", filters: [{ path: "name", op: "contains", value: "a" }], limit: 2 })
        .items,
    );
    plainJson(listChildren(reading, { nodeId: "n0", limit: 1 }).items);
  });

  test("[TREE-25] [TREE-31] [TREE-32] [TREE-42] [TREE-74] Scenario: Core mutate tools", () => {
    expect(expandNode(NO_VIEWS, plan, { nodeId: "n1" }).result.isExpanded).toBe(true);
    expect(collapseNode(NO_VIEWS, plan, { nodeId: "n1" }).result.isExpanded).toBe(false);
    expect(toggleNode(NO_VIEWS, plan, { nodeId: "n1" }).result.isExpanded).toBe(false);
    expect(expandAll(NO_VIEWS, plan, { rootNodeId: "n4" }).result.nodes).toBe(4);
    expect(collapseAll(NO_VIEWS, plan, { rootNodeId: "n4" }).result.nodes).toBe(4);
    const added = addChild(plan, { parentNodeId: "n1", payloadType: "Task", payloadProps: { name: "new" } });
    expect(added.result.nodeId).toBe("n8");
    expect(removeNode(added.forest, { nodeId: "n8" }).result.removed).toBe("n8");
    expect(moveNode(plan, { nodeId: "n2", newParentId: "n4" }).result.parentNodeId).toBe("n4");
    const out = exportView(reading, { rootNodeId: "n0", includeViewRoot: true }).json;
    expect(
      importView(plan, NO_VIEWS, { viewJson: out, payloadTypes: ["Plan"], rootLookupStrategy: "nodeId" })
        .result.restored,
    ).toBe(8);
  });
});

describe("output shaping", () => {
  test("[TREE-46] Scenario: Included/Excluded properties", () => {
    const json = getNode(reading, {
      nodeId: "n2",
      includedProperties: ["meta", "name"],
      excludedProperties: ["meta.owner"],
    });
    expect(json["Payload"]).toEqual({ name: "paint", meta: {} });
  });

  test("[TREE-48] [TREE-49] Scenario: Depth and pagination", () => {
    const own = readingOf(plan);
    const first = getView(own, { rootNodeId: "n0", depthLimit: 2, pageSize: 4 });
    expect(first.nodes).toBe(4);
    const second = getView(own, {
      rootNodeId: "n0",
      depthLimit: 2,
      pageSize: 4,
      pageToken: first.pageToken as string,
    });
    expect(second.nodes).toBe(3);
    expect(second.pageToken).toBeUndefined();
    expect(JSON.stringify([first.json, second.json])).not.toContain("draft");
  });
});

describe("queries", () => {
  test("[TREE-58] Scenario: get_path returns nodeIds and names", () => {
    expect(getPath(plan, { nodeId: "n5" }).map((step) => [step.nodeId, step.name, step.depth])).toEqual([
      ["n0", "plan", 0],
      ["n4", "work", 1],
      ["n5", "write", 2],
    ]);
  });

  test("[TREE-59] Scenario: get_subtree respects depth and filters", () => {
    const page = getSubtree(readingOf(plan), {
      nodeId: "n4",
      depthLimit: 1,
      includedProperties: ["prio"],
      pageSize: 2,
    });
    expect(page.root).toMatchObject({
      NodeId: "n4",
      Payload: {},
      Children: [{ NodeId: "n5", Payload: { prio: 7 }, Children: [] }],
    });
    expect(page.pageToken).toBeDefined();
  });

  test("[TREE-60] Scenario: get_common_ancestor returns nearest ancestor", () => {
    expect(getCommonAncestor(plan, { nodeIds: ["n6", "n7"] })).toEqual({ nodeId: "n4" });
    expect(getCommonAncestor(forestOf("X x", plan), { nodeIds: ["n6", "n0-2"] })).toEqual({ nodeId: null });
  });

  test("[TREE-63] [TREE-64] Scenario: search_advanced supports AND/OR and ranges", () => {
    const own = readingOf(plan);
    const query = {
      rootId: "n0",
      predicates: {
        op: "or" as const,
        predicates: [{ path: "prio", op: "between" as const, value: 1, value2: 2 }],
        groups: [
          {
            op: "and" as const,
            predicates: [
              { path: "prio", op: "gt" as const, value: 6 },
              { path: "name", op: "contains" as const, value: "WRI" },
            ],
          },
        ],
      },
      sortBy: "prio",
      limit: 2,
    };
    const page = searchAdvanced(own, query);
    expect(ids(page.items)).toEqual(["n7", "n2"]);
    expect(ids(searchAdvanced(own, { ...query, pageToken: page.pageToken as string }).items)).toEqual(["n5"]);
  });

  test("[TREE-65] [SEL-3] Scenario: select_nodes parses simple expressions", () => {
    expect(ids(selectNodes(reading, { queryDsl: 'Area[name="work"] Task[prio>=1]' }).items)).toEqual([
      "n5",
      "n7",
    ]);
  });
});

describe("structure", () => {
  test("[TREE-35] [TREE-36] Scenario: copy_subtree duplicates or references children", () => {
    const twice = copySubtree(plan, { sourceId: "n5", targetParentId: "n1", mode: "duplicate" });
    const shared = copySubtree(plan, { sourceId: "n5", targetParentId: "n1", mode: "reference" });
    const change = (forest: Forest): unknown =>
      getNode(
        readingOf(updatePayloadProperty(forest, { nodeId: "n5", propertyName: "prio", newValue: 0 }).forest),
        { nodeId: "n8" },
      )["Payload"];
    expect(change(twice.forest)).toMatchObject({ prio: 7 });
    expect(change(shared.forest)).toMatchObject({ prio: 0 });
  });

  test("[TREE-37] Scenario: clone_node duplicates a single node", () => {
    const { forest, result } = cloneNode(plan, { nodeId: "n5", targetParentId: "n1" });
    expect(getNode(readingOf(forest), { nodeId: result.nodeId })).toMatchObject({
      Payload: { name: "write" },
      Children: [],
    });
    expect(kids(forest, result.nodeId)).toEqual([]);
  });

  test("[TREE-33] Scenario: move_before/move_after adjust sibling order", () => {
    expect(kids(moveBefore(plan, { nodeId: "n4", siblingId: "n1" }).forest, "n0")).toEqual(["n4", "n1"]);
    expect(kids(moveAfter(plan, { nodeId: "n1", siblingId: "n4" }).forest, "n0")).toEqual(["n4", "n1"]);
  });

  test("[TREE-34] Scenario: sort_children applies stable ordering", () => {
    const f = addChild(plan, {
      parentNodeId: "n4",
      payloadType: "Task",
      payloadProps: { name: "z", prio: 7 },
    }).forest;
    const done = sortChildren(f, { parentId: "n4", byProp: "prio", direction: "desc", stable: true });
    expect(kids(done.forest, "n4")).toEqual(["n5", "n8", "n7"]);
  });

  test("[TREE-29] Scenario: update_payload patches multiple fields", () => {
    expect(updatePayload(plan, { nodeId: "n2", patch: { prio: 1, status: "done" } }).result.changed).toEqual([
      "prio",
      "status",
    ]);
    expect(codeOf(() => updatePayload(plan, { nodeId: "n2", patch: { prio: 1, Parent: "n0" } }))).toBe(
      "invalid_argument",
    );
  });

  test("[TREE-30] Scenario: update_nodes applies non-atomic bulk changes", () => {
    const done = updateNodes(plan, {
      filter: [{ path: "status", op: "eq", value: "open" }],
      patch: { seen: true },
    });
    expect(done.result).toMatchObject({ matched: 3, updated: 3, failed: 0 });
  });
});

describe("views, tags, bookmarks", () => {
  test("[TREE-43] Scenario: set_expansion_recursive with depth", () => {
    const { views } = setExpansionRecursive(NO_VIEWS, plan, { nodeId: "n0", expanded: false, maxDepth: 2 });
    const opened = expandNode(views, plan, { nodeId: "n0" }).views;
    const json = getView(readingOf(plan, { views: opened }), { rootNodeId: "n0" }).json;
    expect(json["Children"]).toMatchObject([
      { NodeId: "n1", IsExpanded: false },
      { NodeId: "n4", IsExpanded: false },
    ]);
  });

  test("[TREE-47] Scenario: set_filters persists filters", () => {
    const { views } = setFilters(NO_VIEWS, { scope: "all", included: ["name"], excluded: [] });
    const own = readingOf(plan, { views });
    expect(getNode(own, { nodeId: "n2" })["Payload"]).toEqual({ name: "paint" });
    expect(getView(own, { rootNodeId: "n2" }).json).not.toHaveProperty("prio");
  });

  test("[TREE-38] [TREE-66] Scenario: tag and query by tag", () => {
    const { forest } = tagNode(plan, { nodeId: "n7", tags: ["today"] });
    expect(ids(queryByTag(readingOf(forest), { tag: "today" }).items)).toEqual(["n7"]);
  });

  test("[TREE-54] Scenario: bookmark and list/remove bookmarks", () => {
    const { views } = bookmark(NO_VIEWS, plan, { nodeId: "n5", label: "next" });
    expect(listBookmarks(views, plan)).toEqual([{ label: "next", nodeId: "n5" }]);
    expect(listBookmarks(removeBookmark(views, { label: "next" }).views, plan)).toEqual([]);
  });
});

describe("rules, snapshots, exchange", () => {
  test("[TREE-69] Scenario: validate_tree checks structure", () => {
    const rules = [
      { rule: "required", types: ["Task"], properties: ["meta"] },
      { rule: "parents", types: ["Note"], allow: ["Area"] },
    ];
    expect(
      validateTree(plan, takeRuleset({ id: "basic", rules })).violations.map((one) => [one.nodeId, one.rule]),
    ).toEqual([
      ["n3", "required"],
      ["n5", "required"],
      ["n6", "parents"],
      ["n7", "required"],
    ]);
  });

  test("[TREE-72] Scenario: lint_payload checks payload formatting", () => {
    const rules = [{ rule: "pattern", property: "meta.owner", pattern: "^[A-Z]" }];
    expect(lintPayload(plan, takeRuleset({ id: "basic", rules }), { nodeId: "n2" }).violations).toMatchObject(
      [{ property: "meta.owner" }],
    );
  });

  test("[TREE-10] [TREE-20] Scenario: snapshot_create/list/restore", () => {
    const snapshot = plan;
    const later = removeNode(updatePayload(plan, { nodeId: "n2", patch: { prio: 9 } }).forest, {
      nodeId: "n4",
    }).forest;
    const restore = [...between(later, snapshot)];
    const restored = applyAll(later, restore);
    expect(sameForest(restored, snapshot)).toBe(true);
    expect(sameForest(applyAll(restored, restore.map(invert).reverse()), later)).toBe(true);
  });

  test("[TREE-83] [TREE-86] Scenario: snapshot_diff and diff_subtree", () => {
    const later = moveNode(updatePayload(plan, { nodeId: "n2", patch: { prio: 9 } }).forest, {
      nodeId: "n7",
      newParentId: "n1",
    }).forest;
    const d = diff(plan.tree(), later.tree());
    expect(d.changed.map((node) => node.nodeId)).toEqual(["n2"]);
    expect(d.moved.map((node) => node.nodeId)).toEqual(["n7"]);
    const branches = diffSubtree(plan, { aId: "n1", bId: "n4" });
    expect(branches.removed.map((node) => node.name)).toEqual(["paint", "fix"]);
    expect(branches.added.map((node) => [node.name, node.nodes])).toEqual([
      ["write", 2],
      ["call", 1],
    ]);
  });

  test("[TREE-77] Scenario: export_subtree serializes subtree", () => {
    const { json, nodes } = exportSubtree(reading, { nodeId: "n4", includeViewRoot: true });
    plainJson(json);
    expect(nodes).toBe(4);
    expect(json).toMatchObject({
      NodeId: "n4",
      Children: [{ NodeId: "n5", Children: [{ NodeId: "n6" }] }, { NodeId: "n7" }],
    });
  });

  test("[TREE-78] [TREE-79] Scenario: import_merge supports strategies", () => {
    const json = {
      NodeId: "n1",
      Payload: { name: "home", size: 3 },
      Children: [{ NodeId: "extra", PayloadType: "Task", Payload: { name: "e" } }],
    };
    expect(importMerge(plan, { json, strategy: "upsert", matchBy: "nodeId" }).result).toMatchObject({
      created: 1,
      updated: 1,
    });
    expect(importMerge(plan, { json, strategy: "replace", matchBy: "nodeId" }).result).toMatchObject({
      created: 1,
      updated: 1,
      removed: 2,
    });
    expect(importMerge(plan, { json, strategy: "skip", matchBy: "nodeId" }).result).toMatchObject({
      created: 1,
      skipped: 1,
    });
    expect(
      importMerge(plan, { json: { ...json, PayloadType: "Area" }, strategy: "upsert", matchBy: "path" })
        .result,
    ).toMatchObject({ created: 1, updated: 1 });
  });
});
