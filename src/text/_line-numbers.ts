// Owns: numbers for lines, equal for equal lines, so that lines compare in one step.

import type { LineEnding } from "./lines.ts";
import type { Steps } from "./steps.ts";
import type { TextLines } from "./text-lines.ts";

/** Each line may touch a page of the table for the first time. */
const LINES_PER_STEP = 1 << 10;
const BYTES_PER_STEP = 1 << 18;
const PROBES = 64;

/**
 * Gives numbers to the lines of several texts, by a hash table over their bytes; no text is decoded. The hash is seeded
 * and the search bounded: a line that would need more than 64 probes gets a number of its own, so that two equal lines
 * may then count as different, which makes a diff longer and never wrong.
 */
export class LineNumbering {
  /** Slots hold a number plus one; zero is free. */
  readonly #table: Int32Array;
  readonly #mask: number;
  readonly #seed = (Math.random() * 0x1_0000_0000) | 0;
  readonly #finalEnding: LineEnding;
  readonly #texts: TextLines[] = [];
  /** By number: the first line that had it, as its text's place in `#texts` and its own in that, and its hash. */
  readonly #textOf: Uint8Array;
  readonly #lines: Int32Array;
  readonly #hashes: Int32Array;
  #size = 0;

  /** `lines`: how many there are in all texts together. `finalEnding`: what a line without ending counts as having. */
  constructor(lines: number, finalEnding: LineEnding = "none") {
    let slots = 16;
    while (slots < lines * 2) slots *= 2;
    this.#table = new Int32Array(slots);
    this.#mask = slots - 1;
    this.#finalEnding = finalEnding;
    this.#textOf = new Uint8Array(lines);
    this.#lines = new Int32Array(lines);
    this.#hashes = new Int32Array(lines);
  }

  get size(): number {
    return this.#size;
  }

  /** The numbers of `count` lines from line `from` on. At most 256 texts get numbers. */
  *number(text: TextLines, from: number, count: number): Steps<Int32Array> {
    this.#texts.push(text);
    const numbers = new Int32Array(count);
    let stop = text.start(from) + BYTES_PER_STEP;
    for (let i = 0; i < count; i++) {
      numbers[i] = this.#numberOf(text, from + i);
      if (i % LINES_PER_STEP < LINES_PER_STEP - 1 && text.start(from + i) < stop) continue;
      stop = text.start(from + i) + BYTES_PER_STEP;
      yield;
    }
    return numbers;
  }

  #numberOf(text: TextLines, line: number): number {
    const hash = this.#hashOf(text, line);
    let slot = hash & this.#mask;
    for (let probe = 0; probe < PROBES; probe++) {
      const number = (this.#table[slot] as number) - 1;
      if (number < 0) {
        this.#table[slot] = this.#size + 1;
        break;
      }
      if (this.#hashes[number] === hash && this.#isSame(number, text, line)) return number;
      slot = (slot + 1) & this.#mask;
    }
    const number = this.#size++;
    this.#textOf[number] = this.#texts.length - 1;
    this.#lines[number] = line;
    this.#hashes[number] = hash;
    return number;
  }

  #endingOf(text: TextLines, line: number): LineEnding {
    const ending = text.ending(line);
    return ending === "none" ? this.#finalEnding : ending;
  }

  #isSame(number: number, text: TextLines, line: number): boolean {
    const other = this.#texts[this.#textOf[number] as number] as TextLines;
    const otherLine = this.#lines[number] as number;
    return (
      text.isSameText(line, other, otherLine) &&
      this.#endingOf(text, line) === this.#endingOf(other, otherLine)
    );
  }

  /** Of the text and of the kind of its ending. */
  #hashOf(text: TextLines, line: number): number {
    const { bytes } = text;
    const to = text.end(line);
    let i = text.start(line);
    let hash = this.#seed ^ (to - i);
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
    if (this.#endingOf(text, line) === "crlf") hash = Math.imul(hash ^ 13, 0x85ebca6b);
    hash ^= hash >>> 13;
    return Math.imul(hash, 0xc2b2ae35) ^ (hash >>> 16);
  }
}
