// Owns: which containers are open at a place, and at which child of each the document is.
// Must never: grow without bound. Deeper levels than it holds are only counted.

import type { Trace } from "../scan/js-validation.ts";
import { NONE } from "../scan/scanner.ts";

const MOST_LEVELS = 65_536;

/** One open container. */
export interface Level {
  /** Where its bracket is. */
  readonly opener: number;
  readonly members: boolean;
  /** Which child it is at, from 0. */
  readonly index: number;
  /** Where the last key begins, NONE when there is none yet. */
  readonly key: number;
  /** Where the last comma is, NONE when there is none yet. */
  readonly comma: number;
}

/** Keeps five numbers for each open container, in one growing array. */
export class Levels implements Trace {
  #numbers = new Float64Array(5 * 64);
  #depth = 0;

  get depth(): number {
    return this.#depth;
  }

  /** How many of the outermost levels are known. */
  get known(): number {
    return Math.min(this.#depth, MOST_LEVELS);
  }

  /** The level at `depth`, from 0 for the root container. */
  level(depth: number): Level | undefined {
    if (depth < 0 || depth >= this.known) return undefined;
    const [opener = NONE, members = 0, index = 0, key = NONE, comma = NONE] = this.#numbers.subarray(
      5 * depth,
    );
    return { opener, members: members === 1, index, key, comma };
  }

  open(at: number, members: boolean): void {
    const place = 5 * this.#depth++;
    if (this.#depth > MOST_LEVELS) return;
    if (place === this.#numbers.length) {
      const grown = new Float64Array(2 * place);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[place] = at;
    this.#numbers[place + 1] = members ? 1 : 0;
    this.#numbers[place + 2] = 0;
    this.#numbers[place + 3] = NONE;
    this.#numbers[place + 4] = NONE;
  }

  close(): void {
    this.#depth--;
  }

  key(at: number): void {
    if (this.#depth <= MOST_LEVELS) this.#numbers[5 * this.#depth - 2] = at;
  }

  comma(at: number): void {
    if (this.#depth > MOST_LEVELS) return;
    const place = 5 * this.#depth - 5;
    this.#numbers[place + 2] = (this.#numbers[place + 2] ?? 0) + 1;
    this.#numbers[place + 4] = at;
  }
}
