// Owns: Splice, the one form of an edit, and what follows from it alone: apply, invert, merge.
// Must never: read more of the original than a splice names. Offsets are plain numbers: files exceed 2^32 bytes.

import { readBytes, type ByteSource } from "./byte-source.ts";

/**
 * Replace `remove` bytes at `at` of the original bytes with `insert`. A list of splices is sorted and does not overlap:
 * each begins at or after the end of what the one before removes. All offsets are over the original bytes.
 */
export interface Splice {
  readonly at: number;
  readonly remove: number;
  readonly insert: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/**
 * Checks a list of splices against the size of what it edits. Throws `RangeError` naming the first splice that is not
 * whole, not in order, or out of bounds: such a list is a mistake of the code that made it, not of a caller.
 */
export function validateSplices(splices: readonly Splice[], size: number): void {
  let end = 0;
  for (let i = 0; i < splices.length; i++) {
    const { at, remove, insert } = splices[i] as Splice;
    if (!Number.isSafeInteger(at) || !Number.isSafeInteger(remove) || at < 0 || remove < 0)
      throw new RangeError(`Splice ${i} has at ${at} and remove ${remove}: whole numbers from 0 are wanted`);
    if (!(insert instanceof Uint8Array)) throw new RangeError(`Splice ${i} has no bytes to insert`);
    if (at < end) throw new RangeError(`Splice ${i} begins at ${at}, before ${end} where the last one ends`);
    end = at + remove;
    if (end > size) throw new RangeError(`Splice ${i} ends at ${end}, beyond the ${size} bytes there are`);
  }
}

/** How many bytes longer (or, below zero, shorter) the result is. */
export function spliceDelta(splices: readonly Splice[]): number {
  let delta = 0;
  for (const { remove, insert } of splices) delta += insert.length - remove;
  return delta;
}

/** The edited bytes, in a new array. Cost: the size of the result. */
export function applySplices(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  validateSplices(splices, bytes.length);
  const result = new Uint8Array(bytes.length + spliceDelta(splices));
  let from = 0;
  let to = 0;
  for (const { at, remove, insert } of splices) {
    result.set(bytes.subarray(from, at), to);
    to += at - from;
    result.set(insert, to);
    to += insert.length;
    from = at + remove;
  }
  result.set(bytes.subarray(from), to);
  return result;
}

/**
 * The splices that turn the result back into the original. Reads only the removed bytes, so it costs what the splices
 * touch, however large the original.
 */
export function invertSplices(original: Uint8Array | ByteSource, splices: readonly Splice[]): Splice[] {
  validateSplices(splices, original instanceof Uint8Array ? original.length : original.size);
  let shift = 0;
  return splices.map(({ at, remove, insert }) => {
    const removed =
      remove === 0
        ? NOTHING
        : original instanceof Uint8Array
          ? original.slice(at, at + remove)
          : readBytes(original, at, remove);
    const inverse: Splice = { at: at + shift, remove: insert.length, insert: removed };
    shift += insert.length - remove;
    return inverse;
  });
}

/**
 * The same edit with touching splices joined into one and empty ones dropped: the canonical list. Two lists that
 * replace the same ranges with the same bytes become equal.
 */
export function mergeAdjacent(splices: readonly Splice[]): Splice[] {
  const builder = new SpliceBuilder();
  for (const { at, remove, insert } of splices) {
    builder.keepTo(at);
    builder.remove(remove);
    builder.insert(insert);
  }
  return builder.finish();
}

/** Builds a canonical list from left to right: keep, remove and insert in the order of the original bytes. */
export class SpliceBuilder {
  readonly #splices: Splice[] = [];
  /** The place in the original up to which all is said. */
  #at = 0;
  #start = 0;
  #inserts: Uint8Array[] = [];

  keepTo(at: number): void {
    if (at === this.#at) return;
    this.#flush();
    this.#at = at;
    this.#start = at;
  }

  keep(length: number): void {
    this.keepTo(this.#at + length);
  }

  remove(length: number): void {
    this.#at += length;
  }

  insert(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#inserts.push(bytes);
  }

  finish(): Splice[] {
    this.#flush();
    this.#start = this.#at;
    return this.#splices;
  }

  #flush(): void {
    const remove = this.#at - this.#start;
    if (remove > 0 || this.#inserts.length > 0)
      this.#splices.push({ at: this.#start, remove, insert: joinBytes(this.#inserts) });
    this.#inserts = [];
  }
}

/** All the bytes, one after another. A single part is not copied. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 0) return NOTHING;
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  let size = 0;
  for (const part of parts) size += part.length;
  const joined = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
