// Faults known from earlier systems of this kind, each shown to be absent.

import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import {
  addChild,
  applyAll,
  between,
  cloneNode,
  collapseAll,
  collapseNode,
  copySubtree,
  createTree,
  EMPTY_FOREST,
  expandAll,
  exportView,
  getCommonAncestor,
  getNode,
  getSubtree,
  getView,
  importMerge,
  importTreeSteps,
  importView,
  listChildren,
  moveAfter,
  moveBefore,
  moveNode,
  NO_VIEWS,
  removeNode,
  runNow,
  sameForest,
  searchAdvanced,
  selectNodes,
  setFilters,
  sortChildren,
  toggleNode,
  updateNodes,
  updatePayloadProperty,
  type Forest,
  type NodeJson,
} from "../../src/tree/operations.ts";
import { forestOf, readingOf } from "./_build.ts";

const plan = forestOf('Plan plan { Task a prio=2 Site={"city":"Bern"} { Note x } Task b prio=1 { Note y } }');
// n0 plan, n1 a, n2 x, n3 b, n4 y
const kids = (forest: Forest, nodeId: string): unknown[] =>
  listChildren(readingOf(forest), { nodeId }).items.map((item) => item["NodeId"]);
const refused = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (HoldfastError.is(error)) return `${error.code}/${error.reason}`;
    throw error;
  }
  return "accepted";
};
const count = (json: NodeJson): number =>
  1 + ((json["Children"] as NodeJson[] | undefined) ?? []).reduce((sum, child) => sum + count(child), 0);

describe("structure", () => {
  test("[TREE-34] sorting does not empty the parent", () => {
    expect(kids(sortChildren(plan, { parentId: "n0", byProp: "prio" }).forest, "n0")).toEqual(["n3", "n1"]);
  });

  test("[TREE-33] a node moved beside a sibling keeps its parent; beside itself it is not lost", () => {
    for (const move of [moveBefore, moveAfter]) {
      const { forest } = move(plan, { nodeId: "n3", siblingId: "n1" });
      expect(forest.tree().parentOf(3)).toBe(0);
      expect(refused(() => move(plan, { nodeId: "n3", siblingId: "n3" }))).toBe("invalid_argument/same_node");
    }
  });

  test("[TREE-32] moving under a descendant detaches nothing", () => {
    expect(refused(() => moveNode(plan, { nodeId: "n1", newParentId: "n2" }))).toBe("invalid_argument/cycle");
    expect(plan.tree().live).toBe(5);
  });

  test("[TREE-4] unknown ids and properties do not report success", () => {
    for (const run of [
      () => collapseNode(NO_VIEWS, plan, { nodeId: "zz" }),
      () => toggleNode(NO_VIEWS, plan, { nodeId: "zz" }),
      () => removeNode(plan, { nodeId: "zz" }),
      () => moveNode(plan, { nodeId: "zz", newParentId: "n0" }),
      () => updatePayloadProperty(plan, { nodeId: "zz", propertyName: "a", newValue: 1 }),
    ])
      expect(refused(run)).toBe("not_found/node_not_found");
    const { forest } = createTree(EMPTY_FOREST, { payloadTypes: { T: { properties: { a: {} } } } });
    expect(
      refused(() => updatePayloadProperty(forest, { nodeId: "n0", propertyName: "b", newValue: 1 })),
    ).toBe("invalid_argument/unknown_property");
  });

  test("[TREE-31] removing the root is refused", () => {
    expect(refused(() => removeNode(plan, { nodeId: "n0" }))).toBe("invalid_argument/root");
  });

  test("[TREE-35] [TREE-37] a reference copy does not move the source, a clone has no children", () => {
    const copy = copySubtree(plan, { sourceId: "n1", targetParentId: "n3", mode: "reference" });
    expect(kids(copy.forest, "n0")).toEqual(["n1", "n3"]);
    expect(kids(copy.forest, "n1")).toEqual(["n2"]);
    expect(kids(cloneNode(plan, { nodeId: "n1", targetParentId: "n3" }).forest, "n5")).toEqual([]);
  });

  test("[TREE-39] a failed change makes no operation, so nothing counts a version up", () => {
    const before = plan.tree();
    expect(() => moveNode(plan, { nodeId: "n1", newParentId: "n2" })).toThrow();
    expect(plan.tree()).toBe(before);
  });

  test("[TREE-24] an unknown type name is a name, nothing is loaded", () => {
    const { forest } = createTree(EMPTY_FOREST, { payloadTypes: ["T"] });
    expect(refused(() => addChild(forest, { parentNodeId: "n0", payloadType: "node:fs" }))).toBe(
      "invalid_argument/unknown_payload_type",
    );
  });
});

describe("reads", () => {
  test("[TREE-60] a parent and its child have the parent in common, a node has itself", () => {
    expect(getCommonAncestor(plan, { nodeIds: ["n1", "n2"] }).nodeId).toBe("n1");
    expect(getCommonAncestor(plan, { nodeIds: ["n2", "n2"] }).nodeId).toBe("n2");
  });

  test("[TREE-44] [TREE-42] views, exports and expansion begin at the node given, and pages end", () => {
    expect(getView(readingOf(plan), { rootNodeId: "n1" }).json["NodeId"]).toBe("n1");
    expect(exportView(readingOf(plan), { rootNodeId: "n1" }).nodes).toBe(2);
    expect(getView(readingOf(plan), { rootNodeId: "n0", pageSize: 2 }).nodes).toBe(2);
    const { views } = collapseAll(NO_VIEWS, plan, { rootNodeId: "n1" });
    expect(count(getView(readingOf(plan, { views }), { rootNodeId: "n0" }).json)).toBe(4);
    expect(
      count(
        getView(readingOf(plan, { views: expandAll(views, plan, { rootNodeId: "n3" }).views }), {
          rootNodeId: "n0",
        }).json,
      ),
    ).toBe(4);
  });

  test("[TREE-56] [TREE-59] get_node and get_subtree keep to filters, a depth keeps ids", () => {
    expect(getNode(readingOf(plan), { nodeId: "n1", includedProperties: ["prio"] })["Payload"]).toEqual({
      prio: 2,
    });
    const page = getSubtree(readingOf(plan), { nodeId: "n1", depthLimit: 1, includedProperties: ["name"] });
    expect(page.root).toMatchObject({ NodeId: "n1", Payload: { name: "a" }, Children: [{ NodeId: "n2" }] });
  });

  test("[TREE-46] an included object comes whole, and node fields never empty the children", () => {
    expect(getNode(readingOf(plan), { nodeId: "n1", includedProperties: ["Site"] })["Payload"]).toEqual({
      Site: { city: "Bern" },
    });
    const { json } = getView(readingOf(plan), {
      rootNodeId: "n0",
      includedProperties: ["NodeId", "Children"],
    });
    expect((json["Children"] as NodeJson[])[0]).toMatchObject({ NodeId: "n1", PayloadType: "Task" });
  });

  test("[TREE-47] filters once set are not overridden by a call that gives none", () => {
    const { views } = setFilters(NO_VIEWS, { included: ["name"] });
    expect(getNode(readingOf(plan, { views }), { nodeId: "n1" })["Payload"]).toEqual({ name: "a" });
  });

  test("[TREE-62] null is between nothing", () => {
    const { forest } = updatePayloadProperty(plan, { nodeId: "n1", propertyName: "prio", newValue: null });
    expect(
      searchAdvanced(readingOf(forest), {
        predicates: [{ path: "prio", op: "between", value: 0, value2: 9 }],
      }).total,
    ).toBe(1);
  });

  test("[TREE-50] a malformed page token is an error, not the first page", () => {
    expect(refused(() => listChildren(readingOf(plan), { nodeId: "n0", pageToken: "LTU=" }))).toBe(
      "invalid_argument/bad_page_token",
    );
  });

  test("[SEL-13] the selector knows or, and refuses what it does not know", () => {
    expect(selectNodes(readingOf(plan), { queryDsl: "[prio=1], [prio=2]" }).total).toBe(2);
    expect(refused(() => selectNodes(readingOf(plan), { queryDsl: "prio > 1 OR title contains x" }))).toBe(
      "accepted",
    );
    expect(
      selectNodes(readingOf(plan), { queryDsl: "prio > 1 OR title contains x" }).warnings.length,
    ).toBeGreaterThan(0);
    expect(refused(() => selectNodes(readingOf(plan), { queryDsl: 'Title contains "x"' }))).toBe(
      "invalid_argument/bad_selector",
    );
  });
});

describe("exchange", () => {
  test("[TREE-74] import_view restores expansion, not only filters", () => {
    const { views } = collapseNode(NO_VIEWS, plan, { nodeId: "n1" });
    const viewJson = exportView(readingOf(plan, { views }), { rootNodeId: "n0", includeViewRoot: true }).json;
    const back = importView(plan, NO_VIEWS, { viewJson });
    expect(count(getView(readingOf(plan, { views: back.views }), { rootNodeId: "n0" }).json)).toBe(4);
  });

  test("[TREE-20] [TREE-77] restore and tree import succeed", () => {
    const later = removeNode(plan, { nodeId: "n1" }).forest;
    expect(sameForest(applyAll(later, between(later, plan)), plan)).toBe(true);
    expect(
      runNow(importTreeSteps(EMPTY_FOREST, { json: getSubtree(readingOf(plan), { nodeId: "n0" }).root }))
        .result.nodes,
    ).toBe(5);
  });

  test("[TREE-27] no payload property is lost to, or overrides, a field of the node", () => {
    expect(refused(() => importMerge(plan, { json: { NodeId: "n1", Payload: { isExpanded: true } } }))).toBe(
      "invalid_argument/guarded_property",
    );
    const { forest } = updatePayloadProperty(plan, {
      nodeId: "n1",
      propertyName: "Payload",
      newValue: { mine: 1 },
    });
    const json = exportView(readingOf(forest), { rootNodeId: "n0", includeViewRoot: true }).json;
    const made = importView(forest, NO_VIEWS, { viewJson: json, rootLookupStrategy: "create" });
    expect(made.forest.tree("t2").payloadOf(1)).toMatchObject({ Payload: { mine: 1 } });
  });

  test("[TREE-30] a bulk update has a batch limit", () => {
    const { forest } = createTree(EMPTY_FOREST);
    const rows = Array.from({ length: 600 }, (_, i) => ({
      s: i + 1,
      u: 0,
      a: i === 0 ? -1 : i,
      t: "T",
      p: {},
    }));
    const big = applyAll(forest, [{ slice: "tree", op: "insert", tree: "t1", rows }]);
    const { result } = updateNodes(big, { filter: [], patch: { a: 1 } });
    expect(result.updated).toBe(500);
    expect(result.pageToken).toBeDefined();
  });
});
