import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, openSession, type SessionOptions, type Tool } from "../../src/tools/index.ts";
import { bench, echoTool, EDITOR, READER } from "./bench-session.ts";

describe("definitions", () => {
  test.each([
    ["output", { output: z.object({ at: z.date() }) }],
    ["output", { output: z.void() }],
    ["input", { input: z.object({ big: z.bigint() }) }],
  ])("[CALL-125] a tool whose %s has no form in JSON is named where tools are listed", async (io, part) => {
    const odd = { ...echoTool, name: "odd", ...part } as Tool;
    const { session } = await bench({ tools: [odd] });
    expect(() => session.as(EDITOR).tools()).toThrow(
      expect.objectContaining({
        code: "invalid_argument",
        reason: "bad_options",
        message: expect.stringContaining(`The ${io} of the tool "odd" has no JSON Schema: `) as unknown,
      }),
    );
  });

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
      expect(tool.inputSchema).toMatchObject({ type: "object" });
      expect(tool.inputSchema).not.toHaveProperty("$schema");
      expect(tool.outputSchema).toMatchObject({ type: "object" });
    }
    expect(one[0]?.annotations).toEqual({
      readOnlyHint: true,
      openWorldHint: false,
    });
  });

  test("[CALL-98] a session has the tools for files and JSON unless it names others", async () => {
    const named = async (options: SessionOptions): Promise<string[]> => {
      await using session = await openSession(options);
      return [
        ...new Set(
          session
            .as(EDITOR)
            .tools()
            .map(({ toolset }) => toolset),
        ),
      ];
    };
    expect(await named({})).toEqual(["files", "json"]);
    expect(await named({ tools: [echoTool] })).toEqual(["files", "json", "test"]);
    const gates = {
      main: { gate_order: ["goal"], gates: { goal: { question: "What for?", required: true } } },
    };
    expect(await named({ gates })).toEqual(["files", "json", "gates"]);
    expect(await named({ toolsets: ["all"] })).toEqual([
      "files",
      "json",
      "patch",
      "tree",
      "tree_more",
      "history",
    ]);
    await using session = await openSession();
    const refused = await session.as(EDITOR).call("create_tree", { name: "t" });
    expect(refused.text).toBe(
      '[Error] create_tree belongs to the toolset tree, which this session does not offer. It offers: "files", "json". Use one of its tools, or ask the host for tree.',
    );
    await using whole = await openSession({ toolsets: ["all"] });
    const one = whole.as({ ...EDITOR, toolsets: ["all"] });
    expect((await one.call("create_tree", { name: "t" })).ok).toBe(true);
  });

  test("[CALL-97] the default tools cost an agent at most 13,000 characters", async () => {
    const cost = async (...toolsets: string[]): Promise<number> => {
      await using session = await openSession(toolsets.length === 0 ? {} : { toolsets });
      const tools = session.as(EDITOR).tools();
      return JSON.stringify(
        tools.map(({ name, description, inputSchema, annotations }) => ({
          name,
          description,
          inputSchema,
          annotations,
        })),
      ).length;
    };
    expect(await cost()).toBeLessThanOrEqual(13_000);
    expect(await cost("files", "json", "undo_changes", "request_landing")).toBeLessThanOrEqual(13 * 1024);
  });

  test("[CALL-96] a definition leaves out what a refusal says, and shows one or many as a list", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const fieldsOf = (name: string): unknown =>
      agent.tools().find((tool) => tool.name === name)?.inputSchema["properties"];
    expect(fieldsOf("search_files")).toMatchObject({
      exclude: { type: "array", items: { type: "string" } },
      budget: { type: "integer", description: "Characters" },
    });
    expect(fieldsOf("undo_changes")).not.toHaveProperty("expectedVersion");
    expect(fieldsOf("request_landing")).not.toHaveProperty("expectedVersion");
    expect(fieldsOf("snapshot_restore")).toHaveProperty("expectedVersion");
    const required = async (name: string, requireVersions: boolean): Promise<unknown> => {
      const { session: strict } = await bench({ requireVersions });
      const tool = strict
        .as(EDITOR)
        .tools()
        .find((one) => one.name === name);
      return tool?.inputSchema["required"];
    };
    expect(await required("add_child", true)).toEqual(["parentNodeId", "payloadType", "expectedVersion"]);
    expect(await required("expand_node", true)).toEqual(["nodeId", "expectedVersion"]);
    expect(await required("add_child", false)).toEqual(["parentNodeId", "payloadType"]);
    expect(await required("edit_file", true)).toEqual(["path", "edits"]);
    expect(JSON.stringify(fieldsOf("search_files"))).not.toMatch(/anyOf|minimum|maxItems/);
    const both = [{ exclude: "*.md" }, { exclude: ["*.md"] }];
    for (const how of both)
      expect((await agent.call("search_files", { pattern: "x", ...how })).ok).toBe(true);
    expect((await agent.call("search_files", { pattern: "x", budget: 5 })).text).toBe(
      "[Error] search_files was not run. budget: must be at least 1000.",
    );
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
    const advising = agent.tools().filter(({ description }) => description.includes("dryRun"));
    expect(advising.map(({ name }) => name)).toEqual(["replace_in_files"]);
    for (const { inputSchema } of advising) expect(inputSchema["properties"]).toHaveProperty("dryRun");
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
