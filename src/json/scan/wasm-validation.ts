// Owns: a validation that runs in the kernel and can be interrupted by another one.
// Must never: say more than "valid" or "not": the twin says where.

import { AHEAD, DATA_AT, OUT_AT, STACK_AT, VALID_AT, VALID_LENGTH } from "./kernel.ts";
import type { WasmScanner } from "./wasm-scanner.ts";
import { type Mode, NONE, PAUSED, STRIDE, type Watch } from "./scanner.ts";

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

export class KernelValidation {
  readonly #scanner: WasmScanner;
  readonly #watch: Watch | undefined;
  #at: number;
  #saved: { readonly state: Uint8Array; readonly stack: Uint8Array } | undefined;

  constructor(scanner: WasmScanner, mode: Mode, watch?: Watch) {
    this.#scanner = scanner;
    this.#watch = watch;
    const marked = scanner.byte(0) === 0xef && scanner.byte(1) === 0xbb && scanner.byte(2) === 0xbf;
    this.#at = marked && mode !== "strict" ? 3 : 0;
  }

  /** Goes on to the end: NONE when the document is valid, an offset near its first fault when not, or PAUSED. */
  run(): number {
    const result = this.#run();
    if (result !== PAUSED) this.#scanner.kernel.validating = undefined;
    return result;
  }

  #run(): number {
    const scanner = this.#scanner;
    const { kernel, source } = scanner;
    this.#take();
    let padded = false;
    while (this.#at < source.size) {
      let length = scanner.blocks(this.#at, WORD_AHEAD);
      if (length === PAUSED) return PAUSED;
      if (length === 0) return this.#at;
      const place = DATA_AT + this.#at - kernel.lo;
      // At the end one more block of blanks closes a number or a sequence that reaches the very last byte.
      if (this.#at + length >= source.size && this.#at + length === kernel.hi) {
        kernel.bytes.fill(0x20, place + length, place + length + AHEAD);
        length += AHEAD;
      }
      padded = this.#at + length > source.size;
      const result = this.#judge(place, length);
      if (result >= 0) return this.#at + result;
      this.#at += length;
    }
    return padded && kernel.run.validateDone() !== 0 ? NONE : source.size;
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
