import type { Agent } from "holdfast";
import { openaiTools } from "holdfast/openai";
import type OpenAI from "openai";

export async function run(agent: Agent, client: OpenAI, prompt: string, signal: AbortSignal) {
  const tools = openaiTools(agent);
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "user", content: prompt }];
  for (;;) {
    const request = { model: "gpt-5.1", messages, tools: tools.chatDefinitions };
    const message = (await client.chat.completions.create(request)).choices[0]?.message;
    const results = await tools.runChat(message?.tool_calls, { signal });
    if (message === undefined || results.length === 0) return message?.content;
    messages.push(message, ...results);
  }
}
