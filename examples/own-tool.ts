// A tool of the host's own: it writes a file through ctx.files, and everything else comes with the call path.
//   npx tsx examples/own-tool.ts

import assert from "node:assert/strict";
import { z } from "zod";
import { defineTool, fileTarget, openSession } from "holdfast";

const addTask = defineTool({
  name: "add_task",
  toolset: "tasks",
  access: "write",
  title: "Add a task",
  description: "Adds a line to the list of tasks.",
  input: z.object({ task: z.string().min(1), list: z.string().optional() }),
  output: z.object({ path: z.string(), tasks: z.int(), token: z.string().optional() }),
  // Worked out once, however often the call has to run.
  resolve: ({ task, list = "tasks.md" }, ctx) => ({ task, path: ctx.path(list, "file") }),
  targets: ({ path }) => [fileTarget(path)],
  async run({ files }, { task, path }) {
    const line = `- [ ] ${task.replaceAll(/\s+/g, " ")}\n`;
    if ((await files.stat(path)) === undefined) await files.create(path, line);
    else await files.append(path, line);
    const tasks = new TextDecoder().decode(await files.read(path)).split("\n").length - 1;
    return { path, tasks };
  },
  text: ({ path, tasks }) => `${path} has ${tasks} tasks`,
});

await using session = await openSession({ tools: [addTask], toolsets: ["files", "history", "tasks"] });
const agent = session.as({ id: "planner", role: "editor" });

// Ten at once: nobody's line is lost.
await Promise.all(Array.from({ length: 10 }, (_, i) => agent.call("add_task", { task: `step ${i}` })));
const added = await agent.call("add_task", { task: "the last one" });
assert(added.ok);
assert.match(added.text, /^\/workspace\/tasks\.md has 11 tasks\n\[Token \S+\]$/);

// Versions, dry runs, undo and the catalogue know the tool like any other.
const stale = await agent.call("add_task", { task: "late", expectedVersion: "1-00000000" });
assert.equal(stale.error?.reason, "stale_version");
const dry = await agent.call("add_task", { task: "only to see", dryRun: true });
assert.equal(dry.text, "[Dry run] /workspace/tasks.md has 12 tasks");
await agent.call("undo_changes");
const [file] = session.files();
assert.equal(file?.version, 12);
const read = await agent.call("read_file", { path: "tasks.md" });
assert(!read.text.includes("the last one"));
console.log(agent.tools().find(({ name }) => name === "add_task")?.inputSchema);
