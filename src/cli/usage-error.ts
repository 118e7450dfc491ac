// Owns: the error for a command line that cannot be meant.

/** Ends the program with exit code 2 and this message, before anything is called. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
