// Files and a plan: a folder is mounted, its outline becomes a tree of tasks, and the work is done task by task.
//   npx tsx examples/session-files.ts

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSession } from "holdfast";

const folder = mkdtempSync(join(tmpdir(), "holdfast-example-"));
mkdirSync(join(folder, "src"));
writeFileSync(join(folder, "src", "greet.js"), 'export const greet = (name) => "Hello " + nme;\n');
writeFileSync(join(folder, "plan.md"), "# Release\n\n- Mend greet\n- Write the notes\n");

try {
  await using session = await openSession({
    mounts: [{ from: folder, to: "/workspace" }],
    toolsets: ["files", "history", "tree"],
  });
  const agent = session.as({ id: "coder", role: "editor" });
  await session.snapshot("as mounted");

  const plan = await agent.call("create_tree", { name: "plan", from: "plan.md" });
  const tasks = await agent.call("select_nodes", { queryDsl: "Item", format: "outline" });
  console.log(tasks.text);

  const listed = await agent.call("list_directory", { depth: 2 });
  assert.match(listed.text, /src\/greet\.js/);
  const read = await agent.call("read_file", { path: "src/greet.js" });
  const mended = await agent.call("edit_file", {
    path: "src/greet.js",
    edits: [{ old_text: "+ nme", new_text: "+ name" }],
    expectedVersion: read.token ?? "",
  });
  console.log(mended.text);
  await agent.call("write_file", { path: "NOTES.md", content: "# Notes\n\n- greet says the name.\n" });
  const done = await agent.call("update_payload", {
    nodeId: "n2",
    patch: { status: "done" },
    expectedVersion: plan.token ?? "",
  });
  assert.ok(done.ok, done.text);

  // The folder is as it was: what the agent did is in the session, and can be looked at and taken back.
  assert.match(readFileSync(join(folder, "src", "greet.js"), "utf8"), /nme/);
  assert.deepEqual(
    session.files().map(({ path, version }) => [path, version]),
    [
      ["/workspace/NOTES.md", 1],
      ["/workspace/plan.md", 1],
      ["/workspace/src/greet.js", 2],
    ],
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
