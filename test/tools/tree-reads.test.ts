import { describe, expect, test } from "vitest";
import { grove, planted, type Value } from "./tree-session.ts";

describe("reading trees", () => {
  test("[TT-20] get_node, get_view, search and list_children answer JSON with the properties asked for", async () => {
    const { eve } = await planted();
    const { node } = await eve.read("get_node", {
      nodeId: "n1",
      includedProperties: ["name", "meta"],
      excludedProperties: ["meta.due"],
    });
    expect(node).toEqual({
      NodeId: "n1",
      PayloadType: "Task",
      Payload: { name: "write", meta: { owner: "ines" } },
      ChildrenCount: 2,
      Children: [],
    });
    const { view, nodes } = await eve.read("get_view", {
      rootNodeId: "n0",
      includeViewRoot: true,
      defaultExpanded: true,
      includedProperties: ["name"],
      depthLimit: 1,
      pageSize: 3,
    });
    expect(nodes).toBe(3);
    expect(view).toMatchObject({ RootNodeId: "n0", IncludedProperties: ["name"], DefaultExpanded: true });
    const found = await eve.read("search", {
      rootNodeId: "n0",
      filters: [
        { path: "status", op: "eq", value: "OPEN" },
        { path: "name", op: "contains", value: "RI" },
      ],
      limit: 1,
    });
    expect(found).toMatchObject({ total: 2, nodes: [{ NodeId: "n1", Path: "plan/write" }] });
    const rest = await eve.read("search", {
      rootNodeId: "n0",
      filters: [
        { path: "status", op: "eq", value: "OPEN" },
        { path: "name", op: "contains", value: "RI" },
      ],
      limit: 1,
      pageToken: found["pageToken"],
    });
    expect(rest).toMatchObject({ total: 2, nodes: [{ NodeId: "n6" }] });
    expect(rest).not.toHaveProperty("pageToken");
    const children = await eve.read("list_children", { nodeId: "n0", limit: 2 });
    expect((children["nodes"] as Value[]).map(({ NodeId }) => NodeId as string)).toEqual(["n1", "n4"]);
    expect(JSON.parse(JSON.stringify(children))).toEqual(children);
  });

  test("[TT-21] an outline is one line a node", async () => {
    const { eve } = await planted();
    const view = await eve.call("get_view", {
      rootNodeId: "n1",
      format: "outline",
      includedProperties: ["name"],
    });
    expect(view.text.split("\n").slice(1)).toEqual([
      'n1 Task name="write"',
      '  n2 Note name="draft"',
      '  n3 Note name="sources"',
    ]);
    for (const [tool, input] of [
      ["get_node", { nodeId: "n1" }],
      ["get_subtree", { nodeId: "n1" }],
      ["list_children", { nodeId: "n0" }],
      ["select_nodes", { queryDsl: "Task" }],
    ] as const) {
      const { text, value } = await eve.call(tool, { ...input, format: "outline" });
      expect(text, tool).toMatch(/n1 Task name="write" status="open"/);
      expect(value).not.toHaveProperty("node");
      expect(value).not.toHaveProperty("view");
    }
  });

  test("[TT-22] pages show what the first page saw, whatever happens meanwhile", async () => {
    const { ann, eve } = await planted();
    for (const [tool, input, list] of [
      ["get_view", { rootNodeId: "n0", pageSize: 2 }, branchIds],
      ["get_subtree", { nodeId: "n0", pageSize: 2 }, branchIds],
      ["list_children", { nodeId: "n0", limit: 1 }, listIds],
      ["search", { rootNodeId: "n0", filters: [], limit: 2 }, listIds],
      ["search_advanced", { rootId: "n0", predicates: [], sortBy: "name", limit: 2 }, listIds],
      ["select_nodes", { queryDsl: "*", limit: 2 }, listIds],
    ] as const) {
      const { pageSize: _, limit: __, ...whole } = input as Record<string, unknown>;
      const expected = list(await eve.read(tool, whole));
      const seen: string[] = [];
      let page = await eve.read(tool, input);
      for (;;) {
        seen.push(...list(page));
        if (page["pageToken"] === undefined) break;
        const { nodeId } = await ann.do("add_child", {
          parentNodeId: "n0",
          payloadType: "Task",
          payloadProps: { name: "a" },
        });
        await ann.do("move_before", { nodeId, siblingId: "n1" });
        page = await eve.read(tool, { ...input, pageToken: page["pageToken"] });
        await ann.do("remove_node", { nodeId });
      }
      expect(seen, tool).toEqual(expected);
    }
  });

  test("[TT-22] a page token that is malformed, of another call or expired is refused for what it is", async () => {
    const { eve, clock } = await planted();
    const { pageToken } = await eve.read("list_children", { nodeId: "n0", limit: 1 });
    const ask = async (input: object): Promise<unknown> => (await eve.call("list_children", input)).error;
    expect(await ask({ nodeId: "n0", limit: 1, pageToken: "what" })).toMatchObject({
      code: "invalid_argument",
      reason: "bad_page_token",
    });
    expect(await ask({ nodeId: "n1", limit: 1, pageToken })).toMatchObject({
      code: "invalid_argument",
      reason: "bad_page_token",
    });
    clock.ms += 31 * 60_000;
    expect(await ask({ nodeId: "n0", limit: 1, pageToken })).toMatchObject({
      code: "conflict",
      reason: "snapshot_expired",
    });
  });

  test("[TT-23] a page keeps within the budget and says how to go on", async () => {
    const { ann, eve } = await planted();
    await ann.do("update_payload_property", {
      nodeId: "n2",
      propertyName: "text",
      newValue: "x".repeat(3_000),
    });
    for (const budget of [1_000, 1_500]) {
      const page = await eve.call("get_subtree", { nodeId: "n0", budget });
      expect(page.text.length).toBeLessThanOrEqual(budget);
      expect(page.text).toContain("[More: send the same call with pageToken");
    }
    const clamped = await eve.call("list_children", { nodeId: "n0", limit: 1_000 });
    expect(clamped.text).toContain("at most 200");
  });

  test("[TT-24] paths, subtrees, common ancestors, searches, selections and tags", async () => {
    const { ann, eve } = await planted();
    expect((await eve.read("get_path", { nodeId: "n5" }))["path"]).toEqual([
      { nodeId: "n0", name: "plan", depth: 0 },
      { nodeId: "n4", name: "review", depth: 1 },
      { nodeId: "n5", name: "who", depth: 2 },
    ]);
    const { view } = await eve.read("get_subtree", {
      nodeId: "n0",
      depthLimit: 1,
      includedProperties: ["name"],
    });
    expect(view).toMatchObject({
      Children: [{ NodeId: "n1", Children: [] }, { NodeId: "n4" }, { NodeId: "n6" }],
    });
    expect((await eve.read("get_common_ancestor", { nodeIds: ["n2", "n3"] }))["nodeId"]).toBe("n1");
    expect((await eve.read("get_common_ancestor", { nodeIds: ["n1", "n2"] }))["nodeId"]).toBe("n1");
    const advanced = await eve.read("search_advanced", {
      rootId: "n0",
      predicates: {
        op: "or",
        predicates: [{ path: "prio", op: "gt", value: 8 }],
        groups: [{ predicates: [{ path: "prio", op: "between", value: 1, value2: 3 }] }],
      },
      sortBy: "prio",
      sortDirection: "desc",
    });
    expect(listIds(advanced)).toEqual(["n6", "n4"]);
    expect(listIds(await eve.read("select_nodes", { queryDsl: 'Task[status="open"] > Note' }))).toEqual([
      "n2",
      "n3",
    ]);
    const none = await eve.call("select_nodes", { queryDsl: "Story" });
    expect(none.text).toContain('[Warning] No node has the type "Story"');
    const bad = await eve.call("select_nodes", { queryDsl: "Task[" });
    expect(bad.error?.code).toBe("invalid_argument");
    await ann.do("tag_node", { nodeId: "n6", tags: ["hot"] });
    await ann.do("tag_node", { nodeId: "n2", tags: ["hot"] });
    expect(listIds(await eve.read("query_by_tag", { tag: "hot" }))).toEqual(["n2", "n6"]);
  });

  test("[TT-25] unknown nodes are not found everywhere, and several trees must be told apart", async () => {
    const { ann, eve } = await planted();
    const reads: [string, object][] = [
      ["get_node", { nodeId: "n99" }],
      ["get_view", { rootNodeId: "n99" }],
      ["list_children", { nodeId: "n99" }],
      ["get_subtree", { nodeId: "n99" }],
      ["get_path", { nodeId: "n99" }],
      ["get_common_ancestor", { nodeIds: ["n1", "n99"] }],
      ["search", { rootNodeId: "n99", filters: [] }],
      ["search_advanced", { rootId: "n99", predicates: [] }],
      ["diff_subtree", { aId: "n1", bId: "n99" }],
      ["export_view", { rootNodeId: "n99" }],
      ["export_subtree", { nodeId: "n99" }],
      ["lint_payload", { nodeId: "n99", rulesetId: "r" }],
    ];
    for (const [tool, input] of reads)
      expect((await eve.call(tool, input)).error?.code, tool).toBe("not_found");
    const writes: [string, object][] = [
      ["expand_node", { nodeId: "n99" }],
      ["expand_all", { rootNodeId: "n99" }],
      ["bookmark", { nodeId: "n99", label: "x" }],
      ["add_child", { parentNodeId: "n99", payloadType: "T" }],
      ["remove_node", { nodeId: "n99" }],
      ["move_node", { nodeId: "n1", newParentId: "n99" }],
      ["move_before", { nodeId: "n1", siblingId: "n99" }],
      ["update_payload", { nodeId: "n99", patch: { a: 1 } }],
      ["tag_node", { nodeId: "n99", tags: ["a"] }],
      ["copy_subtree", { sourceId: "n99", targetParentId: "n0" }],
      ["clone_node", { nodeId: "n1", targetParentId: "n99" }],
      ["sort_children", { parentId: "n99", byProp: "name" }],
    ];
    for (const [tool, input] of writes)
      expect((await ann.call(tool, { ...input, expectedVersion: ann.token })).error?.code, tool).toBe(
        "not_found",
      );
    await ann.call("create_tree", { name: "second" });
    expect(await eve.read("select_nodes", { queryDsl: ":root" })).toMatchObject({ total: 2 });
    expect((await eve.call("validate_tree", { rulesetId: "r" })).error?.reason).toBe("tree_required");
    expect((await ann.call("set_filters", { included: ["name"] })).error?.reason).toBe("tree_required");
    expect((await eve.call("search", { tree: "t9", filters: [] })).error?.reason).toBe("tree_not_found");
  });

  test("[TT-26] a list longer than the batch limit is refused with the limit", async () => {
    const { eve, ann } = await planted();
    const nodeIds = Array.from({ length: 501 }, () => "n1");
    const refused = await eve.call("get_common_ancestor", { nodeIds });
    expect(refused.error).toMatchObject({
      code: "invalid_argument",
      reason: "batch_too_large",
      data: { limit: 500 },
    });
    expect((await eve.call("get_common_ancestor", { nodeIds: nodeIds.slice(1) })).ok).toBe(true);
    const tags = nodeIds.map((_, i) => `t${i}`);
    const many = await ann.call("tag_node", { nodeId: "n1", tags, expectedVersion: ann.token });
    expect(many.error?.reason).toBe("batch_too_large");
  });

  test("[TT-27] an export that no answer can hold names other ways", async () => {
    const { ann, eve } = await grove({ limits: { writeSize: 1_000_000 } });
    const Children = Array.from({ length: 5_001 }, (_, i) => ({ PayloadType: "T", Payload: { i } }));
    await ann.do("create_tree", { name: "big", payloadType: "Root" });
    await ann.do("import_merge", {
      json: JSON.stringify({ PayloadType: "Root", Children }),
      matchBy: "path",
    });
    for (const [tool, input] of [
      ["export_view", { rootNodeId: "n0" }],
      ["export_subtree", { nodeId: "n0" }],
    ] as const) {
      const refused = await eve.call(tool, input);
      expect(refused.error).toMatchObject({ code: "invalid_argument", reason: "export_too_large" });
      expect(refused.text).toContain("Use get_subtree to read it in pages.");
    }
    await ann.do("collapse_node", { nodeId: "n0" });
    expect((await ann.call("export_view", { rootNodeId: "n0" })).ok).toBe(true);
  });

  test("[TT-28] other work goes on while a large tree is searched", async () => {
    const { ann } = await grove({ limits: { inputBytes: 60_000_000, writeSize: 60_000_000 } });
    await ann.do("create_tree", { name: "big", payloadType: "Root" });
    const row = JSON.stringify({ PayloadType: "T", Payload: { name: "x", n: 1 } });
    const rows = Array.from({ length: 60_000 }, () => row).join(",");
    await ann.do("import_merge", { json: `{"PayloadType":"Root","Children":[${rows}]}`, matchBy: "path" });
    let turns = 0;
    let searching = true;
    const tick = (): void => {
      turns++;
      if (searching) setImmediate(tick);
    };
    setImmediate(tick);
    const found = await ann.read("search", { filters: [{ path: "name", op: "contains", value: "zz" }] });
    searching = false;
    expect(found["total"]).toBe(0);
    expect(turns).toBeGreaterThan(1);
  });
});

function branchIds(page: Value): string[] {
  const ids: string[] = [];
  const walk = (node: Value): void => {
    if (node["@continued"] !== true) ids.push(node["NodeId"] as string);
    for (const child of (node["Children"] ?? []) as Value[]) walk(child);
  };
  walk(page["view"] as Value);
  return ids;
}

function listIds(page: Value): string[] {
  return (page["nodes"] as Value[]).map(({ NodeId }) => NodeId as string);
}
