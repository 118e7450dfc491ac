// A process that plants a large tree, edits it, says what it then holds, and waits to be killed.
// Arguments: store directory, number of nodes, number of edits.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "../../../src/store/index.ts";
import { openSession } from "../../../src/tools/index.ts";
import { digestTool, plantTool } from "../tree-plant.ts";

const [directory = "", nodes = "0", edits = "0"] = process.argv.slice(2);

function bytesOn(path: string): number {
  let bytes = 0;
  for (const entry of readdirSync(path, { withFileTypes: true }))
    bytes += entry.isDirectory() ? bytesOn(join(path, entry.name)) : statSync(join(path, entry.name)).size;
  return bytes;
}

/** The size once the checkpoint that follows the planting is written: it is no part of what an edit costs. */
async function settled(): Promise<number> {
  let bytes = bytesOn(directory);
  for (let quiet = 0; quiet < 5; quiet++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const now = bytesOn(directory);
    if (now !== bytes) quiet = 0;
    bytes = now;
  }
  return bytes;
}

const store = sqliteStore({ directory });
const session = await openSession({
  store,
  id: "large",
  tools: [plantTool, digestTool],
  toolsets: ["all"],
  limits: { callBurst: 100_000, callsPerMinute: 100_000 },
});
const agent = session.as({ id: "gardener", role: "editor" });

async function call(tool: string, input: object): Promise<{ value: Record<string, unknown>; token: string }> {
  const result = await agent.call<Record<string, unknown>>(tool, input);
  if (!result.ok) throw new Error(`${tool}: ${result.text}`);
  return { value: result.value, token: result.token ?? "" };
}

const planting = performance.now();
await call("plant", { nodes: Number(nodes) });
const planted = performance.now() - planting;
const before = await settled();
let { token } = await call("get_node", { nodeId: "n0" });
const editing = performance.now();
for (let i = 0; i < Number(edits); i++) {
  const nodeId = `n${(1 + ((i * 7919) % (Number(nodes) - 1))).toString(36)}`;
  const edit =
    i % 3 === 0
      ? ([
          "add_child",
          { parentNodeId: nodeId, payloadType: "Item", payloadProps: { name: `new ${i}` } },
        ] as const)
      : i % 3 === 1
        ? (["update_payload_property", { nodeId, propertyName: "n", newValue: -i }] as const)
        : (["tag_node", { nodeId, tags: ["seen"] }] as const);
  ({ token } = await call(edit[0], { ...edit[1], expectedVersion: token }));
}
const edited = performance.now() - editing;
const after = bytesOn(directory);
({ token } = await call("collapse_node", { nodeId: "n1", expectedVersion: token }));
const { value } = await call("digest", {});
const growth = Number(edits) === 0 ? 0 : (after - before) / Number(edits);
process.stdout.write(
  `${JSON.stringify({ ...value, token, at: session.at, planted, perEdit: edited / Number(edits), growth })}\n`,
);
setInterval(() => {}, 1_000);
