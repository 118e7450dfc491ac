// The AI SDK (versions 6 and 7): an agent's tools as a tool set.

import type { CallResult } from "../tools/index.ts";
import { bridgedTools, type BridgeOptions, type OpenSchema, type ToolSource } from "./bridge.ts";

export type { BridgeOptions, OpenSchema, ToolSource } from "./bridge.ts";
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
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<CallResult>;
  /** The model reads the text alone, marked as an error for a refusal. */
  readonly toModelOutput: (result: { readonly output: CallResult }) => {
    type: "text" | "error-text";
    value: string;
  };
}

/**
 * The agent's tools for `generateText`, `streamText` and agents of the AI SDK, by name.
 *
 * @example const { text } = await generateText({ model, prompt, tools: aiSdkTools(agent), stopWhen: stepCountIs(20) });
 */
export function aiSdkTools(agent: ToolSource, options: BridgeOptions = {}): Record<string, AiSdkTool> {
  return Object.fromEntries(
    bridgedTools(agent, options).map(({ name, description, openSchema, call }): [string, AiSdkTool] => [
      name,
      {
        description,
        inputSchema: openSchema,
        execute: (input, { toolCallId, abortSignal }) => call(input, { id: toolCallId, signal: abortSignal }),
        toModelOutput: ({ output }) => ({ type: output.ok ? "text" : "error-text", value: output.text }),
      },
    ]),
  );
}
