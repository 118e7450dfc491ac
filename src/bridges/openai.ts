// Owns: the door of the OpenAI bridge: tools for the Agents SDK, and plain function tools of both APIs with the results of their calls.
// Must never: import the SDK.

export type { BridgeOptions, OpenSchema, BridgeRunOptions, ToolSource } from "./bridge.ts";
export type { OpenaiOptions } from "./openai-options.ts";
export * from "./openai-agents.ts";
export * from "./openai-functions.ts";
export type { OpenaiPatchOperation, OpenaiPatchResult } from "./patch-operations.ts";
export { HoldfastError } from "../errors.ts";
export type * from "./shared-types.ts";
