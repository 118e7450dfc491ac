import { expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { sqliteStore } from "../../src/store/index.ts";
import { openSession } from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";
import { growAndKill } from "./grow-and-kill.ts";
import { digestTool, plantTool } from "./tree-plant.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const NODES = LONG ? 1_000_000 : 20_000;
const EDITS = 60;
const GROW = [childProgram("tools", "grow-tree")];

test(
  `[TT-60] ${NODES} nodes, edited and killed, are the same to the next process: tree, tokens, views`,
  async () => {
    const directory = scratch();
    const grown = await growAndKill(GROW, directory, NODES, EDITS);
    const store = sqliteStore({ directory });
    const opening = performance.now();
    const session = await openSession({
      store,
      toolsets: ["all"],
      id: "large",
      tools: [plantTool, digestTool],
    });
    const opened = performance.now() - opening;
    const agent = session.as({ id: "gardener", role: "editor" });
    expect(session.at).toEqual(grown.at);
    const digest = await agent.call("digest");
    expect(digest.value).toEqual({ digest: grown.digest, nodes: grown.nodes });
    const view = await agent.call<{ view: object }>("get_view", { rootNodeId: "n1" });
    expect(view).toMatchObject({ ok: true, token: grown.token, value: { view: { IsExpanded: false } } });
    const child = { parentNodeId: "n1", payloadType: "Item", expectedVersion: grown.token };
    expect((await agent.call("add_child", child)).ok).toBe(true);
    // What one edit adds must not follow the size of the tree.
    expect(grown.growth).toBeLessThan(64 * 1024);
    await session.close();
    await store.close();
    console.log(
      `${NODES} nodes: planted in ${Math.round(grown.planted)} ms; an edit ${grown.perEdit.toFixed(2)} ms and ${Math.round(grown.growth)} bytes on disk; reopened in ${Math.round(opened)} ms`,
    );
  },
  LONG ? 600_000 : 60_000,
);

test("[HIST-4] [TT-60] very many children, sorted in one call, are so to the next process, and undone there", async () => {
  const store = sqliteStore({ directory: scratch() });
  const tools = [plantTool, digestTool];
  const session = await openSession({ store, toolsets: ["all"], id: "wide", tools });
  const agent = session.as({ id: "gardener", role: "editor" });
  await agent.call("plant", { nodes: 20_000, wide: true });
  const planted = (await agent.call("digest")).value;
  const node = await agent.call("get_node", { nodeId: "n1" });
  const input = { parentId: "n0", byProp: "n", expectedVersion: node.ok ? node.token : "" };
  const sorted = await agent.call("sort_children", input);
  expect(sorted).toMatchObject({ ok: true, value: { children: 19_999, changed: true } });
  const after = (await agent.call("digest")).value;
  expect(after).not.toEqual(planted);
  const { at } = session;
  const other = await openSession({ store, toolsets: ["all"], id: "wide", tools });
  const beside = other.as({ id: "other", role: "editor" });
  expect((await beside.call("digest")).value).toEqual(after);
  await other.undo({ record: at.seq });
  expect((await beside.call("digest")).value).toEqual(planted);
  await other.restore({ to: at });
  expect((await beside.call("digest")).value).toEqual(after);
  await session.close();
  await other.close();
  const again = await openSession({ store, toolsets: ["all"], id: "wide", tools });
  expect((await again.as({ id: "gardener", role: "editor" }).call("digest")).value).toEqual(after);
  await again.close();
  await store.close();
});
