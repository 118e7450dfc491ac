// Owns: the kernel's window over one document: loading it, when to pause, and what can be read off it directly.
// Must never: know what the bytes mean.

import type { ByteSource } from "../../text/byte-source.ts";
import { DATA_AT, type Kernel, MAX_WINDOW } from "./kernel.ts";
import { NONE, PAUSED, type ScannerOptions } from "./scanner.ts";

const NOTHING = new Uint8Array(0);

export class KernelWindow {
  readonly source: ByteSource;
  readonly kernel: Kernel;
  readonly window: number;
  readonly #pauseEvery: number;
  readonly #countLines: boolean;
  #loads = 0;
  /** Lines counted on the way: so many LF bytes are before this place. */
  #counted = { upTo: 0, lines: 0 };
  #pending: (() => number) | undefined;
  #back = NOTHING;
  #backLo = 0;
  #backHi = 0;

  constructor(source: ByteSource, kernel: Kernel, options: ScannerOptions) {
    this.source = source;
    this.kernel = kernel;
    this.window = Math.min(MAX_WINDOW, options.window ?? MAX_WINDOW) & ~63;
    this.#pauseEvery = options.pauseEvery ?? Number.POSITIVE_INFINITY;
    this.#countLines = options.countLines ?? false;
  }

  /** Makes the byte at `at` present; false at or past the end. */
  has(at: number): boolean {
    const kernel = this.kernel;
    if (kernel.source === this.source && at >= kernel.lo && at < kernel.hi) return true;
    this.#loads++;
    if (this.#countLines) this.#leave(at);
    return kernel.load(this.source, at, this.window);
  }

  /** Counts the lines of the window that is left for the one at `at`. */
  #leave(at: number): void {
    const { kernel } = this;
    const { upTo, lines } = this.#counted;
    if (kernel.source !== this.source || upTo < kernel.lo || at <= upTo || at > kernel.hi) return;
    this.#counted = { upTo: at, lines: lines + this.#linesInWindow(upTo, at) };
  }

  /**
   * Makes whole blocks present from `at` on, with `ahead` bytes readable after them, and returns how many bytes they
   * have; 0 at the end of the document, PAUSED when it is time to yield.
   */
  blocks(at: number, ahead: number): number {
    const { kernel, source } = this;
    if (at >= source.size) return 0;
    let present = kernel.source === source && at >= kernel.lo ? kernel.hi - at : 0;
    if (present < 64 + ahead && (present <= 0 || kernel.hi < source.size)) {
      if (this.#countLines) this.#leave(at);
      if (this.#loads >= this.#pauseEvery) {
        this.#loads = 0;
        return PAUSED;
      }
      this.#loads++;
      if (!kernel.load(source, at, this.window)) return 0;
      present = kernel.hi - at;
    }
    return kernel.hi < source.size ? (present - ahead) & ~63 : (present + 63) & ~63;
  }

  /** Like `blocks`, for a call that cannot pause. */
  blocksNow(at: number): number {
    const length = this.blocks(at, 0);
    return length === PAUSED ? this.blocks(at, 0) : length;
  }

  pause(then: () => number): number {
    this.#pending = then;
    return PAUSED;
  }

  resume(): number {
    const then = this.#pending;
    this.#pending = undefined;
    return then === undefined ? NONE : then();
  }

  byte(at: number): number {
    if (!this.has(at)) return NONE;
    return this.kernel.bytes[DATA_AT + at - this.kernel.lo] ?? NONE;
  }

  /** The byte at `at` without moving the window. */
  peek(at: number): number {
    const { kernel } = this;
    if (kernel.source === this.source && at >= kernel.lo && at < kernel.hi)
      return kernel.bytes[DATA_AT + at - kernel.lo] ?? NONE;
    if (at < this.#backLo || at >= this.#backHi) {
      if (this.#back.length === 0) this.#back = new Uint8Array(256);
      this.#backLo = Math.max(0, at - this.#back.length + 1);
      this.#backHi = this.#backLo + this.source.read(this.#backLo, this.#back, 0, at - this.#backLo + 1);
    }
    return this.#back[at - this.#backLo] ?? NONE;
  }

  /** The last place before `at`, not before `limit`, that is not blank. */
  before(at: number, limit: number): number {
    for (let i = at - 1; i > limit; i--) {
      const byte = this.peek(i);
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return i;
    }
    return limit;
  }

  bytes(start: number, end: number): Uint8Array {
    const stop = Math.min(end, this.source.size);
    const { kernel } = this;
    if (kernel.source === this.source && start >= kernel.lo && stop <= kernel.hi) {
      const place = DATA_AT - kernel.lo;
      return kernel.bytes.slice(place + start, place + Math.max(start, stop));
    }
    const bytes = new Uint8Array(Math.max(0, stop - start));
    this.source.read(start, bytes, 0, bytes.length);
    return bytes;
  }

  lines(upTo: number): number {
    const counted = this.#counted;
    if (upTo < counted.upTo) return this.linesBetween(0, upTo);
    return this.#lines(counted.upTo, Math.min(upTo, this.source.size), counted.lines);
  }

  linesBetween(from: number, upTo: number): number {
    return this.#lines(from, Math.min(upTo, this.source.size), 0);
  }

  #lines(from: number, upTo: number, counted: number): number {
    let at = from;
    let sum = counted;
    while (at < upTo) {
      const length = this.blocks(at, 0);
      if (length === PAUSED) return this.pause(() => this.#lines(at, upTo, sum));
      if (length === 0) break;
      sum += this.#linesInWindow(at, Math.min(upTo, at + length));
      at += length;
    }
    return sum;
  }

  #linesInWindow(from: number, upTo: number): number {
    const { bytes, lo, run } = this.kernel;
    const place = DATA_AT + from - lo;
    const whole = (upTo - from) & ~63;
    let sum = run.lines(place, whole);
    for (let i = whole; i < upTo - from; i++) if (bytes[place + i] === 0x0a) sum++;
    return sum;
  }
}
