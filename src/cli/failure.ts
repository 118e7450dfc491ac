// Owns: what the command line says when something fails, and with which exit code. One line, never a stack trace:
// HOLDFAST_DEBUG=1 adds the cause.

import { inspect } from "node:util";
import { CommanderError } from "commander";
import { echo, HoldfastError } from "../errors.ts";
import type { Log } from "../tools/index.ts";
import { UsageError } from "./usage-error.ts";

const REFUSED = 1;
const USAGE_ERROR = 2;

export function reportFailure(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has printed its message already; --help and --version end here too.
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_ERROR;
    return;
  }
  process.exitCode = error instanceof UsageError ? USAGE_ERROR : REFUSED;
  process.stderr.write(`[Error] ${messageOf(error)}\n`);
  if (!(error instanceof UsageError)) explain(error);
}

/** What the host hears beside the answers. */
export const lineLog: Log = {
  error(message, { cause, ...detail }) {
    const because = HoldfastError.is(cause) ? ` ${cause.message}` : "";
    process.stderr.write(`holdfast: ${message} ${JSON.stringify(detail)}${because}\n`);
    explain(cause);
  },
};

/** A reader that has seen enough, as `head` does, is no failure. What still writes looks at `process.stdout.destroyed`. */
export function letTheReaderLeave(): void {
  let isReported = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || isReported) return;
    isReported = true;
    reportFailure(error);
  });
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError || HoldfastError.is(error)) return error.message;
  const { code: failed, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === "write") return `Standard output cannot be written (${echo(failed ?? "")}).`;
  const code = (error as { code?: unknown } | null)?.code;
  const kind = typeof code === "string" ? code : error instanceof Error ? error.name : typeof error;
  return `Something went wrong that should not (${echo(kind)}). HOLDFAST_DEBUG=1 shows the cause.`;
}

function explain(cause: unknown): void {
  if (process.env["HOLDFAST_DEBUG"] !== "1" || cause === undefined) return;
  process.stderr.write(`${inspect(cause)}\n`);
}
