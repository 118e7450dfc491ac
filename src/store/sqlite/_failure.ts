// Owns: the name of a failure inside the store once it crosses to the calling thread or leaves the store.

import { sqlFailureOf } from "./_db.ts";
import { WrongFormat } from "./_format.ts";
import type { Failure } from "./_wire.ts";

/** A task that must not be done. Its transaction is undone as far as this task goes; others in the group are committed. */
export class Refused extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, detail: string = failure) {
    super(detail);
    this.failure = failure;
  }
}

export function failureIn(error: unknown): Failure {
  if (error instanceof Refused) return error.failure;
  if (error instanceof WrongFormat) return error.newer ? "newer format" : "not a session";
  const failure = sqlFailureOf(error);
  if (failure === "corrupt") return "damaged";
  return failure === "busy" || failure === "full" ? failure : "failed";
}
