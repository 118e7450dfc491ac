// Owns: Anthropic's SDK: an agent's tools for its tool runner, and as plain definitions with the results of their calls; and the maker's
// own text editor and memory tool, carried out by the agent.
// Must never: import the SDK, or throw for what a model sent but as the SDK's own `ToolError`.

import { say } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { parsePath } from "../path/index.ts";
import type { CallResult } from "../tools/index.ts";
import type { JsonObject } from "../value.ts";
import { badOptions, checkOptions, type OptionKinds } from "../text/options.ts";
import {
  BRIDGE_OPTIONS,
  bridgedTools,
  checkBridge,
  objectsIn,
  unknownTool,
  type BridgedTool,
  type BridgeOptions,
  type BridgeRunOptions,
  type ToolSource,
} from "./bridge.ts";
import { FileCommands } from "./file-commands.ts";

export type { BridgeOptions, OpenSchema, BridgeRunOptions, ToolSource } from "./bridge.ts";
export { HoldfastError } from "../errors.ts";
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

/** The text editor that Claude is trained on, by its name and version. */
export interface AnthropicTextEditor {
  /** The version of the tool. */
  readonly type: "text_editor_20250728";
  /** What the model calls. */
  readonly name: "str_replace_based_edit_tool";
  /** Characters that a view may have. */
  readonly max_characters?: number;
}

/** The memory tool that Claude is trained on, by its name and version. */
export interface AnthropicMemory {
  /** The version of the tool. */
  readonly type: "memory_20250818";
  /** What the model calls. */
  readonly name: "memory";
}

/** What goes into `tools` of a request. */
export type AnthropicDefinition = AnthropicTool | AnthropicTextEditor | AnthropicMemory;

/** A tool that `client.beta.messages.toolRunner` runs itself. */
export type AnthropicRunnableTool = AnthropicDefinition & {
  /** Leaves the input as it is: the call says what is wrong. */
  readonly parse: (input: unknown) => unknown;
  /** Returns the text for the model, or blocks where there are images too. */
  readonly run: (
    input: unknown,
    context?: {
      readonly toolUse?: { readonly id: string };
      readonly signal?: AbortSignal | null | undefined;
    },
  ) => Promise<AnthropicContent>;
};

/** What the model reads of a result: text, or text and images. */
export type AnthropicContent =
  | string
  | (
      | { type: "text"; text: string }
      | {
          type: "image";
          source: {
            type: "base64";
            media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
            data: string;
          };
        }
    )[];

/** A part of a message that asks for a tool. Parts of other types are passed over. */
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

/** The result of one `tool_use`. */
export interface AnthropicToolResult {
  /** What kind of block. */
  readonly type: "tool_result";
  /** The call whose result it is. */
  readonly tool_use_id: string;
  /** What the model reads. */
  readonly content: AnthropicContent;
  /** True for a refusal. */
  readonly is_error?: true;
}

/** Which tools the model gets. */
export interface AnthropicOptions extends BridgeOptions {
  /**
   * Adds the text editor that Claude is trained on (`view`, `create`, `str_replace`, `insert`), carried out by the agent's `read_file`,
   * `list_directory`, `write_file`, `edit_file` and `apply_patch`: a `TypeError` where it lacks one. An insert into a file that
   * changed since the model viewed it through this agent is refused. `maxCharacters`, from 1, bounds a view; unless told, a view is as long as
   * `read_file` lets it be. False unless told.
   */
  readonly textEditor?: boolean | { readonly maxCharacters: number };
  /**
   * Adds the memory tool that Claude is trained on. What the model calls `/memories` is a directory of the workspace: `memories`, or the
   * one named here. Needs `delete_file` and `move_file` too. False unless told.
   */
  readonly memory?: boolean | string;
}

/** How refusals reach the model. */
export interface AnthropicRunnerOptions extends AnthropicOptions {
  /**
   * The SDK's `ToolError`: a refusal is thrown as one, so that the model gets its exact text marked as an error. Without it the text is
   * returned as a result like any other.
   */
  readonly ToolError?: new (text: string) => Error;
}

const ANTHROPIC_OPTIONS: OptionKinds<AnthropicOptions> = {
  ...BRIDGE_OPTIONS,
  textEditor: "any",
  memory: "any",
};
const EDITOR_OPTIONS: OptionKinds<{ readonly maxCharacters: number }> = { maxCharacters: "number" };
const RUNNER_OPTIONS: OptionKinds<AnthropicRunnerOptions> = { ...ANTHROPIC_OPTIONS, ToolError: "function" };

/**
 * The agent's tools for the tool runner.
 *
 * Throws `TypeError` for what is no agent and for a name in `only` or `without` that it does not have, and `HoldfastError` with
 * `invalid_argument` for options that do not exist or are of another kind. It is a
 * `TypeError` too where the agent lacks a tool that `textEditor` or `memory` needs.
 *
 * @example
 * import Anthropic from "@anthropic-ai/sdk";
 * const runner = client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools: anthropicRunnableTools(agent) });
 */
export function anthropicRunnableTools(
  agent: ToolSource,
  options: AnthropicRunnerOptions = {},
): AnthropicRunnableTool[] {
  checkBridge(say`anthropicRunnableTools`, agent, options, RUNNER_OPTIONS);
  const { ToolError, ...rest } = options;
  return offeredTools(agent, rest).map(({ definition, call }) => ({
    ...definition,
    parse: (input) => input,
    run: async (input, context) => {
      const result = await call(input, { id: context?.toolUse?.id, signal: context?.signal ?? undefined });
      if (!result.ok && ToolError !== undefined) throw new ToolError(result.text);
      return contentOf(result);
    },
  }));
}

/** Definitions to send, and the results of the calls that come back. */
export interface AnthropicTools {
  /** For `tools` of a request. */
  readonly definitions: AnthropicDefinition[];
  /**
   * Runs every `tool_use` of a message's content, in order, and returns the `content` of the next user message. A tool that does not
   * exist, and is not among `others`, gets an error as its result. Never throws.
   */
  run(
    content: readonly AnthropicBlock[] | string | null | undefined,
    options?: BridgeRunOptions,
  ): Promise<AnthropicToolResult[]>;
}

/**
 * The agent's tools for a loop of your own over `client.messages.create`.
 *
 * Throws `TypeError` for what is no agent and for a name in `only` or `without` that it does not have, and `HoldfastError` with
 * `invalid_argument` for options that do not exist or are of another kind. It is a
 * `TypeError` too where the agent lacks a tool that `textEditor` or `memory` needs.
 *
 * @example
 * const tools = anthropicTools(agent);
 * const message = await client.messages.create({ model, max_tokens: 4096, messages, tools: tools.definitions });
 * messages.push({ role: "assistant", content: message.content }, { role: "user", content: await tools.run(message.content) });
 */
export function anthropicTools(agent: ToolSource, options: AnthropicOptions = {}): AnthropicTools {
  checkBridge(say`anthropicTools`, agent, options, ANTHROPIC_OPTIONS);
  const offered = offeredTools(agent, options);
  const tools = new Map(offered.map((tool) => [tool.definition.name, tool]));
  return {
    definitions: offered.map(({ definition }) => definition),
    async run(content, options) {
      const { signal } = options ?? {};
      const asked = objectsIn(typeof content === "string" ? [] : content);
      const results = asked.map(async ({ type, id, name, input }) => {
        if (type !== "tool_use" || typeof id !== "string") return undefined;
        const tool = tools.get(name ?? "");
        const result =
          tool === undefined
            ? unknownTool(name, [...tools.keys()], options)
            : await tool.call(input, { id, signal });
        return result === undefined ? undefined : toolResult(id, result);
      });
      return (await Promise.all(results)).filter((one) => one !== undefined);
    },
  };
}

function toolResult(id: string, result: CallResult): AnthropicToolResult {
  return {
    type: "tool_result",
    tool_use_id: id,
    content: contentOf(result),
    ...(result.ok ? {} : { is_error: true }),
  };
}

/** A tool that the model is told of, and what carries it out. */
interface OfferedTool {
  readonly definition: AnthropicDefinition;
  readonly call: BridgedTool["call"];
}

/** The maker's tools first; a tool of ours with the name of one of them is left out. */
function offeredTools(agent: ToolSource, options: AnthropicOptions): OfferedTool[] {
  const { textEditor = false, memory = false, ...rest } = options;
  const { idempotent } = rest;
  const offered: OfferedTool[] = [];
  if (textEditor !== false) {
    if (textEditor !== true) checkOptions(say`textEditor`, textEditor, EDITOR_OPTIONS);
    const maxCharacters = textEditor === true ? undefined : textEditor.maxCharacters;
    if (maxCharacters !== undefined && !(Number.isSafeInteger(maxCharacters) && maxCharacters > 0))
      throw badOptions(say`textEditor: maxCharacters must be a whole number from 1`);
    const name = "str_replace_based_edit_tool";
    const commands = ["view", "create", "str_replace", "insert"] as const;
    const files = new FileCommands(agent, { tool: name, commands, maxCharacters, idempotent });
    offered.push({
      definition: {
        type: "text_editor_20250728",
        name,
        ...(maxCharacters === undefined ? {} : { max_characters: maxCharacters }),
      },
      call: (input, call) => files.call(input, call),
    });
  }
  if (memory !== false) {
    const path = parsePath(memory === true ? "memories" : memory, {
      limits: DEFAULT_LIMITS,
      names: "ascii",
      kind: "directory",
    });
    const commands = ["view", "create", "str_replace", "insert", "delete", "rename"] as const;
    const within = { shown: "/memories", path };
    const files = new FileCommands(agent, { tool: "memory", commands, within, idempotent });
    offered.push({
      definition: { type: "memory_20250818", name: "memory" },
      call: (input, call) => files.call(input, call),
    });
  }
  const taken = offered.map(({ definition }) => definition.name);
  const ours = bridgedTools(agent, rest, taken);
  return [...offered, ...ours.map((tool) => ({ definition: definitionOf(tool), call: tool.call }))];
}

function contentOf({ text, images }: CallResult): AnthropicContent {
  if (images === undefined || images.length === 0) return text;
  return [
    { type: "text", text },
    ...images.map(({ mimeType, base64 }) => ({
      type: "image" as const,
      source: { type: "base64" as const, media_type: mimeType as "image/png", data: base64 },
    })),
  ];
}

function definitionOf({ name, description, schema }: BridgedTool): AnthropicTool {
  return { name, description, input_schema: { ...schema, type: "object" } };
}
