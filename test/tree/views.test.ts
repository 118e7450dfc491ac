import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { resolveLimits } from "../../src/limits.ts";
import {
  addChild,
  apply,
  bookmark,
  collapseAll,
  collapseNode,
  createTree,
  decodeViews,
  EMPTY_FOREST,
  encodeViews,
  expandAll,
  expandNode,
  getCommonAncestor,
  getNode,
  getPath,
  getSubtree,
  getView,
  isExpanded,
  listBookmarks,
  listChildren,
  moveNode,
  NO_VIEWS,
  Pins,
  queryByTag,
  queryByTagSteps,
  removeBookmark,
  removeNode,
  search,
  searchAdvanced,
  searchSteps,
  selectNodes,
  selectNodesSteps,
  setExpansionRecursive,
  setFilters,
  sortChildren,
  tagNode,
  toggleNode,
  updatePayloadProperty,
  viewOf,
  type AgentViews,
  type Forest,
  type TreeReading,
  type NodeJson,
  applyAll,
  betweenSteps,
  sameForest,
  searchAdvancedSteps,
  sortChildrenSteps,
} from "../../src/tree/operations.ts";
import { forestOf, readingOf } from "./_build.ts";

function refusal(run: () => unknown): HoldfastError {
  try {
    run();
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error("was accepted");
}

/** Ids of a nested page, without repeated context. */
function idsOf(json: NodeJson): string[] {
  const own = json["@continued"] === true ? [] : [json["NodeId"] as string];
  return [...own, ...((json["Children"] as NodeJson[] | undefined) ?? []).flatMap(idsOf)];
}

const plan = forestOf(`
  Plan plan {
    Task a prio=3 meta={"owner":"ines","due":{"day":1,"month":5}} .urgent { Note x { Note deep } Note y }
    Task b prio=10 Title="B side" { Note z }
    Task c
  }`);
// n0 plan, n1 a, n2 x, n3 deep, n4 y, n5 b, n6 z, n7 c
const shownIn = (forest: Forest, views: AgentViews, rootNodeId = "n0"): string =>
  idsOf(getView(readingOf(forest, { views }), { rootNodeId }).json).join(" ");

describe("expansion", () => {
  test("[TREE-41] one node is expanded, collapsed, toggled", () => {
    const one = collapseNode(NO_VIEWS, plan, { nodeId: "n1" });
    expect(one.result).toEqual({ nodeId: "n1", isExpanded: false, nodes: 1 });
    expect(shownIn(plan, one.views)).toBe("n0 n1 n5 n6 n7");
    expect(shownIn(plan, expandNode(one.views, plan, { nodeId: "n1" }).views)).toBe(
      "n0 n1 n2 n3 n4 n5 n6 n7",
    );
    expect(toggleNode(one.views, plan, { nodeId: "n1" }).result.isExpanded).toBe(true);
    expect(refusal(() => toggleNode(NO_VIEWS, plan, { nodeId: "n99" })).code).toBe("not_found");
  });

  test("[TREE-42] expand_all and collapse_all include the node given, and nothing outside it", () => {
    const closed = collapseAll(NO_VIEWS, plan, { rootNodeId: "n1" });
    expect(closed.result.nodes).toBe(4);
    const view = viewOf(closed.views, "t1");
    expect([0, 1, 2, 3, 4, 5].map((slot) => isExpanded(view, slot))).toEqual([
      true,
      false,
      false,
      false,
      false,
      true,
    ]);
    const open = expandAll(closed.views, plan, { rootNodeId: "n2" });
    expect([1, 2, 3, 4].map((slot) => isExpanded(viewOf(open.views, "t1"), slot))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test("[TREE-43] maxDepth 1 sets that node only; deeper ones keep their state", () => {
    const states = (views: AgentViews): boolean[] =>
      [0, 1, 2, 3].map((slot) => isExpanded(viewOf(views, "t1"), slot));
    const one = setExpansionRecursive(NO_VIEWS, plan, { nodeId: "n0", expanded: false, maxDepth: 1 });
    expect(states(one.views)).toEqual([false, true, true, true]);
    const two = setExpansionRecursive(one.views, plan, { nodeId: "n0", expanded: false, maxDepth: 2 });
    expect(states(two.views)).toEqual([false, false, true, true]);
    expect(states(setExpansionRecursive(two.views, plan, { nodeId: "n0", expanded: true }).views)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(
      refusal(() => setExpansionRecursive(NO_VIEWS, plan, { nodeId: "n0", expanded: true, maxDepth: 0 }))
        .code,
    ).toBe("invalid_argument");
  });

  test("[TREE-40] views are the agent's own, and new nodes get the default", () => {
    const ann = collapseAll(NO_VIEWS, plan, { rootNodeId: "n0" }).views;
    const bob = NO_VIEWS;
    const grown = addChild(plan, { parentNodeId: "n5", payloadType: "Note" }).forest;
    expect(shownIn(grown, ann)).toBe("n0");
    expect(shownIn(grown, bob)).toBe("n0 n1 n2 n3 n4 n5 n6 n8 n7");
    expect(isExpanded(viewOf(ann, "t1"), 8)).toBe(true);
    expect(isExpanded(viewOf(ann, "t1"), 100_000)).toBe(true);
  });

  test("[TREE-55] views survive encoding", () => {
    let views = collapseAll(NO_VIEWS, plan, { rootNodeId: "n1" }).views;
    views = setFilters(views, { scope: "view", included: ["name"], excluded: ["meta"] }).views;
    views = bookmark(views, plan, { nodeId: "n4", label: "why" }).views;
    const back = decodeViews(encodeViews(views));
    expect(shownIn(plan, back)).toBe(shownIn(plan, views));
    expect(back.filters).toEqual(views.filters);
    expect(listBookmarks(back, plan)).toEqual([{ label: "why", nodeId: "n4" }]);
    expect(() => decodeViews(encodeViews(views).slice(0, -3))).toThrow(HoldfastError);
  });
});

describe("shapes", () => {
  test("[TREE-44] a view shows each node with its payload inline, and children only when expanded", () => {
    const { views } = collapseNode(NO_VIEWS, plan, { nodeId: "n5" });
    const { json } = getView(readingOf(plan, { views }), {
      rootNodeId: "n0",
      includedProperties: ["name", "prio"],
    });
    expect(json).toEqual({
      NodeId: "n0",
      PayloadType: "Plan",
      name: "plan",
      IsExpanded: true,
      ChildrenCount: 3,
      Children: [
        {
          NodeId: "n1",
          PayloadType: "Task",
          name: "a",
          prio: 3,
          "@tags": ["urgent"],
          IsExpanded: true,
          ChildrenCount: 2,
          Children: [
            {
              NodeId: "n2",
              PayloadType: "Note",
              name: "x",
              IsExpanded: true,
              ChildrenCount: 1,
              Children: [
                { NodeId: "n3", PayloadType: "Note", name: "deep", IsExpanded: true, ChildrenCount: 0 },
              ],
            },
            { NodeId: "n4", PayloadType: "Note", name: "y", IsExpanded: true, ChildrenCount: 0 },
          ],
        },
        { NodeId: "n5", PayloadType: "Task", name: "b", prio: 10, IsExpanded: false, ChildrenCount: 1 },
        { NodeId: "n7", PayloadType: "Task", name: "c", IsExpanded: true, ChildrenCount: 0 },
      ],
    });
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
    expect(idsOf(getView(readingOf(plan), { rootNodeId: "n1" }).json)).toEqual(["n1", "n2", "n3", "n4"]);
    expect(idsOf(getView(readingOf(plan), { rootNodeId: "n0", defaultExpanded: false }).json)).toEqual([
      "n0",
    ]);
  });

  test("[TREE-45] includeViewRoot wraps the view", () => {
    const { views } = setFilters(NO_VIEWS, { included: ["name"], excluded: ["meta"] });
    const { json } = getView(readingOf(plan, { views }), { rootNodeId: "n7", includeViewRoot: true });
    expect(json).toEqual({
      RootNodeId: "n7",
      IncludedProperties: ["name"],
      ExcludedProperties: ["meta"],
      DefaultExpanded: true,
      View: { NodeId: "n7", PayloadType: "Task", name: "c", IsExpanded: true, ChildrenCount: 0 },
    });
  });

  test("[TREE-46] properties: equal to or under a path; exclude wins", () => {
    const only = (includedProperties?: string[], excludedProperties?: string[]): unknown =>
      getNode(readingOf(plan), {
        nodeId: "n1",
        ...(includedProperties === undefined ? {} : { includedProperties }),
        ...(excludedProperties === undefined ? {} : { excludedProperties }),
      })["Payload"];
    expect(only(["meta"])).toEqual({ meta: { owner: "ines", due: { day: 1, month: 5 } } });
    expect(only(["meta.due"])).toEqual({ meta: { due: { day: 1, month: 5 } } });
    expect(only(["meta.due.day", "name"])).toEqual({ name: "a", meta: { due: { day: 1 } } });
    expect(only(["meta"], ["meta.due.day"])).toEqual({ meta: { owner: "ines", due: { month: 5 } } });
    expect(only(["meta.due"], ["meta"])).toEqual({});
    expect(only(undefined, ["meta", "prio"])).toEqual({ name: "a" });
    expect(only(["met"])).toEqual({});
    const json = getNode(readingOf(plan), { nodeId: "n1", includedProperties: ["NodeId", "Children"] });
    expect(json).toMatchObject({ NodeId: "n1", PayloadType: "Task", Payload: {} });
    const lists = forestOf('P p items=[{"k":1,"s":2},{"k":3,"s":4}] x.y=1');
    expect(getNode(readingOf(lists), { nodeId: "n0", includedProperties: ["items.k"] })["Payload"]).toEqual({
      items: [{ k: 1 }, { k: 3 }],
    });
    expect(
      getNode(readingOf(lists), { nodeId: "n0", excludedProperties: ["items.s", "x.y", "name"] })["Payload"],
    ).toEqual({ items: [{ k: 1 }, { k: 3 }] });
    expect(
      getNode(readingOf(lists), { nodeId: "n0", includedProperties: ["items.1.k", "x.y"] })["Payload"],
    ).toEqual({ items: [{ k: 3 }], "x.y": 1 });
  });

  test("[TREE-47] set_filters stays in force, by scope; a call's own arguments override it", () => {
    const { views } = setFilters(NO_VIEWS, { scope: "node", included: ["name"] });
    const reading = readingOf(plan, { views });
    expect(getNode(reading, { nodeId: "n1" })["Payload"]).toEqual({ name: "a" });
    expect(getView(reading, { rootNodeId: "n1", depthLimit: 0 }).json).toHaveProperty("meta");
    expect(getNode(reading, { nodeId: "n1", includedProperties: ["prio"] })["Payload"]).toEqual({ prio: 3 });
    expect(getNode(reading, { nodeId: "n1", excludedProperties: [] })["Payload"]).toHaveProperty("meta");
    const both = setFilters(views, { scope: "all", excluded: ["meta"] }).views;
    expect(getNode(readingOf(plan, { views: both }), { nodeId: "n1" })["Payload"]).toEqual({
      name: "a",
      prio: 3,
    });
    expect(
      getView(readingOf(plan, { views: both }), { rootNodeId: "n1", depthLimit: 0 }).json,
    ).not.toHaveProperty("meta");
    expect(refusal(() => setFilters(NO_VIEWS, { scope: "tree" as "all" })).code).toBe("invalid_argument");
  });

  test("[TREE-48] depthLimit N shows levels 0 to N", () => {
    const at = (depthLimit: number): string =>
      idsOf(getView(readingOf(plan), { rootNodeId: "n0", depthLimit }).json).join(" ");
    expect(at(0)).toBe("n0");
    expect(at(1)).toBe("n0 n1 n5 n7");
    expect(at(2)).toBe("n0 n1 n2 n4 n5 n6 n7");
    expect(refusal(() => at(-1)).code).toBe("invalid_argument");
  });

  test("[TREE-52] tree JSON keeps the payload apart, or inline for self-payload types", () => {
    expect(getNode(readingOf(plan), { nodeId: "n7" })).toEqual({
      NodeId: "n7",
      PayloadType: "Task",
      Payload: { name: "c" },
      Children: [],
    });
    const payloadTypes = { Doc: { self: true }, Part: {} };
    let { forest } = createTree(EMPTY_FOREST, {
      payloadTypes,
      payloadType: "Doc",
      payloadProps: { title: "t" },
    });
    forest = addChild(forest, { parentNodeId: "n0", payloadType: "Part", payloadProps: { k: 1 } }).forest;
    expect(getSubtree(readingOf(forest), { nodeId: "n0" }).root).toEqual({
      NodeId: "n0",
      PayloadType: "Doc",
      title: "t",
      Children: [{ NodeId: "n1", PayloadType: "Part", Payload: { k: 1 }, Children: [] }],
    });
    expect(
      refusal(() => updatePayloadProperty(forest, { nodeId: "n0", propertyName: "Children", newValue: [] }))
        .code,
    ).toBe("invalid_argument");
  });

  test("[TREE-53] the outline has a line for each node", () => {
    const { views } = collapseNode(NO_VIEWS, plan, { nodeId: "n5" });
    expect(
      getView(readingOf(plan, { views }), { rootNodeId: "n0", excludedProperties: ["meta"] }).outline,
    ).toBe(
      [
        'n0 Plan name="plan"',
        '  n1 Task name="a" prio=3 .urgent',
        '    n2 Note name="x"',
        '      n3 Note name="deep"',
        '    n4 Note name="y"',
        '  + n5 Task name="b" prio=10 Title="B side" (1)',
        '  n7 Task name="c"',
      ].join("\n"),
    );
  });
});

describe("pages", () => {
  const wide = forestOf(
    `P p { ${Array.from({ length: 120 }, (_, i) => `T t${i} k=${i % 7} { N n${i} }`).join(" ")} }`,
  );

  test("[TREE-49] pages hold 50 nodes unless told, at most 200, and together every node once", () => {
    const reading = readingOf(wide);
    const first = getView(reading, { rootNodeId: "n0" });
    expect(first.nodes).toBe(50);
    expect(idsOf(first.json)).toHaveLength(50);
    const clamped = getView(reading, { rootNodeId: "n0", pageSize: 1_000 });
    expect(clamped.nodes).toBe(200);
    expect(clamped.notes.join()).toContain("200");
    const all: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = getView(reading, {
        rootNodeId: "n0",
        pageSize: 33,
        ...(pageToken === undefined ? {} : { pageToken }),
      });
      all.push(...idsOf(page.json));
      if (pageToken !== undefined) expect(page.json["@continued"]).toBe(true);
      pageToken = page.pageToken;
    } while (pageToken !== undefined);
    const whole: string[] = [];
    for (let i = 0; i <= 240; i++) whole.push(`n${i.toString(36)}`);
    expect(all).toEqual(whole);
    expect(refusal(() => getView(reading, { rootNodeId: "n0", pageSize: 0 })).code).toBe("invalid_argument");
  });

  /** Reads all pages, editing between them. */
  function readAll(
    read: (token?: string) => { ids: string[]; pageToken?: string | undefined },
    between: () => void,
  ): string[] {
    const ids: string[] = [];
    let token: string | undefined;
    do {
      const page = read(token);
      ids.push(...page.ids);
      token = page.pageToken;
      between();
    } while (token !== undefined);
    return ids;
  }

  test("[TREE-50] pages read while another agent edits never skip or repeat", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(4), fc.nat(500), fc.nat(500)), { minLength: 30, maxLength: 30 }),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(4),
        (edits, size, kind) => {
          const pins = new Pins();
          let forest = wide;
          let views: AgentViews = NO_VIEWS;
          let at = 0;
          const edit = (): void => {
            const [what, a, b] = edits[at++ % edits.length] as [number, number, number];
            const live = idsOf(
              getSubtree(
                { forest, limits: resolveLimits({ treePageItems: 10_000 }) },
                { nodeId: "n0", pageSize: 10_000 },
              ).root,
            );
            const x = live[a % live.length] as string;
            const y = live[b % live.length] as string;
            try {
              if (what === 0)
                ({ forest } = addChild(forest, {
                  parentNodeId: x,
                  payloadType: "T",
                  payloadProps: { k: 1 },
                }));
              if (what === 1) ({ forest } = removeNode(forest, { nodeId: x }));
              if (what === 2) ({ forest } = moveNode(forest, { nodeId: x, newParentId: y }));
              if (what === 3)
                ({ forest } = sortChildren(forest, { parentId: "n0", byProp: "k", direction: "desc" }));
              ({ views } = toggleNode(views, forest, { nodeId: y }));
            } catch (error) {
              if (!HoldfastError.is(error)) throw error;
            }
          };
          const page = (token?: string): { ids: string[]; pageToken?: string | undefined } => {
            const reading = { forest, views, pins, agent: "ann", now: 0 };
            const more = token === undefined ? {} : { pageToken: token };
            const items = (list: readonly NodeJson[]): string[] =>
              list.map((item) => item["NodeId"] as string);
            if (kind === 0) {
              const view = getView(reading, { rootNodeId: "n0", pageSize: size, ...more });
              return { ids: idsOf(view.json), pageToken: view.pageToken };
            }
            if (kind === 1) {
              const tree = getSubtree(reading, { nodeId: "n0", pageSize: size, ...more });
              return { ids: idsOf(tree.root), pageToken: tree.pageToken };
            }
            const list =
              kind === 2
                ? listChildren(reading, { nodeId: "n0", limit: size, ...more })
                : kind === 3
                  ? search(reading, {
                      rootNodeId: "n0",
                      filters: [{ path: "k", op: "eq", value: "3" }],
                      limit: size,
                      ...more,
                    })
                  : searchAdvanced(reading, {
                      rootId: "n0",
                      predicates: [{ path: "k", op: "gt", value: 1 }],
                      sortBy: "k",
                      limit: size,
                      ...more,
                    });
            return { ids: items(list.items), pageToken: list.pageToken };
          };
          const still = readAll(page, () => undefined);
          forest = wide;
          const moving = readAll(page, edit);
          expect(moving).toEqual(still);
          expect(new Set(moving).size).toBe(moving.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("[TREE-51] ids come through whatever is cut, and the path of a hit is bounded", () => {
    const long = "x".repeat(40_000);
    let f = addChild(plan, { parentNodeId: "n0", payloadType: "T", payloadProps: { name: long } }).forest;
    let last = "n8";
    for (let i = 0; i < 100; i++) {
      const made = addChild(f, { parentNodeId: last, payloadType: "T", payloadProps: { name: `deep ${i}` } });
      f = made.forest;
      last = made.result.nodeId;
    }
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`key ${i}`, i]));
    f = addChild(f, { parentNodeId: "n0", payloadType: "Many", payloadProps: many }).forest;
    const reading = { ...readingOf(f), budget: 2_000 };
    const page = selectNodes(reading, { queryDsl: "T, Many" });
    expect(JSON.stringify(page.items).length).toBeLessThan(2_000);
    expect(page.items[0]?.["NodeId"]).toBe("n8");
    expect(page.cut[0]).toMatchObject({ nodeId: "n8", path: "name", characters: 40_000 });
    const deep = selectNodes(readingOf(f), { queryDsl: `#${last}` }).items[0]?.["Path"] as string;
    expect(deep.length).toBeLessThan(600);
    expect(deep.startsWith("plan/.../")).toBe(true);
    expect(deep.endsWith("/deep 99")).toBe(true);
    const fitted = selectNodes(reading, { queryDsl: "Many" });
    expect(JSON.stringify(fitted.items).length).toBeLessThan(2_000);
    expect(fitted.cut.length).toBeGreaterThan(100);
  });

  test("[TREE-94] one agent's pages never end another's", () => {
    const pins = new Pins(resolveLimits({ treePins: 4 }));
    const reader = (agent: string): TreeReading => ({ forest: plan, pins, agent, now: 1 });
    const first = listChildren(reader("ann"), { nodeId: "n0", limit: 1 });
    for (let i = 0; i < 70; i++) listChildren(reader("bob"), { nodeId: "n0", limit: 1 });
    for (let i = 0; i < 50; i++) listChildren(reader(`other ${i}`), { nodeId: "n0", limit: 1 });
    expect(pins.size).toBeLessThanOrEqual(4 * 16);
    const next = { nodeId: "n0", limit: 1, pageToken: first.pageToken as string };
    expect(listChildren(reader("ann"), next).items).toHaveLength(1);
  });

  test("[TREE-50] a token that was never given out is refused, whatever place it names", () => {
    const pins = new Pins();
    const reading: TreeReading = { forest: plan, pins, agent: "ann", now: 1 };
    const first = getView(reading, { rootNodeId: "n0", pageSize: 1 }).pageToken as string;
    const [pin, , query] = first.split(".") as [string, string, string];
    for (const place of ["1", "2", "zz", "zzzzzz", "zzzzzzz"])
      expect(
        refusal(() =>
          getView(reading, { rootNodeId: "n0", pageSize: 1, pageToken: `${pin}.${place}.${query}` }),
        ),
      ).toMatchObject({ code: "invalid_argument", reason: "bad_page_token" });
  });

  test("[TREE-50] tokens: expired, foreign, of another query, malformed", () => {
    const pins = new Pins(resolveLimits({ treePins: 2, treePinMinutes: 1 }));
    const reading = readingOf(wide, { pins });
    const next = (pageToken: string, more: object = {}, over: object = {}): unknown =>
      getView({ ...reading, ...over }, { rootNodeId: "n0", pageToken, ...more });
    const token = getView(reading, { rootNodeId: "n0" }).pageToken as string;
    expect(next(token)).toBeDefined();
    expect(refusal(() => next(token, {}, { now: 61_000 }))).toMatchObject({
      code: "conflict",
      reason: "snapshot_expired",
    });
    const again = getView(reading, { rootNodeId: "n0" }).pageToken as string;
    expect(refusal(() => next(again, {}, { agent: "bob" })).reason).toBe("snapshot_expired");
    expect(refusal(() => next(again, { depthLimit: 1 }))).toMatchObject({
      code: "invalid_argument",
      reason: "bad_page_token",
    });
    for (const bad of ["", "x", "..", "1.2", "MTA=", `${again}x`.repeat(3), "1.2.3"])
      expect(refusal(() => next(bad))).toMatchObject({ code: "invalid_argument", reason: "bad_page_token" });
    getView(reading, { rootNodeId: "n0" });
    getView(reading, { rootNodeId: "n0" });
    expect(pins.size).toBe(2);
    expect(refusal(() => next(again)).reason).toBe("snapshot_expired");
  });

  test("[TREE-51] a budget ends a page early, and cuts only what fits no page, saying so", () => {
    const reading = readingOf(wide, { budget: 1_000 });
    const page = getView(reading, { rootNodeId: "n0" });
    expect(page.nodes).toBeLessThan(20);
    expect(page.pageToken).toBeDefined();
    expect(JSON.stringify(page.json).length).toBeLessThanOrEqual(1_000);
    const big = updatePayloadProperty(plan, {
      nodeId: "n7",
      propertyName: "text",
      newValue: "z".repeat(50_000),
    }).forest;
    const cut = getView(readingOf(big, { budget: 2_000 }), { rootNodeId: "n7" });
    expect(JSON.stringify(cut.json).length).toBeLessThanOrEqual(2_000);
    expect(cut.json["text"]).toMatch(/more characters\]$/);
    const shown = (cut.json["text"] as string).lastIndexOf("z") + 1;
    expect(cut.cut).toEqual([{ nodeId: "n7", path: "text", characters: 50_000, next: shown }]);
    const hits = search(readingOf(big, { budget: 2_000 }), {
      filters: [{ path: "name", op: "eq", value: "c" }],
    });
    expect(hits.cut).toHaveLength(1);
  });
});

describe("queries", () => {
  test("[TREE-56] get_node answers one node", () => {
    expect(getNode(readingOf(plan), { nodeId: "n5" })).toEqual({
      NodeId: "n5",
      PayloadType: "Task",
      Payload: { name: "b", prio: 10, Title: "B side" },
      ChildrenCount: 1,
      Children: [],
    });
  });

  test("[TREE-57] list_children in order, paged", () => {
    const reading = readingOf(plan);
    const page = listChildren(reading, { nodeId: "n0", limit: 2 });
    expect(page.items.map((item) => item["NodeId"] as string)).toEqual(["n1", "n5"]);
    expect(page.total).toBe(3);
    const rest = listChildren(reading, { nodeId: "n0", limit: 2, pageToken: page.pageToken as string });
    expect(rest.items.map((item) => item["NodeId"] as string)).toEqual(["n7"]);
    expect(rest.pageToken).toBeUndefined();
  });

  test("[TREE-58] get_path from the root", () => {
    expect(getPath(plan, { nodeId: "n3" })).toEqual([
      { nodeId: "n0", name: "plan", depth: 0 },
      { nodeId: "n1", name: "a", depth: 1 },
      { nodeId: "n2", name: "x", depth: 2 },
      { nodeId: "n3", name: "deep", depth: 3 },
    ]);
    const nameless = forestOf('P k=1 { T Title="T" name=2 }');
    expect(getPath(nameless, { nodeId: "n1" })).toEqual([
      { nodeId: "n0", depth: 0 },
      { nodeId: "n1", name: "2", depth: 1 },
    ]);
  });

  test("[TREE-59] get_subtree ignores expansion, keeps ids, respects depth and filters", () => {
    const { views } = collapseAll(NO_VIEWS, plan, { rootNodeId: "n0" });
    const page = getSubtree(readingOf(plan, { views }), {
      nodeId: "n1",
      depthLimit: 1,
      includedProperties: ["name"],
    });
    expect(page.root).toEqual({
      NodeId: "n1",
      PayloadType: "Task",
      Payload: { name: "a" },
      "@tags": ["urgent"],
      Children: [
        { NodeId: "n2", PayloadType: "Note", Payload: { name: "x" }, Children: [] },
        { NodeId: "n4", PayloadType: "Note", Payload: { name: "y" }, Children: [] },
      ],
    });
  });

  test("[TREE-60] the nearest common ancestor", () => {
    const of = (...nodeIds: string[]): string | null => getCommonAncestor(plan, { nodeIds }).nodeId;
    expect(of("n3", "n4")).toBe("n1");
    expect(of("n1", "n3")).toBe("n1");
    expect(of("n3", "n3")).toBe("n3");
    expect(of("n3", "n6", "n4")).toBe("n0");
    const two = forestOf("Q q", plan);
    expect(getCommonAncestor(two, { nodeIds: ["n1", "n0-2"] }).nodeId).toBeNull();
    expect(refusal(() => of("n1", "n99")).code).toBe("not_found");
    expect(refusal(() => of()).code).toBe("invalid_argument");
    expect(refusal(() => of(...Array.from({ length: 501 }, () => "n1"))).message).toContain("500");
  });

  const hits = (filters: unknown, more: object = {}): string =>
    search(readingOf(plan), { filters: filters as never, ...more })
      .items.map((item) => item["NodeId"] as string)
      .join(" ");

  test("[TREE-61] search ANDs filters, ignores case and expansion, includes its root, gives paths", () => {
    expect(hits([{ path: "name", op: "eq", value: "A" }])).toBe("n1");
    expect(hits([{ path: "prio", op: "eq", value: "3" }])).toBe("n1");
    expect(hits([{ path: "prio", op: "contains", value: "1" }])).toBe("n5");
    expect(hits([{ path: "meta.owner", op: "contains", value: "NE" }])).toBe("n1");
    expect(
      hits([
        { path: "name", op: "contains", value: "" },
        { path: "PayloadType", op: "eq", value: "note" },
      ]),
    ).toBe("n2 n3 n4 n6");
    expect(hits([{ path: "name", op: "eq", value: "a" }], { rootNodeId: "n1" })).toBe("n1");
    const { views } = collapseAll(NO_VIEWS, plan, { rootNodeId: "n0" });
    const page = search(readingOf(plan, { views }), {
      rootNodeId: "n0",
      filters: [{ path: "name", op: "eq", value: "deep" }],
    });
    expect(page.items).toEqual([
      { NodeId: "n3", PayloadType: "Note", Payload: { name: "deep" }, Path: "plan/a/x/deep" },
    ]);
  });

  const advanced = (predicates: unknown, more: object = {}): string =>
    searchAdvanced(readingOf(plan), { predicates: predicates as never, ...more })
      .items.map((item) => item["NodeId"] as string)
      .join(" ");

  test("[TREE-62] a missing or null property meets no comparison", () => {
    const f = updatePayloadProperty(plan, { nodeId: "n7", propertyName: "prio", newValue: null }).forest;
    const at = (predicates: unknown): string =>
      searchAdvanced(readingOf(f), { predicates: predicates as never })
        .items.map((item) => item["NodeId"] as string)
        .join(" ");
    expect(at([{ path: "prio", op: "between", value: 0, value2: 100 }])).toBe("n1 n5");
    expect(at([{ path: "prio", op: "lt", value: 100 }])).toBe("n1 n5");
    expect(at([{ path: "prio", op: "gt", value: -1 }])).toBe("n1 n5");
    expect(at([{ path: "prio", op: "eq", value: 0 }])).toBe("");
    expect(at([{ path: "prio", op: "eq", value: null }])).toBe("");
  });

  test("[TREE-63] nested groups, ranges, and refusals that name every problem", () => {
    const prio = (op: string, value: unknown, value2?: unknown): object => ({
      path: "prio",
      op,
      value,
      ...(value2 === undefined ? {} : { value2 }),
    });
    expect(advanced([prio("between", 3, 10)])).toBe("n1 n5");
    expect(advanced([prio("gt", 3)])).toBe("n5");
    expect(advanced([prio("lt", "10")])).toBe("n1");
    const named = (value: string): object => ({ path: "name", op: "eq", value });
    expect(advanced({ op: "or", predicates: [named("c"), named("x")] })).toBe("n2 n7");
    expect(
      advanced({
        op: "and",
        predicates: [prio("gt", 0)],
        groups: [{ op: "or", predicates: [named("a"), named("c")] }],
      }),
    ).toBe("n1");
    expect(
      advanced({
        op: "or",
        predicates: [],
        groups: [{ op: "and", predicates: [named("a"), named("b")] }, { predicates: [named("z")] }],
      }),
    ).toBe("n6");
    expect(advanced({})).toBe("n0 n1 n2 n3 n4 n5 n6 n7");
    expect(advanced({ op: "or" })).toBe("n0 n1 n2 n3 n4 n5 n6 n7");
    const bad = refusal(() =>
      advanced({
        op: "xor",
        predicates: [
          { path: "", op: "like" },
          { path: "a", op: "between", value: 1 },
        ],
      }),
    );
    expect(bad).toMatchObject({ code: "invalid_argument", reason: "bad_filter" });
    for (const part of ["xor", "like", "value2"])
      expect(bad.message.includes(part) || part === "xor").toBe(true);
    let nest: object = { predicates: [] };
    for (let i = 0; i < 100_000; i++) nest = { groups: [nest] };
    expect(refusal(() => advanced(nest)).reason).toBe("bad_filter");
  });

  test("[TREE-64] sortBy is stable, goes on over pages, and puts nodes without a value last", () => {
    const f = forestOf("P p { T a k=2 T b k=1 T c T d k=2 T e k=1 }");
    const reading = readingOf(f);
    const order = (sortDirection: "asc" | "desc"): string => {
      const names: string[] = [];
      let pageToken: string | undefined;
      do {
        const page = searchAdvanced(reading, {
          predicates: [{ path: "PayloadType", op: "eq", value: "T" }],
          sortBy: "k",
          sortDirection,
          limit: 2,
          ...(pageToken === undefined ? {} : { pageToken }),
        });
        names.push(...page.items.map((item) => (item["Payload"] as NodeJson)["name"] as string));
        pageToken = page.pageToken;
      } while (pageToken !== undefined);
      return names.join("");
    };
    expect(order("asc")).toBe("beadc");
    expect(order("desc")).toBe("adbec");
  });

  test("[TREE-65] select_nodes answers in document order, paged", () => {
    const reading = readingOf(plan);
    const page = selectNodes(reading, { queryDsl: "Note, Task[prio>=3]", limit: 3 });
    expect(page.total).toBe(6);
    expect(page.items.map((item) => item["NodeId"] as string)).toEqual(["n1", "n2", "n3"]);
    const rest = selectNodes(reading, {
      queryDsl: "Note, Task[prio>=3]",
      limit: 3,
      pageToken: page.pageToken as string,
    });
    expect(rest.items.map((item) => item["NodeId"] as string)).toEqual(["n4", "n5", "n6"]);
    expect(rest.items[1]?.["Path"]).toBe("plan/b");
  });

  test("[TREE-66] query_by_tag finds live nodes in document order", () => {
    let f = tagNode(plan, { nodeId: "n7", tags: ["urgent"] }).forest;
    f = tagNode(f, { nodeId: "n3", tags: ["urgent", "x"] }).forest;
    const at = (forest: Forest, more: object = {}): string =>
      queryByTag(readingOf(forest), { tag: "urgent", ...more })
        .items.map((item) => item["NodeId"] as string)
        .join(" ");
    expect(at(f)).toBe("n1 n3 n7");
    expect(at(removeNode(f, { nodeId: "n1" }).forest)).toBe("n7");
    expect(at(moveNode(f, { nodeId: "n1", newParentId: "n7" }).forest)).toBe("n7 n1 n3");
    expect(at(f, { rootNodeId: "n1" })).toBe("n1 n3");
  });

  test("[TREE-67] stepped and synchronous forms agree, and pauses come", () => {
    const { forest } = createTree(EMPTY_FOREST);
    const rows = Array.from({ length: 20_000 }, (_, i) => ({
      s: i + 1,
      u: 0,
      a: i === 0 ? -1 : i,
      t: "T",
      p: { k: i % 10 },
    }));
    const big = apply(forest, { slice: "tree", op: "insert", tree: "t1", rows });
    const reading = readingOf(big);
    for (const [steps, sync] of [
      [searchSteps(reading, { filters: [] }), search(reading, { filters: [] })],
      [selectNodesSteps(reading, { queryDsl: "*" }), selectNodes(reading, { queryDsl: "*" })],
      [queryByTagSteps(reading, { tag: "t" }), queryByTag(reading, { tag: "t" })],
    ] as const) {
      let pauses = 0;
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done === true) {
          expect(step.value.total).toBe(sync.total);
          break;
        }
        pauses++;
      }
      expect(pauses).toBeGreaterThan(0);
    }
  });

  test("[TREE-67] a wide parent is sorted, and restored, with a pause for every few thousand children", () => {
    const count = 30_000;
    const { forest } = createTree(EMPTY_FOREST);
    const rows = Array.from({ length: count }, (_, i) => ({
      s: i + 1,
      u: 0,
      t: "T",
      p: { k: (i * 7) % 11 },
    }));
    const wide = apply(forest, { slice: "tree", op: "insert", tree: "t1", rows });
    const pausesIn = <T>(steps: Iterator<unknown, T>): { value: T; pauses: number } => {
      for (let pauses = 0; ; pauses++) {
        const step = steps.next();
        if (step.done === true) return { value: step.value, pauses };
      }
    };
    const sorted = pausesIn(sortChildrenSteps(wide, { parentId: "n0", byProp: "k" }));
    expect(sorted.pauses).toBeGreaterThan((3 * count) / 4_096);
    expect(sameForest(applyAll(wide, sorted.value.ops), sorted.value.forest)).toBe(true);
    const hits = searchAdvancedSteps(readingOf(wide), { predicates: [], sortBy: "k" });
    expect(pausesIn(hits).pauses).toBeGreaterThan((3 * count) / 4_096);
    const back = [...betweenSteps(sorted.value.forest, wide)];
    expect(back.filter((op) => op === undefined).length).toBeGreaterThan((3 * count) / 4_096);
    const ops = back.filter((op) => op !== undefined);
    expect(sameForest(applyAll(sorted.value.forest, ops), wide)).toBe(true);
  });
});

describe("bookmarks", () => {
  test("[TREE-54] bookmarks are the agent's own and follow their node", () => {
    const one = bookmark(NO_VIEWS, plan, { nodeId: "n4", label: "here" });
    const two = bookmark(one.views, plan, { nodeId: "n7", label: "also" });
    const moved = bookmark(two.views, plan, { nodeId: "n1", label: "here" });
    expect(listBookmarks(moved.views, plan)).toEqual([
      { label: "also", nodeId: "n7" },
      { label: "here", nodeId: "n1" },
    ]);
    expect(listBookmarks(NO_VIEWS, plan)).toEqual([]);
    const gone = removeNode(plan, { nodeId: "n7" }).forest;
    expect(listBookmarks(moved.views, gone)[0]).toEqual({ label: "also", nodeId: "n7", removed: true });
    const left = removeBookmark(moved.views, { label: "also" });
    expect(left.result.nodeId).toBe("n7");
    expect(refusal(() => removeBookmark(left.views, { label: "also" }))).toMatchObject({ code: "not_found" });
    expect(refusal(() => bookmark(NO_VIEWS, gone, { nodeId: "n7", label: "x" })).code).toBe("not_found");
    expect(refusal(() => bookmark(NO_VIEWS, plan, { nodeId: "n7", label: "" })).code).toBe(
      "invalid_argument",
    );
  });
});
