// Two agents share a session: one pins what it read, the other is faster, and nobody's work is lost.
//   npx tsx examples/session-two-agents.ts

import assert from "node:assert/strict";
import { openSession } from "holdfast";

await using session = await openSession({ name: "two agents", toolsets: ["files", "history"] });
const planner = session.as({ id: "planner", role: "editor" });
const coder = session.as({ id: "coder", role: "editor" });

const created = await planner.call("write_file", { path: "plan.md", content: "# Plan\n" });
assert(created.ok);

// The coder reads, and the planner changes the file before the coder writes.
const seen = await coder.call<{ content: string; token: string }>("read_file", { path: "plan.md" });
assert(seen.ok);
assert.equal(seen.value.content, "# Plan\n");
await planner.call("write_file", { path: "plan.md", content: "1. Measure\n", mode: "append" });

const late = {
  path: "plan.md",
  content: "# My plan\n",
  mode: "overwrite" as const,
  expectedVersion: seen.value.token,
};
const refused = await coder.call("write_file", late);
assert.equal(refused.error?.reason, "stale_version");
console.log(refused.text);

// A retry of a call whose answer was lost is applied once.
const log = { path: "log.txt", content: "started\n", idempotencyKey: "call-7" };
await coder.call("write_file", log);
const again = await coder.call("write_file", log);
assert(again.ok && again.replayed === true);

// Undo takes back the coder's own work and leaves the planner's.
await coder.call("undo_changes");
assert.deepEqual(
  session.files().map(({ path, version }) => [path, version]),
  [["/workspace/plan.md", 2]],
);
for (const { seq, agent, tool, targets } of await session.log({ limit: 10 }))
  console.log(seq, agent, tool, targets.join(" "));
