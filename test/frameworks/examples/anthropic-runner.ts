import type Anthropic from "@anthropic-ai/sdk";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import type { Agent } from "holdfast";
import { anthropicRunnableTools } from "holdfast/anthropic";

export async function run(agent: Agent, client: Anthropic, prompt: string, signal: AbortSignal) {
  const tools = anthropicRunnableTools(agent, { ToolError, textEditor: true, memory: true });
  const messages = [{ role: "user" as const, content: prompt }];
  const request = { model: "claude-opus-4-6", max_tokens: 4096, messages, tools };
  return client.beta.messages.toolRunner(request, { signal }).runUntilDone();
}
