// Owns: the window through which a scanner looks at its source.
// Must never: hold more than one window of the document.

import type { ByteSource } from "../../text/byte-source.ts";

export const WINDOW: number = 256 * 1024;

/** Bytes `lo` to `hi` of the source are at `bytes[base..]`. */
export class SourceWindow {
  readonly source: ByteSource;
  readonly bytes: Uint8Array;
  readonly length: number;
  lo = 0;
  hi = 0;
  /** Windows loaded so far. */
  loads = 0;

  constructor(source: ByteSource, length: number = WINDOW) {
    this.source = source;
    this.length = Math.min(length, Math.max(64, source.size));
    this.bytes = new Uint8Array(this.length);
  }

  /** Makes the byte at `at` present; false at or past the end. */
  at(at: number): boolean {
    if (at >= this.lo && at < this.hi) return true;
    if (at >= this.source.size) return false;
    const got = this.source.read(at, this.bytes, 0, Math.min(this.length, this.source.size - at));
    this.lo = at;
    this.hi = at + got;
    this.loads++;
    return got > 0;
  }
}
