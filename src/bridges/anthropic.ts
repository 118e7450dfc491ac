// Anthropic's SDK: an agent's tools for its tool runner, and as plain definitions with the answers to a message.

import type { JsonObject } from "../value.ts";
import { bridgedTools, type BridgedTool, type BridgeOptions, type ToolSource } from "./bridge.ts";

export type { BridgeOptions, OpenSchema, ToolSource } from "./bridge.ts";
export type * from "./shared-types.ts";

/** A tool as the Messages API takes it. */
export interface AnthropicTool {
  /** What the agent calls. */
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** JSON Schema of the input. */
  readonly input_schema: JsonObject & { readonly type: "object" };
}

/** A tool that `client.beta.messages.toolRunner` runs itself. */
export interface AnthropicRunnableTool extends AnthropicTool {
  /** Leaves the input as it is: the call says what is wrong. */
  readonly parse: (input: unknown) => unknown;
  /** Returns the text for the model. */
  readonly run: (
    input: unknown,
    context?: { readonly toolUse?: { readonly id: string }; readonly signal?: AbortSignal | null },
  ) => Promise<string>;
}

/** A part of a message that asks for a tool. Other parts are passed over. */
export interface AnthropicBlock {
  /** `tool_use` asks for a tool. */
  readonly type: string;
  /** The id of the call. */
  readonly id?: string;
  /** The tool. */
  readonly name?: string;
  /** What it is called with. */
  readonly input?: unknown;
}

/** The answer to one `tool_use`. */
export interface AnthropicToolResult {
  /** What kind of block. */
  readonly type: "tool_result";
  /** The call that it answers. */
  readonly tool_use_id: string;
  /** What the model reads. */
  readonly content: string;
  /** True for a refusal. */
  readonly is_error?: true;
}

/** How refusals reach the model. */
export interface AnthropicRunnerOptions extends BridgeOptions {
  /**
   * The SDK's `ToolError`: a refusal is thrown as one, so that the model gets its exact text marked as an error. Without it the text is
   * returned as a result like any other.
   */
  readonly ToolError?: new (text: string) => Error;
}

/**
 * The agent's tools for the tool runner.
 *
 * @example
 * import Anthropic from "@anthropic-ai/sdk";
 * const runner = client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools: anthropicRunnableTools(agent) });
 */
export function anthropicRunnableTools(
  agent: ToolSource,
  options: AnthropicRunnerOptions = {},
): AnthropicRunnableTool[] {
  const { ToolError, ...rest } = options;
  return bridgedTools(agent, rest).map((tool) => ({
    ...definitionOf(tool),
    parse: (input) => input,
    run: async (input, context) => {
      const result = await tool.call(input, {
        id: context?.toolUse?.id,
        signal: context?.signal ?? undefined,
      });
      if (!result.ok && ToolError !== undefined) throw new ToolError(result.text);
      return result.text;
    },
  }));
}

/** Definitions to send, and the answers to what comes back. */
export interface AnthropicTools {
  /** For `tools` of a request. */
  readonly definitions: readonly AnthropicTool[];
  /**
   * Runs every `tool_use` of a message's content for a tool that is ours, in order, and returns the `content` of the next user message.
   * Never throws.
   */
  run(
    content: readonly AnthropicBlock[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<AnthropicToolResult[]>;
}

/**
 * The agent's tools for a loop of your own over `client.messages.create`.
 *
 * @example
 * const tools = anthropicTools(agent);
 * const message = await client.messages.create({ model, max_tokens: 4096, messages, tools: tools.definitions });
 * messages.push({ role: "assistant", content: message.content }, { role: "user", content: await tools.run(message.content) });
 */
export function anthropicTools(agent: ToolSource, options: BridgeOptions = {}): AnthropicTools {
  const tools = new Map(bridgedTools(agent, options).map((tool) => [tool.name, tool]));
  return {
    definitions: [...tools.values()].map(definitionOf),
    run: (content, { signal } = {}) =>
      Promise.all(
        content.flatMap(({ type, id, name, input }) => {
          const tool = type === "tool_use" ? tools.get(name ?? "") : undefined;
          return tool === undefined || id === undefined ? [] : [answer(tool, id, input, signal)];
        }),
      ),
  };
}

async function answer(
  tool: BridgedTool,
  id: string,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<AnthropicToolResult> {
  const { ok, text } = await tool.call(input, { id, signal });
  return { type: "tool_result", tool_use_id: id, content: text, ...(ok ? {} : { is_error: true }) };
}

function definitionOf({ name, description, schema }: BridgedTool): AnthropicTool {
  return { name, description, input_schema: { ...schema, type: "object" } };
}
