// Owns: the errors of the command line itself. They name paths that its user typed, which no other error may.

import type { ErrorCode, HoldfastError, ShownData } from "../errors.ts";

/** Ends the program with exit code 2 and this message, before anything is called. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What was refused of a file that the command line names. Ends the program with exit code 1. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: ErrorCode;
  readonly reason: string;
  readonly data: ShownData | undefined;

  constructor(file: string, cause: HoldfastError) {
    super(`${file}: ${cause.message}`, { cause });
    this.code = cause.code;
    this.reason = cause.reason;
    this.data = cause.data;
  }
}

/** What the command line itself refuses, with what it knows for --json. Ends the program with exit code 1 unless told. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: ErrorCode;
  readonly reason: string;
  readonly data: object;
  readonly exitCode: number;

  constructor(
    code: ErrorCode,
    reason: string,
    message: string,
    data: object,
    { exitCode = 1, ...how }: ErrorOptions & { readonly exitCode?: number } = {},
  ) {
    super(message, how);
    this.exitCode = exitCode;
    this.code = code;
    this.reason = reason;
    this.data = data;
  }
}
