// Owns: OpenAI's APIs without its Agents SDK: definitions to send, and the results of the calls that come back.
// Must never: import the SDK, or throw for what a model sent.

import type { JsonObject } from "../value.ts";
import { say } from "../errors.ts";
import type { OptionKinds } from "../text/options.ts";
import {
  BRIDGE_OPTIONS,
  bridgedTools,
  checkBridge,
  objectsIn,
  unknownTool,
  type BridgedTool,
  type BridgeRunOptions,
  type ToolSource,
} from "./bridge.ts";
import type { OpenaiOptions } from "./openai-options.ts";
import {
  patchResult,
  PatchOperations,
  type OpenaiPatchOperation,
  type OpenaiPatchResult,
} from "./patch-operations.ts";
import { strictSchema } from "./strict-schema.ts";

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

/** The tool that the model's maker calls apply_patch: its models are trained on it. */
export interface OpenaiApplyPatch {
  /** What kind of tool. */
  readonly type: "apply_patch";
}

/** Which tools the model gets. */
export interface OpenaiFunctionOptions extends OpenaiOptions {
  /**
   * True: the Responses API's own `apply_patch`, carried out by the agent's; our tool of that name is left out of `definitions` then. A
   * `TypeError` where the agent lacks it. The Chat Completions API has no such tool and gets ours. False unless told.
   */
  readonly applyPatch?: boolean;
}

const FUNCTION_OPTIONS: OptionKinds<OpenaiFunctionOptions> = {
  ...BRIDGE_OPTIONS,
  strict: "boolean",
  applyPatch: "boolean",
};

/** An item of a response that asks for a function. Other items are passed over. */
export interface OpenaiItem {
  /** `function_call` asks for a function, `apply_patch_call` for a change of a file. */
  readonly type: string;
  /** The id of the call. */
  readonly call_id?: string | null;
  /** The tool. */
  readonly name?: string | null;
  /** Its input as JSON text. */
  readonly arguments?: unknown;
  /** What is to be changed: an {@link OpenaiPatchOperation}. */
  readonly operation?: unknown;
}

/** The result of one `function_call`. */
export interface OpenaiFunctionOutput {
  /** What kind of item. */
  readonly type: "function_call_output";
  /** The call whose result it is. */
  readonly call_id: string;
  /** What the model reads. */
  readonly output: string;
}

/** The result of one `apply_patch_call`. */
export interface OpenaiPatchOutput extends OpenaiPatchResult {
  /** What kind of item. */
  readonly type: "apply_patch_call_output";
  /** The call whose result it is. */
  readonly call_id: string;
}

/** The result of one item. */
export type OpenaiOutput = OpenaiFunctionOutput | OpenaiPatchOutput;

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

/** The result of one tool call. */
export interface OpenaiChatOutput {
  /** Who speaks. */
  readonly role: "tool";
  /** The call whose result it is. */
  readonly tool_call_id: string;
  /** What the model reads. */
  readonly content: string;
}

/** Definitions to send, and the results of the calls that come back, for either API. */
export interface OpenaiTools {
  /** For `tools` of `client.responses.create`. */
  readonly definitions: (OpenaiFunction | OpenaiApplyPatch)[];
  /** For `tools` of `client.chat.completions.create`. */
  readonly chatDefinitions: OpenaiChatFunction[];
  /**
   * Runs every `function_call` and `apply_patch_call` of a response's output, in order. A tool that does not exist, and is not among
   * `others`, gets an error as its result. Never throws.
   */
  run(output: readonly OpenaiItem[] | null | undefined, options?: BridgeRunOptions): Promise<OpenaiOutput[]>;
  /** Runs the tool calls of a chat message, likewise. */
  runChat(
    calls: readonly OpenaiChatCall[] | null | undefined,
    options?: BridgeRunOptions,
  ): Promise<OpenaiChatOutput[]>;
}

/**
 * The agent's tools for a loop of your own.
 *
 * Throws `TypeError` for what is no agent and for a name in `only` or `without` that it does not have, and `HoldfastError` with
 * `invalid_argument` for options that do not exist or are of another kind. It is a
 * `TypeError` too where `applyPatch` is asked for and the agent lacks `apply_patch`.
 *
 * @example
 * const tools = openaiTools(agent);
 * const response = await client.responses.create({ model, input, tools: tools.definitions });
 * input.push(...response.output, ...(await tools.run(response.output)));
 */
export function openaiTools(agent: ToolSource, options: OpenaiFunctionOptions = {}): OpenaiTools {
  checkBridge(say`openaiTools`, agent, options, FUNCTION_OPTIONS);
  const { strict = false, applyPatch = false, ...rest } = options;
  const patches = applyPatch ? new PatchOperations(agent, rest.idempotent) : undefined;
  const tools = new Map(bridgedTools(agent, rest).map((tool) => [tool.name, tool]));
  const functions = [...tools.values()].map((tool) => functionOf(tool, strict));
  const own = functions.filter(({ name }) => patches === undefined || name !== "apply_patch");
  const textOf = async (
    name: unknown,
    json: unknown,
    id: string,
    options: BridgeRunOptions | undefined,
  ): Promise<string | undefined> => {
    const tool = typeof name === "string" ? tools.get(name) : undefined;
    if (tool === undefined) return unknownTool(name, [...tools.keys()], options)?.text;
    return (await tool.call(inputIn(json), { id, signal: options?.signal })).text;
  };
  const resultOf = async (
    item: OpenaiItem,
    options: BridgeRunOptions | undefined,
  ): Promise<OpenaiOutput | undefined> => {
    const { type, call_id, name, arguments: json, operation } = item;
    if (typeof call_id !== "string") return undefined;
    if (type === "apply_patch_call" && patches !== undefined) {
      const result = patchResult(
        await patches.call(operation as OpenaiPatchOperation, { id: call_id, signal: options?.signal }),
      );
      return { type: "apply_patch_call_output", call_id, ...result };
    }
    const output = type === "function_call" ? await textOf(name, json, call_id, options) : undefined;
    return output === undefined ? undefined : { type: "function_call_output", call_id, output };
  };
  return {
    definitions: [...(patches === undefined ? [] : [{ type: "apply_patch" } as const]), ...own],
    chatDefinitions: functions.map(({ type, ...one }) => ({ type, function: one })),
    async run(output, options) {
      const results = await Promise.all(objectsIn(output).map((item) => resultOf(item, options)));
      return results.filter((one) => one !== undefined);
    },
    async runChat(calls, options) {
      const results = objectsIn(calls).map(async ({ id, function: called }) => {
        const isCall = typeof id === "string" && typeof called === "object" && called !== null;
        const text = isCall ? await textOf(called.name, called.arguments, id, options) : undefined;
        return text === undefined ? undefined : ({ role: "tool", tool_call_id: id, content: text } as const);
      });
      return (await Promise.all(results)).filter((one) => one !== undefined);
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
function inputIn(json: unknown): unknown {
  if (typeof json !== "string") return json;
  if (json.trim() === "") return {};
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}
