// Owns: a validation that runs in the kernel and can be interrupted by another one.
// Must never: say more than "valid" or "not": the twin says where.

import { DATA_AT, OUT_AT, STACK_AT, VALID_AT, VALID_LENGTH } from "./kernel.ts";
import type { WasmScanner } from "./wasm-scanner.ts";
import { NONE, PAUSED, STRIDE, type Watch } from "./scanner.ts";

/** Bytes that the kernel reads after a block: the rest of a word. */
const WORD_AHEAD = 8;
const DEPTH_WORD = (VALID_AT >> 2) + 16;
// What is watched on the way: see kernel/validate.as.ts.
const WATCH_WORD = (VALID_AT >> 2) + 26;
const STATE_WORD = (VALID_AT >> 2) + 27;
const COMMAS_WORD = (VALID_AT >> 2) + 28;
const TARGET_WORD = (VALID_AT >> 2) + 29;
const SAMPLES_WORD = (VALID_AT >> 2) + 30;
const ENDED_WORD = (VALID_AT >> 2) + 31;
const NEXT_ITEM = 3;
const NEXT_KEY = 6;

/** Where the last bytes are judged, with blanks after them: out of the way of what is watched. */
const TAIL_AT = OUT_AT + 4_096;
const BLOCK = 64;
/** The block of the last bytes, and one more that closes a number or a sequence which reaches the very last of them. */
const TAIL = 2 * BLOCK;

/** Judges the bytes from `start` to `stop` as one JSON text. */
export class KernelValidation {
  readonly #scanner: WasmScanner;
  readonly #watch: Watch | undefined;
  readonly #stop: number;
  #at: number;
  #saved: { readonly state: Uint8Array; readonly stack: Uint8Array } | undefined;

  constructor(scanner: WasmScanner, start: number, stop: number, watch?: Watch) {
    this.#scanner = scanner;
    this.#watch = watch;
    this.#at = start;
    this.#stop = stop;
  }

  /** Goes on to the end: NONE when the text is valid, an offset near its first fault when not, or PAUSED. */
  run(): number {
    const result = this.#run();
    if (result !== PAUSED) this.#scanner.kernel.validating = undefined;
    return result;
  }

  #run(): number {
    const scanner = this.#scanner;
    const { kernel } = scanner;
    this.#take();
    for (;;) {
      const left = this.#stop - this.#at;
      if (left === 0) return this.#end(0);
      const present = scanner.blocks(this.#at, WORD_AHEAD);
      if (present === PAUSED) return PAUSED;
      if (present === 0) return this.#at;
      if (left < BLOCK) return this.#end(left);
      const length = Math.min(present, left) & ~(BLOCK - 1);
      const result = this.#judge(DATA_AT + this.#at - kernel.lo, length);
      if (result >= 0) return this.#at + result;
      this.#at += length;
    }
  }

  /** Judges the last `left` bytes, fewer than a block, and that the text ends with them. */
  #end(left: number): number {
    const { bytes, lo, run } = this.#scanner.kernel;
    const place = DATA_AT + this.#at - lo;
    bytes.copyWithin(TAIL_AT, place, place + left);
    bytes.fill(0x20, TAIL_AT + left, TAIL_AT + TAIL + WORD_AHEAD);
    const result = this.#judge(TAIL_AT, TAIL);
    if (result >= 0) return this.#at + Math.min(result, left);
    return run.validateDone() === 0 ? this.#stop : NONE;
  }

  #judge(place: number, length: number): number {
    const watch = this.#watch;
    const { bytes, words, run, lo } = this.#scanner.kernel;
    if (watch === undefined || watch.end !== NONE || watch.start >= this.#at + length)
      return run.validate(place, length);
    if (watch.start >= this.#at)
      words[STATE_WORD] = bytes[DATA_AT + watch.start - lo] === 0x7b ? NEXT_KEY : NEXT_ITEM;
    words[WATCH_WORD] = Math.max(0, watch.start - this.#at);
    words[COMMAS_WORD] = 0;
    words[TARGET_WORD] = Math.max(0, (watch.samples.at(-1) ?? 0) + STRIDE - this.#at - 1);
    words[SAMPLES_WORD] = 0;
    words[ENDED_WORD] = 0;
    const result = run.validate(place, length);
    this.#see(watch);
    words[WATCH_WORD] = -1;
    return result;
  }

  #see(watch: Watch): void {
    const { words } = this.#scanner.kernel;
    const samples = words[SAMPLES_WORD] ?? 0;
    for (let i = 0, word = OUT_AT >> 2; i < samples; i++, word += 2)
      watch.samples.push(watch.commas + (words[word] ?? 0), this.#at + (words[word + 1] ?? 0));
    watch.commas += words[COMMAS_WORD] ?? 0;
    const ended = words[ENDED_WORD] ?? 0;
    if (ended > 0) watch.end = this.#at + ended;
  }

  /** Puts this validation's state into the kernel, saving that of another one on its way. */
  #take(): void {
    const { kernel, maxDepth } = this.#scanner;
    const other = kernel.validating;
    if (other === this) return;
    if (other instanceof KernelValidation) other.#save();
    kernel.validating = this;
    if (this.#saved === undefined) kernel.run.validateStart(maxDepth);
    else {
      kernel.bytes.set(this.#saved.state, VALID_AT);
      kernel.bytes.set(this.#saved.stack, STACK_AT);
      this.#saved = undefined;
    }
  }

  #save(): void {
    const { bytes, words } = this.#scanner.kernel;
    this.#saved = {
      state: bytes.slice(VALID_AT, VALID_AT + VALID_LENGTH),
      stack: bytes.slice(STACK_AT, STACK_AT + (words[DEPTH_WORD] ?? 0)),
    };
  }
}
