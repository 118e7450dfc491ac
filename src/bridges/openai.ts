// OpenAI: an agent's tools for the Agents SDK, and as plain function tools of both APIs with the answers to a response.

import type { JsonObject } from "../value.ts";
import { bridgedTools, type BridgedTool, type BridgeOptions, type ToolSource } from "./bridge.ts";
import { strictSchema } from "./strict-schema.ts";

export type { BridgeOptions, OpenSchema, ToolSource } from "./bridge.ts";
export type * from "./shared-types.ts";

/** How function tools are described. */
export interface OpenaiOptions extends BridgeOptions {
  /**
   * True: tools are strict wherever their schema can be said so (every property required, those that were optional nullable). False
   * unless told.
   */
  readonly strict?: boolean;
}

/** What is given to `tool` of the Agents SDK. */
export interface OpenaiAgentTool {
  /** What the agent calls. */
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** False: the SDK validates nothing, so that what is wrong is said in our words. */
  readonly strict: false;
  /** JSON Schema of the input. */
  readonly parameters: JsonObject & {
    readonly type: "object";
    readonly properties: Record<string, JsonObject>;
    readonly required: string[];
    readonly additionalProperties: true;
  };
  /** Returns the text for the model, of a refusal too. */
  readonly execute: (
    input: unknown,
    context?: unknown,
    details?: {
      readonly toolCall?: { readonly callId?: string } | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ) => Promise<string>;
}

/**
 * The agent's tools for the Agents SDK.
 *
 * @example
 * import { Agent, tool } from "@openai/agents";
 * const editor = new Agent({ name: "editor", instructions, tools: openaiAgentTools(agent, tool) });
 */
export function openaiAgentTools<T>(
  agent: ToolSource,
  tool: (config: OpenaiAgentTool) => T,
  options: BridgeOptions = {},
): T[] {
  return bridgedTools(agent, options).map(({ name, description, schema, call }) =>
    tool({
      name,
      description,
      strict: false,
      parameters: {
        ...schema,
        type: "object",
        properties: (schema["properties"] ?? {}) as Record<string, JsonObject>,
        required: (schema["required"] ?? []) as string[],
        additionalProperties: true,
      },
      execute: async (input, _, details) =>
        (await call(input, { id: details?.toolCall?.callId, signal: details?.signal })).text,
    }),
  );
}

/** A function tool of the Responses API. */
export interface OpenaiFunction {
  /** What kind of tool. */
  readonly type: "function";
  /** What the model calls. */
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** JSON Schema of the input. */
  readonly parameters: JsonObject;
  /** Whether the API makes the model keep to the schema. */
  readonly strict: boolean;
}

/** An item of a response that asks for a function. Other items are passed over. */
export interface OpenaiItem {
  /** `function_call` asks for a function. */
  readonly type: string;
  /** The id of the call. */
  readonly call_id?: string;
  /** The tool. */
  readonly name?: string;
  /** Its input as JSON text. */
  readonly arguments?: string;
}

/** The answer to one `function_call`. */
export interface OpenaiOutput {
  /** What kind of item. */
  readonly type: "function_call_output";
  /** The call that it answers. */
  readonly call_id: string;
  /** What the model reads. */
  readonly output: string;
}

/** A function tool of the Chat Completions API. */
export interface OpenaiChatFunction {
  /** What kind of tool. */
  readonly type: "function";
  /** The function itself. */
  readonly function: Omit<OpenaiFunction, "type">;
}

/** A tool call of a chat message. Other kinds are passed over. */
export interface OpenaiChatCall {
  /** The id of the call. */
  readonly id: string;
  /** What kind of call. */
  readonly type: string;
  /** The tool, and its input as JSON text. */
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** The answer to one tool call. */
export interface OpenaiChatOutput {
  /** Who speaks. */
  readonly role: "tool";
  /** The call that it answers. */
  readonly tool_call_id: string;
  /** What the model reads. */
  readonly content: string;
}

/** Definitions to send, and the answers to what comes back, for either API. */
export interface OpenaiTools {
  /** For `tools` of `client.responses.create`. */
  readonly definitions: readonly OpenaiFunction[];
  /** For `tools` of `client.chat.completions.create`. */
  readonly chatDefinitions: readonly OpenaiChatFunction[];
  /** Runs every `function_call` of a response's output for a tool that is ours, in order. Never throws. */
  run(output: readonly OpenaiItem[], options?: { readonly signal?: AbortSignal }): Promise<OpenaiOutput[]>;
  /** Runs the tool calls of a chat message for tools that are ours, in order. Never throws. */
  runChat(
    calls: readonly OpenaiChatCall[] | undefined,
    options?: { readonly signal?: AbortSignal },
  ): Promise<OpenaiChatOutput[]>;
}

/**
 * The agent's tools for a loop of your own.
 *
 * @example
 * const tools = openaiTools(agent);
 * const response = await client.responses.create({ model, input, tools: tools.definitions });
 * input.push(...response.output, ...(await tools.run(response.output)));
 */
export function openaiTools(agent: ToolSource, options: OpenaiOptions = {}): OpenaiTools {
  const { strict = false, ...rest } = options;
  const tools = new Map(bridgedTools(agent, rest).map((tool) => [tool.name, tool]));
  const definitions = [...tools.values()].map((tool) => functionOf(tool, strict));
  const textOf = async (
    name: string,
    json: string,
    id: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> => {
    const tool = tools.get(name);
    return tool === undefined ? undefined : (await tool.call(inputIn(json), { id, signal })).text;
  };
  return {
    definitions,
    chatDefinitions: definitions.map(({ type, ...rest }) => ({ type, function: rest })),
    async run(output, { signal } = {}) {
      const answers = output.map(async ({ type, call_id, name, arguments: json }) => {
        if (type !== "function_call" || call_id === undefined) return undefined;
        const text = await textOf(name ?? "", json ?? "", call_id, signal);
        return text === undefined
          ? undefined
          : ({ type: "function_call_output", call_id, output: text } as const);
      });
      return (await Promise.all(answers)).filter((answer) => answer !== undefined);
    },
    async runChat(calls = [], { signal } = {}) {
      const answers = calls.map(async ({ id, function: called }) => {
        const text =
          called === undefined ? undefined : await textOf(called.name, called.arguments, id, signal);
        return text === undefined ? undefined : ({ role: "tool", tool_call_id: id, content: text } as const);
      });
      return (await Promise.all(answers)).filter((answer) => answer !== undefined);
    },
  };
}

function functionOf({ name, description, schema }: BridgedTool, strict: boolean): OpenaiFunction {
  const strictly = strict ? strictSchema(schema) : undefined;
  return {
    type: "function",
    name,
    description,
    parameters: strictly ?? schema,
    strict: strictly !== undefined,
  };
}

/** The arguments as they are meant; text that is no JSON goes on as it is, so that the call says so. */
function inputIn(json: string): unknown {
  if (json.trim() === "") return {};
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}
