import type { Agent } from "holdfast";
import { openaiTools } from "holdfast/openai";
import type OpenAI from "openai";

export async function run(agent: Agent, client: OpenAI, prompt: string, signal: AbortSignal) {
  const tools = openaiTools(agent, { strict: true, applyPatch: true });
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: prompt }];
  for (;;) {
    const response = await client.responses.create({ model: "gpt-5.1", input, tools: tools.definitions });
    const results = await tools.run(response.output, { signal });
    if (results.length === 0) return response.output_text;
    input.push(...(response.output as OpenAI.Responses.ResponseInput), ...results);
  }
}
