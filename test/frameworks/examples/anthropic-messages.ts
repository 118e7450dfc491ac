import type Anthropic from "@anthropic-ai/sdk";
import type { Agent } from "holdfast";
import { anthropicTools } from "holdfast/anthropic";

export async function run(agent: Agent, client: Anthropic, prompt: string, signal: AbortSignal) {
  const tools = anthropicTools(agent, { textEditor: true, memory: true });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: prompt }];
  for (;;) {
    const request = { model: "claude-opus-4-6", max_tokens: 4096, messages, tools: tools.definitions };
    const message = await client.messages.create(request);
    if (message.stop_reason !== "tool_use") return message;
    const content = await tools.run(message.content, { signal });
    messages.push({ role: "assistant", content: message.content }, { role: "user", content });
  }
}
