// Owns: how far back a weave has to begin, so that none of its records reaches before its beginning.

import type { Reversal } from "./weave.ts";

/**
 * Finds the records of a file that a weave needs. From a base that a later reversal reaches beyond, the same records give
 * another text: so the base moves back until it is closed. Records are taken newest first, undone ones too.
 *
 * ```ts
 * const needed = new ClosedBase(oldest);
 * for (const record of newestFirst) if (needed.includes(record)) records.unshift(record); else break;
 * ```
 */
export class ClosedBase {
  #reach: number;

  /** `oldest`: the oldest record that is asked about. */
  constructor(oldest: number) {
    this.#reach = oldest;
  }

  /** The oldest record that may be needed, as far as is known. */
  get reach(): number {
    return this.#reach;
  }

  /** Whether the weave needs this record. If not, its base is the text after this record, and no older one is needed. */
  includes(record: { readonly seq: number } & (Reversal | { readonly splices: unknown })): boolean {
    if (record.seq < this.#reach) return false;
    if ("restoreTo" in record) this.#reach = Math.min(this.#reach, record.restoreTo + 1);
    if ("targets" in record) for (const target of record.targets) this.#reach = Math.min(this.#reach, target);
    return true;
  }
}
