// Owns: what TypeScript knows of a call: the input and the value of a built-in tool by its name; a tool of the host's own takes
// and returns anything.

import type { ToolTypes } from "./types/index.gen.ts";

/** Arguments that every writing tool takes besides its own. */
export interface CommonArguments {
  /**
   * The version that must still be current: one token, or a map from target to token. Otherwise the call is refused with
   * `conflict` / `stale_version` and nothing is changed. Tree tools require it unless the host relaxed that.
   */
  readonly expectedVersion?: string | Readonly<Record<string, string>> | undefined;
  /** Repeating a call with the same key and the same request applies it once, also after a crash. */
  readonly idempotencyKey?: string | undefined;
  /** True: the result shows what would change, and nothing is changed. */
  readonly dryRun?: boolean | undefined;
}

/** The names of the built-in tools. */
export type ToolName = keyof ToolTypes;

/** What a tool takes; anything for a tool of the host's own. */
export type ToolInput<N extends string> = N extends ToolName ? ToolTypes[N]["input"] : unknown;

/** What a tool returns as `value`; unknown for a tool of the host's own. */
export type ToolOutput<N extends string> = N extends ToolName ? ToolTypes[N]["output"] : unknown;

/** The value of a call: `V` where the caller names a type, otherwise what the tool of this name returns. */
export type CallValue<V, N extends string> = [V] extends [never] ? ToolOutput<N> : V;
