import { generateText, stepCountIs, type LanguageModel } from "ai";
import type { Agent } from "holdfast";
import { aiSdkTools } from "holdfast/ai-sdk";

export async function run(agent: Agent, model: LanguageModel, prompt: string, abortSignal: AbortSignal) {
  const tools = aiSdkTools(agent);
  const { text } = await generateText({ model, prompt, tools, stopWhen: stepCountIs(20), abortSignal });
  return text;
}
