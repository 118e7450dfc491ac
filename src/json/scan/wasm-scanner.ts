// Owns: the scanner that drives the SIMD kernels window by window.
// Must never: interpret comments. At a slash outside strings it hands the document to the twin, for good.

import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { WasmChildren } from "./wasm-children.ts";
import {
  CLOSED,
  DATA_AT,
  type Kernel,
  KEYS_AT,
  LOOK,
  MAX_WINDOW,
  MORE,
  OUT_AT,
  OUT_WORDS,
  MET_SLASH,
} from "./kernel.ts";
import { setKeys, setPrefilter } from "./kernel-input.ts";
import { KernelValidation } from "./wasm-validation.ts";
import { KernelWindow } from "./wasm-window.ts";
import type { Rows } from "./rows.ts";
import { JsScanner } from "./js-scanner.ts";
import {
  type Children,
  decodeString,
  type Keys,
  type JsonKind,
  kindOfByte,
  type Mode,
  NONE,
  PAUSED,
  type ScannerOptions,
  type IndexableScanner,
  type Watch,
} from "./scanner.ts";

/** No string has opened yet: far before any window. */
const FAR = -0x40000000;

const COUNT_WORD = 5;
const OPENER_WORD = 6;
const PLACE_WORD = 7;

export class WasmScanner extends KernelWindow implements IndexableScanner {
  readonly maxDepth: number;
  readonly #options: ScannerOptions;
  #twin: JsScanner | undefined;
  #suspicious = false;

  constructor(source: ByteSource, kernel: Kernel, options: ScannerOptions = {}) {
    super(source, kernel, options);
    this.#options = options;
    this.maxDepth = Math.min(options.maxDepth ?? DEFAULT_LIMITS.jsonDepth, DEFAULT_LIMITS.jsonDepth);
  }

  get comments(): boolean {
    return this.#twin?.comments ?? false;
  }

  get suspicious(): boolean {
    return this.#suspicious || this.#twin?.suspicious === true;
  }

  suspect(): void {
    this.#suspicious = true;
  }

  /** NONE, because something does not end as it must. */
  #never(): number {
    this.#suspicious = true;
    return NONE;
  }

  /** The scanner that takes over where the kernel cannot go on. */
  twin(): JsScanner {
    return (this.#twin ??= new JsScanner(this.source, this.#options));
  }

  /** Hands a call over to the twin, pauses included. */
  #hand(result: number): number {
    return result === PAUSED ? this.pause(() => this.#hand(this.twin().resume())) : result;
  }

  root(): number {
    const at = this.blank(this.#afterMark());
    return at < this.source.size ? at : NONE;
  }

  /** One past the byte order mark, if there is one. */
  #afterMark(): number {
    return this.byte(0) === 0xef && this.byte(1) === 0xbb && this.byte(2) === 0xbf ? 3 : 0;
  }

  blank(at: number): number {
    if (this.#twin !== undefined) return this.#twin.blank(at);
    let i = at;
    for (let tries = 0; ; i++, tries++) {
      const byte = this.byte(i);
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
      if (tries === 24) i = this.#longBlank(i + 1) - 1;
    }
    if (i >= this.source.size) return this.source.size;
    return this.byte(i) === 0x2f ? this.twin().blank(i) : i;
  }

  #longBlank(from: number): number {
    const { kernel } = this;
    let at = from;
    while (this.has(at)) {
      const left = kernel.hi - at;
      const found = kernel.run.blank(DATA_AT + at - kernel.lo, left);
      if (found !== MORE && found < left) return at + found;
      at += left;
    }
    return at;
  }

  kind(at: number): JsonKind | undefined {
    return kindOfByte(this.byte(at));
  }

  end(at: number): number {
    if (this.#twin !== undefined) return this.#hand(this.#twin.end(at));
    const byte = this.byte(at);
    if (byte === 0x7b || byte === 0x5b) {
      this.kernel.run.walkStart(1);
      return this.#skip(at, at + 1);
    }
    if (byte !== 0x22) return this.#scalarEnd(at);
    // Most strings are short and in the window, which `byte` has seen to: the kernel is worth its call only afterwards.
    const { bytes, lo, hi, run } = this.kernel;
    let i = at + 1;
    for (const stop = Math.min(hi, i + 32); i < stop; i++) {
      const here = bytes[DATA_AT + i - lo];
      if (here === 0x22) return i + 1;
      if (here === 0x5c) i++;
    }
    run.walkStart(1);
    return this.#stringEnd(i);
  }

  #scalarEnd(at: number): number {
    for (let i = at; ; i++) {
      const byte = this.byte(i);
      if (byte > 0x20 && SCALAR[byte] === 1) continue;
      if (byte === 0x2f) return this.twin().end(at);
      return i === at ? NONE : i;
    }
  }

  #skip(start: number, from: number): number {
    const { kernel } = this;
    let at = from;
    for (;;) {
      const length = this.blocks(at, 0);
      if (length === PAUSED) return this.#pauseSkip(start, at);
      if (length === 0) return this.#never();
      const result = kernel.run.skip(DATA_AT + at - kernel.lo, length);
      if (result >= 0) return at + result;
      if (result === MET_SLASH) return this.#hand(this.twin().end(start));
      at += length;
    }
  }

  // Apart from the loop, so that a call which does not pause makes no closure's context.
  #pauseSkip(start: number, at: number): number {
    return this.#pauseWalk(() => this.#skip(start, at));
  }

  #stringEnd(from: number): number {
    const { kernel } = this;
    let at = from;
    for (;;) {
      const length = this.blocks(at, 0);
      if (length === PAUSED) return this.#pauseWalk(() => this.#stringEnd(at));
      if (length === 0) return this.#never();
      const result = kernel.run.stringEnd(DATA_AT + at - kernel.lo, length);
      if (result >= 0) return at + result;
      at += length;
    }
  }

  /** Pauses inside a walk of the kernel, which other scanners may use meanwhile. */
  #pauseWalk(then: () => number): number {
    const walk = this.kernel.saveWalk();
    return this.pause(() => {
      this.kernel.restoreWalk(walk);
      return then();
    });
  }

  find(at: number, keys: Keys): number {
    keys.clear();
    if (this.#twin !== undefined) return this.#hand(this.#twin.find(at, keys));
    if (this.byte(at) !== 0x7b) return NONE;
    // Too many or too long keys for the kernel's memory.
    if (!setKeys(this.kernel, keys)) return this.#byOtherTwin((twin) => twin.find(at, keys));
    this.kernel.run.walkStart(1);
    return this.#find(at, at + 1, NONE, keys, NONE);
  }

  seek(at: number, keys: Keys, from: number = at + 1): number {
    keys.clear();
    this.#closed = NONE;
    if (this.#twin !== undefined) return this.#hand(this.#twin.seek(at, keys, from));
    if (this.byte(at) !== 0x7b) return NONE;
    if (!setKeys(this.kernel, keys)) return this.#byOtherTwin((twin) => twin.seek(at, keys, from));
    this.kernel.run.walkStart(1);
    return this.#find(at, from, NONE, keys, from);
  }

  rows(at: number, rows: Rows): number {
    if (this.#twin !== undefined) return this.#twin.rows(at, rows);
    if (!setKeys(this.kernel, rows.keys)) return 0;
    const { kernel } = this;
    if (!this.has(at)) return 0;
    let count = this.#rows(at, rows);
    // The record reaches beyond the window: one that begins with it may hold it.
    if (count === 0 && kernel.lo < at && kernel.hi < this.source.size) {
      kernel.load(this.source, at, this.window);
      count = this.#rows(at, rows);
    }
    return count;
  }

  #rows(at: number, rows: Rows): number {
    const { kernel } = this;
    const { width } = rows;
    const present = kernel.hi - at;
    const length = kernel.hi < this.source.size ? present & ~63 : (present + 63) & ~63;
    const most = Math.floor(OUT_WORDS / width);
    setPrefilter(this.kernel, rows.prefilter);
    const place = DATA_AT + at - kernel.lo;
    const seen = kernel.run.rows(place, length, rows.keys.names.length, most, rows.ending);
    rows.cover(at, at + (kernel.words[PLACE_WORD] ?? 0), seen);
    rows.load(kernel.words, OUT_AT >> 2, kernel.words[COUNT_WORD] ?? 0);
    return seen;
  }

  /** Runs a call by a twin that is used once, because the reason is no comment. */
  #byOtherTwin(call: (twin: JsScanner) => number): number {
    const twin = new JsScanner(this.source, this.#options);
    const settle = (result: number): number =>
      result === PAUSED ? this.pause(() => settle(twin.resume())) : result;
    return settle(call(twin));
  }

  /**
   * Walks on from `from`, where the last string before it opened at `opener`. `sought` is where a `seek` began, NONE
   * for a `find`.
   */
  #find(start: number, from: number, lastOpener: number, keys: Keys, sought: number): number {
    const { kernel } = this;
    const first = sought !== NONE;
    const { words } = kernel;
    let at = from;
    let opener = lastOpener;
    for (;;) {
      const length = this.blocks(at, 0);
      if (length === PAUSED) return this.#pauseFind(start, at, opener, keys, sought);
      if (length === 0) {
        this.#settleValues(keys);
        return first ? NONE : this.#never();
      }
      words[OPENER_WORD] = opener === NONE ? FAR : Math.max(FAR, opener - at);
      const here = at - kernel.lo;
      const result = kernel.run.find(DATA_AT + here, length, here, keys.names.length, first ? 1 : 0);
      if (result === MET_SLASH) return this.#findAmongComments(start, keys, sought);
      this.#harvest(at, keys);
      if (result >= 0) {
        this.#settleValues(keys);
        if (!first) return at + result;
        this.#closed = at + result;
        return NONE;
      }
      const seen = words[OPENER_WORD] ?? FAR;
      if (seen > FAR) opener = at + seen;
      if (result === MORE) {
        at += length;
        continue;
      }
      const colon = at + (words[PLACE_WORD] ?? 0);
      if (result === LOOK && opener !== NONE) this.#look(opener, colon, keys);
      if (first) {
        this.#settleValues(keys);
        for (const value of keys.values) if (value !== NONE) return value;
      }
      at = colon + 1;
      opener = NONE;
      kernel.run.walkStart(1);
    }
  }

  #pauseFind(start: number, at: number, opener: number, keys: Keys, sought: number): number {
    return this.#pauseWalk(() => {
      setKeys(this.kernel, keys);
      return this.#find(start, at, opener, keys, sought);
    });
  }

  #findAmongComments(start: number, keys: Keys, sought: number): number {
    // Hits of the call that stopped are not taken: the twin starts over.
    this.kernel.keys = undefined;
    const twin = this.twin();
    return this.#hand(sought === NONE ? twin.find(start, keys) : twin.seek(start, keys, sought));
  }

  /** Until now the values point after their colons. */
  #settleValues(keys: Keys): void {
    for (let i = 0; i < keys.names.length; i++) {
      const value = keys.values[i] ?? NONE;
      if (value !== NONE) keys.values[i] = this.blank(value);
    }
  }

  /** Takes the hits of one kernel call out of its memory. Values still point after the colon. */
  #harvest(at: number, keys: Keys): void {
    const { words } = this.kernel;
    for (let i = 0; i < keys.names.length; i++) {
      const word = (KEYS_AT >> 2) + i * 8;
      const hits = words[word + 2] ?? 0;
      if (hits === 0) continue;
      words[word + 2] = 0;
      keys.note(i, at + (words[word + 4] ?? 0), at + (words[word + 3] ?? 0));
      keys.counts[i] = (keys.counts[i] ?? 0) + hits - 1;
    }
  }

  /** Compares a key that the kernel could not: it is escaped or starts in a former window. */
  #look(opener: number, colon: number, keys: Keys): void {
    let most = 0;
    for (const name of keys.names) most = Math.max(most, name.length);
    const literal = new Uint8Array(Math.min(colon - opener, 6 * most + 2));
    this.source.read(opener, literal, 0, literal.length);
    let end = 1;
    while (end < literal.length && literal[end] !== 0x22) end += literal[end] === 0x5c ? 2 : 1;
    if (end >= literal.length) return;
    const name = decodeString(literal.subarray(0, end + 1));
    for (let i = 0; i < keys.names.length; i++) if (keys.names[i] === name) keys.note(i, opener, colon + 1);
  }

  nth(at: number, index: number): number {
    if (this.#twin !== undefined) return this.#hand(this.#twin.nth(at, index));
    const opener = this.byte(at);
    if (index < 0) return NONE;
    if (opener === 0x7b) return this.#nthMember(new WasmChildren(this, at, at + 1, 0), index);
    if (opener !== 0x5b) return NONE;
    if (index === 0) return this.#valueOrNone(at + 1);
    this.kernel.run.walkStart(1);
    return this.#separators(at, at + 1, index, 0, index);
  }

  hop(at: number, place: number, count: number, members: boolean): number {
    if (this.#twin !== undefined) return this.#hand(this.#twin.hop(at, place, count, members));
    if (members) return this.#nthMember(new WasmChildren(this, at, place, 0), count);
    if (count === 0) return this.#valueOrNone(place);
    this.kernel.run.walkStart(1);
    // Should a comment be met, the twin starts over from the same place.
    return this.#separators(at, place, count, 0, count, place);
  }

  #closed = NONE;

  get closed(): number {
    return this.#twin?.closed ?? this.#closed;
  }

  readonly stridden: { commas: number; close: number } = { commas: 0, close: NONE };

  stride(at: number, place: number, bytes: number): number {
    if (this.#twin !== undefined) return this.#strideByTwin(this.#twin, at, place, bytes);
    this.kernel.run.walkStart(1);
    return this.#stride(at, place, bytes, place, 0);
  }

  #strideByTwin(twin: JsScanner, at: number, place: number, bytes: number): number {
    const take = (result: number): number => {
      if (result === PAUSED) return this.pause(() => take(twin.resume()));
      this.stridden.commas = twin.stridden.commas;
      this.stridden.close = twin.stridden.close;
      return result;
    };
    return take(twin.stride(at, place, bytes));
  }

  #stride(at: number, place: number, bytes: number, from: number, passed: number): number {
    const { kernel } = this;
    const { words } = kernel;
    let here = from;
    let commas = passed;
    for (;;) {
      let length = this.blocks(here, 0);
      if (length === PAUSED) return this.#pauseWalk(() => this.#stride(at, place, bytes, here, commas));
      if (length === 0) {
        this.stridden.commas = commas;
        this.stridden.close = NONE;
        return NONE;
      }
      // Far from the target commas are only counted; near it they are taken one by one.
      const far = Math.min(place + bytes - here, MAX_WINDOW) & ~63;
      const counting = far > 0;
      if (counting) length = Math.min(length, far);
      words[COUNT_WORD] = 0;
      const result = kernel.run.separator(DATA_AT + here - kernel.lo, length, counting ? 0xffffffff : 1);
      if (result === MET_SLASH) return this.#strideByTwin(this.twin(), at, place, bytes);
      commas += words[COUNT_WORD] ?? 0;
      if (result === CLOSED) {
        this.stridden.commas = commas;
        this.stridden.close = here + (words[PLACE_WORD] ?? 0);
        return NONE;
      }
      if (result === MORE) here += length;
      else {
        here += result;
        if (here < place + bytes) {
          kernel.run.walkStart(1);
          continue;
        }
        this.stridden.commas = commas;
        this.stridden.close = NONE;
        return here;
      }
    }
  }

  #nthMember(children: WasmChildren, index: number): number {
    for (;;) {
      const start = children.next();
      if (start === PAUSED) return this.pause(() => this.#nthMember(children, index));
      if (start === NONE || children.index === index) return start;
    }
  }

  #valueOrNone(at: number): number {
    const start = this.blank(at);
    const byte = this.byte(start);
    return byte === NONE || byte === 0x5d || byte === 0x7d || byte === 0x2c ? NONE : start;
  }

  count(at: number): number {
    if (this.#twin !== undefined) return this.#hand(this.#twin.count(at));
    const opener = this.byte(at);
    if (opener !== 0x7b && opener !== 0x5b) return NONE;
    this.kernel.run.walkStart(1);
    return this.#separators(at, at + 1, 0, 0, 0);
  }

  /**
   * Walks on to separator `want` and returns the value after it; with `want` 0 to the container's end and returns how
   * many children it has. The kernel counts from 0 in every call, so no count can overflow. `place` and `hops` are
   * what the twin starts over with.
   */
  #separators(
    start: number,
    from: number,
    want: number,
    counted: number,
    hops: number,
    place: number = start + 1,
  ): number {
    const { kernel } = this;
    let at = from;
    let count = counted;
    for (;;) {
      const length = this.blocks(at, 0);
      if (length === PAUSED)
        return this.#pauseWalk(() => this.#separators(start, at, want, count, hops, place));
      if (length === 0) return want === 0 ? this.#never() : NONE;
      kernel.words[COUNT_WORD] = 0;
      const ask = want === 0 ? 0xffffffff : Math.min(want - count, 0xffffffff);
      const result = kernel.run.separator(DATA_AT + at - kernel.lo, length, ask);
      if (result === MET_SLASH)
        return this.#hand(want === 0 ? this.twin().count(start) : this.twin().hop(start, place, hops, false));
      if (result >= 0) return this.#valueOrNone(at + result);
      count += kernel.words[COUNT_WORD] ?? 0;
      if (result === CLOSED) {
        if (want !== 0) return NONE;
        // '{' and '}', '[' and ']' are two apart.
        const bracket = at + (kernel.words[PLACE_WORD] ?? 0) - 1;
        if (this.peek(bracket) !== this.peek(start) + 2) this.suspect();
        const last = this.before(at + (kernel.words[PLACE_WORD] ?? 0) - 1, start);
        return last === start || this.peek(last) === 0x2c ? count : count + 1;
      }
      at += length;
    }
  }

  children(at: number, first = 0): Children {
    if (this.#twin !== undefined) return this.#twin.children(at, first);
    if (first === 0) return new WasmChildren(this, at, at + 1, 0);
    // One walk over the children before; a pause would have nowhere to go.
    this.kernel.run.walkStart(1);
    let place = at + 1;
    for (let left = first; left > 0;) {
      const length = this.blocksNow(place);
      if (length === 0) return this.childrenFrom(at, this.source.size, first);
      this.kernel.words[COUNT_WORD] = 0;
      const result = this.kernel.run.separator(DATA_AT + place - this.kernel.lo, length, left);
      if (result === MET_SLASH) return this.twin().children(at, first);
      left -= this.kernel.words[COUNT_WORD] ?? 0;
      if (result === CLOSED)
        return this.childrenFrom(at, place + (this.kernel.words[PLACE_WORD] ?? 0) - 1, first);
      place += result === MORE ? length : result;
    }
    return this.childrenFrom(at, place, first);
  }

  landmark(at: number): number {
    return at + 1;
  }

  tabulate(): number {
    return NONE;
  }

  childrenFrom(at: number, place: number, index: number): Children {
    return this.#twin === undefined
      ? new WasmChildren(this, at, place, index)
      : this.#twin.childrenFrom(at, place, index);
  }

  validate(mode: Mode): number {
    if (mode === "jsonc") return this.#validateByTwin(mode);
    return this.#validate(this.#validation(mode), mode);
  }

  check(mode: Mode, watch?: Watch): number {
    if (mode === "jsonc") return this.#validateByTwin(mode);
    return this.#check(this.#validation(mode, watch));
  }

  #validation(mode: Mode, watch?: Watch): KernelValidation {
    return new KernelValidation(this, mode === "strict" ? 0 : this.#afterMark(), this.source.size, watch);
  }

  checkValue(start: number, end: number): number {
    if (this.#twin !== undefined) return this.#hand(this.#twin.checkValue(start, end));
    return this.#checkValue(new KernelValidation(this, start, end), start, end);
  }

  #checkValue(validation: KernelValidation, start: number, end: number): number {
    const result = validation.run();
    if (result === NONE) return NONE;
    return result === PAUSED
      ? this.pause(() => this.#checkValue(validation, start, end))
      : // What is no JSON may be JSONC.
        this.#byOtherTwin((twin) => twin.checkValue(start, end));
  }

  #check(validation: KernelValidation): number {
    const result = validation.run();
    return result === PAUSED ? this.pause(() => this.#check(validation)) : result;
  }

  #validate(validation: KernelValidation, mode: Mode): number {
    const result = validation.run();
    if (result === PAUSED) return this.pause(() => this.#validate(validation, mode));
    // The kernel knows that something is wrong; what exactly is the twin's to say.
    return result === NONE ? NONE : this.#validateByTwin(mode);
  }

  #validateByTwin(mode: Mode): number {
    return this.#byOtherTwin((twin) => twin.validate(mode));
  }
}

// Bytes that a number, word or other run outside strings is made of: all but blanks, marks, quotes and slashes.
const SCALAR = new Uint8Array(256).fill(1, 0x21);
for (const char of '{}[],:"/') SCALAR[char.charCodeAt(0)] = 0;
