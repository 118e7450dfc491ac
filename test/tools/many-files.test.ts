import { expect, test } from "vitest";
import { openSession } from "../../src/tools/index.ts";
import { turnsDuring } from "../turns.ts";

const FILES = 2_000;

// The last is how often the call goes through all files: to find them, to name them anew, to change them.
test.each([
  ["search_files", { pattern: "nowhere", include: ["none/**"] }, 1],
  ["replace_in_files", { pattern: "x", replacement: "y", include: ["last"] }, 1],
  ["copy_file", { source: "many", destination: "copied", dryRun: true }, 3],
  ["move_file", { source: "many", destination: "moved", dryRun: true }, 3],
  ["delete_file", { path: "many", dryRun: true }, 2],
  ["list_directory", { path: "many", depth: 2, budget: 1_000 }, 1],
  ["list_directory", { path: "deep", depth: 2 }, 1],
] as const)("[FILES-139] other work goes on during %s of very many files", async (tool, input, passes) => {
  const session = await openSession({
    files: Object.fromEntries([
      ...Array.from({ length: FILES }, (_, i) => [`many/f${i}`, "x"] as const),
      ...Array.from(
        { length: tool === "list_directory" ? FILES : 0 },
        (_, i) => [`deep/a/b/f${i}`, "x"] as const,
      ),
      ["last", "x"],
    ]),
  });
  const agent = session.as({ id: "e", role: "editor" });
  const turns = await turnsDuring(async () => {
    const { ok, text } = await agent.call<unknown>(tool, input);
    expect(ok, text).toBe(true);
  });
  expect(turns).toBeGreaterThan((passes * FILES) / 10);
  await session.close();
});
