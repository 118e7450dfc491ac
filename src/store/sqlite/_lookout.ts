// Owns: staying awake for the writer's answer while it can be expected within a moment. A thread that has slept wakes late and
// runs cold, which on a quick disk costs half as much as the commit that it waits for.
// Must never: hold the event loop, or stay awake for longer than a moment. Where commits are slow, nobody does at all.

import { ANSWERED, ASKED, type Tally } from "./_wire.ts";

/** A commit on a quick disk takes a fourth of it. */
const MOMENT_MS = 2;
/** What one turn of the event loop may take of it. */
const TURN_MS = 0.02;

export class Lookout {
  readonly tally: Tally = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  #heard = 0;
  #awaited = 0;
  #since = 0;
  #isAwake = false;
  #isQuick = false;

  /** True when the last answer came within a moment, so that the next one may. */
  get isQuick(): boolean {
    return this.#isQuick;
  }

  /** A request was sent; `isAwaited` when somebody waits for its answer. */
  sent(isAwaited: boolean): void {
    Atomics.add(this.tally, ASKED, 1);
    if (!isAwaited) return;
    this.#awaited++;
    this.#since = performance.now();
    if (!this.#isQuick || this.#isAwake) return;
    this.#isAwake = true;
    setImmediate(this.#turn);
  }

  /** An answer is here. */
  answered(wasAwaited: boolean): void {
    this.#heard = (this.#heard + 1) | 0;
    if (!wasAwaited) return;
    this.#awaited--;
    this.#isQuick = performance.now() - this.#since < MOMENT_MS;
  }

  /** As long as there is something to do in its next turn, the event loop takes in what has come and does not sleep. */
  readonly #turn = (): void => {
    let now = performance.now();
    this.#isAwake = this.#awaited > 0 && now - this.#since < MOMENT_MS;
    if (!this.#isAwake) return;
    setImmediate(this.#turn);
    for (const until = now + TURN_MS; now < until; now = performance.now())
      if (Atomics.load(this.tally, ANSWERED) !== this.#heard) return;
  };
}
