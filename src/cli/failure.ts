// Owns: what the command line says when something fails, and with which exit code. One line on standard error, never a stack
// trace: HOLDFAST_DEBUG=1 adds the cause. With --json the refusal is also the JSON on standard output.

import { inspect } from "node:util";
import { CommanderError } from "commander";
import { echo, HoldfastError } from "../errors.ts";
import type { CallRefused, Log } from "../tools/index.ts";
import { printJson } from "./output.ts";
import { FileError, RefusedError, UsageError } from "./usage-error.ts";

const REFUSED = 1;
const USAGE_ERROR = 2;

export function reportFailure(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has printed its message already; --help and --version end here too.
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_ERROR;
    if (error.exitCode !== 0 && wantsJson()) printJson({ ok: false, error: usage(error.message) });
    return;
  }
  process.exitCode = error instanceof UsageError ? USAGE_ERROR : REFUSED;
  if (wantsJson()) printJson({ ok: false, error: dataOf(error) });
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

/**
 * What a client's call comes to when its session cannot be opened. The whole message may name folders of the host: it goes to standard
 * error, and the model reads only what any other refusal may say.
 */
export function openingRefused(error: unknown): CallRefused {
  process.stderr.write(`[Error] ${messageOf(error)}\n`);
  explain(error);
  const known = HoldfastError.is(error) ? error : error instanceof UsageError ? error.cause : undefined;
  const refusal = HoldfastError.is(known)
    ? { code: known.code, reason: known.reason, message: known.message }
    : {
        code: "internal" as const,
        reason: "session_not_opened",
        message:
          "The session of the folder cannot be opened; the server says why on its standard error. Ask the user to look there, then call again.",
      };
  return { ok: false, text: `[Error] ${refusal.message}`, error: refusal };
}

/** A reader that has seen enough, as `head` does, is no failure. What still writes looks at `process.stdout.destroyed`. */
export function letTheReaderLeave(): void {
  let isReported = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || isReported) return;
    isReported = true;
    process.exitCode = REFUSED;
    process.stderr.write(`[Error] ${messageOf(error)}\n`);
  });
}

/** Whether the command line asks for JSON, also where it could not be read. What follows `--` is another program's. */
function wantsJson(): boolean {
  const end = process.argv.indexOf("--");
  return process.argv.slice(2, end < 0 ? undefined : end).includes("--json");
}

function dataOf(error: unknown): object {
  if (error instanceof UsageError) return usage(error.message);
  if (isRefusal(error)) {
    const { code, reason, message, data } = error;
    return { code, reason, message, ...(data === undefined ? {} : { data }) };
  }
  return { code: "internal", reason: "unexpected", message: messageOf(error) };
}

function isRefusal(error: unknown): error is FileError | RefusedError | HoldfastError {
  return error instanceof FileError || error instanceof RefusedError || HoldfastError.is(error);
}

function usage(message: string): object {
  return { code: "invalid_argument", reason: "usage", message: message.replace(/^error: /, "") };
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError || isRefusal(error)) return error.message;
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
