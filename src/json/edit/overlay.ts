// Owns: a source with edits on top: reads as the edited bytes, and returns the edits as splices over the original.

import type { ByteSource } from "../../text/byte-source.ts";
import type { Splice } from "../../text/splice.ts";

// The edited bytes are a list of pieces, each a part of the original or of inserted bytes. Original parts keep their
// order, so what lies between two of them in the original has been removed.
interface Piece {
  /** Where the piece starts in the edited bytes. */
  readonly at: number;
  readonly length: number;
  /** Offset in the original, or in `bytes`. */
  readonly from: number;
  readonly bytes: Uint8Array | undefined;
}

let made = 0;

/** A source with edits on top. Immutable, as a source must be: every edit makes another one. */
export class Overlay implements ByteSource {
  readonly size: number;
  readonly id: string;
  readonly #original: ByteSource;
  readonly #pieces: readonly Piece[];

  private constructor(original: ByteSource, pieces: readonly Piece[], size: number, id: string) {
    this.#original = original;
    this.#pieces = pieces;
    this.size = size;
    this.id = id;
  }

  static over(original: ByteSource): Overlay {
    const { size, id } = original;
    return new Overlay(
      original,
      size === 0 ? [] : [{ at: 0, length: size, from: 0, bytes: undefined }],
      size,
      id,
    );
  }

  read(at: number, into: Uint8Array, offset: number, length: number): number {
    const stop = Math.min(at + length, this.size);
    let done = at;
    for (let i = this.#pieceAt(at); done < stop; i++) {
      const piece = this.#pieces[i];
      if (piece === undefined) break;
      const skip = done - piece.at;
      const take = Math.min(piece.length - skip, stop - done);
      const to = offset + done - at;
      if (piece.bytes === undefined) this.#original.read(piece.from + skip, into, to, take);
      else into.set(piece.bytes.subarray(piece.from + skip, piece.from + skip + take), to);
      done += take;
    }
    return Math.max(0, done - at);
  }

  /** The piece that holds the byte at `at`. */
  #pieceAt(at: number): number {
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#pieces[middle]?.at ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** With splices over the bytes as they are now: sorted, not overlapping. */
  with(splices: readonly Splice[]): Overlay {
    const pieces: Piece[] = [];
    let size = 0;
    const put = (from: number, length: number, bytes: Uint8Array | undefined): void => {
      if (length === 0) return;
      pieces.push({ at: size, length, from, bytes });
      size += length;
    };
    let at = 0;
    const keepTo = (stop: number): void => {
      for (let i = this.#pieceAt(at); at < stop; i++) {
        const piece = this.#pieces[i];
        if (piece === undefined) return;
        const skip = at - piece.at;
        const take = Math.min(piece.length - skip, stop - at);
        put(piece.from + skip, take, piece.bytes);
        at += take;
      }
    };
    for (const splice of splices) {
      keepTo(splice.at);
      put(0, splice.insert.length, splice.insert);
      at = splice.at + splice.remove;
    }
    keepTo(this.size);
    return new Overlay(this.#original, pieces, size, `overlay:${++made}`);
  }

  /** All edits so far, over the original bytes. */
  splices(): readonly Splice[] {
    const splices: Splice[] = [];
    let at = 0;
    let inserts: Uint8Array[] = [];
    const flush = (until: number): void => {
      if (inserts.length > 0 || until > at)
        splices.push(Object.freeze({ at, remove: until - at, insert: joined(inserts) }));
      inserts = [];
    };
    for (const piece of this.#pieces) {
      if (piece.bytes !== undefined)
        inserts.push(piece.bytes.subarray(piece.from, piece.from + piece.length));
      else {
        flush(piece.from);
        at = piece.from + piece.length;
      }
    }
    flush(this.#original.size);
    return Object.freeze(splices);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
