// Owns: what a bridge costs around a call, for each framework and for the tools of the model makers.

import { aiSdkTools } from "../src/bridges/ai-sdk.ts";
import { anthropicTools } from "../src/bridges/anthropic.ts";
import { langchainTools } from "../src/bridges/langchain.ts";
import { mastraTools } from "../src/bridges/mastra.ts";
import { openaiAgentTools, openaiTools } from "../src/bridges/openai.ts";
import { openSession, type Agent, type Session } from "../src/tools/index.ts";
import { defineBench, defineCase, type AnyCase } from "./harness.ts";

const CALLS = 500;
const ROUNDS = 15;
const ENOUGH = 1_000_000;
const INPUT = { path: "a.txt" };

type Call = () => Promise<unknown>;

/** One reading call through each bridge, as its framework makes it. */
const BRIDGES: Readonly<Record<string, (agent: Agent) => Call>> = {
  "AI SDK": (agent) => {
    const tool = aiSdkTools(agent)["read_file"];
    return async () => tool?.execute(INPUT, { toolCallId: "c" });
  },
  "OpenAI Agents SDK": (agent) => {
    const tool = openaiAgentTools(agent, (config) => config).find(({ name }) => name === "read_file");
    return async () => tool?.execute(INPUT, {}, { toolCall: { callId: "c" } });
  },
  "OpenAI Responses": (agent) => {
    const tools = openaiTools(agent);
    const item = { type: "function_call", call_id: "c", name: "read_file", arguments: JSON.stringify(INPUT) };
    return () => tools.run([item]);
  },
  "Anthropic Messages": (agent) => {
    const tools = anthropicTools(agent);
    return () => tools.run([{ type: "tool_use", id: "c", name: "read_file", input: INPUT }]);
  },
  "Claude's text editor": (agent) => {
    const tools = anthropicTools(agent, { textEditor: true });
    const input = { command: "view", path: "a.txt" };
    return () => tools.run([{ type: "tool_use", id: "c", name: "str_replace_based_edit_tool", input }]);
  },
  LangChain: (agent) => {
    const tools = langchainTools(agent, (call, { name }) => ({ name, call }));
    const tool = tools.find(({ name }) => name === "read_file");
    return async () => tool?.call(INPUT, { toolCall: { id: "c" } });
  },
  Mastra: (agent) => {
    const tool = mastraTools(agent, (config) => config)["read_file"];
    return async () => tool?.execute(INPUT, { agent: { toolCallId: "c" } });
  },
};

async function open(): Promise<{ session: Session; agent: Agent }> {
  const session = await openSession({
    toolsets: ["files", "patch"],
    limits: { callsPerMinute: ENOUGH, callBurst: ENOUGH },
  });
  const agent = session.as({ id: "bench", role: "editor" });
  await agent.call("write_file", { path: "a.txt", content: "one\ntwo\n" });
  return { session, agent };
}

async function millisecondsEach(call: Call): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < CALLS; i++) await call();
  return (performance.now() - start) / CALLS;
}

/** The difference in turns, so that a busy moment hits both. */
async function aboveBare(call: Call, bare: Call): Promise<number> {
  const differences: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const without = await millisecondsEach(bare);
    differences.push((await millisecondsEach(call)) - without);
  }
  return differences.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
}

function bridgeCase(name: string, bridge: (agent: Agent) => Call): AnyCase {
  return defineCase({
    name,
    setup: () => ({}),
    repeat: "auto",
    ours: {
      name: "through the bridge",
      start: async () => {
        const { session, agent } = await open();
        const call = bridge(agent);
        return {
          run: call,
          values: async () => ({
            "above agent.call": await aboveBare(call, () => agent.call("read_file", INPUT)),
          }),
          stop: () => session.close(),
        };
      },
    },
    peers: [
      {
        name: "agent.call",
        start: async () => {
          const { session, agent } = await open();
          return { run: () => agent.call("read_file", INPUT), stop: () => session.close() };
        },
      },
    ],
  });
}

export default defineBench({
  name: "bridges",
  title: "a call through a bridge, against the call itself",
  goals: [],
  cases: Object.entries(BRIDGES).map(([name, bridge]) => bridgeCase(name, bridge)),
});
