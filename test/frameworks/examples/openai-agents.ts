import { Agent as OpenaiAgent, applyPatchTool, Runner, tool, type Model } from "@openai/agents";
import type { Agent } from "holdfast";
import { openaiAgentTools, openaiRunConfig } from "holdfast/openai";

export async function run(agent: Agent, model: Model, prompt: string, signal: AbortSignal) {
  const tools = openaiAgentTools(agent, tool, { applyPatchTool });
  const planner = new OpenaiAgent({ name: "planner", instructions: "Edit the files.", model, tools });
  const runner = new Runner(openaiRunConfig(agent));
  const { finalOutput } = await runner.run(planner, prompt, { signal });
  return finalOutput;
}
