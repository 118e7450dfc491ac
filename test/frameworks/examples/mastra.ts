import { Agent as MastraAgent, type AgentConfig } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import type { Agent } from "holdfast";
import { mastraTools } from "holdfast/mastra";

export async function run(
  agent: Agent,
  model: AgentConfig["model"],
  prompt: string,
  abortSignal: AbortSignal,
) {
  const tools = mastraTools(agent, createTool);
  const instructions = "Edit the files.";
  const planner = new MastraAgent({ id: "planner", name: "planner", instructions, model, tools });
  return (await planner.generate(prompt, { maxSteps: 20, abortSignal })).text;
}
