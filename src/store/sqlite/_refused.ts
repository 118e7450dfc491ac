// Owns: the writer's own refusals, as they cross to the calling thread.

import type { Trouble } from "./_wire.ts";

/** A task that must not be done. Its transaction is undone as far as this task goes; others in the group are kept. */
export class Refused extends Error {
  readonly trouble: Trouble;
  constructor(trouble: Trouble, detail: string = trouble) {
    super(detail);
    this.trouble = trouble;
  }
}
