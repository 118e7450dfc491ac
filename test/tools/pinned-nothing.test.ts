import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, openSession, type Session } from "../../src/tools/index.ts";
import { fileTarget } from "../../src/tools/tool.ts";

test("[CALL-51] a pin holds for a call that finds nothing to change, and for a dry run", async () => {
  const opened: Session[] = [];
  let n = 0;
  // While it runs, another agent makes the file what this one was about to.
  const late = defineTool({
    name: "late",
    toolset: "test",
    access: "write",
    title: "Late",
    description: "Changes nothing.",
    input: z.object({}),
    output: z.object({}),
    resolve: (_, ctx) => ({ path: ctx.path("a.txt", "file") }),
    targets: ({ path }) => [fileTarget(path)],
    async run() {
      await opened[0]?.as({ id: "bob", role: "editor" }).call("write_file", {
        path: "a.txt",
        content: `bob ${n++}`,
        mode: "overwrite",
      });
      return {};
    },
    text: () => "nothing",
  });
  const session = await openSession({ tools: [late], files: { "a.txt": "one" } });
  opened.push(session);
  const ann = session.as({ id: "ann", role: "editor" });
  for (const dryRun of [false, true]) {
    const read = await ann.call("read_file", { path: "a.txt" });
    const expectedVersion = read.ok ? read.value.token : "";
    const result = await ann.call("late", { expectedVersion, dryRun });
    expect(result.error?.reason).toBe("stale_version");
  }
  await session.close();
});
