// Owns: where the bytes of a document went when splices were applied to it.

import { bisect } from "../../text/bisect.ts";
import type { Splice } from "../../text/splice.ts";
import type { Spliceable } from "../../text/spliceable.ts";
import { NONE } from "./scanner.ts";

/** Inserts of which only the length matters. */
export const LENGTHS: Spliceable<number> = {
  empty: 0,
  is: (value) => typeof value === "number",
  length: (length) => length,
  taker(length) {
    let left = length;
    return {
      take(wanted) {
        const part = Math.min(wanted, left);
        left -= part;
        return part;
      },
      skip(wanted) {
        left -= wanted;
      },
    };
  },
  join: (lengths) => lengths.reduce((sum, length) => sum + length, 0),
};

/** The same splices without their bytes. */
export function lengthsOf(splices: readonly Splice[]): Splice<number>[] {
  return splices.map(({ at, remove, insert }) => ({ at, remove, insert: insert.length }));
}

export class Moves {
  readonly #splices: readonly Splice<number>[];
  /** How far what follows each splice moves. */
  readonly #shifts: readonly number[];

  constructor(splices: readonly Splice<number>[]) {
    this.#splices = splices;
    let shift = 0;
    this.#shifts = splices.map(({ remove, insert }) => (shift += insert - remove));
  }

  /** Where the first splice begins: nothing before it moves. */
  get first(): number {
    return this.#splices[0]?.at ?? Infinity;
  }

  /** The new offset of an old byte; NONE when it was removed. What is inserted right at it comes before it. */
  to(at: number): number {
    const before = this.#count(({ at: start, remove }) => start + remove <= at);
    const next = this.#splices[before];
    if (next !== undefined && next.at <= at) return NONE;
    return at + (this.#shifts[before - 1] ?? 0);
  }

  /** The new offset of a place between bytes that no splice lies around. What is inserted right at it comes after it. */
  boundary(at: number): number {
    return at + (this.#shifts[this.#count((splice) => splice.at < at) - 1] ?? 0);
  }

  /** How many splices come before the first for which `isBefore` is false. */
  #count(isBefore: (splice: Splice<number>) => boolean): number {
    return bisect(this.#splices.length, (i) => isBefore(this.#splices[i] as Splice<number>));
  }
}
