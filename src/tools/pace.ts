// Owns: giving way. Long work runs in steps and lets other calls go on between them.

import { setImmediate as nextTurn } from "node:timers/promises";
import { throwIfAborted } from "./context.ts";

const HELD_MS = 8;

/** Asked between two steps: waits for a turn of the event loop once enough time has passed, and stops a given-up call. */
export class Pace {
  readonly #signal: AbortSignal;
  #since: number = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async step(): Promise<void> {
    if (performance.now() - this.#since < HELD_MS) return;
    throwIfAborted(this.#signal);
    await nextTurn();
    this.#since = performance.now();
  }
}

/** Runs a pass that is written in steps to its end, giving way between them. */
export async function runSteps<T>(steps: Generator<void, T, void>, signal: AbortSignal): Promise<T> {
  const pace = new Pace(signal);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pace.step();
  }
}
