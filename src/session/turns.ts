// Owns: turns at committing, for calls that others keep getting ahead of. While one has the turn, no other commits, in any process.

import { setTimeout as sleep } from "node:timers/promises";
import { TURN, type Journal, type Lease } from "../store/journal.ts";

/** A process that dies with the turn loses it after this time. */
const LEASE_MS = 2_000;
const WAIT_MS = 10_000;
const PAUSE_MS = 4;

/** A turn that was taken. Without a holder the wait was too long, and the call goes on without. */
export interface Turn {
  readonly holder?: string;
  end(): Promise<void>;
}

export class Turns {
  readonly #journal: Journal;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #holder: string | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Who has the turn in this process. What comes from a folder outside is committed in it: the call that has it waits for that. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /** Resolves at once when no call of this process has or wants a turn; the store makes those of other processes wait. */
  free(): Promise<void> | undefined {
    return this.#waiting === 0 ? undefined : this.#last;
  }

  /** Waits for a turn: in this process after all that asked before, across processes for the lease. */
  async take(): Promise<Turn> {
    const before = this.#last;
    let next = (): void => {};
    this.#last = new Promise((resolve) => {
      next = resolve;
    });
    this.#waiting++;
    const done = (): void => {
      this.#waiting--;
      next();
    };
    try {
      await before;
      const lease = await this.#lease();
      this.#holder = lease?.holder;
      return {
        ...(lease === undefined ? {} : { holder: lease.holder }),
        end: async () => {
          this.#holder = undefined;
          done();
          await lease?.release();
        },
      };
    } catch (error) {
      done();
      throw error;
    }
  }

  async #lease(): Promise<Lease | undefined> {
    for (const until = performance.now() + WAIT_MS; performance.now() < until;) {
      const lease = await this.#journal.lease(TURN, LEASE_MS);
      if (lease !== undefined) return lease;
      await backoff();
    }
    return undefined;
  }
}

/** A pause before the next try for something that another process has. */
export function backoff(): Promise<void> {
  return sleep(PAUSE_MS * (0.5 + Math.random()));
}
