// Owns: which lines of two texts differ, as few as possible. Lines are equal when text and ending are.

import type { LineEnding } from "../text/lines.ts";
import { minimalDiff } from "./_minimal-diff.ts";
import type { Steps } from "../text/steps.ts";
import type { TextLines } from "./_text-lines.ts";

/** Lines `aFrom + 1` to `aTo` of the one text stand where `bFrom + 1` to `bTo` of the other stand. */
export interface LineChange {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** The ending a line counts with. A last line without one can be taken to have one. */
export type EndingOf = (line: number) => LineEnding;

const LINES_PER_STEP = 16_384;

/** The changes from `a` to `b`, from top to bottom; none of them touch. */
export function* lineChanges(
  a: TextLines,
  b: TextLines,
  endingA: EndingOf = (line) => a.ending(line),
  endingB: EndingOf = (line) => b.ending(line),
): Steps<LineChange[]> {
  const names = new LineNames(a.count + b.count);
  const x = yield* names.nameAll(a, endingA);
  const y = yield* names.nameAll(b, endingB);
  const kept = yield* minimalDiff(x, y, names.size);
  const changes: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < a.count || j < b.count) {
    const aFrom = i;
    const bFrom = j;
    while (i < a.count && kept.a[i] === 0) i++;
    while (j < b.count && kept.b[j] === 0) j++;
    if (i > aFrom || j > bFrom) changes.push({ aFrom, aTo: i, bFrom, bTo: j });
    // Both stay, or both are at their ends.
    while (i < a.count && j < b.count && kept.a[i] === 1 && kept.b[j] === 1) {
      i++;
      j++;
    }
  }
  return changes;
}

/** Gives equal lines of several texts the same small number: an open hash table over the bytes, no text is decoded. */
class LineNames {
  size = 0;
  /** name + 1 of the line that hashes here; 0 is free. */
  readonly #table: Int32Array;
  readonly #hashes: Int32Array;
  /** The first line that got the name. */
  readonly #texts: TextLines[] = [];
  readonly #lines: Int32Array;

  constructor(most: number) {
    let slots = 16;
    while (slots < most * 2) slots *= 2;
    this.#table = new Int32Array(slots);
    this.#hashes = new Int32Array(most);
    this.#lines = new Int32Array(most);
  }

  *nameAll(text: TextLines, endingOf: EndingOf): Steps<Int32Array> {
    const names = new Int32Array(text.count);
    for (let line = 1; line <= text.count; line++) {
      names[line - 1] = this.#name(text, line, endingOf(line));
      if (line % LINES_PER_STEP === 0) yield;
    }
    return names;
  }

  #name(text: TextLines, line: number, ending: LineEnding): number {
    const { bytes } = text;
    const start = text.start(line);
    const end = text.end(line);
    let hash = ending === "none" ? 1 : ending === "lf" ? 2 : 3;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 0x01000193) ^ (bytes[i] as number)) | 0;
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash ^= hash >>> 13;
    // Two bits of the hash are given to the ending, so that equal hashes are equal endings.
    hash = (hash & ~3) | (ending === "none" ? 1 : ending === "lf" ? 2 : 3);
    const mask = this.#table.length - 1;
    for (let slot = (hash >>> 2) & mask; ; slot = (slot + 1) & mask) {
      const name = (this.#table[slot] as number) - 1;
      if (name < 0) {
        const fresh = this.size++;
        this.#table[slot] = fresh + 1;
        this.#hashes[fresh] = hash;
        this.#texts.push(text);
        this.#lines[fresh] = line;
        return fresh;
      }
      if (this.#hashes[name] === hash && this.#isSame(name, bytes, start, end)) return name;
    }
  }

  #isSame(name: number, bytes: Uint8Array, start: number, end: number): boolean {
    const text = this.#texts[name] as TextLines;
    const from = text.start(this.#lines[name] as number);
    if (text.end(this.#lines[name] as number) - from !== end - start) return false;
    for (let i = start, j = from; i < end; i++, j++) if (bytes[i] !== text.bytes[j]) return false;
    return true;
  }
}
