// Owns: Mastra: an agent's tools, made by its `createTool`.
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

/** What is given to `createTool`. */
export interface MastraToolConfig {
  /** The tool's name. */
  readonly id: string;
  /** What the model reads. */
  readonly description: string;
  /** A Standard Schema that takes anything: the call says what is wrong. */
  readonly inputSchema: OpenSchema;
  /** Returns the text for the model, of a refusal too. */
  readonly execute: (input: unknown, context?: MastraContext) => Promise<string>;
}

/** What Mastra knows of a call. */
export interface MastraContext {
  /** The call, if an agent made it. */
  readonly agent?: { readonly toolCallId?: string | undefined } | undefined;
  /** Gives the call up. */
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * The agent's tools by name, for `new Agent({ tools })`.
 *
 * Throws `TypeError` for what is no agent, for a name in `only` or `without` that it does not have and without the framework's function, and
 * `HoldfastError` with `invalid_argument` for options that do not exist or are of another kind.
 *
 * @example
 * import { createTool } from "@mastra/core/tools";
 * const planner = new Agent({ name: "planner", model, instructions, tools: mastraTools(agent, createTool) });
 */
export function mastraTools<T>(
  agent: ToolSource,
  createTool: (config: MastraToolConfig) => T,
  options: BridgeOptions = {},
): Record<string, T> {
  checkBridge(say`mastraTools`, agent, options, BRIDGE_OPTIONS);
  checkMaker(say`mastraTools`, say`createTool`, say`@mastra/core/tools`, createTool);
  return Object.fromEntries(
    bridgedTools(agent, options).map(({ name, description, openSchema, call }): [string, T] => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: openSchema,
        execute: async (input, context) =>
          (await call(input, { id: context?.agent?.toolCallId, signal: context?.abortSignal })).text,
      }),
    ]),
  );
}
