// Owns: OpenAI's Agents SDK: an agent's tools, made by its `tool`, and the editor of its `applyPatchTool`.
// Must never: import the SDK: its functions are passed in.

import type { JsonObject } from "../value.ts";
import { say } from "../errors.ts";
import type { OptionKinds } from "../text/options.ts";
import {
  BRIDGE_OPTIONS,
  bridgedTools,
  checkBridge,
  checkMaker,
  unknownTool,
  type BridgedTool,
  type BridgeOptions,
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

/** What is given to `tool` of the Agents SDK, which validates nothing of it: what is wrong is said in our words. */
export interface OpenaiAgentTool {
  /** What the agent calls. */
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** Whether the API makes the model keep to the schema. True too, with `strict`: the SDK's types take either only when it is written down. */
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

/** What is given to `applyPatchTool` of the Agents SDK. */
export interface OpenaiPatchTool {
  /** Carries the operations out. */
  readonly editor: Record<
    "createFile" | "updateFile" | "deleteFile",
    (operation: OpenaiPatchOperation) => Promise<OpenaiPatchResult>
  >;
  /**
   * Asks for no approval. It is told the id of a call, which the editor is not: with a function of your own in its place, calls that are
   * sent again apply again.
   */
  readonly needsApproval: (
    context: unknown,
    operation: OpenaiPatchOperation,
    callId?: string,
  ) => Promise<boolean>;
}

/** Which tools the agent gets. */
export interface OpenaiAgentOptions<P> extends OpenaiOptions {
  /**
   * The SDK's own `applyPatchTool`, made with an editor that the agent's `apply_patch` carries out; our tool of that name is left out then. A
   * `TypeError` where the agent lacks it. Left out: our `apply_patch`, a function tool like the others.
   */
  readonly applyPatchTool?: (config: OpenaiPatchTool) => P;
}

const AGENT_OPTIONS: OptionKinds<OpenaiAgentOptions<unknown>> = {
  ...BRIDGE_OPTIONS,
  strict: "boolean",
  applyPatchTool: "function",
};

/**
 * The agent's tools for the Agents SDK.
 *
 * Throws `TypeError` for what is no agent, for a name in `only` or `without` that it does not have and without the framework's function, and
 * `HoldfastError` with `invalid_argument` for options that do not exist or are of another kind. It is a
 * `TypeError` too where `applyPatchTool` is given and the agent lacks `apply_patch`.
 *
 * @example
 * import { Agent, applyPatchTool, tool } from "@openai/agents";
 * const editor = new Agent({ name: "editor", instructions, tools: openaiAgentTools(agent, tool, { applyPatchTool }) });
 */
export function openaiAgentTools<T, P = never>(
  agent: ToolSource,
  tool: (config: OpenaiAgentTool) => T,
  options: OpenaiAgentOptions<P> = {},
): (T | P)[] {
  checkBridge(say`openaiAgentTools`, agent, options, AGENT_OPTIONS);
  checkMaker(say`openaiAgentTools`, say`tool`, say`@openai/agents`, tool);
  const { strict = false, applyPatchTool, ...rest } = options;
  const theirs =
    applyPatchTool === undefined
      ? []
      : [applyPatchTool(patchTool(new PatchOperations(agent, rest.idempotent)))];
  const taken = applyPatchTool === undefined ? [] : ["apply_patch"];
  return [...theirs, ...bridgedTools(agent, rest, taken).map((one) => tool(configOf(one, strict)))];
}

/** What is given to `new Runner(...)`, so that a tool which the model invented does not end the run. */
export interface OpenaiRunConfig {
  /** The model gets an error as result. */
  readonly toolNotFoundBehavior: "return_error_to_model";
  /** The text of that error: ours, with the nearest name. Other errors keep the SDK's text. */
  readonly toolErrorFormatter: (error: {
    readonly kind: string;
    readonly toolName: string;
  }) => string | undefined;
}

/**
 * How a run handles a tool that does not exist: the SDK ends the run unless told.
 *
 * Throws `TypeError` for what is no agent and for a name in `only` or `without` that it does not have, and `HoldfastError` with
 * `invalid_argument` for options that do not exist or are of another kind.
 *
 * @example await new Runner(openaiRunConfig(agent)).run(editor, prompt);
 */
export function openaiRunConfig(agent: ToolSource, options: BridgeOptions = {}): OpenaiRunConfig {
  checkBridge(say`openaiRunConfig`, agent, options, BRIDGE_OPTIONS);
  const names = bridgedTools(agent, options).map(({ name }) => name);
  return {
    toolNotFoundBehavior: "return_error_to_model",
    toolErrorFormatter: ({ kind, toolName }) =>
      kind === "tool_not_found" ? unknownTool(toolName, names)?.text : undefined,
  };
}

function configOf({ name, description, schema, call }: BridgedTool, strict: boolean): OpenaiAgentTool {
  const strictly = strict ? strictSchema(schema) : undefined;
  const parameters = strictly ?? schema;
  return {
    name,
    description,
    strict: (strictly !== undefined) as false,
    parameters: {
      ...parameters,
      type: "object",
      properties: (parameters["properties"] ?? {}) as Record<string, JsonObject>,
      required: (parameters["required"] ?? []) as string[],
      additionalProperties: (strictly === undefined) as true,
    },
    execute: async (input, _, details) =>
      (await call(input, { id: details?.toolCall?.callId, signal: details?.signal })).text,
  };
}

function patchTool(operations: PatchOperations): OpenaiPatchTool {
  const ids = new WeakMap<object, string>();
  const carryOut = async (operation: OpenaiPatchOperation): Promise<OpenaiPatchResult> =>
    patchResult(await operations.call(operation, { id: ids.get(operation) }));
  return {
    editor: { createFile: carryOut, updateFile: carryOut, deleteFile: carryOut },
    needsApproval: async (_, operation, callId) => {
      if (callId !== undefined) ids.set(operation, callId);
      return false;
    },
  };
}
