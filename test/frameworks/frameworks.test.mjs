// Every bridge against the real framework, with a scripted model: listed, called, refused, repeated with the same id, aborted, and two
// writes of one file in one turn. Run by `npm run test:frameworks`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openSession } from "../../dist/index.js";
import { aiSdkTools } from "../../dist/bridges/ai-sdk.js";
import { anthropicRunnableTools, anthropicTools } from "../../dist/bridges/anthropic.js";
import { langchainTools } from "../../dist/bridges/langchain.js";
import { mastraTools } from "../../dist/bridges/mastra.js";
import { openaiAgentTools, openaiTools } from "../../dist/bridges/openai.js";

/** The turns of the scripted model: calls, then words. */
const TURNS = [
  [
    { id: "c1", name: "write_file", input: { path: "a.txt", content: "one\n" } },
    { id: "c2", name: "write_file", input: { path: "a.txt", content: "two\n", mode: "append" } },
  ],
  // The same call again, as after a lost answer; and one that is wrong.
  [
    { id: "c2", name: "write_file", input: { path: "a.txt", content: "two\n", mode: "append" } },
    { id: "c3", name: "write_file", input: { path: "a.txt", contents: "x" } },
  ],
  [{ id: "c4", name: "read_file", input: { path: "a.txt" } }],
];

async function newAgent() {
  const session = await openSession();
  return { session, agent: session.as({ id: "planner", role: "editor" }) };
}

async function finish({ session, agent }, seen) {
  const read = await agent.call("read_file", { path: "a.txt" });
  assert.equal(read.value.content, "one\ntwo\n");
  assert.ok(seen.includes("contents"), "the model is told what was wrong, in our words");
  assert.match(seen, /\[Error\]/);
  await session.close();
}

for (const version of ["ai", "ai7"])
  test(`AI SDK (${version})`, async () => {
    const { generateText, stepCountIs, isStepCount } = await import(version);
    const models = await import(`${version}/test`);
    const Model = models.MockLanguageModelV4 ?? models.MockLanguageModelV3;
    const here = await newAgent();
    const prompts = [];
    let turn = 0;
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const model = new Model({
      doGenerate: async ({ prompt, tools }) => {
        assert.ok(tools.length > 3);
        prompts.push(JSON.stringify(prompt));
        const calls = TURNS[turn++];
        return calls === undefined
          ? {
              content: [{ type: "text", text: "done" }],
              finishReason: { unified: "stop", raw: "stop" },
              usage,
              warnings: [],
            }
          : {
              content: calls.map(({ id, name, input }) => ({
                type: "tool-call",
                toolCallId: id,
                toolName: name,
                input: JSON.stringify(input),
              })),
              finishReason: { unified: "tool-calls", raw: "tool_calls" },
              usage,
              warnings: [],
            };
      },
    });
    const { text } = await generateText({
      model,
      prompt: "go",
      tools: aiSdkTools(here.agent),
      stopWhen: (stepCountIs ?? isStepCount)(10),
    });
    assert.equal(text, "done");
    await finish(here, prompts.at(-1));
  });

test("OpenAI Agents SDK", async () => {
  const { Agent, Runner, tool, setTracingDisabled, Usage } = await import("@openai/agents");
  setTracingDisabled(true);
  const here = await newAgent();
  const inputs = [];
  let turn = 0;
  const model = {
    async getResponse({ input, tools }) {
      assert.ok(tools.length > 3);
      inputs.push(JSON.stringify(input));
      const calls = TURNS[turn++];
      const output =
        calls === undefined
          ? [
              {
                type: "message",
                role: "assistant",
                status: "completed",
                content: [{ type: "output_text", text: "done" }],
              },
            ]
          : calls.map(({ id, name, input: sent }) => ({
              type: "function_call",
              callId: id,
              name,
              status: "completed",
              arguments: JSON.stringify(sent),
            }));
      return { output, usage: new Usage(), responseId: String(turn) };
    },
    getStreamedResponse() {
      throw new Error("not used");
    },
  };
  const planner = new Agent({
    name: "planner",
    instructions: "edit",
    model,
    tools: openaiAgentTools(here.agent, tool),
  });
  const result = await new Runner().run(planner, "go");
  assert.equal(result.finalOutput, "done");
  await finish(here, inputs.at(-1));
});

test("OpenAI, a loop of one's own over the real client", async () => {
  const { default: OpenAI } = await import("openai");
  const here = await newAgent();
  const tools = openaiTools(here.agent, { strict: true });
  const bodies = [];
  let turn = 0;
  const client = new OpenAI({
    apiKey: "none",
    fetch: async (_url, { body }) => {
      bodies.push(body);
      const calls = TURNS[turn++] ?? [];
      const output = calls.map(({ id, name, input }) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name,
        status: "completed",
        arguments: JSON.stringify(input),
      }));
      return Response.json({ id: "r", object: "response", status: "completed", output });
    },
  });
  const input = [{ role: "user", content: "go" }];
  for (;;) {
    const response = await client.responses.create({ model: "m", input, tools: tools.definitions });
    if (response.output.length === 0) break;
    input.push(...response.output, ...(await tools.run(response.output)));
  }
  await finish(here, bodies.join("\n"));
});

test("Anthropic tool runner over the real client", async () => {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const here = await newAgent();
  const bodies = [];
  let turn = 0;
  const client = new Anthropic({
    apiKey: "none",
    fetch: async (_url, { body }) => anthropicAnswer(bodies, body, turn++),
  });
  const runner = client.beta.messages.toolRunner({
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user", content: "go" }],
    tools: anthropicRunnableTools(here.agent),
  });
  const last = await runner;
  assert.equal(last.content[0].text, "done");
  await finish(here, bodies.join("\n"));
});

test("Anthropic, a loop of one's own", async () => {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const here = await newAgent();
  const tools = anthropicTools(here.agent);
  const bodies = [];
  let turn = 0;
  const client = new Anthropic({
    apiKey: "none",
    fetch: async (_url, { body }) => anthropicAnswer(bodies, body, turn++),
  });
  const messages = [{ role: "user", content: "go" }];
  for (;;) {
    const message = await client.messages.create({
      model: "m",
      max_tokens: 100,
      messages,
      tools: tools.definitions,
    });
    if (message.stop_reason !== "tool_use") break;
    messages.push(
      { role: "assistant", content: message.content },
      { role: "user", content: await tools.run(message.content) },
    );
  }
  assert.match(bodies.join("\n"), /"is_error":true/);
  await finish(here, bodies.join("\n"));
});

function anthropicAnswer(bodies, body, turn) {
  bodies.push(body);
  const calls = TURNS[turn];
  return Response.json({
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content:
      calls === undefined
        ? [{ type: "text", text: "done" }]
        : calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
    stop_reason: calls === undefined ? "end_turn" : "tool_use",
    usage: { input_tokens: 1, output_tokens: 1 },
  });
}

test("LangChain", async () => {
  const { tool } = await import("@langchain/core/tools");
  const { AIMessage } = await import("@langchain/core/messages");
  const { ToolNode } = await import("@langchain/langgraph/prebuilt");
  const here = await newAgent();
  const node = new ToolNode(langchainTools(here.agent, tool));
  const seen = [];
  for (const calls of TURNS) {
    const message = new AIMessage({
      content: "",
      tool_calls: calls.map(({ id, name, input }) => ({ id, name, args: input, type: "tool_call" })),
    });
    const { messages } = await node.invoke({ messages: [message] });
    seen.push(...messages.map(({ content, status }) => `${String(status)} ${String(content)}`));
  }
  assert.match(seen[3], /^error /);
  await finish(here, seen.join("\n"));
});

test("Mastra", async () => {
  const { createTool } = await import("@mastra/core/tools");
  const here = await newAgent();
  const tools = mastraTools(here.agent, createTool);
  const seen = [];
  for (const calls of TURNS)
    seen.push(
      ...(await Promise.all(
        calls.map(({ id, name, input }) => tools[name].execute(input, { agent: { toolCallId: id } })),
      )),
    );
  await finish(here, seen.join("\n"));
});

test("an aborted call changes nothing", async () => {
  const here = await newAgent();
  const tools = aiSdkTools(here.agent);
  const output = await tools.write_file.execute(
    { path: "a.txt", content: "x" },
    { toolCallId: "1", abortSignal: AbortSignal.abort() },
  );
  assert.equal(output.ok, false);
  assert.deepEqual(here.session.files(), []);
  await here.session.close();
});
