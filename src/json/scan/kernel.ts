// Owns: the one WebAssembly instance of the process, its window and who is using it.
// Must never: grow its memory, which would detach the views.
//
// The instance is shared: a scanner takes it before each call and finds its window again, or loads it anew when another
// scanner had it meanwhile. Nothing runs inside the kernel across two calls, so this is safe in one thread.

import type { ByteSource } from "../../text/byte-source.ts";
import { KERNEL } from "./kernel.gen.ts";

// Places in memory and results: see kernel/layout.as.ts and kernel/walk.as.ts.
export const PREFILTER_AT = 256;
export const PREFILTER_TEXT_AT = 512;
export const PREFILTER_TEXT_END = 3072;
export const KEYS_AT = 8192;
export const KEY_BYTES_AT = 12_288;
export const KEY_BYTES_END = 131_072;
export const MAX_KEYS = 128;
export const OUT_AT = 131_072;
/** Words that fit between OUT and the window. */
export const OUT_WORDS = 67_584;
export const DATA_AT = 401_408;
export const MAX_WINDOW: number = 256 * 1024;
export const STACK_AT = 1_048_576;
export const VALID_AT = 128;
export const VALID_LENGTH = 128;

export const MORE = -1;
export const MET_SLASH = -2;
export const LOOK = -3;
export const CLOSED = -4;

/** Bytes after a window that a kernel may look at. */
export const AHEAD = 64;

/** How much is read at a place that does not follow the last one. */
const FIRST_READ = 4_096;
/** A document up to here is read whole. */
const SMALL = 16_384;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  init(): void;
  validateStart(maxDepth: number): void;
  validate(at: number, length: number): number;
  validateDone(): number;
  walkStart(depth: number): void;
  skip(at: number, length: number): number;
  separator(at: number, length: number, want: number): number;
  find(at: number, length: number, back: number, keys: number, first: number): number;
  children(at: number, length: number, members: number): number;
  stringEnd(at: number, length: number): number;
  blank(at: number, length: number): number;
  rows(at: number, length: number, keys: number, most: number, ending: number): number;
  lines(at: number, length: number): number;
}

export class Kernel {
  readonly run: Exports;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  /** The source whose bytes `lo` to `hi` are in the window. */
  source: ByteSource | undefined;
  lo = 0;
  hi = 0;
  #reach = 0;
  /** The keys whose bytes are in memory. */
  keys: object | undefined;
  /** The prefilter that is in memory. */
  prefilter: object | undefined;
  /** The validation whose state is in memory. */
  validating: object | undefined;

  constructor(run: Exports) {
    this.run = run;
    this.bytes = new Uint8Array(run.memory.buffer);
    this.words = new Int32Array(run.memory.buffer);
    run.init();
  }

  /** Fills the window with the source's bytes from `at` on; false at or past the end. */
  load(source: ByteSource, at: number, window: number): boolean {
    if (at >= source.size) return false;
    // A jump to somewhere else starts with a small read; going on where the last window ended reads more each time.
    const onward = this.source === source && at <= this.hi && at + window > this.hi && at > this.lo;
    const first = source.size <= SMALL ? SMALL : FIRST_READ;
    this.#reach = Math.min(window, onward ? this.#reach * 4 : first);
    this.source = undefined;
    const got = source.read(at, this.bytes, DATA_AT, Math.min(this.#reach + AHEAD, source.size - at));
    // After the document's end are blanks, so that the last block is a whole one.
    if (at + got >= source.size) this.bytes.fill(0x20, DATA_AT + got, DATA_AT + got + 2 * AHEAD);
    this.source = source;
    this.lo = at;
    this.hi = at + got;
    return got > 0;
  }

  /** Eight words: where a structural walk is. */
  saveWalk(): Int32Array {
    return this.words.slice(0, 8);
  }

  restoreWalk(walk: Int32Array): void {
    this.words.set(walk, 0);
  }
}

interface WasmModule {
  readonly exports: unknown;
}

// The compiler's library for this target has no WebAssembly, which every supported runtime has.
declare const WebAssembly:
  | {
      validate(bytes: Uint8Array): boolean;
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object, imports: object) => WasmModule;
    }
  | undefined;

let kernel: Kernel | null | undefined;

/** The kernel, or null where WebAssembly with SIMD cannot be had. Made on first use: about a millisecond. */
export function theKernel(): Kernel | null {
  if (kernel === undefined) kernel = makeKernel();
  return kernel;
}

function makeKernel(): Kernel | null {
  try {
    if (typeof WebAssembly === "undefined") return null;
    const binary = Uint8Array.from(atob(KERNEL), (char) => char.charCodeAt(0));
    if (!WebAssembly.validate(binary)) return null;
    return new Kernel(new WebAssembly.Instance(new WebAssembly.Module(binary), {}).exports as Exports);
  } catch {
    return null;
  }
}
