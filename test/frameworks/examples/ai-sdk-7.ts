import { generateText, isStepCount, type LanguageModel } from "ai7";
import type { Agent } from "holdfast";
import { aiSdkTools } from "holdfast/ai-sdk";

export async function run(agent: Agent, model: LanguageModel, prompt: string, abortSignal: AbortSignal) {
  const tools = aiSdkTools(agent);
  const { text } = await generateText({ model, prompt, tools, stopWhen: isStepCount(20), abortSignal });
  return text;
}
