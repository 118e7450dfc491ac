// Owns: records of an array as a scanner looks them up many at a time, and the test it may put them to on the way.

import { type Keys, NONE } from "./scanner.ts";

/**
 * A test that `rows` may put records to, so that what cannot pass is left out. Not every scanner does, and none does for
 * every record: a row says whether it has been found to pass.
 */
export interface Prefilter {
  /** Number of the key whose value is compared. */
  readonly key: number;
  /** A number, or the bytes of a literal (quotes included) that is written without escapes. */
  readonly than: number | Uint8Array;
  /** Outcomes that pass: 1 less, 2 equal, 4 greater, 8 not of the same kind or absent. Texts are equal (2) or not (8). */
  readonly passing: number;
  /** Is a record that passes selected, or may more be asked of it? */
  readonly final: boolean;
}

/** Numbers of a row before those of its keys. */
const ROW_HEAD = 4;

/** Records of an array as `rows` leaves them, until the next call. */
export class Rows {
  /** Where the first record starts; offsets count from here. */
  base = 0;
  /** How many rows there are. */
  count = 0;
  /** How many records have been seen; those without a row cannot pass the prefilter. */
  seen = 0;
  /** One past the last record seen. */
  end = 0;
  /** Of the records seen: how many the caller has counted. */
  counted = 0;
  readonly keys: Keys;
  readonly prefilter: Prefilter | undefined;
  /** Number of the key whose value's end is of use; NONE: of none. */
  readonly ending: number;
  /** Numbers in a row. */
  readonly width: number;
  // For each row: start, one past the end, twice the ordinal (plus one: passes), end of one value, then the keys' values.
  #words: Int32Array = new Int32Array(64);

  constructor(keys: Keys, prefilter?: Prefilter, ending: number = NONE) {
    this.keys = keys;
    this.prefilter = prefilter;
    this.ending = ending;
    this.width = ROW_HEAD + keys.names.length;
  }

  /** Says what has been seen: `seen` records from `base`, where offsets count from, to `end`. */
  cover(base: number, end: number, seen: number): void {
    this.base = base;
    this.end = end;
    this.seen = seen;
    this.counted = 0;
  }

  /** Takes over the `count` rows that are in `from` at `at`. */
  load(from: Int32Array, at: number, count: number): void {
    const length = count * this.width;
    this.count = count;
    if (this.#words.length < length) this.#words = new Int32Array(2 * length);
    // A view costs more than a few rows are worth.
    if (length > 256) this.#words.set(from.subarray(at, at + length));
    else for (let i = 0; i < length; i++) this.#words[i] = from[at + i] ?? 0;
  }

  start(i: number): number {
    return this.base + (this.#words[i * this.width] ?? 0);
  }

  endOf(i: number): number {
    return this.base + (this.#words[i * this.width + 1] ?? 0);
  }

  /** Which of the records seen it is, from 0. */
  ordinal(i: number): number {
    return (this.#words[i * this.width + 2] ?? 0) >> 1;
  }

  /** Is it known to be selected? */
  passes(i: number): boolean {
    return ((this.#words[i * this.width + 2] ?? 0) & 1) === 1;
  }

  /** One past the value of key `ending`; NONE: not known. */
  far(i: number): number {
    const offset = this.#words[i * this.width + 3] ?? NONE;
    return offset < 0 ? NONE : this.base + offset;
  }

  /** Start of the value of key `k`, NONE when absent. */
  value(i: number, k: number): number {
    const offset = this.#words[i * this.width + ROW_HEAD + k] ?? NONE;
    return offset < 0 ? NONE : this.base + offset;
  }

  /** Puts the values of a record into the keys, as `find` would. The last of duplicate keys counts. */
  take(i: number): void {
    const { values } = this.keys;
    for (let k = 0; k < this.width - ROW_HEAD; k++) values[k] = this.value(i, k);
  }
}
