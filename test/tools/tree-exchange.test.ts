import { describe, expect, test, vi } from "vitest";
import { openSession } from "../../src/tools/index.ts";
import { grove, planted, sketch, type Value } from "./tree-session.ts";

const RULES = {
  id: "plan",
  rules: [
    { rule: "required", types: ["Task"], properties: ["owner"] },
    { rule: "children", types: ["Plan"], allow: ["Task"] },
  ],
};

describe("rules", () => {
  test("[TT-40] rulesets of the host and of the workspace find what is wrong", async () => {
    const { ann, eve } = await planted({ rulesets: [RULES] });
    const found = await eve.read("validate_tree", { rulesetId: "plan" });
    expect(found).toMatchObject({ ruleset: "plan", checked: 7, total: 3 });
    expect(found["violations"]).toContainEqual(
      expect.objectContaining({ nodeId: "n1", path: "plan/write", rule: "required", property: "owner" }),
    );
    await ann.call("write_file", { path: "rules.json", content: JSON.stringify({ ...RULES, id: "file" }) });
    const lint = await eve.call("lint_payload", { nodeId: "n4", rulesetId: "/workspace/rules.json" });
    expect(lint.value).toMatchObject({ ruleset: "file", total: 1 });
    expect(lint.text).toContain("owner");
    const unknown = await eve.call("validate_tree", { rulesetId: "other" });
    expect(unknown.error).toMatchObject({ code: "not_found", reason: "no_such_ruleset" });
    await ann.call("write_file", { path: "bad.json", content: '{"id":1}' });
    const bad = await eve.call("validate_tree", { rulesetId: "bad.json" });
    expect(bad.error?.code).toBe("invalid_argument");
    await expect(openSession({ rulesets: [{ id: "x" }] })).rejects.toMatchObject({
      code: "invalid_argument",
    });
  });

  test("[TT-46] the audit names the ruleset file of a call, also of one that failed", async () => {
    const { ann, session } = await planted({ rulesets: [RULES] });
    await ann.call("write_file", { path: "bad.json", content: '{"id":1}' });
    await ann.call("validate_tree", { rulesetId: "plan" });
    await ann.call("validate_tree", { rulesetId: "bad.json" });
    await ann.call("lint_payload", { nodeId: "n4", rulesetId: "none.json" });
    const entries = await session.audited({ agent: "editor", limit: 3 });
    expect(entries.map(({ tool, outcome, targets }) => [tool, outcome, targets])).toEqual([
      ["lint_payload", "not_found", ["tree:t1", "file:/none.json", "node:n4"]],
      ["validate_tree", "invalid_argument", ["tree:t1", "file:/bad.json"]],
      ["validate_tree", "ok", ["tree:t1"]],
    ]);
  });
});

describe("exchange", () => {
  test("[TT-41] an exported view brings expansion and filters back", async () => {
    const { ann, bob } = await planted();
    await ann.do("collapse_node", { nodeId: "n1" });
    await ann.do("set_filters", { scope: "view", included: ["name"] });
    const { view } = await ann.read("export_view", { rootNodeId: "n0", includeViewRoot: true });
    const text = JSON.stringify(view);
    await bob.read("get_node", { nodeId: "n0" });
    const restored = await bob.do("import_view", { viewJson: text, rootLookupStrategy: "nodeId" });
    expect(restored).toMatchObject({ rootNodeId: "n0", unknown: 0 });
    const { view: his } = await bob.read("export_view", { rootNodeId: "n0", includeViewRoot: true });
    expect(his).toEqual(view);
    const { created } = await bob.read("import_view", {
      viewJson: view,
      rootLookupStrategy: "create",
      name: "copy",
    });
    expect(created).toMatchObject({ tree: "t2", nodes: 5 });
    const { view: copy } = await bob.read("get_view", { rootNodeId: (created as Value)["rootNodeId"] });
    expect((copy as Value)["Children"][0]).toMatchObject({ name: "write", IsExpanded: false });
    for (const viewJson of [{}, { RootNodeId: "n0" }, { View: {} }, "[1]", "{"]) {
      const refused = await ann.call("import_view", {
        viewJson,
        rootLookupStrategy: "nodeId",
        tree: "t1",
        expectedVersion: ann.token,
      });
      expect(refused.error?.code).toBe("invalid_argument");
    }
    const unknown = await ann.call("import_view", {
      viewJson: { RootNodeId: "zz", View: {} },
      expectedVersion: ann.token,
    });
    expect(unknown.error?.code).toBe("not_found");
  });

  test("[TT-42] a document is merged by each strategy, and the report says what became of it", async () => {
    const doc = {
      NodeId: "n1",
      PayloadType: "Task",
      Payload: { name: "write", status: "late" },
      Children: [{ NodeId: "x1", PayloadType: "Note", Payload: { name: "extra" }, Children: [] }],
    };
    const upsert = await planted();
    expect(
      await upsert.ann.do("import_merge", { json: doc, strategy: "upsert", matchBy: "nodeId" }),
    ).toMatchObject({
      created: 1,
      updated: 1,
      removed: 0,
      ids: { created: ["x1"] },
    });
    expect(await sketch(upsert.ann, "n1")).toBe("write[draft sources extra]");
    const replace = await planted();
    expect(await replace.ann.do("import_merge", { json: doc, strategy: "replace" })).toMatchObject({
      created: 1,
      updated: 1,
      removed: 2,
    });
    expect(await sketch(replace.ann, "n1")).toBe("write[extra]");
    const skip = await planted();
    const byPath = { PayloadType: "Plan", Payload: { name: "plan" }, Children: [{ ...doc, NodeId: "zz" }] };
    expect(
      await skip.ann.do("import_merge", { json: byPath, strategy: "skip", matchBy: "path" }),
    ).toMatchObject({ created: 1, skipped: 2 });
    const { node } = await skip.eve.read("get_node", { nodeId: "n1" });
    expect(node).toMatchObject({ Payload: { status: "open" } });
    const other = await grove();
    await other.ann.do("create_tree", { name: "x", payloadType: "Root" });
    const twice = {
      PayloadType: "Root",
      Children: [{ NodeId: "a", PayloadType: "T", Children: [{ NodeId: "a", PayloadType: "T" }] }],
    };
    const { renamed } = await other.ann.do("import_merge", { json: twice, matchBy: "path" });
    expect(renamed).toMatchObject([{ from: "a" }]);
  });

  test("[TT-28] a large document is never parsed at once", async () => {
    const rows = Array.from({ length: 4_000 }, (_, i) => ({ name: `row ${i}`, text: "t".repeat(80) }));
    const { ann } = await grove({ files: { "rows.json": JSON.stringify(rows) } });
    const parse = vi.spyOn(JSON, "parse");
    const made = await ann.read("create_tree", { from: "rows.json" });
    const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
    parse.mockRestore();
    expect(made["nodes"]).toBe(3 * rows.length + 1);
    expect(longest).toBeLessThan(64 * 1024);
  });

  test("[TT-43] numbers that a tree cannot hold as they are written are told with their place", async () => {
    const { ann } = await planted();
    const made = async (content: string): Promise<string> => {
      await ann.call("write_file", { path: "n.json", content, mode: "upsert" });
      return (await ann.call("create_tree", { from: "n.json" })).text;
    };
    const kept = "[1, -0.5, 1.50, 1e2, 123400000000000000000000, 0.30000000000000004, 1E-7, ";
    expect(await made(`${kept}"\\" 123456789012345678901 1e400"]`)).not.toContain("[Warning]");
    expect(await made('{"a": 1,\n "b": 123456789012345678901234567890, "c": 9007199254740993}')).toContain(
      '[Warning] The number "123456789012345678901234567890" at line 2, column 7 loses digits: here it is 1.2345678901234568e+29. So do 1 more number.',
    );
    expect(await made("[1,\n2, -1e400]")).toContain(
      'the number "-1e400" at line 2, column 4, which is too large',
    );
  });

  test("[TT-43] a saved tree is made again; JSON files and directories become trees", async () => {
    const { ann, eve } = await planted();
    await ann.do("tag_node", { nodeId: "n2", tags: ["hot"] });
    const saved = await ann.agent.call<Value>("save_tree", { path: "plan.tree.json" });
    expect(saved.value).toMatchObject({ path: "/workspace/plan.tree.json", nodes: 7 });
    const file = await eve.read("read_file", { path: "plan.tree.json" });
    expect((file["content"] as string).trimEnd().split("\n")).toHaveLength(7);
    const { rootNodeId, nodes } = await ann.read("create_tree", { from: "plan.tree.json" });
    expect(nodes).toBe(7);
    const differs = await eve.call("diff_subtree", { aId: "n0", bId: rootNodeId });
    expect(differs.text).toContain("No difference.");
    expect((await ann.agent.call("save_tree", { path: "plan.tree.json", nodeId: "n1" })).ok).toBe(true);
    await ann.call("write_file", { path: "d/data.json", content: '{"a":[1,{"b":null}],"c":"x"}' });
    expect(await ann.read("create_tree", { from: "d/data.json" })).toMatchObject({ nodes: 6 });
    const directory = await ann.read("create_tree", { from: "/workspace", name: "files" });
    expect(directory["nodes"]).toBe(4);
    const missing = await ann.call("create_tree", { from: "none.json" });
    expect(missing.error?.code).toBe("not_found");
    await ann.call("write_file", { path: "no.json", content: "{" });
    expect((await ann.call("create_tree", { from: "no.json" })).error?.reason).toBe("bad_json");
  });

  test("[TT-44] two branches are compared as data and as text", async () => {
    const { ann, eve } = await planted();
    const { nodeId } = await ann.do("copy_subtree", { sourceId: "n1", targetParentId: "n0" });
    await ann.do("update_payload_property", { nodeId, propertyName: "prio", newValue: 7 });
    await ann.do("add_child", { parentNodeId: nodeId, payloadType: "Note", payloadProps: { name: "more" } });
    const result = await eve.call("diff_subtree", { aId: "n1", bId: nodeId });
    expect(result.value).toMatchObject({
      added: [{ name: "more" }],
      removed: [],
      changed: [{ changes: [{ path: "prio", was: 5, now: 7 }] }],
    });
    expect(result.text).toContain("prio: 5 -> 7");
  });
});

describe("snapshots", () => {
  test("[TT-50] [TT-51] a snapshot is listed, restored, and the restore undone", async () => {
    const { ann, session } = await planted();
    const made = await ann.agent.call<Value>("snapshot_create", { label: "before" });
    const id = made.value?.["id"] as string;
    expect(made.text).toContain(id);
    await ann.call("write_file", { path: "a.txt", content: "x" });
    await ann.do("remove_node", { nodeId: "n1" });
    await ann.agent.call("snapshot_create", { label: "after" });
    const { snapshots } = await ann.read("snapshot_list", { limit: 1 });
    expect(snapshots).toMatchObject([{ label: "after", agent: "editor", expired: false }]);
    const all = await ann.read("snapshot_list");
    expect((all["snapshots"] as Value[]).map(({ label }) => label as string)).toEqual(["after", "before"]);
    const needs = await ann.call("snapshot_restore", { id });
    expect(needs.error?.reason).toBe("version_required");
    const { seq } = session.at;
    await ann.do("snapshot_restore", { id, scope: "trees" });
    expect(await sketch(ann)).toBe("plan[write[draft sources] review[who] print]");
    expect(session.at.seq).toBe(seq + 1);
    expect(session.files()).toHaveLength(1);
    expect((await ann.agent.call("undo_changes")).ok).toBe(true);
    expect(await sketch(ann)).toBe("plan[review[who] print]");
    await ann.read("get_node", { nodeId: "n0" });
    await ann.do("snapshot_restore", { id, tree: "t1" });
    expect(await sketch(ann)).toBe("plan[write[draft sources] review[who] print]");
    expect((await ann.call("snapshot_restore", { id: "x", expectedVersion: ann.token })).error?.reason).toBe(
      "bad_token",
    );
  });

  test("[TT-52] what others changed is restored only where the host allows it", async () => {
    for (const agentsMayRestore of [false, true]) {
      const { ann, bob, session } = await planted({ agentsMayRestore });
      const { id } = await ann.read("snapshot_create", { label: "empty" });
      await bob.call("write_file", { path: "a.txt", content: "x" });
      for (const part of [{ path: "a.txt" }, { scope: "files" }]) {
        const restore = await ann.call("snapshot_restore", { id, ...part });
        if (agentsMayRestore) expect(restore.ok, restore.text).toBe(true);
        else expect(restore.error).toMatchObject({ code: "forbidden", reason: "others_work" });
      }
      expect(session.files()).toHaveLength(agentsMayRestore ? 0 : 1);
    }
  });

  test("[TT-53] what differs between snapshots is shown as data and as text", async () => {
    const { ann, eve } = await planted();
    const { id: a } = await ann.read("snapshot_create", { label: "a" });
    await ann.do("move_node", { nodeId: "n2", newParentId: "n6" });
    await ann.do("update_payload_property", { nodeId: "n1", propertyName: "prio", newValue: 1 });
    const { id: b } = await ann.read("snapshot_create", { label: "b" });
    await ann.do("remove_node", { nodeId: "n4" });
    const diff = await eve.call("snapshot_diff", { a, b });
    expect(diff.value).toMatchObject({
      created: [],
      dropped: [],
      trees: [{ tree: "t1", moved: [{ nodeId: "n2" }], changed: [{ nodeId: "n1" }], removed: [] }],
    });
    expect(diff.text).toContain("prio: 5 -> 1");
    const now = await eve.read("snapshot_diff", { a: b, tree: "t1" });
    expect(now["trees"]).toMatchObject([{ removed: [{ nodeId: "n4", nodes: 2 }] }]);
    expect((await eve.call("snapshot_diff", { a: b, b })).text).toBe("No difference in files and trees.");
  });
});
