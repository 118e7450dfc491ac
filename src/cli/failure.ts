// Owns: what the command line says when something fails, and with which exit code. One line on standard error, never a stack
// trace: HOLDFAST_DEBUG=1 adds the cause. With --json the refusal is also the JSON on standard output.

import { inspect } from "node:util";
import { CommanderError } from "commander";
import { echo, HoldfastError, say } from "../errors.ts";
import type { Log } from "../tools/index.ts";
import { note, printJson } from "./output.ts";
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
  process.exitCode = exitCodeOf(error);
  if (wantsJson()) printJson({ ok: false, error: dataOf(error) });
  note(`[Error] ${messageOf(error)}`);
  if (!(error instanceof UsageError)) explain(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof RefusedError) return error.exitCode;
  return error instanceof UsageError ? USAGE_ERROR : REFUSED;
}

/** What the host hears beside the results. */
export const lineLog: Log = {
  error(message, { cause, ...detail }) {
    const because = HoldfastError.is(cause) ? ` ${cause.message}` : "";
    note(`holdfast: ${message} ${JSON.stringify(detail)}${because}`);
    explain(cause);
  },
};

/**
 * What a client is told when its session cannot be opened. The whole message may name folders of the host: it goes to standard
 * error, and the model reads only what any other refusal may say.
 */
export function openingError(error: unknown): HoldfastError {
  note(`[Error] ${messageOf(error)}`);
  explain(error);
  const known = error instanceof UsageError ? error.cause : error;
  if (HoldfastError.is(known)) return known;
  return new HoldfastError(
    "internal",
    "session_not_opened",
    say`The session of the folder cannot be opened; the server says why on its standard error. Ask the user to look there, then call again.`,
  );
}

/** A reader that has seen enough, as `head` does, is no failure. What still writes looks at `process.stdout.destroyed`. */
export function letTheReaderLeave(): void {
  let isReported = false;
  // Where there is nobody to tell, nothing is said.
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || isReported) return;
    isReported = true;
    process.exitCode = REFUSED;
    note(`[Error] Standard output cannot be written (${echo(error.code ?? "")}).`);
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
  const code = (error as { code?: unknown } | null)?.code;
  const kind = typeof code === "string" ? code : error instanceof Error ? error.name : typeof error;
  return `Something went wrong that should not (${echo(kind)}). HOLDFAST_DEBUG=1 shows the cause.`;
}

function explain(cause: unknown): void {
  if (process.env["HOLDFAST_DEBUG"] !== "1" || cause === undefined) return;
  note(inspect(cause));
}
