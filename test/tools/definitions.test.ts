import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/tools/index.ts";
import { bench, EDITOR, READER } from "./bench-session.ts";

describe("definitions", () => {
  test("[CALL-90] an agent sees the tools it may use, with schemas, in a fixed order, made once", async () => {
    const { session } = await bench({ toolsets: ["files"] });
    const [one, two] = [session.as(EDITOR).tools(), session.as(EDITOR).tools()];
    expect(one.map((tool) => tool.name)).toEqual([
      "list_directory",
      "read_file",
      "stat_file",
      "find_files",
      "search_files",
      "write_file",
      "edit_file",
      "replace_in_files",
      "move_file",
      "copy_file",
      "delete_file",
    ]);
    expect(
      session
        .as(READER)
        .tools()
        .map((tool) => tool.name),
    ).toEqual(["list_directory", "read_file", "stat_file", "find_files", "search_files"]);
    for (const [i, tool] of one.entries()) {
      expect(tool.inputSchema).toBe(two[i]?.inputSchema);
      expect(tool.inputSchema).toMatchObject({
        type: "object",
        additionalProperties: false,
      });
      expect(tool.inputSchema).not.toHaveProperty("$schema");
      expect(tool.outputSchema).toMatchObject({ type: "object" });
    }
    expect(one[0]?.annotations).toEqual({
      readOnlyHint: true,
      openWorldHint: false,
    });
  });

  test("[CALL-91] keys and dry runs are described only when asked for", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const fields = (advertise?: readonly ("dryRun" | "idempotencyKey")[]) => {
      const tool = agent
        .tools(advertise === undefined ? {} : { advertise })
        .find(({ name }) => name === "write_file");
      return Object.keys(tool?.inputSchema["properties"] as object).slice(5);
    };
    expect(fields()).toEqual(["expectedVersion"]);
    expect(fields(["dryRun", "idempotencyKey"])).toEqual(["expectedVersion", "idempotencyKey", "dryRun"]);
    expect(
      (await agent.call("write_file", { path: "a", content: "", dryRun: true, idempotencyKey: "k" })).ok,
    ).toBe(true);
  });

  test("[CALL-93] the first call of a tool gives way while its schema is compiled, later ones do not", async () => {
    let turned = false;
    const seen: boolean[] = [];
    const look = defineTool({
      name: "look",
      toolset: "test",
      access: "read",
      title: "Look",
      description: "Says whether the event loop has turned.",
      input: z.object({ at: z.string() }),
      output: z.object({}),
      targets: () => [],
      run: async () => {
        seen.push(turned);
        return {};
      },
      text: () => "",
    });
    const { session } = await bench({ tools: [look] });
    const agent = session.as(EDITOR);
    agent.tools();
    for (let i = 0; i < 2; i++) {
      turned = false;
      setImmediate(() => (turned = true));
      expect((await agent.call("look", { at: "x" })).ok).toBe(true);
    }
    expect(seen).toEqual([true, false]);
  });

  test("[CALL-92] a definition is a Standard Schema that agrees with the call", async () => {
    const { session } = await bench();
    const tool = session
      .as(EDITOR)
      .tools()
      .find(({ name }) => name === "write_file");
    const standard = tool?.["~standard"];
    expect(standard).toMatchObject({ version: 1, vendor: "holdfast" });
    expect(standard?.validate({ path: "a", content: null })).toEqual({ value: { path: "a", content: null } });
    expect(standard?.validate({ pth: "a" })).toMatchObject({
      issues: [{ message: expect.stringContaining("did you mean path") }],
    });
    expect(standard?.jsonSchema.input()).toBe(tool?.inputSchema);
  });

  test("[CALL-12] a tool whose input would drop fields, or with a bad name, cannot be declared", () => {
    const declare = (name: string, input: z.ZodObject) => () =>
      defineTool({
        name,
        input,
        toolset: "t",
        access: "read",
        title: "",
        description: "",
        output: z.unknown(),
        targets: () => [],
        run: async () => 1,
        text: () => "",
      });
    expect(declare("t", z.object({ list: z.array(z.object({ a: z.string() })) }))).toThrow(/strictObject/);
    expect(declare("Bad-Name", z.object({}))).toThrow(/bad tool name/);
    expect(declare("fine", z.object({ list: z.array(z.strictObject({ a: z.string() })) }))).not.toThrow();
  });
});
