import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { sqliteStore } from "../../src/store/index.ts";
import { openSession } from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";
import { digestTool, plantTool } from "./tree-plant.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const NODES = LONG ? 1_000_000 : 20_000;
const EDITS = 60;

interface Grown {
  readonly digest: string;
  readonly nodes: number;
  readonly token: string;
  readonly at: { readonly seq: number; readonly hash: string };
  readonly planted: number;
  readonly perEdit: number;
  readonly growth: number;
}

/** What the process said it holds, right before it was killed. */
async function growAndKill(directory: string): Promise<Grown> {
  const script = join(import.meta.dirname, "children/grow-tree.ts");
  const child = spawn(
    process.execPath,
    ["--import", "tsx", script, directory, String(NODES), String(EDITS)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    child.kill("SIGKILL");
    await ended;
    return JSON.parse(line) as Grown;
  }
  throw new Error("the process ended before it had said anything");
}

test(
  `[TT-60] ${NODES} nodes, edited and killed, are the same to the next process: tree, tokens, views`,
  async () => {
    const directory = scratch();
    const grown = await growAndKill(directory);
    const store = sqliteStore({ directory });
    const opening = performance.now();
    const session = await openSession({ store, id: "large", tools: [plantTool, digestTool] });
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
