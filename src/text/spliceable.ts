// Owns: what splices edit and insert: bytes, or extents of stored content. Measuring it, taking it apart, joining it.
// Must never: copy bytes it can share.

/** A stretch of immutable bytes that are stored under a name: `length` bytes of `blob`, from `at` on. */
export type Extent = readonly [blob: string, at: number, length: number];

/** Takes a value apart from its front. */
export interface Taker<T> {
  /** The next `length` units, or what is left of them. */
  take(length: number): T;
  /** Passes over so many bytes. */
  skip(length: number): void;
}

/**
 * How values of one type are measured and taken apart, so that splices can edit and insert them. Lengths are counted in
 * the units of splices' offsets: bytes, whatever stands for them.
 */
export interface Spliceable<T> {
  /** An insert of nothing. */
  readonly empty: T;
  /** Whether a value is of this type at all. */
  readonly is: (value: unknown) => boolean;
  /** How long an insert is, in bytes. */
  readonly length: (value: T) => number;
  /** Takes an insert apart from the front. */
  readonly taker: (value: T) => Taker<T>;
  /** All parts, one after another. What is taken from a value and joined again in order equals it. */
  readonly join: (parts: readonly T[]) => T;
}

/** Bytes themselves: what splices edit unless another kind is named. Parts share memory with what they are taken from. */
export const BYTES: Spliceable<Uint8Array> = {
  empty: new Uint8Array(0),
  is: (value) => value instanceof Uint8Array,
  length: (bytes) => bytes.length,
  taker: (bytes) => new ByteTaker(bytes),
  join: joinBytes,
};

/**
 * Bytes that are stored already, by where they are stored. Neighbours in one blob become one extent. Edits cost the number
 * of extents, however many bytes they stand for.
 *
 * @example applySplices([["a", 0, 10]], [{ at: 4, remove: 2, insert: [] }], EXTENTS)  // [["a", 0, 4], ["a", 6, 4]]
 */
export const EXTENTS: Spliceable<readonly Extent[]> = {
  empty: Object.freeze([]),
  is: (value) => Array.isArray(value),
  length: extentsLength,
  taker: (extents) => new ExtentTaker(extents),
  join(parts) {
    const joined: Extent[] = [];
    for (const part of parts) for (const extent of part) push(joined, extent);
    return joined;
  },
};

/** Whether two lists are the same extents, apart from neighbours that are one in the other list. */
export function areStoredAlike(a: readonly Extent[], b: readonly Extent[]): boolean {
  return areSameExtents(EXTENTS.join([a]), EXTENTS.join([b]));
}

/** Whether two lists are the same extents, one by one. */
export function areSameExtents(a: readonly Extent[], b: readonly Extent[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((extent, i) => extent.every((part, k) => part === b[i]?.[k]));
}

function extentsLength(extents: readonly Extent[]): number {
  let length = 0;
  for (const extent of extents) length += extent[2];
  return length;
}

/**
 * All the bytes, one after another. A single part is returned as it is, not copied. Cost: the bytes of the result.
 *
 * @example joinBytes([encode("ab"), encode("c")])  // the bytes of "abc"
 */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first === undefined) return BYTES.empty;
  if (parts.length === 1) return first;
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

class ByteTaker implements Taker<Uint8Array> {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array {
    if (this.#at === 0 && length >= this.#bytes.length) {
      this.#at = this.#bytes.length;
      return this.#bytes;
    }
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += part.length;
    return part;
  }

  skip(length: number): void {
    this.#at += length;
  }
}

class ExtentTaker implements Taker<readonly Extent[]> {
  readonly #extents: readonly Extent[];
  #next = 0;
  /** How much of the next extent is taken. */
  #used = 0;

  constructor(extents: readonly Extent[]) {
    this.#extents = extents;
  }

  take(length: number): readonly Extent[] {
    if (length === 0) return EXTENTS.empty;
    const taken: Extent[] = [];
    this.#walk(length, taken);
    return taken;
  }

  skip(length: number): void {
    this.#walk(length, undefined);
  }

  #walk(length: number, into: Extent[] | undefined): void {
    for (let left = length; left > 0;) {
      const extent = this.#extents[this.#next];
      if (extent === undefined) return;
      const size = Math.min(left, extent[2] - this.#used);
      if (into !== undefined)
        push(into, size === extent[2] ? extent : [extent[0], extent[1] + this.#used, size]);
      left -= size;
      this.#used += size;
      if (this.#used < extent[2]) return;
      this.#next++;
      this.#used = 0;
    }
  }
}

/** Adds an extent, joining it to the one before where they are neighbours in one blob. */
function push(extents: Extent[], extent: Extent): void {
  if (extent[2] === 0) return;
  const last = extents.at(-1);
  if (last !== undefined && last[0] === extent[0] && last[1] + last[2] === extent[1])
    extents[extents.length - 1] = [last[0], last[1], last[2] + extent[2]];
  else extents.push(extent);
}
