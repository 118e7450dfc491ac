// Owns: stepping through a container's children with the kernel, a batch of separators at a time.
// Must never: keep the separators of more than one batch.

import { CLOSED, DATA_AT, OUT_AT, MET_SLASH } from "./kernel.ts";
import type { WasmScanner } from "./wasm-scanner.ts";
import { type Children, kindOfByte, NONE, PAUSED } from "./scanner.ts";

/** Bytes walked in one kernel call: few at first, as often only a few children are asked for, then more and more. */
const FIRST_BATCH = 4_096;
/** At most so many separators, which is what OUT holds. */
const LARGEST_BATCH = 65_536;

const COUNT_WORD = 5;
const PLACE_WORD = 7;
const NO_EVENTS = new Uint32Array(0);

// What `next` waits for.
const START = 0;
const COLON = 1;
const END = 2;
const DONE = 3;

/** Longer keys, strings and numbers are not looked through again. */
const MOST_CHECKED = 64;

/** A slash was met. Apart from PAUSED, which has the kernel's own number for it. */
const HANDED = -3;

export class WasmChildren implements Children {
  keyStart: number = NONE;
  keyEnd: number = NONE;
  start: number = NONE;
  end: number = NONE;
  index: number;
  close: number = NONE;
  readonly #scanner: WasmScanner;
  readonly #container: number;
  readonly #members: boolean;
  #twin: Children | undefined;
  #phase = START;
  /** Where the part that holds the next child starts: after the bracket or a comma. */
  #part: number;
  // The current batch: separators as offsets from `#base`, doubled, plus one for a colon.
  #events = NO_EVENTS;
  #event = 0;
  #base = 0;
  /** Where the next batch starts; NONE once the container has closed or the document has ended. */
  #at: number;
  #walk: Int32Array | undefined;
  #batch = FIRST_BATCH;
  #bracket = NONE;

  constructor(scanner: WasmScanner, at: number, place: number, index: number) {
    this.#scanner = scanner;
    this.#container = at;
    const opener = scanner.byte(at);
    this.#members = opener === 0x7b;
    if (opener !== 0x7b && opener !== 0x5b) this.#phase = DONE;
    this.#part = this.#at = place;
    this.index = index - 1;
  }

  next(): number {
    if (this.#twin !== undefined) return this.#follow(this.#twin);
    const scanner = this.#scanner;
    for (;;) {
      if (this.#phase === DONE) return NONE;
      if (this.#phase === START) {
        const first = scanner.blank(this.#part);
        const byte = scanner.peek(first);
        if (
          byte === 0x7d ||
          byte === 0x5d ||
          first >= scanner.source.size ||
          (this.#members && byte !== 0x22)
        )
          return this.#finish(byte === 0x7d || byte === 0x5d ? first + 1 : NONE);
        if (this.#members) this.keyStart = first;
        else this.start = first;
        this.#phase = this.#members ? COLON : END;
      }
      const event = this.#nextEvent();
      if (event === PAUSED) return PAUSED;
      if (event === HANDED) return this.#handOver();
      if (this.#phase === COLON) {
        if (event === NONE || (event & 1) === 0) return this.#finish(NONE);
        const colon = this.#base + (event >>> 1);
        this.keyEnd = scanner.before(colon, this.keyStart) + 1;
        this.start = scanner.blank(colon + 1);
        if (!this.#isOne(this.keyStart, this.keyEnd)) return this.#finish(NONE);
        this.#phase = END;
        continue;
      }
      if (event !== NONE && (event & 1) === 1) return this.#finish(NONE);
      this.index++;
      if (event === NONE) {
        this.end = this.#bracket === NONE ? NONE : scanner.before(this.#bracket, this.start) + 1;
        if (this.#bracket === NONE) {
          this.#phase = DONE;
          scanner.suspect();
        } else this.#part = this.#bracket;
      } else {
        this.#part = this.#base + (event >>> 1) + 1;
        this.end = scanner.before(this.#part - 1, this.start) + 1;
      }
      if (this.end !== NONE && !this.#isOne(this.start, this.end)) scanner.suspect();
      if (this.#phase !== DONE) this.#phase = START;
      return this.start;
    }
  }

  /**
   * False when what lies between two separators is plainly not one key or value: it ends otherwise than it begins, or,
   * where it is short, there is a second one in it.
   */
  #isOne(start: number, end: number): boolean {
    const { kernel, source } = this.#scanner;
    const first = this.#scanner.peek(start);
    const last = this.#scanner.peek(end - 1);
    // '{' and '}', '[' and ']' are two apart.
    if (first === 0x7b || first === 0x5b) return last === first + 2;
    const text = first === 0x22;
    if (text ? last !== 0x22 || end - start < 2 : kindOfByte(first) === undefined) return false;
    if (end - start > MOST_CHECKED || kernel.source !== source || start < kernel.lo || end > kernel.hi)
      return true;
    const { bytes, lo } = kernel;
    const stop = DATA_AT + end - 1 - lo;
    let i = DATA_AT + start + 1 - lo;
    for (; i < stop; i++) {
      const byte = bytes[i] ?? 0;
      if (text ? byte === 0x22 : byte <= 0x20 || byte === 0x22) return false;
      if (text && byte === 0x5c) i++;
    }
    return i === stop || !text;
  }

  #finish(close: number): number {
    this.#phase = DONE;
    const closer = this.#members ? 0x7d : 0x5d;
    if (close === NONE || this.#scanner.peek(close - 1) !== closer) this.#scanner.suspect();
    this.close = close;
    this.keyStart = this.keyEnd = this.start = this.end = NONE;
    return NONE;
  }

  /** The next separator, doubled, plus one for a colon; NONE when there is none; PAUSED; HANDED. */
  #nextEvent(): number {
    const scanner = this.#scanner;
    const { kernel } = scanner;
    while (this.#event === this.#events.length) {
      if (this.#at === NONE) return NONE;
      const present = scanner.blocks(this.#at, 0);
      if (present === PAUSED) return PAUSED;
      if (present === 0) {
        this.#at = NONE;
        return NONE;
      }
      if (this.#walk === undefined) kernel.run.walkStart(1);
      else kernel.restoreWalk(this.#walk);
      const length = Math.min(present, this.#batch);
      this.#batch = Math.min(4 * this.#batch, LARGEST_BATCH);
      const result = kernel.run.children(DATA_AT + this.#at - kernel.lo, length, this.#members ? 1 : 0);
      if (result === MET_SLASH) return HANDED;
      this.#walk = kernel.saveWalk();
      const out = OUT_AT >> 2;
      this.#events = new Uint32Array(kernel.words.slice(out, out + (kernel.words[COUNT_WORD] ?? 0)).buffer);
      this.#event = 0;
      this.#base = this.#at;
      if (result === CLOSED) {
        this.#bracket = this.#at + (kernel.words[PLACE_WORD] ?? 0) - 1;
        this.#at = NONE;
      } else this.#at += length;
    }
    return this.#events[this.#event++] ?? NONE;
  }

  /** A slash outside strings: the twin, which knows comments, goes on from the same child. */
  #handOver(): number {
    const twin = this.#scanner.twin().childrenFrom(this.#container, this.#part, this.index + 1);
    this.#twin = twin;
    return this.#follow(twin);
  }

  #follow(twin: Children): number {
    const start = twin.next();
    if (start === PAUSED) return PAUSED;
    this.keyStart = twin.keyStart;
    this.keyEnd = twin.keyEnd;
    this.start = twin.start;
    this.end = twin.end;
    this.index = twin.index;
    this.close = twin.close;
    return start;
  }
}
