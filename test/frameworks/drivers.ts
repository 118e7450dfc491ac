// Owns: how each framework is given a scripted model and run through its example.

import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { setTracingDisabled, Usage, type Model } from "@openai/agents";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { MockLanguageModelV3 } from "ai/test";
import { MockLanguageModelV4 } from "ai7/test";
import type { Agent } from "holdfast";
import * as aiSdk from "./examples/ai-sdk.ts";
import * as aiSdk7 from "./examples/ai-sdk-7.ts";
import * as anthropicMessages from "./examples/anthropic-messages.ts";
import * as anthropicRunner from "./examples/anthropic-runner.ts";
import * as langchain from "./examples/langchain.ts";
import * as mastra from "./examples/mastra.ts";
import * as openaiAgents from "./examples/openai-agents.ts";
import * as openaiChat from "./examples/openai-chat.ts";
import * as openaiResponses from "./examples/openai-responses.ts";

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** What the model does: the calls of each turn, then words. */
export interface Script {
  readonly turns: readonly (readonly ScriptedCall[])[];
  readonly signal?: AbortSignal;
  /** Runs before the calls of a turn are handed out; turns count from 1. */
  readonly onTurn?: (turn: number) => void | Promise<void>;
}

export interface Seen {
  /** The tools that the model was told of. */
  readonly listed: readonly string[];
  /** The text that the model read of a call. */
  result(id: string): string;
}

interface Driver {
  readonly name: string;
  readonly example: string;
  readonly makers?: "anthropic" | "openai";
  drive(agent: Agent, script: Script): Promise<Seen>;
}

/** What happened so far, as the scripted model sees it. */
class Recorder implements Seen {
  #listed: readonly string[] = [];
  readonly results = new Map<string, string>();
  readonly #script: Script;
  #turn = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  get listed(): readonly string[] {
    return this.#listed;
  }

  /** What the first request lists counts. */
  set listed(names: readonly string[]) {
    if (this.#listed.length === 0) this.#listed = names;
  }

  get signal(): AbortSignal {
    return this.#script.signal ?? new AbortController().signal;
  }

  async next(): Promise<readonly ScriptedCall[] | undefined> {
    const calls = this.#script.turns[this.#turn++];
    if (calls !== undefined) await this.#script.onTurn?.(this.#turn);
    return calls;
  }

  result(id: string): string {
    const text = this.results.get(id);
    if (text === undefined) throw new Error(`the model never read a result of ${id}`);
    return text;
  }
}

const PROMPT = "Edit the files.";
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** The one model of the AI SDK, for every version of its interface; Mastra takes it too. */
function aiSdkModel(seen: Recorder) {
  const turn = async ({
    prompt,
    tools = [],
  }: {
    prompt: readonly unknown[];
    tools?: readonly { name: string }[] | undefined;
  }) => {
    seen.listed = tools.map(({ name }) => name);
    for (const message of prompt as {
      role: string;
      content: { type: string; toolCallId: string; output: { value: unknown } }[];
    }[])
      if (message.role === "tool")
        for (const { toolCallId, output } of message.content)
          seen.results.set(
            toolCallId,
            typeof output.value === "string" ? output.value : JSON.stringify(output.value),
          );
    const calls = await seen.next();
    const content =
      calls === undefined
        ? [{ type: "text" as const, text: "done" }]
        : calls.map(({ id, name, input }) => ({
            type: "tool-call" as const,
            toolCallId: id,
            toolName: name,
            input: JSON.stringify(input),
          }));
    const reason = calls === undefined ? "stop" : "tool-calls";
    return { content, finishReason: { unified: reason, raw: reason } as const, usage: USAGE, warnings: [] };
  };
  return {
    doGenerate: turn,
    async doStream(options: Parameters<typeof turn>[0]) {
      const { content, finishReason, usage } = await turn(options);
      const parts: unknown[] = [{ type: "stream-start", warnings: [] }];
      for (const part of content)
        if (part.type === "tool-call") parts.push(part);
        else
          parts.push(
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: part.text },
            { type: "text-end", id: "t" },
          );
      parts.push({ type: "finish", finishReason, usage });
      return {
        stream: new ReadableStream({
          start: (control) => (parts.forEach((part) => control.enqueue(part)), control.close()),
        }),
      };
    },
  };
}

setTracingDisabled(true);

function agentsModel(seen: Recorder): Model {
  return {
    async getResponse({ input, tools }) {
      seen.listed = tools.map((tool) =>
        tool.type === "function" ? tool.name : `(${(tool as { name?: string }).name ?? tool.type})`,
      );
      for (const item of typeof input === "string" ? [] : input) {
        if (item.type === "function_call_result") seen.results.set(item.callId, outputText(item.output));
        if (item.type === "apply_patch_call_output") seen.results.set(item.callId, item.output ?? "");
      }
      const calls = await seen.next();
      const output =
        calls === undefined
          ? [
              {
                type: "message",
                role: "assistant",
                status: "completed",
                content: [{ type: "output_text", text: "done" }],
              },
            ]
          : calls.map(({ id, name, input: sent }) =>
              name === "(apply_patch)"
                ? { type: "apply_patch_call", callId: id, status: "completed", operation: sent }
                : {
                    type: "function_call",
                    callId: id,
                    name,
                    status: "completed",
                    arguments: JSON.stringify(sent),
                  },
            );
      return { output, usage: new Usage(), responseId: "r" } as unknown as Awaited<
        ReturnType<Model["getResponse"]>
      >;
    },
    getStreamedResponse() {
      throw new Error("not used");
    },
  };
}

function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  const { text } = output as { text?: string };
  return text ?? JSON.stringify(output);
}

interface Wire {
  readonly tools?: readonly { type?: string; name?: string; function?: { name: string } }[];
  readonly input?: readonly Record<string, string>[];
  readonly messages?: readonly { role: string; content: unknown; tool_call_id?: string }[];
}

function openaiClient(seen: Recorder): OpenAI {
  const fetch = async (url: unknown, init?: { body?: unknown }) => {
    const { tools = [], input = [], messages = [] } = JSON.parse(String(init?.body)) as Wire;
    seen.listed = tools.map((tool) => tool.name ?? tool.function?.name ?? `(${tool.type ?? ""})`);
    for (const item of input)
      if (item["type"]?.endsWith("_output") === true)
        seen.results.set(item["call_id"] ?? "", item["output"] ?? "");
    for (const one of messages)
      if (one.role === "tool") seen.results.set(one.tool_call_id ?? "", String(one.content));
    const calls = (await seen.next()) ?? [];
    if (String(url).includes("chat"))
      return Response.json({
        choices: [
          {
            message: {
              role: "assistant",
              content: "done",
              tool_calls: calls.map(({ id, name, input: sent }) => ({
                id,
                type: "function",
                function: { name, arguments: JSON.stringify(sent) },
              })),
            },
          },
        ],
      });
    const output = calls.map(({ id, name, input: sent }) =>
      name === "(apply_patch)"
        ? { type: "apply_patch_call", id: `ap_${id}`, call_id: id, status: "completed", operation: sent }
        : {
            type: "function_call",
            id: `fc_${id}`,
            call_id: id,
            name,
            status: "completed",
            arguments: JSON.stringify(sent),
          },
    );
    return Response.json({ id: "r", object: "response", status: "completed", output });
  };
  return new OpenAI({ apiKey: "none", fetch: fetch as typeof globalThis.fetch });
}

function anthropicClient(seen: Recorder): Anthropic {
  const fetch = async (_url: unknown, init?: { body?: unknown }) => {
    const { tools = [], messages = [] } = JSON.parse(String(init?.body)) as Wire;
    seen.listed = tools.map(({ name = "" }) => name);
    for (const { content } of messages)
      if (Array.isArray(content))
        for (const block of content as { type: string; tool_use_id: string; content: unknown }[])
          if (block.type === "tool_result")
            seen.results.set(
              block.tool_use_id,
              outputText(Array.isArray(block.content) ? block.content[0] : block.content),
            );
    const calls = await seen.next();
    return Response.json({
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      content:
        calls === undefined
          ? [{ type: "text", text: "done" }]
          : calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
      stop_reason: calls === undefined ? "end_turn" : "tool_use",
      usage: { input_tokens: 1, output_tokens: 1 },
    });
  };
  return new Anthropic({ apiKey: "none", fetch: fetch as typeof globalThis.fetch });
}

class ScriptedChat extends BaseChatModel {
  readonly #seen: Recorder;

  constructor(seen: Recorder) {
    super({});
    this.#seen = seen;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: readonly unknown[]): this {
    this.#seen.listed = (tools as readonly { name: string }[]).map(({ name }) => name);
    return this;
  }

  override async _generate(messages: BaseMessage[]) {
    for (const message of messages)
      if (ToolMessage.isInstance(message)) this.#seen.results.set(message.tool_call_id, message.text);
    const calls = await this.#seen.next();
    const tool_calls =
      calls?.map(({ id, name, input }) => ({ id, name, args: input, type: "tool_call" as const })) ?? [];
    const message = new AIMessage({ content: calls === undefined ? "done" : "", tool_calls });
    return { generations: [{ text: "", message }] };
  }
}

function driver(
  name: string,
  example: string,
  run: (agent: Agent, seen: Recorder) => Promise<unknown>,
  makers?: Driver["makers"],
): Driver {
  return {
    name,
    example,
    ...(makers === undefined ? {} : { makers }),
    async drive(agent, script) {
      const seen = new Recorder(script);
      await run(agent, seen);
      return seen;
    },
  };
}

export const DRIVERS: readonly Driver[] = [
  driver("AI SDK 6", "ai-sdk", (agent, seen) =>
    aiSdk.run(
      agent,
      new MockLanguageModelV3(aiSdkModel(seen) as ConstructorParameters<typeof MockLanguageModelV3>[0]),
      PROMPT,
      seen.signal,
    ),
  ),
  driver("AI SDK 7", "ai-sdk-7", (agent, seen) =>
    aiSdk7.run(
      agent,
      new MockLanguageModelV4(aiSdkModel(seen) as ConstructorParameters<typeof MockLanguageModelV4>[0]),
      PROMPT,
      seen.signal,
    ),
  ),
  driver(
    "OpenAI Agents SDK",
    "openai-agents",
    (agent, seen) => openaiAgents.run(agent, agentsModel(seen), PROMPT, seen.signal),
    "openai",
  ),
  driver(
    "OpenAI Responses",
    "openai-responses",
    (agent, seen) => openaiResponses.run(agent, openaiClient(seen), PROMPT, seen.signal),
    "openai",
  ),
  driver("OpenAI Chat Completions", "openai-chat", (agent, seen) =>
    openaiChat.run(agent, openaiClient(seen), PROMPT, seen.signal),
  ),
  driver(
    "Anthropic tool runner",
    "anthropic-runner",
    (agent, seen) => anthropicRunner.run(agent, anthropicClient(seen), PROMPT, seen.signal),
    "anthropic",
  ),
  driver(
    "Anthropic Messages",
    "anthropic-messages",
    (agent, seen) => anthropicMessages.run(agent, anthropicClient(seen), PROMPT, seen.signal),
    "anthropic",
  ),
  driver("LangChain", "langchain", (agent, seen) =>
    langchain.run(agent, new ScriptedChat(seen), PROMPT, seen.signal),
  ),
  driver("Mastra", "mastra", (agent, seen) =>
    mastra.run(
      agent,
      new MockLanguageModelV3(
        aiSdkModel(seen) as ConstructorParameters<typeof MockLanguageModelV3>[0],
      ) as Parameters<typeof mastra.run>[1],
      PROMPT,
      seen.signal,
    ),
  ),
];
