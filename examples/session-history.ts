// A durable session: snapshot, work, look at the difference, restore a part, open it again.
//   npx tsx examples/session-history.ts

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSession, sqliteStore } from "holdfast";
import { renderHunks } from "holdfast/text";

const directory = mkdtempSync(join(tmpdir(), "holdfast-example-"));
const store = sqliteStore({ directory });
try {
  const session = await openSession({ store, id: "refactoring", toolsets: ["all"] });
  const agent = session.as({ id: "coder", role: "editor" });
  await agent.call("write_file", { path: "src/a.ts", content: "export const a = 1;\n" });
  await agent.call("write_file", { path: "notes.md", content: "# Notes\n" });

  const before = await session.snapshot("before the refactoring");
  await agent.call("apply_patch", {
    patch: [
      { file: "src/a.ts", line: 1, op: "replace", old: "export const a = 1;", new: "export const a = 2;" },
    ],
  });
  await agent.call("write_file", { path: "notes.md", content: "- changed a\n", mode: "append" });

  const difference = await session.diff({ from: before.id });
  for (const { path, change, hunks } of difference.files)
    console.log(`${change} ${path}\n${hunks === undefined ? "" : renderHunks(hunks)}`);

  // Only the sources go back; the notes stay as they are. That too is a commit, and can be undone.
  await session.restore({ to: before.id, path: "/workspace/src" });
  await session.close();

  const again = await openSession({ store, id: "refactoring", toolsets: ["all"] });
  const reader = again.as({ id: "reader", role: "reader" });
  const source = await reader.call<{ content: string }>("read_file", { path: "src/a.ts" });
  const notes = await reader.call<{ content: string }>("read_file", { path: "notes.md" });
  assert.equal(source.value?.content, "export const a = 1;\n");
  assert.equal(notes.value?.content, "# Notes\n- changed a\n");
  assert.equal((await again.verify()).ok, true);
  await again.close();
} finally {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
}
