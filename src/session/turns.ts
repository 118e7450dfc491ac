// Owns: turns at committing, for calls that others keep getting ahead of. While somebody has a turn, commits wait.

import type { Journal, Lease } from "../store/journal.ts";

const LEASE_MS = 2_000;
const LEASE_TRIES = 40;
const LEASE_PAUSE_MS = 10;

export class Turns {
  readonly #journal: Journal;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Resolves at once when nobody has or wants a turn. */
  pass(): Promise<void> | undefined {
    return this.#waiting === 0 ? undefined : this.#last;
  }

  /**
   * Waits for a turn: in this process behind everyone who asked before, across processes behind whoever holds the
   * lease, but not forever. Answers the function that ends it.
   */
  async take(): Promise<() => Promise<void>> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    this.#waiting++;
    await before;
    const lease = await this.#lease();
    return async () => {
      this.#waiting--;
      end();
      await lease?.release();
    };
  }

  async #lease(): Promise<Lease | undefined> {
    for (let tries = 0; tries < LEASE_TRIES; tries++) {
      const lease = await this.#journal.lease("turn", LEASE_MS);
      if (lease !== undefined) return lease;
      await new Promise((resolve) => setTimeout(resolve, LEASE_PAUSE_MS * (0.5 + Math.random())));
    }
    return undefined;
  }
}
