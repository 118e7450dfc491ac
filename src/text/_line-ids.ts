// Owns: numbers for lines, equal for equal lines, so that lines compare in one step.

import type { Steps } from "./steps.ts";

const LF = 10;
const LINES_PER_STEP = 1 << 14;
const BYTES_PER_STEP = 1 << 20;
const PROBES = 64;

/** Where the lines of a part start; the end of the part comes last. */
export function* lineStarts(bytes: Uint8Array, from: number, to: number): Steps<Float64Array> {
  let starts = new Float64Array(1_024);
  let count = 0;
  let pause = from + BYTES_PER_STEP;
  for (let at = from; at < to;) {
    if (count + 1 === starts.length) {
      const larger = new Float64Array(starts.length * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = at;
    const feed = bytes.indexOf(LF, at);
    at = feed < 0 || feed >= to ? to : feed + 1;
    if (at > pause || count % LINES_PER_STEP === 0) {
      pause = at + BYTES_PER_STEP;
      yield;
    }
  }
  starts[count] = to;
  return starts.subarray(0, count + 1);
}

/**
 * Gives numbers to the lines of several texts, by a hash table over their bytes. The hash is seeded and the search
 * bounded: a line that would need more than 64 probes gets a number of its own, so that two equal lines may then count
 * as different, which makes a diff longer and never wrong.
 */
export class LineNumbering {
  /** Slots hold a number plus one; zero is free. */
  readonly #table: Int32Array;
  readonly #mask: number;
  readonly #seed = (Math.random() * 0x1_0000_0000) | 0;
  /** By number: the first line that had it, and its hash. */
  readonly #bytes: Uint8Array[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #hash: number[] = [];

  /** `lines`: how many there are in all texts together. */
  constructor(lines: number) {
    let slots = 16;
    while (slots < lines * 2) slots *= 2;
    this.#table = new Int32Array(slots);
    this.#mask = slots - 1;
  }

  get size(): number {
    return this.#from.length;
  }

  *number(bytes: Uint8Array, starts: Float64Array): Steps<Int32Array> {
    const ids = new Int32Array(starts.length - 1);
    let done = starts[0] ?? 0;
    for (let i = 0; i < ids.length; i++) {
      const to = starts[i + 1] as number;
      ids[i] = this.#idOf(bytes, starts[i] as number, to);
      if (to > done + BYTES_PER_STEP || i % LINES_PER_STEP === LINES_PER_STEP - 1) {
        done = to;
        yield;
      }
    }
    return ids;
  }

  #idOf(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashOf(bytes, from, to, this.#seed);
    let slot = hash & this.#mask;
    for (let probe = 0; probe < PROBES; probe++) {
      const id = (this.#table[slot] as number) - 1;
      if (id < 0) {
        this.#table[slot] = this.size + 1;
        break;
      }
      if (this.#hash[id] === hash && this.#equals(id, bytes, from, to)) return id;
      slot = (slot + 1) & this.#mask;
    }
    this.#bytes.push(bytes);
    this.#from.push(from);
    this.#to.push(to);
    this.#hash.push(hash);
    return this.size - 1;
  }

  #equals(id: number, bytes: Uint8Array, from: number, to: number): boolean {
    const other = this.#bytes[id] as Uint8Array;
    const start = this.#from[id] as number;
    if ((this.#to[id] as number) - start !== to - from) return false;
    for (let i = 0; i < to - from; i++) if (other[start + i] !== bytes[from + i]) return false;
    return true;
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let hash = seed ^ (to - from);
  let i = from;
  for (; i + 4 <= to; i += 4) {
    const word =
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; i < to; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x85ebca6b);
  hash ^= hash >>> 13;
  return Math.imul(hash, 0xc2b2ae35) ^ (hash >>> 16);
}
