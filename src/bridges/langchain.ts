// Owns: LangChain: an agent's tools, made by its `tool`.
// Must never: import the framework: its function is passed in.

import { say } from "../errors.ts";
import {
  BRIDGE_OPTIONS,
  bridgedTools,
  checkBridge,
  checkMaker,
  type BridgeOptions,
  type OpenSchema,
  type ToolSource,
} from "./bridge.ts";

export type { BridgeOptions, OpenSchema, ToolSource } from "./bridge.ts";
export { HoldfastError } from "../errors.ts";
export type * from "./shared-types.ts";

/** What is given to `tool` beside the function. */
export interface LangchainFields {
  /** What the agent calls. */
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** A Standard Schema that takes anything: the call says what is wrong. */
  readonly schema: OpenSchema;
  /** The function returns the text for the model, and the value for code. */
  readonly responseFormat: "content_and_artifact";
}

/** What LangChain knows of a call. */
export interface LangchainConfig {
  /** The call, if a model made it. */
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
  /** Gives the call up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The agent's tools, for `createAgent` and `ToolNode`. A refusal is thrown with its text, which a `ToolNode` hands to the model with the
 * status `error`.
 *
 * Throws `TypeError` for what is no agent, for a name in `only` or `without` that it does not have and without the framework's function, and
 * `HoldfastError` with `invalid_argument` for options that do not exist or are of another kind.
 *
 * @example
 * import { tool } from "@langchain/core/tools";
 * const graph = createAgent({ model, tools: langchainTools(agent, tool) });
 */
export function langchainTools<T>(
  agent: ToolSource,
  tool: (
    call: (input: unknown, config?: LangchainConfig) => Promise<[text: string, value: unknown]>,
    fields: LangchainFields,
  ) => T,
  options: BridgeOptions = {},
): T[] {
  checkBridge(say`langchainTools`, agent, options, BRIDGE_OPTIONS);
  checkMaker(say`langchainTools`, say`tool`, say`@langchain/core/tools`, tool);
  return bridgedTools(agent, options).map(({ name, description, openSchema, call }) =>
    tool(
      async (input, config) => {
        const result = await call(input, { id: config?.toolCall?.id, signal: config?.signal });
        if (!result.ok) throw new Error(result.text);
        return [result.text, result.value];
      },
      { name, description, schema: openSchema, responseFormat: "content_and_artifact" },
    ),
  );
}
