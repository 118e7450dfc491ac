import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { tool } from "@langchain/core/tools";
import type { Agent } from "holdfast";
import { langchainTools } from "holdfast/langchain";
import { createAgent } from "langchain";

export async function run(agent: Agent, model: BaseChatModel, prompt: string, signal: AbortSignal) {
  const graph = createAgent({ model, tools: langchainTools(agent, tool) });
  const { messages } = await graph.invoke({ messages: [{ role: "user", content: prompt }] }, { signal });
  return messages.at(-1)?.text;
}
