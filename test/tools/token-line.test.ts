import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, fileTarget, openSession, type CallResult } from "../../src/tools/index.ts";

const WRITES: readonly (readonly [tool: string, input: object])[] = [
  ["write_file", { path: "a.txt", content: "one\n" }],
  ["write_file", { path: "a.txt", content: "two\n", mode: "overwrite" }],
  ["edit_file", { path: "a.txt", edits: [{ old_text: "two", new_text: "2" }] }],
  ["replace_in_files", { pattern: "2", replacement: "3" }],
  ["copy_file", { source: "a.txt", destination: "b.txt" }],
  ["move_file", { source: "b.txt", destination: "c.txt" }],
  ["apply_patch", { patch: [{ file: "c.txt", line: 1, op: "replace", old: "3", new: "4" }] }],
  ["delete_file", { path: "c.txt" }],
  ["write_file", { path: "a.json", content: '{"list": [1]}' }],
  ["set_json_value", { path: "a.json", json_path: "$.k", value: "1" }],
  ["append_json_array", { path: "a.json", json_path: "$.list", value: "2" }],
  ["merge_json_object", { path: "a.json", json_path: "$", updates: '{"x": 1}' }],
  ["delete_json_key", { path: "a.json", json_path: "$.k" }],
  ["edit_json", { path: "a.json", edits: [{ op: "set", json_path: "$.x", value: "2" }] }],
  ["create_tree", { name: "t" }],
  ["undo_changes", {}],
  ["request_landing", { reason: "done" }],
];

const READS: readonly (readonly [tool: string, input: object])[] = [
  ["read_file", { path: "a.txt" }],
  ["stat_file", { path: "a.txt" }],
  ["preview_json", { path: "a.json" }],
  ["get_json_value", { path: "a.json", json_path: "$.x" }],
  ["list_json_keys", { path: "a.json" }],
  ["validate_json", { path: "a.json" }],
  ["query_json", { path: "a.json", json_path: "$.x" }],
];

test("[CALL-108] a write says its token on the line after what was done, a read begins with it, a dry run says none", async () => {
  const session = await openSession({ toolsets: ["all"] });
  const agent = session.as({ id: "editor", role: "editor" });
  const call = async (tool: string, input: object): Promise<CallResult & { ok: true }> => {
    const result = await agent.call<unknown>(tool, input);
    if (!result.ok) throw new Error(`${tool}: ${result.text}`);
    return result;
  };
  for (const [tool, input] of WRITES) {
    const dry = await call(tool, { ...input, dryRun: true });
    expect(dry.text, tool).not.toMatch(/token \d|\[Token/i);
    const { text, token = "" } = await call(tool, input);
    expect(text.split("\n")[1], tool).toBe(`[Token ${token}]`);
    expect(text.split(token), tool).toHaveLength(2);
  }
  for (const [tool, input] of READS) {
    const { text, token = "" } = await call(tool, input);
    expect(text.startsWith(`[Token ${token}]`), tool).toBe(true);
  }
  await session.close();
});

test("[CALL-108] so does the text of a host's own tool", async () => {
  const shout = defineTool({
    name: "shout_file",
    toolset: "mine",
    access: "write",
    title: "Shout",
    description: "Makes a text file upper-case.",
    input: z.object({ path: z.string() }),
    output: z.object({ size_bytes: z.int() }),
    resolve: ({ path }, ctx) => ctx.path(path, "file"),
    targets: (path) => [fileTarget(path)],
    async run({ files }, path) {
      const { size_bytes } = await files.replace(path, "A");
      return { size_bytes };
    },
    text: ({ size_bytes }) => `${size_bytes} byte\nand no more`,
  });
  const session = await openSession({ tools: [shout], files: { a: "a" } });
  const agent = session.as({ id: "editor", role: "editor" });
  const dry = await agent.call("shout_file", { path: "a", dryRun: true });
  expect(dry.text).toBe("[Dry run] 1 byte\nand no more");
  const done = await agent.call("shout_file", { path: "a" });
  expect(done.text).toBe(`1 byte\n[Token ${done.token ?? ""}]\nand no more`);
});

const OUTPUTS: readonly (readonly [what: string, output: unknown])[] = [
  ["an object", { n: 1 }],
  ["a text", "one"],
  ["a number", 1],
  ["a list", [1, 2]],
  ["null", null],
  ["nothing", undefined],
];

test.each(OUTPUTS)(
  "[CALL-108] [CALL-84] whatever it returns, and however long its text: %s",
  async (_, output) => {
    let text = "Made f\nand no more";
    const make = defineTool({
      name: "make",
      toolset: "mine",
      access: "write",
      title: "Make",
      description: "Makes a file.",
      input: z.object({ path: z.string() }),
      output: z.unknown(),
      resolve: ({ path }, ctx) => ctx.path(path, "file"),
      targets: (path) => [fileTarget(path)],
      async run({ files }, path) {
        await files.create(path, "x");
        return output;
      },
      text: () => text,
    });
    const session = await openSession({ tools: [make] });
    const agent = session.as({ id: "editor", role: "editor" });
    const dry = await agent.call("make", { path: "f", dryRun: true });
    expect(dry.text).toBe("[Dry run] Made f\nand no more");
    const input = { path: "f", idempotencyKey: "k" };
    const done = await agent.call("make", input);
    expect(done.token).toMatch(/^1-/);
    expect(done.text).toBe(`Made f\n[Token ${done.token ?? ""}]\nand no more`);
    expect(await agent.call("make", input)).toStrictEqual({ ...done, replayed: true });
    text = "x".repeat(100_000);
    const long = await agent.call("make", { path: "g" });
    expect(long.text.length).toBeLessThanOrEqual(32_000);
    expect(long.text.split("\n").at(-1)).toBe(`[token ${long.token ?? ""}]`);
  },
);
