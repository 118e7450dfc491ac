import { describe, expect, test } from "vitest";
import { dataOf } from "./bench-session.ts";
import { grove, planted, sketch, type Value } from "./tree-session.ts";

const PLAN = "plan[write[draft sources] review[who] print]";

describe("changing trees", () => {
  test("[TT-30] [TT-32] every change is one record that names the tree, answers ids and token, and can be undone", async () => {
    const { ann, session } = await planted();
    const changes: [string, object, object, string][] = [
      [
        "add_child",
        { parentNodeId: "n4", payloadType: "Note", payloadProps: { name: "new" } },
        { nodeId: "n7", parentNodeId: "n4" },
        "plan[write[draft sources] review[who new] print]",
      ],
      [
        "update_payload_property",
        { nodeId: "n1", propertyName: "name", newValue: "rewrite" },
        { nodeId: "n1", changed: ["name"] },
        "plan[rewrite[draft sources] review[who] print]",
      ],
      [
        "update_payload",
        { nodeId: "n1", patch: { name: "w", prio: 1 } },
        { changed: ["name", "prio"] },
        "plan[w[draft sources] review[who] print]",
      ],
      ["remove_node", { nodeId: "n1" }, { removed: "n1", nodes: 3 }, "plan[review[who] print]"],
      [
        "move_node",
        { nodeId: "n1", newParentId: "n6" },
        { moved: true, parentNodeId: "n6" },
        "plan[review[who] print[write[draft sources]]]",
      ],
      [
        "move_before",
        { nodeId: "n6", siblingId: "n1" },
        { moved: true },
        "plan[print write[draft sources] review[who]]",
      ],
      [
        "move_after",
        { nodeId: "n1", siblingId: "n4" },
        { moved: true },
        "plan[review[who] write[draft sources] print]",
      ],
      [
        "sort_children",
        { parentId: "n0", byProp: "prio", direction: "desc", stable: true },
        { children: 3, changed: true },
        "plan[print write[draft sources] review[who]]",
      ],
      [
        "copy_subtree",
        { sourceId: "n4", targetParentId: "n6", mode: "duplicate" },
        { nodes: 2, mode: "duplicate" },
        "plan[write[draft sources] review[who] print[review[who]]]",
      ],
      [
        "clone_node",
        { nodeId: "n4", targetParentId: "n6" },
        { parentNodeId: "n6" },
        "plan[write[draft sources] review[who] print[review]]",
      ],
      ["tag_node", { nodeId: "n4", tags: ["hot"] }, { tags: ["hot"] }, PLAN],
    ];
    for (const [tool, input, value, after] of changes) {
      const { seq } = session.at;
      const answer = await ann.do(tool, input);
      expect(answer, tool).toMatchObject(value);
      expect(answer["token"]).toBe(ann.token);
      expect(await sketch(ann), tool).toBe(after);
      const [record] = await session.log({ after: seq, limit: 10 });
      expect(record).toMatchObject({ seq: seq + 1, agent: "editor", tool, keys: ["tree:t1"] });
      expect((await ann.agent.call("undo_changes")).ok).toBe(true);
      await ann.read("get_node", { nodeId: "n0" });
      expect(await sketch(ann), `undone ${tool}`).toBe(PLAN);
    }
  });

  test("[TT-31] a change can show the node or the view that it left", async () => {
    const { ann } = await planted();
    const node = await ann.do("update_payload_property", {
      nodeId: "n6",
      propertyName: "prio",
      newValue: 1,
      return: "node",
    });
    expect(node["node"]).toMatchObject({ NodeId: "n6", Payload: { prio: 1 } });
    const result = await ann.call("add_child", {
      parentNodeId: "n6",
      payloadType: "Note",
      return: "view",
      expectedVersion: ann.token,
    });
    expect(result.value?.["view"]).toMatchObject({ NodeId: "n7", IsExpanded: true });
    expect(result.text).toContain('"NodeId":"n7"');
  });

  test("[TT-32] a shared payload shows in both, a duplicate does not, and null is a value", async () => {
    const { ann, eve } = await planted();
    const { nodeId: twin } = await ann.do("copy_subtree", {
      sourceId: "n6",
      targetParentId: "n0",
      mode: "reference",
    });
    const { nodeId: own } = await ann.do("copy_subtree", { sourceId: "n6", targetParentId: "n0" });
    const answer = await ann.do("update_payload", {
      nodeId: twin,
      patch: { status: null, ["__proto__x"]: 1 },
    });
    expect(answer["shared"]).toEqual(["n6"]);
    const status = async (nodeId: unknown): Promise<unknown> =>
      ((await eve.read("get_node", { nodeId }))["node"] as Value)["Payload"]["status"];
    expect([await status("n6"), await status(twin), await status(own)]).toEqual([null, null, "open"]);
    const proto = JSON.parse(
      '{"parentNodeId":"n0","payloadType":"T","payloadProps":{"__proto__":{"x":1},"name":"p"}}',
    ) as object;
    const { nodeId } = await ann.do("add_child", proto);
    const { node } = await eve.read("get_node", { nodeId });
    expect(Object.keys((node as Value)["Payload"] as object)).toEqual(["__proto__", "name"]);
    const missing = await ann.call("update_payload_property", {
      nodeId: "n1",
      propertyName: "x",
      expectedVersion: ann.token,
    });
    expect(missing.error?.code).toBe("invalid_argument");
  });

  test("[TT-33] guarded properties are invalid, those of other roles forbidden, whatever the case", async () => {
    const { ann } = await planted();
    for (const propertyName of ["NodeId", "children", "PARENT", "PayloadType", "isExpanded"]) {
      const refused = await ann.call("update_payload_property", {
        nodeId: "n1",
        propertyName,
        newValue: 1,
        expectedVersion: ann.token,
      });
      expect(refused.error).toMatchObject({ code: "invalid_argument", reason: "guarded_property" });
    }
    const typed = await ann.call("create_tree", {
      payloadTypes: {
        Task: {
          properties: {
            name: { kind: "string" },
            id: { kind: "string", readOnly: true },
            cost: { kind: "number", roles: ["owner"] },
          },
        },
      },
      payloadProps: { name: "a", id: "1", cost: 2 },
    });
    expect(typed.ok, typed.text).toBe(true);
    const root = typed.value?.["rootNodeId"] as string;
    for (const patch of [{ id: "2" }, { cost: 3 }]) {
      const refused = await ann.call("update_payload", { nodeId: root, patch, expectedVersion: ann.token });
      expect(refused.error?.code).toBe("forbidden");
    }
    const unknown = await ann.call("add_child", {
      parentNodeId: root,
      payloadType: "System.Diagnostics.Process",
      expectedVersion: ann.token,
    });
    expect(unknown.error).toMatchObject({ code: "invalid_argument", reason: "unknown_payload_type" });
  });

  test("[TT-34] update_nodes changes what it can in one record and reports each node", async () => {
    const { ann, session } = await planted();
    await ann.do("update_payload_property", { nodeId: "n4", propertyName: "meta", newValue: 1 });
    const { seq } = session.at;
    const bulk = await ann.do("update_nodes", {
      filter: [{ path: "prio", op: "gt", value: 0 }],
      patch: { "meta.owner": "bo" },
    });
    expect(bulk).toMatchObject({ matched: 3, updated: 1, failed: 2 });
    expect(bulk["nodes"]).toMatchObject([
      { nodeId: "n1", status: "updated" },
      { nodeId: "n4", status: "failed", error: { reason: "no_such_path" } },
      { nodeId: "n6", status: "failed" },
    ]);
    expect(session.at.seq).toBe(seq + 1);
    const small = await planted({ limits: { batchItems: 2 } });
    const query = { filter: [{ path: "prio", op: "gt", value: 0 }], patch: { x: 1 } };
    const first = await small.ann.call("update_nodes", { ...query, expectedVersion: small.ann.token });
    expect(first.value).toMatchObject({ matched: 3, updated: 2, pageToken: "n4" });
    expect(first.text).toContain(
      '[More: 1 node to go. Send the same call with pageToken "n4" and the new token]',
    );
    expect(first.text).toContain("Updated: n1, n4");
    const rest = await small.ann.do("update_nodes", { ...query, pageToken: "n4" });
    expect(rest).toMatchObject({ matched: 1, updated: 1, nodes: [{ nodeId: "n6" }] });
    expect(rest).not.toHaveProperty("pageToken");
  });

  test("[TT-36] a repeated removal answers as before, though the node is gone", async () => {
    const { ann, session } = await planted();
    const remove = { nodeId: "n1", expectedVersion: ann.token, idempotencyKey: "r" };
    const first = await ann.call("remove_node", remove);
    const { seq } = session.at;
    const again = await ann.call("remove_node", remove);
    expect(again).toMatchObject({ ok: true, replayed: true, value: first.value, token: ann.token });
    expect(session.at.seq).toBe(seq);
    const gone = await ann.call("remove_node", { nodeId: "n1", expectedVersion: ann.token });
    expect(gone.error).toMatchObject({ code: "not_found", reason: "node_removed" });
  });

  test("[TT-32] dryRun of a change shows its ids and changes nothing", async () => {
    const { ann, session } = await planted();
    const { seq } = session.at;
    const dry = await ann.agent.call<Value>("add_child", {
      parentNodeId: "n0",
      payloadType: "T",
      dryRun: true,
      expectedVersion: ann.token,
    });
    expect(dry).toMatchObject({ ok: true, value: { nodeId: "n7", dryRun: true } });
    expect(session.at.seq).toBe(seq);
    expect((await ann.do("add_child", { parentNodeId: "n0", payloadType: "T" }))["nodeId"]).toBe("n7");
  });

  test("[TT-30] an agent's undo beneath another's work takes back only its own", async () => {
    const { ann, bob } = await planted();
    await ann.do("update_payload_property", { nodeId: "n1", propertyName: "name", newValue: "ann" });
    await bob.read("get_node", { nodeId: "n0" });
    await bob.do("add_child", { parentNodeId: "n1", payloadType: "Note", payloadProps: { name: "bob" } });
    expect((await ann.agent.call("undo_changes")).ok).toBe(true);
    expect(await sketch(ann)).toBe("plan[write[draft sources bob] review[who] print]");
    await bob.read("get_node", { nodeId: "n0" });
    await bob.do("update_payload_property", { nodeId: "n6", propertyName: "name", newValue: "b1" });
    await ann.read("get_node", { nodeId: "n0" });
    await ann.do("update_payload_property", { nodeId: "n6", propertyName: "name", newValue: "a2" });
    const refused = await bob.agent.call("undo_changes");
    expect(refused.error).toMatchObject({ code: "conflict", reason: "undo_refused" });
    expect(dataOf(refused)).toBeDefined();
  });

  test("[TT-2] a tree that is gone by undo is not found, and its tools say so", async () => {
    const { ann } = await grove();
    await ann.do("create_tree", { name: "short" });
    expect((await ann.agent.call("undo_changes")).ok).toBe(true);
    const read = await ann.call("get_node", { nodeId: "n0" });
    expect(read.error?.code).toBe("not_found");
    expect((await ann.read("list_trees"))["trees"]).toEqual([]);
    const { tree } = await ann.read("create_tree", { name: "next" });
    expect(tree).toBe("t2");
  });
});
