import { describe, expect, test } from "vitest";
import { bench, dataOf, EDITOR, READER } from "./bench-session.ts";

async function agent() {
  const { session } = await bench();
  return session.as(READER);
}

describe("step 1: the tool and its input", () => {
  test("[CALL-10] an unknown tool is refused with the nearest name", async () => {
    const result = await (await agent()).call("raed_file", {});
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_argument", reason: "unknown_tool" } });
    expect(result.text).toBe('[Error] There is no tool "raed_file". Did you mean read_file?');
  });

  test("[CALL-10] only tools that the agent may use are named", async () => {
    const { session } = await bench({ toolsets: ["files", "tree"] });
    const files = session.as({ id: "a", role: "editor", toolsets: ["read_file", "write_file", "tree"] });
    expect((await files.call("list_changes", {})).error?.reason).toBe("toolset_not_allowed");
    expect((await files.call("list_directry", {})).text).not.toContain("list_directory");
    expect((await files.call("nothing at all", {})).text).toMatch(
      /Known tools: read_file, write_file, list_trees/,
    );
    const reader = session.as({ id: "b", role: "reader", toolsets: ["read_file", "write_file"] });
    expect((await reader.call("nothing at all", {})).text).toContain("Known tools: read_file.");
  });

  test("[CALL-11] all problems come together, each with its place", async () => {
    const { session } = await bench();
    const result = await session
      .as(EDITOR)
      .call<unknown>("write_file", { content: 5, mode: "replace", dryRun: "yes" });
    expect(result.error?.reason).toBe("bad_input");
    expect(dataOf(result)["problems"]).toEqual([
      { field: "path", message: "is missing: must be a string" },
      { field: "content", message: "must be a string" },
      { field: "mode", message: 'must be one of "create", "overwrite", "append", "upsert"' },
      { field: "dryRun", message: "must be true or false" },
    ]);
  });

  test("[CALL-11] a place inside a list is named by index", async () => {
    const result = await (await agent()).call("echo", { list: [{ op: "eq" }, { op: "gt" }], count: 9 });
    expect(dataOf(result)["problems"]).toEqual([
      { field: "count", message: "must be at most 5" },
      { field: "list[1].op", message: 'must be one of "eq", "lt"' },
    ]);
  });

  test("[CALL-12] an unknown field is refused with the nearest known name, at any depth", async () => {
    const result = await (
      await agent()
    ).call("echo", { txt: "a", list: [{ op: "eq", valu: "x" }], zzzzzz: 1 });
    expect(dataOf(result)["problems"]).toEqual([
      { field: "list[0].valu", message: "unknown field, did you mean value?" },
      { field: "txt", message: "unknown field, did you mean text?" },
      { field: "zzzzzz", message: "unknown field: known are text, count, maybe, list, choice, budget" },
    ]);
  });

  test("[CALL-13] null means absent where it is not a value, and stays where it is", async () => {
    const reader = await agent();
    const input = {
      text: null,
      maybe: null,
      count: null,
      list: [{ op: "eq", value: null }],
      choice: { deep: null },
    };
    const result = await reader.call("echo", input);
    expect(result.value).toEqual({ maybe: null, list: [{ op: "eq" }], choice: {} });
    expect(input.text).toBeNull();
    expect((await reader.call("echo", null)).value).toEqual({});
  });

  test("[CALL-13] null for a required argument is a problem, not absence", async () => {
    const result = await (await agent()).call<unknown>("stat_file", { path: null });
    expect(result.error?.message).toContain("path: must be a string");
  });

  test("[CALL-14] [CALL-19] an input too large or too deep is refused before anything reads it", async () => {
    const { session } = await bench({ limits: { inputBytes: 2_000, inputDepth: 10 } });
    const reader = session.as(READER);
    const large = await reader.call("echo", { text: "x".repeat(3_000) });
    expect(large.error).toMatchObject({
      code: "invalid_argument",
      reason: "input_too_large",
      data: { limit: 2_000 },
    });
    let deep: unknown = 1;
    for (let i = 0; i < 100; i++) deep = [deep];
    expect((await reader.call("echo", { list: deep })).error?.reason).toBe("input_too_deep");
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect((await reader.call("echo", loop)).error?.reason).toBe("not_plain");
    expect((await reader.call("echo", { list: Array.from({ length: 1e6 }, () => 1) })).error?.reason).toBe(
      "input_too_large",
    );
  });

  test("[CALL-11] keys of a prototype are ordinary unknown fields", async () => {
    const result = await (
      await agent()
    ).call("echo", JSON.parse('{"__proto__":{"text":"x"},"constructor":1}'));
    expect(result.ok).toBe(false);
    expect(({} as Record<string, unknown>)["text"]).toBeUndefined();
  });
});
