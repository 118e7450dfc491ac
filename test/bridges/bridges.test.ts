import { describe, expect, test } from "vitest";
import { aiSdkTools } from "../../src/bridges/ai-sdk.ts";
import { anthropicRunnableTools, anthropicTools } from "../../src/bridges/anthropic.ts";
import { langchainTools } from "../../src/bridges/langchain.ts";
import { mastraTools } from "../../src/bridges/mastra.ts";
import { openaiAgentTools, openaiRunConfig, openaiTools } from "../../src/bridges/openai.ts";
import { HoldfastError } from "../../src/errors.ts";
import type { Agent } from "../../src/tools/index.ts";
import { bench, EDITOR } from "../tools/bench-session.ts";

async function editor(): Promise<Agent> {
  return (await bench()).session.as(EDITOR);
}

async function text(agent: Agent, path: string): Promise<string> {
  const result = await agent.call("read_file", { path });
  return result.ok ? (result.value.content ?? "") : result.text;
}

/** Every bridge as a function from name, input, id and signal to the text for the model. */
type Through = (
  name: string,
  input: unknown,
  id: string,
  signal?: AbortSignal,
) => Promise<{ text: string; isError: boolean }>;

class ToolError extends Error {}

/** The text of a result that holds nothing else. */
function textIn(content: unknown): string {
  if (typeof content !== "string") throw new Error("more than text");
  return content;
}

const BRIDGES: Record<string, (agent: Agent) => Through> = {
  "AI SDK": (agent) => {
    const tools = aiSdkTools(agent);
    return async (name, input, id, signal) => {
      const tool = tools[name];
      if (tool === undefined) throw new Error(name);
      const output = await tool.execute(input, { toolCallId: id, abortSignal: signal });
      const shown = tool.toModelOutput({ output });
      return { text: textIn(shown.value), isError: shown.type === "error-text" };
    };
  },
  "OpenAI agents": (agent) => {
    const tools = openaiAgentTools(agent, (config) => config);
    return async (name, input, id, signal) => {
      const tool = tools.find((one) => one.name === name);
      const result = await tool?.execute(input, {}, { toolCall: { callId: id }, signal });
      return { text: result ?? "", isError: result?.startsWith("[Error]") === true };
    };
  },
  "OpenAI responses": (agent) => {
    const tools = openaiTools(agent);
    return async (name, input, id, signal) => {
      const item = { type: "function_call", call_id: id, name, arguments: JSON.stringify(input) };
      const [answer] = await tools.run([{ type: "reasoning" }, item], signal === undefined ? {} : { signal });
      expect(answer).toMatchObject({ type: "function_call_output", call_id: id });
      return { text: answer?.output ?? "", isError: answer?.output.startsWith("[Error]") === true };
    };
  },
  "OpenAI chat": (agent) => {
    const tools = openaiTools(agent);
    return async (name, input, id, signal) => {
      const call = { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
      const [answer] = await tools.runChat([call], signal === undefined ? {} : { signal });
      expect(answer).toMatchObject({ role: "tool", tool_call_id: id });
      return { text: answer?.content ?? "", isError: answer?.content.startsWith("[Error]") === true };
    };
  },
  "Anthropic runner": (agent) => {
    const tools = anthropicRunnableTools(agent, { ToolError });
    return async (name, input, id, signal) => {
      const tool = tools.find((one) => one.name === name);
      try {
        const result = await tool?.run(tool.parse(input), { toolUse: { id }, signal: signal ?? null });
        return { text: textIn(result), isError: false };
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        return { text: error.message, isError: true };
      }
    };
  },
  "Anthropic messages": (agent) => {
    const tools = anthropicTools(agent);
    return async (name, input, id, signal) => {
      const content = [{ type: "text" }, { type: "tool_use", id, name, input }];
      const [answer] = await tools.run(content, signal === undefined ? {} : { signal });
      expect(answer).toMatchObject({ type: "tool_result", tool_use_id: id });
      return { text: textIn(answer?.content), isError: answer?.is_error === true };
    };
  },
  LangChain: (agent) => {
    const tools = new Map(
      langchainTools(agent, (call, { name }) => ({ name, call })).map((tool) => [tool.name, tool]),
    );
    return async (name, input, id, signal) => {
      try {
        const [result] = (await tools.get(name)?.call(input, { toolCall: { id }, signal })) ?? [""];
        return { text: result, isError: false };
      } catch (error) {
        return { text: (error as Error).message, isError: true };
      }
    };
  },
  Mastra: (agent) => {
    const tools = mastraTools(agent, (config) => config);
    return async (name, input, id, signal) => {
      const result = await tools[name]?.execute(input, { agent: { toolCallId: id }, abortSignal: signal });
      return { text: result ?? "", isError: result?.startsWith("[Error]") === true };
    };
  },
};

describe.each(Object.entries(BRIDGES))("%s", (_, bridge) => {
  test("[BRIDGE-2] [BRIDGE-5] calls, and says what is wrong in our words", async () => {
    const agent = await editor();
    const call = bridge(agent);
    const made = await call("write_file", { path: "a.txt", content: "one\n" }, "c1");
    expect(made.isError).toBe(false);
    expect(made.text).toMatch(/^Created \/workspace\/a\.txt/);
    const wrong = await call("write_file", { path: "a.txt", contents: "x" }, "c2");
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toMatch(/^\[Error\] .*contents/);
    const missing = await call("read_file", { path: "b.txt" }, "c3");
    expect(missing).toMatchObject({ isError: true, text: expect.stringMatching(/^\[Error\] .*b\.txt/) });
  });

  test("[BRIDGE-3] a call that is sent again applies once", async () => {
    const agent = await editor();
    const call = bridge(agent);
    const input = { path: "a.txt", content: "line\n", mode: "create" };
    const first = await call("write_file", input, "same");
    expect((await call("write_file", input, "same")).text).toContain(first.text.split("\n")[0]);
    const log = { path: "a.txt", content: "more\n", mode: "append" };
    await call("write_file", log, "append-1");
    await call("write_file", log, "append-1");
    expect(await text(agent, "a.txt")).toBe("line\nmore\n");
  });

  test("[BRIDGE-4] writes of one turn happen in the order they were issued", async () => {
    const agent = await editor();
    const call = bridge(agent);
    const results = await Promise.all([
      call("write_file", { path: "a.txt", content: "0" }, "t0"),
      ...Array.from({ length: 9 }, (__, i) =>
        call("write_file", { path: "a.txt", content: String(i + 1), mode: "append" }, `t${i + 1}`),
      ),
      call("read_file", { path: "a.txt" }, "t10"),
    ]);
    expect(results.map(({ isError }) => isError)).not.toContain(true);
    expect(results.at(-1)?.text).toContain("0123456789");
  });

  test("[BRIDGE-6] an aborted call changes nothing", async () => {
    const agent = await editor();
    const call = bridge(agent);
    const result = await call("write_file", { path: "a.txt", content: "x" }, "c", AbortSignal.abort());
    expect(result.isError).toBe(true);
    expect(await text(agent, "a.txt")).toContain("[Error]");
  });
});

describe("what is handed over", () => {
  test("[BRIDGE-1] the agent's tools, or those that are chosen", async () => {
    const agent = await editor();
    const names = agent.tools().map(({ name }) => name);
    expect(Object.keys(aiSdkTools(agent))).toEqual(names);
    expect(openaiTools(agent).definitions).toMatchObject(names.map((name) => ({ type: "function", name })));
    expect(openaiTools(agent).chatDefinitions.map((one) => one.function.name)).toEqual(names);
    expect(anthropicTools(agent).definitions.map(({ name }) => name)).toEqual(names);
    expect(Object.keys(aiSdkTools(agent, { only: ["read_file"] }))).toEqual(["read_file"]);
    expect(Object.keys(aiSdkTools(agent, { without: ["read_file"] }))).not.toContain("read_file");
    expect(() => aiSdkTools(agent, { only: ["red_file"] })).toThrow(/no tool "red_file"; it has .*read_file/);
  });

  test("[BRIDGE-3] ids that repeat can be left out", async () => {
    const agent = await editor();
    const write = aiSdkTools(agent, { idempotent: false })["write_file"];
    await write?.execute({ path: "a.txt", content: "x", mode: "create" }, { toolCallId: "call_0" });
    for (const _ of [1, 2])
      await write?.execute({ path: "a.txt", content: "y", mode: "append" }, { toolCallId: "call_0" });
    expect(await text(agent, "a.txt")).toBe("xyy");
  });

  test("[BRIDGE-3] an id of any length and kind is a key, and no id is none", async () => {
    const agent = await editor();
    const write = aiSdkTools(agent)["write_file"];
    await write?.execute({ path: "a.txt", content: "" }, { toolCallId: "made" });
    const long = `call_${"thought".repeat(1_000)}`;
    for (const id of [long, `${long}2`, "\u0000", "__proto__", long, "\u0000", "__proto__"])
      await write?.execute({ path: "a.txt", content: "x", mode: "append" }, { toolCallId: id });
    expect(await text(agent, "a.txt")).toBe("xxxx");
    for (const options of [{}, undefined, { toolCallId: 5 as unknown as string }])
      await write?.execute({ path: "a.txt", content: "y", mode: "append" }, options);
    expect(await text(agent, "a.txt")).toBe("xxxxyyy");
  });

  test("[BRIDGE-1] what is no agent, and options that do not exist, are errors that say so", async () => {
    const { session } = await bench();
    expect(() => aiSdkTools(session as never)).toThrow(/takes an agent, such as session\.as/);
    const agent = session.as(EDITOR);
    for (const make of [aiSdkTools, openaiTools, anthropicTools, anthropicRunnableTools] as const)
      expect(() => make(agent, { witout: [] } as never)).toThrow(/witout.*without/);
    expect(() => anthropicTools(agent, { texteditor: true } as never)).toThrow(/textEditor/);
    expect(() => anthropicTools(agent, { textEditor: { maxCharacters: 0 } })).toThrow(/maxCharacters/);
    expect(() => openaiAgentTools(agent, (config) => config, { applyPatchTool: true } as never)).toThrow(
      /function/,
    );
  });

  test("[BRIDGE-19] every door exports the error that its functions throw", async () => {
    const agent = await editor();
    const doors = await Promise.all([
      import("../../src/bridges/ai-sdk.ts"),
      import("../../src/bridges/anthropic.ts"),
      import("../../src/bridges/langchain.ts"),
      import("../../src/bridges/mastra.ts"),
      import("../../src/bridges/openai.ts"),
    ]);
    expect(() => aiSdkTools(agent, { onyl: [] } as object)).toThrow(HoldfastError);
    for (const door of doors) expect(door.HoldfastError).toBe(HoldfastError);
  });

  test("[BRIDGE-1] without the framework's function, it is said what to pass", async () => {
    const agent = await editor();
    for (const none of [undefined, null, {}] as never[]) {
      expect(() => langchainTools(agent, none)).toThrow('takes tool of "@langchain/core/tools"');
      expect(() => mastraTools(agent, none)).toThrow('takes createTool of "@mastra/core/tools"');
      expect(() => openaiAgentTools(agent, none)).toThrow('takes tool of "@openai/agents"');
    }
  });

  test("[BRIDGE-8] nothing, plain text and entries that are no calls ask for nothing", async () => {
    const agent = await editor();
    const openai = openaiTools(agent, { applyPatch: true });
    const lists = [
      null,
      undefined,
      "hello",
      {},
      [null],
      [undefined, 5, "x", {}],
      [{ id: 1, function: null }],
    ];
    for (const list of lists as never[]) {
      expect(await openai.run(list)).toEqual([]);
      expect(await openai.runChat(list)).toEqual([]);
      expect(await anthropicTools(agent).run(list)).toEqual([]);
    }
  });

  test("[BRIDGE-9] an image is seen", async () => {
    const agent = await editor();
    const gif = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
    await agent.call("write_file", { path: "a.gif", content_base64: gif });
    const read = aiSdkTools(agent)["read_file"];
    const output = await read?.execute({ path: "a.gif" }, { toolCallId: "1" });
    expect(output && read?.toModelOutput({ output })).toMatchObject({
      type: "content",
      value: [{ type: "text" }, { type: "image-data", data: gif, mediaType: "image/gif" }],
    });
  });

  test("[BRIDGE-7] strict tools", async () => {
    const agent = await editor();
    const tools = openaiTools(agent, { strict: true });
    const described = tools.definitions.filter((one) => one.type === "function");
    const read = described.find(({ name }) => name === "read_file");
    expect(read?.strict).toBe(true);
    for (const tool of openaiAgentTools(agent, (config) => config, { strict: true }))
      expect(tool).toMatchObject({ strict: described.find(({ name }) => name === tool.name)?.strict });
    const { properties, required } = (read?.parameters ?? {}) as {
      properties: Record<string, unknown>;
      required: string[];
    };
    expect(required).toEqual(Object.keys(properties));
    expect(JSON.stringify(properties["offset"])).toContain('{"type":"null"}');
    await agent.call("write_file", { path: "a.txt", content: "x\n" });
    const input = Object.fromEntries(required.map((name) => [name, name === "path" ? "a.txt" : null]));
    const call = { type: "function_call", call_id: "1", name: "read_file", arguments: JSON.stringify(input) };
    expect((await tools.run([call]))[0]?.output).toContain("x");
    const patch = described.find(({ name }) => name === "apply_patch");
    if (patch !== undefined) expect(patch.strict).toBe(false);
  });

  test("[BRIDGE-16] a tool that the model invented gets an error with the nearest name, in every loop", async () => {
    const agent = await editor();
    const openai = openaiTools(agent);
    const near = '[Error] There is no tool "red_file". Did you mean read_file?';
    const far = /^\[Error\] There is no tool "frobnicate"\. The tools are: .*read_file/;
    const ask = (name: string) => ({
      item: { type: "function_call", call_id: "1", name, arguments: "{}" },
      call: { id: "1", type: "function", function: { name, arguments: "{}" } },
      use: { type: "tool_use", id: "1", name, input: {} },
    });
    const { item, call, use } = ask("red_file");
    expect(await openai.run([item])).toEqual([{ type: "function_call_output", call_id: "1", output: near }]);
    expect(await openai.runChat([call])).toEqual([{ role: "tool", tool_call_id: "1", content: near }]);
    const claude = anthropicTools(agent, { textEditor: true });
    expect(await claude.run([use])).toEqual([
      { type: "tool_result", tool_use_id: "1", content: near, is_error: true },
    ]);
    const { toolErrorFormatter, toolNotFoundBehavior } = openaiRunConfig(agent);
    expect(toolNotFoundBehavior).toBe("return_error_to_model");
    expect(toolErrorFormatter({ kind: "tool_not_found", toolName: "red_file" })).toBe(near);
    expect(toolErrorFormatter({ kind: "approval_rejected", toolName: "red_file" })).toBeUndefined();
    const other = ask("frobnicate");
    expect((await openai.run([other.item]))[0]?.output).toMatch(far);
    expect((await openai.runChat([other.call]))[0]?.content).toMatch(far);
    expect((await claude.run([other.use]))[0]?.content).toMatch(far);
    // The maker's tool is among the names, one that was left out is not.
    const replace = ask("str_replace_base_edit_tool").use;
    expect((await claude.run([replace]))[0]?.content).toContain("Did you mean str_replace_based_edit_tool?");
    const few = anthropicTools(agent, { only: ["write_file"] });
    expect((await few.run([ask("read_file").use]))[0]?.content).toContain("The tools are: write_file.");
    for (const name of [undefined, null, 5, "", "__proto__", "constructor"] as never[]) {
      expect((await openai.run([ask(name).item]))[0]?.output).toContain("[Error] There is no tool");
      expect((await openai.runChat([ask(name).call]))[0]?.content).toContain("[Error] There is no tool");
      expect((await claude.run([ask(name).use]))[0]).toMatchObject({ is_error: true });
    }
    // What the host answers itself is passed over; what is no list of names is none.
    for (const name of ["red_file", "read_files"]) {
      const others = ["red_file", "read_files"];
      expect(await openai.run([ask(name).item], { others })).toEqual([]);
      expect(await openai.runChat([ask(name).call], { others })).toEqual([]);
      expect(await claude.run([ask(name).use], { others })).toEqual([]);
    }
    expect(await claude.run([use], { others: null as never })).toHaveLength(1);
    expect(await claude.run([use], null as never)).toHaveLength(1);
    expect(await openai.run([item], null as never)).toHaveLength(1);
    expect(await openai.runChat([call], null as never)).toHaveLength(1);
    expect(await aiSdkTools(agent)["read_file"]?.execute({ path: "none" }, null as never)).toMatchObject({
      ok: false,
    });
  });

  test("[BRIDGE-8] what is no call is passed over, and text that is no JSON is refused", async () => {
    const agent = await editor();
    const tools = openaiTools(agent);
    expect(await tools.run([{ type: "message" }, { type: "web_search_call", call_id: "1" }])).toEqual([]);
    expect(await tools.runChat(undefined)).toEqual([]);
    const [broken] = await tools.run([
      { type: "function_call", call_id: "1", name: "read_file", arguments: '{"path": ' },
    ]);
    expect(broken?.output).toMatch(/^\[Error\]/);
  });
});
