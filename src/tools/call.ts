// Owns: what is known of a call on its way: enough to audit it wherever it stops.

import type { Key, Position } from "../store/journal.ts";
import type { CallFrame, Context } from "./context.ts";
import type { Identity } from "./identity.ts";
import type { WriteArguments } from "./input.ts";
import type { Target, Tool } from "./tool.ts";

export interface Call {
  readonly agent: Identity;
  readonly tool: string;
  /** Milliseconds of the monotonic clock. */
  readonly started: number;
  readonly time: Date;
  targets: readonly Target[];
  /** What its input names beyond the targets. */
  mentions?: readonly Key[];
  mode?: string;
  /** `ok`, `replayed`, `dry_run`, or an error code. */
  outcome: string;
  reference?: string;
  /** The record that the call made, or found made by an earlier one. */
  at?: Position;
}

export type Input = Readonly<Record<string, unknown>>;

/** One writing call: the tool, what was sent, and where it runs. */
export interface WriteCall {
  readonly call: Call;
  readonly tool: Tool;
  readonly input: Input;
  /** What the tool made of the input. */
  readonly resolved: unknown;
  readonly common: WriteArguments;
  readonly frame: CallFrame;
  /** The state that the call began with. */
  readonly begin: Context;
  /** What the caller wants done before anything is written, with the paths that the call names. */
  readonly beforeWrite: ((paths: readonly string[]) => Promise<void>) | undefined;
}
