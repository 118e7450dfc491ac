// Owns: the AI SDK (versions 6 and 7): an agent's tools as a tool set.
// Must never: import the SDK.

import type { CallResult } from "../tools/index.ts";
import { say } from "../errors.ts";
import {
  BRIDGE_OPTIONS,
  bridgedTools,
  checkBridge,
  type BridgeOptions,
  type OpenSchema,
  type ToolSource,
} from "./bridge.ts";

export type { BridgeOptions, OpenSchema, ToolSource } from "./bridge.ts";
export { HoldfastError } from "../errors.ts";
export type * from "./shared-types.ts";

/** One tool as `generateText` and `streamText` take it. */
export interface AiSdkTool {
  /** What the model reads. */
  readonly description: string;
  /** A Standard Schema that takes anything: the call says what is wrong. */
  readonly inputSchema: OpenSchema;
  /** Runs the tool after the earlier writes of the agent. Never throws. */
  readonly execute: (
    input: unknown,
    options?: { readonly toolCallId?: string; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<CallResult>;
  /** The model reads the text, marked as an error for a refusal, and sees images. */
  readonly toModelOutput: (result: { readonly output: CallResult }) => AiSdkOutput;
}

/** What the model reads of a result. */
export type AiSdkOutput =
  | { type: "text" | "error-text"; value: string }
  | {
      type: "content";
      value: ({ type: "text"; text: string } | { type: "image-data"; data: string; mediaType: string })[];
    };

/**
 * The agent's tools for `generateText`, `streamText` and agents of the AI SDK, by name.
 *
 * Throws `TypeError` for what is no agent and for a name in `only` or `without` that it does not have, and `HoldfastError` with
 * `invalid_argument` for options that do not exist or are of another kind.
 *
 * @example const { text } = await generateText({ model, prompt, tools: aiSdkTools(agent), stopWhen: stepCountIs(20) });
 */
export function aiSdkTools(agent: ToolSource, options: BridgeOptions = {}): Record<string, AiSdkTool> {
  checkBridge(say`aiSdkTools`, agent, options, BRIDGE_OPTIONS);
  return Object.fromEntries(
    bridgedTools(agent, options).map(({ name, description, openSchema, call }): [string, AiSdkTool] => [
      name,
      {
        description,
        inputSchema: openSchema,
        execute: (input, options) => call(input, { id: options?.toolCallId, signal: options?.abortSignal }),
        toModelOutput: ({ output }) => modelOutput(output),
      },
    ]),
  );
}

function modelOutput({ ok, text, images = [] }: CallResult): AiSdkOutput {
  if (images.length === 0) return { type: ok ? "text" : "error-text", value: text };
  const shown = images.map(
    ({ mimeType, base64 }) => ({ type: "image-data", data: base64, mediaType: mimeType }) as const,
  );
  return { type: "content", value: [{ type: "text", text }, ...shown] };
}
