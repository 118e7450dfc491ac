// Owns: Splice, the one form of an edit, and what follows from it alone: validate, delta, apply, invert.
// Must never: read more of the original than a splice names. Offsets are plain numbers: files exceed 2^32 bytes.

import { say } from "../errors.ts";
import { checkArgument } from "./options.ts";
import { BYTES, type Spliceable } from "./spliceable.ts";
import { textBytes } from "./text-bytes.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Replace `remove` bytes at `at` of the original with `insert`. A list of splices is sorted and does not overlap: each
 * begins at or after the end of what the one before removes. All offsets are over the original. What is inserted is
 * bytes, or what stands for them: see {@link Spliceable}.
 */
export interface Splice<T = Uint8Array> {
  /** Bytes before it, in the original. */
  readonly at: number;
  /** How many bytes go. */
  readonly remove: number;
  /** What is put in their place. */
  readonly insert: T;
}

/** The kind of insert when none is named. The overloads of each function let only splices of bytes go without one. */
export function orBytes<T>(kind: Spliceable<T> | undefined): Spliceable<T> {
  return kind ?? (BYTES as unknown as Spliceable<T>);
}

/**
 * Checks a list of splices against the size of what it edits. Throws `RangeError` naming the first splice that is not
 * whole, not in order, or out of bounds: such a list is a mistake of the code that made it, not of a caller. Cost: the
 * number of splices.
 *
 * @example validateSplices([{ at: 8, remove: 5, insert: bytes }], 10)  // RangeError: Splice 0 ends at 13, beyond ...
 */
export function validateSplices(splices: readonly Splice[], size: number): void;
/** The same for inserts of another kind than bytes. */
export function validateSplices<T>(splices: readonly Splice<T>[], size: number, kind: Spliceable<T>): void;
export function validateSplices<T>(splices: readonly Splice<T>[], size: number, kind?: Spliceable<T>): void {
  const { is } = orBytes(kind);
  let end = 0;
  for (let i = 0; i < splices.length; i++) {
    const { at, remove, insert } = splices[i] as Splice<T>;
    if (!Number.isSafeInteger(at) || !Number.isSafeInteger(remove) || at < 0 || remove < 0)
      throw new RangeError(`Splice ${i} has at ${at} and remove ${remove}: whole numbers from 0 are wanted`);
    if (!is(insert)) throw new RangeError(`Splice ${i} has no bytes to insert`);
    if (at < end) throw new RangeError(`Splice ${i} begins at ${at}, before ${end} where the last one ends`);
    end = at + remove;
    if (end > size) throw new RangeError(`Splice ${i} ends at ${end}, beyond the ${size} bytes there are`);
  }
}

/**
 * How many bytes longer (or, below zero, shorter) the result is. Cost: the number of splices.
 *
 * @example spliceDelta([{ at: 0, remove: 3, insert: new Uint8Array(5) }])  // 2
 */
export function spliceDelta(splices: readonly Splice[]): number;
/** The same for inserts of another kind than bytes. */
export function spliceDelta<T>(splices: readonly Splice<T>[], kind: Spliceable<T>): number;
export function spliceDelta<T>(splices: readonly Splice<T>[], kind?: Spliceable<T>): number {
  const { length } = orBytes(kind);
  let delta = 0;
  for (const { remove, insert } of splices) delta += length(insert) - remove;
  return delta;
}

/**
 * The edited text, or the edited bytes in a new array. The original is left as it is. Splices of a text are over its UTF-8
 * bytes, not over the units of the string: in `"h\u00e9j"` the `j` is at 3.
 *
 * Cost: the size of the result; of extents, their number. Throws `invalid_argument` / `not_unicode` for a text with half of a surrogate
 * pair, which has no bytes; `RangeError` for a list that {@link validateSplices}
 * refuses, and when a text would be left with bytes that are not UTF-8, such as half of a character.
 *
 * @example applySplices("jam", [{ at: 0, remove: 1, insert: new TextEncoder().encode("h") }])  // "ham"
 * @example applySplices(encode("jam"), [{ at: 0, remove: 1, insert: encode("h") }])  // the bytes of "ham"
 */
export function applySplices(original: string, splices: readonly Splice[]): string;
/** The same for bytes. */
export function applySplices(original: Uint8Array, splices: readonly Splice[]): Uint8Array;
/** The same for inserts of another kind than bytes. */
export function applySplices<T>(original: T, splices: readonly Splice<T>[], kind: Spliceable<T>): T;
export function applySplices<T>(
  original: T | string,
  splices: readonly Splice<T>[],
  kind?: Spliceable<T>,
): T | string {
  checkArgument(say`applySplices: the splices`, splices, "array");
  if (kind === undefined && typeof original !== "string")
    checkArgument(say`applySplices: the original, where it is no string,`, original, "bytes");
  if (kind === undefined && typeof original === "string")
    return textOf(applied(textBytes(original), splices as readonly unknown[] as Splice[], BYTES));
  return applied(original as T, splices, orBytes(kind));
}

function applied<T>(original: T, splices: readonly Splice<T>[], kind: Spliceable<T>): T {
  const { taker, length, join, empty } = kind;
  const size = length(original);
  validateSplices(splices, size, kind);
  const rest = taker(original);
  // Joining begins with nothing, so that not even a whole original is returned as it is.
  const parts: T[] = [empty];
  let from = 0;
  for (const { at, remove, insert } of splices) {
    if (at > from) parts.push(rest.take(at - from));
    rest.skip(remove);
    parts.push(insert);
    from = at + remove;
  }
  parts.push(rest.take(size - from));
  return join(parts);
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new RangeError(
      "The edited text is not UTF-8: splices of a text are over its UTF-8 bytes, and insert and remove whole characters",
      { cause },
    );
  }
}

/**
 * What each splice removes from the original, in order. Parts share memory with it: do not change them. Cost: the number of
 * splices; of extents, their number. The list must be valid: see {@link validateSplices}.
 *
 * @example removedBy(encode("jam"), [{ at: 0, remove: 1, insert: encode("h") }])  // [the bytes of "j"]
 */
export function removedBy(original: Uint8Array, splices: readonly Splice[]): Uint8Array[];
/** The same for inserts of another kind than bytes. */
export function removedBy<T>(original: T, splices: readonly Splice<T>[], kind: Spliceable<T>): T[];
export function removedBy<T>(original: T, splices: readonly Splice<T>[], kind?: Spliceable<T>): T[] {
  const { taker, empty } = orBytes(kind);
  const rest = taker(original);
  let from = 0;
  return splices.map(({ at, remove }) => {
    if (remove === 0) return empty;
    rest.skip(at - from);
    from = at + remove;
    return rest.take(remove);
  });
}

/**
 * The splices that turn the result back into the original, given what they {@link removedBy | removed} from it. Cost: the
 * number of splices. A list of parts that is not theirs gives splices that do something else.
 *
 * @example applySplices(applySplices(bytes, list), invertSplices(list, removedBy(bytes, list)))  // equals bytes
 */
export function invertSplices(splices: readonly Splice[], removed: readonly Uint8Array[]): Splice[];
/** The same for inserts of another kind than bytes. */
export function invertSplices<T>(
  splices: readonly Splice<T>[],
  removed: readonly T[],
  kind: Spliceable<T>,
): Splice<T>[];
export function invertSplices<T>(
  splices: readonly Splice<T>[],
  removed: readonly T[],
  kind?: Spliceable<T>,
): Splice<T>[] {
  const { length, empty } = orBytes(kind);
  let shift = 0;
  return splices.map(({ at, remove, insert }, i) => {
    const inserted = length(insert);
    const inverse = { at: at + shift, remove: inserted, insert: removed[i] ?? empty };
    shift += inserted - remove;
    return inverse;
  });
}

/** Where a result differs from its original: `remove` bytes at `at` of the original became `insert` bytes of the result. */
export type Differs = readonly (readonly [at: number, remove: number, insert: number])[];

/** The splices that lead to a result, given where it differs from its original. Cost: as of {@link removedBy}. */
export function splicesTo<T>(result: T, differs: Differs, { taker }: Spliceable<T>): Splice<T>[] {
  const rest = taker(result);
  let from = 0;
  return differs.map(([at, remove, insert]) => {
    rest.skip(at - from);
    from = at + remove;
    return { at, remove, insert: rest.take(insert) };
  });
}
