// Owns: giving way in long passes of this room, so that no thread is held for more than some milliseconds.

import { setImmediate as nextTurn } from "node:timers/promises";

const HELD_MS = 8;

/** Asked between two steps of a long pass. Throws the signal's reason once it is aborted. */
export class GiveWay {
  readonly #signal: AbortSignal | undefined;
  #since: number = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** A promise only when it is time to let others in. */
  step(): Promise<void> | undefined {
    if (performance.now() - this.#since < HELD_MS) return undefined;
    return this.#rest();
  }

  async #rest(): Promise<void> {
    this.#signal?.throwIfAborted();
    await nextTurn();
    this.#since = performance.now();
  }

  /** Runs a pass that is written in steps to its end. */
  async run<T>(steps: Generator<void, T, void>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await this.step();
    }
  }
}
