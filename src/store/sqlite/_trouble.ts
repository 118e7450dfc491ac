// Owns: what an error inside the store is called once it crosses to the calling thread or leaves the store.

import { troubleOf } from "./_driver.ts";
import { WrongFormat } from "./_format.ts";
import type { Trouble } from "./_wire.ts";

/** A task that must not be done. Its transaction is undone as far as this task goes; others in the group are kept. */
export class Refused extends Error {
  readonly trouble: Trouble;
  constructor(trouble: Trouble, detail: string = trouble) {
    super(detail);
    this.trouble = trouble;
  }
}

export function troubleIn(error: unknown): Trouble {
  if (error instanceof Refused) return error.trouble;
  if (error instanceof WrongFormat) return error.newer ? "newer format" : "not a session";
  const trouble = troubleOf(error);
  if (trouble === "corrupt") return "damaged";
  return trouble === "busy" || trouble === "full" ? trouble : "failed";
}
