import { describe, expect, test } from "vitest";
import { dataOf } from "./bench-session.ts";
import { grove, planted } from "./tree-session.ts";

const child = { parentNodeId: "n0", payloadType: "Task", payloadProps: { name: "x" } };

describe("tokens of trees", () => {
  test("[TT-1] every call about one tree answers with its token, which the next change takes", async () => {
    const { ann } = await planted();
    for (const [tool, input] of [
      ["get_node", { nodeId: "n1" }],
      ["get_view", { rootNodeId: "n0" }],
      ["search", { rootNodeId: "n0", filters: [] }],
      ["get_path", { nodeId: "n5" }],
      ["select_nodes", { queryDsl: "Task" }],
    ] as const) {
      const read = await ann.call(tool, input);
      expect(read.ok && read.token, tool).toBe(ann.token);
      expect(read.text).toContain(`[Token ${ann.token ?? ""}]`);
    }
    const added = await ann.call("add_child", { ...child, expectedVersion: ann.token });
    expect(added.ok && added.token).toMatch(/^\d+-[0-9a-f]{8}\.\d+$/);
    expect((await ann.call("add_child", { ...child, expectedVersion: ann.token })).ok).toBe(true);
  });

  test("[TT-2] without a token, or with a stale one, a change is a conflict that brings the latest", async () => {
    const { ann, session } = await planted();
    const stale = ann.token;
    await ann.do("add_child", child);
    const at = session.at;
    const missing = await ann.call("remove_node", { nodeId: "n6" });
    expect(missing.error).toMatchObject({ code: "conflict", reason: "version_required" });
    const old = await ann.call("remove_node", { nodeId: "n6", expectedVersion: stale });
    expect(old.error).toMatchObject({ code: "conflict", reason: "stale_version" });
    expect(dataOf(missing)["token"]).toBe(ann.token);
    expect(dataOf(old)).toMatchObject({ target: "t1", token: ann.token, changes: [{ tool: "add_child" }] });
    expect(session.at).toEqual(at);
    const latest = dataOf(old)["token"];
    expect((await ann.call("remove_node", { nodeId: "n6", expectedVersion: latest })).ok).toBe(true);
    const view = await ann.call("expand_node", { nodeId: "n1" });
    expect(view.error).toMatchObject({ code: "conflict", reason: "version_required" });
    expect((await ann.call("expand_node", { nodeId: "n1", expectedVersion: dataOf(view)["token"] })).ok).toBe(
      true,
    );
  });

  test("[TT-2] a host may accept changes that name no version, but never stale ones", async () => {
    const { ann } = await planted({ requireVersions: false });
    const stale = ann.token;
    expect((await ann.call("add_child", child)).ok).toBe(true);
    expect((await ann.call("collapse_node", { nodeId: "n1" })).ok).toBe(true);
    for (const tool of ["remove_node", "toggle_node"])
      expect((await ann.call(tool, { nodeId: "n1", expectedVersion: stale })).error?.reason).toBe(
        "stale_version",
      );
  });

  test("[TT-3] data tools look at the data part, view tools at the view part", async () => {
    const { ann, bob } = await planted();
    const before = ann.token;
    await bob.do("add_child", child);
    const expand = await ann.call("expand_node", { nodeId: "n1", expectedVersion: before });
    expect(expand.ok).toBe(true);
    const old = await ann.call("collapse_node", { nodeId: "n1", expectedVersion: before });
    expect(old.error?.reason).toBe("stale_version");
    expect(dataOf(old)["token"]).toBe(ann.token);
    const now = bob.token;
    await bob.do("collapse_node", { nodeId: "n1" });
    expect((await bob.call("add_child", { ...child, expectedVersion: now })).ok).toBe(true);
  });

  test("[TT-4] what is no token is refused; the token of an undo is good for the tree", async () => {
    const { ann } = await planted();
    for (const expectedVersion of ["x", "1-zz", `${ann.token ?? ""}.1`, `${ann.token ?? ""}x`, "7"])
      for (const tool of ["remove_node", "expand_node"])
        expect((await ann.call(tool, { nodeId: "n1", expectedVersion })).error).toMatchObject({
          code: "invalid_argument",
          reason: "bad_token",
        });
    const undone = await ann.agent.call("undo_changes");
    expect(undone.ok).toBe(true);
    const plain = undone.ok ? undone.token : "";
    expect((await ann.call("expand_node", { nodeId: "n1", expectedVersion: plain })).error?.reason).toBe(
      "stale_version",
    );
    expect((await ann.call("add_child", { ...child, expectedVersion: plain })).ok).toBe(true);
  });

  test("[TT-5] a call that changes nothing keeps the token, also with an idempotency key", async () => {
    const { ann, session } = await planted();
    const token = ann.token;
    const { seq } = session.at;
    const same = await ann.call("update_payload_property", {
      nodeId: "n1",
      propertyName: "prio",
      newValue: 5,
      expectedVersion: token,
    });
    expect(same).toMatchObject({ ok: true, token, value: { changed: [] } });
    expect(session.at.seq).toBe(seq);
    const once = { nodeId: "n6", newParentId: "n0", expectedVersion: token, idempotencyKey: "k" };
    const kept = await ann.call("move_node", once);
    expect(kept).toMatchObject({ ok: true, token, value: { moved: false } });
    const again = await ann.call("move_node", once);
    expect(again).toMatchObject({ ok: true, replayed: true, token, value: { moved: false, token } });
    expect((await ann.call("add_child", { ...child, expectedVersion: token })).ok).toBe(true);
  });

  test("[TT-6] a change that fails leaves every token good", async () => {
    const { ann, session } = await planted();
    const at = session.at;
    for (const [tool, input] of [
      ["remove_node", { nodeId: "n0" }],
      ["move_node", { nodeId: "n1", newParentId: "n2" }],
      ["update_payload", { nodeId: "n1", patch: { prio: 1, NodeId: "n9" } }],
      ["add_child", { parentNodeId: "n1", payloadType: "" }],
    ] as const) {
      const failed = await ann.call(tool, { ...input, expectedVersion: ann.token });
      expect(failed.error?.code, tool).toBe("invalid_argument");
    }
    expect(session.at).toEqual(at);
    await ann.do("add_child", child);
  });

  test("[TT-37] trees made at once are two trees, and each has a token of its own", async () => {
    const { ann, bob } = await grove();
    const made = await Promise.all([ann, bob].map((hand) => hand.read("create_tree", { name: "x" })));
    expect(new Set(made.map(({ tree }) => tree as string)).size).toBe(2);
    const { trees } = await ann.read("list_trees");
    expect(trees).toHaveLength(2);
    for (const { rootNodeId, token } of trees as { rootNodeId: string; token: string }[])
      expect(
        (await ann.call("add_child", { ...child, parentNodeId: rootNodeId, expectedVersion: token })).ok,
      ).toBe(true);
  });

  test("[TT-35] work in different trees does not collide; in one tree the second gets a conflict", async () => {
    const { ann, bob } = await planted();
    const { rootNodeId } = await bob.do("create_tree", { name: "other", expectedVersion: undefined });
    const mine = ann.token;
    await bob.do("add_child", { ...child, parentNodeId: rootNodeId });
    expect((await ann.call("add_child", { ...child, expectedVersion: mine })).ok).toBe(true);
    const results = await Promise.all(
      [ann, bob].map(({ agent }) => agent.call("add_child", { ...child, expectedVersion: ann.token })),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    const lost = results.find(({ ok }) => !ok);
    expect(lost?.error?.reason).toBe("stale_version");
  });
});
