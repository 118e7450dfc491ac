// Owns: a source with edits on top: reads as the edited bytes, and returns the edits as splices over the original.

import type { ByteSource } from "../../text/byte-source.ts";
import { composeSplices } from "../../text/splice-compose.ts";
import type { Splice } from "../../text/splice.ts";
import { splicedSource } from "../../text/spliced-source.ts";

let made = 0;

/** A source with edits on top. Immutable, as a source must be: every edit makes another one. */
export class Overlay implements ByteSource {
  readonly size: number;
  readonly id: string;
  /** All edits so far, over the original bytes. */
  readonly splices: readonly Splice[];
  readonly #original: ByteSource;
  readonly #edited: ByteSource;

  private constructor(original: ByteSource, edited: ByteSource, splices: readonly Splice[]) {
    this.#original = original;
    this.#edited = edited;
    this.splices = splices;
    this.size = edited.size;
    this.id = edited.id;
  }

  static over(original: ByteSource): Overlay {
    return new Overlay(original, original, []);
  }

  read(at: number, into: Uint8Array, offset: number, length: number): number {
    return this.#edited.read(at, into, offset, length);
  }

  /** With splices over the bytes as they are now: sorted, not overlapping. */
  with(splices: readonly Splice[]): Overlay {
    const all = Object.freeze(composeSplices(this.splices, splices).map((splice) => Object.freeze(splice)));
    return new Overlay(this.#original, splicedSource(this.#original, all, `overlay:${++made}`), all);
  }
}
