import { describe, expect, test } from "vitest";
import { say } from "../../src/errors.ts";
import { memoryStore } from "../../src/store/index.ts";
import { dataOf } from "./bench-session.ts";
import { grove, Hand, planted } from "./tree-session.ts";

async function outline(hand: Hand): Promise<string> {
  const { outline: text } = await hand.read("get_view", {
    rootNodeId: "n0",
    format: "outline",
    includedProperties: ["name"],
  });
  return text as string;
}

describe("views in the call path", () => {
  test("[TT-10] a view is the agent's own, leaves no record, and is there after reopening", async () => {
    const store = memoryStore();
    const { ann, bob, session } = await planted({ store, id: "kept" });
    const { seq } = session.at;
    const all = await outline(bob);
    await ann.do("collapse_node", { nodeId: "n1" });
    await ann.do("bookmark", { nodeId: "n5", label: "who" });
    await ann.do("set_filters", { scope: "node", excluded: ["meta"] });
    expect(await outline(ann)).toContain("+ n1 Task");
    expect(await outline(bob)).toBe(all);
    expect((await bob.read("list_bookmarks"))["bookmarks"]).toEqual([]);
    expect(session.at.seq).toBe(seq);
    expect((await ann.agent.call("undo_changes")).ok).toBe(true);
    expect(await outline(ann)).toContain("+ n1 Task");
    const token = (await ann.read("get_node", { nodeId: "n1" }))["token"];
    await session.close();
    const again = await grove({ store, id: "kept" });
    expect(await outline(again.ann)).toContain("+ n1 Task");
    const { node, token: same } = await again.ann.read("get_node", { nodeId: "n1" });
    expect(same).toBe(token);
    expect(node).not.toHaveProperty("Payload.meta");
    expect((await again.ann.read("list_bookmarks"))["bookmarks"]).toEqual([{ label: "who", nodeId: "n5" }]);
  });

  test("[TT-11] view tools are writes for roles and read-only mode, but no gate holds them back", async () => {
    const store = memoryStore();
    let open = false;
    const { ann, eve, session } = await planted({
      store,
      id: "gated",
      openGate: () => (open ? { gate: say`g`, question: say`q?` } : undefined),
    });
    expect((await eve.call("expand_node", { nodeId: "n1" })).error).toMatchObject({
      code: "forbidden",
      reason: "role",
    });
    open = true;
    await ann.do("collapse_node", { nodeId: "n1" });
    expect((await ann.call("remove_node", { nodeId: "n1", expectedVersion: ann.token })).error?.reason).toBe(
      "gate_open",
    );
    await session.close();
    const closed = await grove({ store, id: "gated", readOnly: true });
    for (const tool of ["expand_node", "remove_node", "toggle_node"])
      expect((await closed.ann.call(tool, { nodeId: "n1" })).error).toMatchObject({
        code: "forbidden",
        reason: "read_only",
      });
    expect((await closed.ann.call("get_view", { rootNodeId: "n0" })).ok).toBe(true);
  });

  test("[TT-12] a key applies a view call once, and is refused for any other request", async () => {
    const { ann } = await planted();
    const toggle = { nodeId: "n1", expectedVersion: ann.token, idempotencyKey: "t" };
    const first = await ann.call("toggle_node", toggle);
    expect(first.value).toMatchObject({ isExpanded: false });
    const again = await ann.call("toggle_node", toggle);
    expect(again).toMatchObject({ ok: true, replayed: true, value: first.value });
    expect(await outline(ann)).toContain("+ n1");
    const other = await ann.call("toggle_node", { ...toggle, nodeId: "n4" });
    expect(other.error?.reason).toBe("idempotency_key_reused");
    const data = await ann.call("remove_node", { ...toggle, expectedVersion: ann.token });
    expect(data.error?.reason).toBe("idempotency_key_reused");
    await ann.do("add_child", { parentNodeId: "n0", payloadType: "T", idempotencyKey: "d" });
    const view = await ann.call("toggle_node", {
      nodeId: "n1",
      idempotencyKey: "d",
      expectedVersion: ann.token,
    });
    expect(view.error?.reason).toBe("idempotency_key_reused");
  });

  test("[TT-13] a dry run shows what a view call would do, and does nothing", async () => {
    const { ann } = await planted();
    const before = await outline(ann);
    const dry = await ann.agent.call("collapse_all", {
      rootNodeId: "n0",
      dryRun: true,
      expectedVersion: ann.token,
    });
    expect(dry).toMatchObject({ ok: true, value: { nodes: 7, isExpanded: false, dryRun: true } });
    expect(dry.text).toMatch(/^\[Dry run\] Collapsed n0/);
    expect(await outline(ann)).toBe(before);
    await ann.do("collapse_all", { rootNodeId: "n0" });
  });

  test("[TT-14] view calls and reads are in the audit, with the tree they were about", async () => {
    const { ann, session } = await planted();
    await ann.do("expand_node", { nodeId: "n1" });
    await ann.call("collapse_node", { nodeId: "n1", expectedVersion: "x" });
    await ann.read("get_path", { nodeId: "n1" });
    const entries = await session.audited({ agent: "editor", limit: 3 });
    expect(entries.map(({ tool, outcome, targets }) => [tool, outcome, targets])).toEqual([
      ["get_path", "ok", ["tree:t1", "node:n1"]],
      ["collapse_node", "invalid_argument", ["tree:t1", "node:n1"]],
      ["expand_node", "ok", ["tree:t1", "node:n1"]],
    ]);
    expect(entries[2]).not.toHaveProperty("seq");
  });

  test("[TT-15] view calls of one agent at once are all kept", async () => {
    const { ann } = await planted({ requireVersions: false });
    const labels = ["a", "b", "c", "d"];
    const results = await Promise.all(
      labels.map((label) => ann.agent.call("bookmark", { nodeId: "n1", label })),
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    const { bookmarks } = await ann.read("list_bookmarks");
    expect((bookmarks as { label: string }[]).map(({ label }) => label)).toEqual(labels);
  });
});

describe("what view tools do", () => {
  test("[TT-10] expand, collapse, toggle, all and recursive set what they say", async () => {
    const { ann } = await planted();
    expect((await ann.do("collapse_all", { rootNodeId: "n0" }))["nodes"]).toBe(7);
    expect(await outline(ann)).toBe('+ n0 Plan name="plan" (3)');
    const shown = await ann.do("expand_node", { nodeId: "n0", return: "view" });
    expect(shown).toMatchObject({ nodeId: "n0", isExpanded: true, view: { NodeId: "n0", IsExpanded: true } });
    expect((shown["view"] as { Children: unknown[] }).Children).toHaveLength(3);
    expect(await ann.do("toggle_node", { nodeId: "n1" })).toMatchObject({ isExpanded: true, nodes: 1 });
    expect(await outline(ann)).toContain('    n2 Note name="draft"');
    expect(
      await ann.do("set_expansion_recursive", { nodeId: "n0", expanded: false, maxDepth: 1 }),
    ).toMatchObject({ nodes: 1 });
    await ann.do("expand_all", { rootNodeId: "n0" });
    expect((await outline(ann)).split("\n")).toHaveLength(7);
    const gone = await ann.call("expand_node", { nodeId: "nope", expectedVersion: ann.token });
    expect(gone.error?.code).toBe("not_found");
  });

  test("[TT-10] filters stay in force for later reads of their scope, and a call's own arguments override them", async () => {
    const { ann } = await planted();
    await ann.do("set_filters", { scope: "all", included: ["name", "meta.owner"], excluded: [] });
    const { view } = await ann.read("get_view", { rootNodeId: "n1", depthLimit: 0 });
    expect(view).toMatchObject({ NodeId: "n1", name: "write", meta: { owner: "ines" } });
    expect(view).not.toHaveProperty("status");
    const { node } = await ann.read("get_node", { nodeId: "n1" });
    expect(node).toMatchObject({ Payload: { name: "write", meta: { owner: "ines" } } });
    expect(node).not.toHaveProperty("Payload.meta.due");
    const { node: own } = await ann.read("get_node", { nodeId: "n1", includedProperties: ["prio"] });
    expect((own as { Payload: object }).Payload).toEqual({ prio: 5 });
  });

  test("[TT-10] bookmarks are listed, moved and removed by label", async () => {
    const { ann } = await planted();
    await ann.do("bookmark", { nodeId: "n5", label: "here" });
    await ann.do("bookmark", { nodeId: "n6", label: "here" });
    expect((await ann.call("list_bookmarks")).text).toContain("here: n6");
    await ann.do("remove_node", { nodeId: "n6" });
    expect((await ann.read("list_bookmarks"))["bookmarks"]).toEqual([
      { label: "here", nodeId: "n6", removed: true },
    ]);
    await ann.do("remove_bookmark", { label: "here" });
    const twice = await ann.call("remove_bookmark", { label: "here", expectedVersion: ann.token });
    expect(twice.error?.code).toBe("not_found");
  });

  test("[TT-3] a stale view names the agent's own latest token", async () => {
    const { ann } = await planted();
    const first = ann.token;
    await ann.do("expand_node", { nodeId: "n1" });
    const stale = await ann.call("expand_node", { nodeId: "n1", expectedVersion: first });
    expect(stale.error?.message).toContain("Your view of t1 has changed");
    expect(dataOf(stale)["token"]).toBe(ann.token);
  });
});
