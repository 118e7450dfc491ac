// Owns: several edits as one: touching splices of one list, or two lists one after the other.

import { orBytes, type Splice } from "./splice.ts";
import type { Spliceable, Taker } from "./spliceable.ts";

/**
 * The same edit with touching splices joined into one and empty ones dropped: the canonical list. Two lists that
 * replace the same ranges with the same bytes become equal. Cost: the list and the bytes it inserts.
 *
 * @example mergeAdjacent([{ at: 2, remove: 1, insert: a }, { at: 3, remove: 1, insert: b }])  // one splice, at 2, of 2 bytes
 */
export function mergeAdjacent(splices: readonly Splice[]): Splice[];
/** The same for inserts of another kind than bytes. */
export function mergeAdjacent<T>(splices: readonly Splice<T>[], kind: Spliceable<T>): Splice<T>[];
export function mergeAdjacent<T>(splices: readonly Splice<T>[], kind?: Spliceable<T>): Splice<T>[] {
  const builder = new Builder(orBytes(kind));
  for (const { at, remove, insert } of splices) {
    builder.keepTo(at);
    builder.remove(remove);
    builder.insert(insert);
  }
  return builder.finish();
}

/**
 * One list that does what `first` and then `second` do, where `second` is over the result of `first`. Needs neither the
 * original bytes nor their size; bytes that `first` inserts and `second` removes vanish. The result is canonical.
 * Cost: linear in both lists and the bytes they insert. Both lists must be valid: see `validateSplices`.
 *
 * @example applySplices(bytes, composeSplices(first, second))  // equals applySplices(applySplices(bytes, first), second)
 */
export function composeSplices(first: readonly Splice[], second: readonly Splice[]): Splice[];
/** The same for inserts of another kind than bytes. */
export function composeSplices<T>(
  first: readonly Splice<T>[],
  second: readonly Splice<T>[],
  kind: Spliceable<T>,
): Splice<T>[];
export function composeSplices<T>(
  first: readonly Splice<T>[],
  second: readonly Splice<T>[],
  kind?: Spliceable<T>,
): Splice<T>[] {
  const { length, taker } = orBytes(kind);
  const builder = new Builder(orBytes(kind));
  /** Where we are in the original, and in the result of `first`. */
  let original = 0;
  let between = 0;
  let next = 0;
  /** What is left of the insert that `between` lies in. */
  let pending: Taker<T> | undefined;
  let left = 0;

  /** Walks `between` on to `to`, saying for each byte whether `second` keeps it. */
  function walk(to: number, keeps: boolean): void {
    for (;;) {
      if (pending === undefined) {
        const splice = first[next];
        const until = splice === undefined ? Infinity : splice.at;
        const untouched = Math.min(until - original, to - between);
        if (untouched > 0) {
          if (keeps) builder.keepTo(original + untouched);
          else builder.remove(untouched);
          original += untouched;
          between += untouched;
        }
        // Entered even at `to` itself, so that the removals of `first` join what `second` does at the same place.
        if (splice === undefined || original < splice.at) return;
        builder.remove(splice.remove);
        original += splice.remove;
        pending = taker(splice.insert);
        left = length(splice.insert);
        next++;
      }
      const part = Math.min(left, to - between);
      if (keeps) builder.insert(pending.take(part));
      else pending.skip(part);
      between += part;
      left -= part;
      if (left > 0) return;
      pending = undefined;
    }
  }

  for (const { at, remove, insert } of second) {
    walk(at, true);
    walk(at + remove, false);
    builder.insert(insert);
  }
  // What `first` still says beyond the last splice of `second`.
  if (pending !== undefined) builder.insert((pending as Taker<T>).take(left));
  for (; next < first.length; next++) {
    const { at, remove, insert } = first[next] as Splice<T>;
    builder.keepTo(at);
    builder.remove(remove);
    builder.insert(insert);
  }
  return builder.finish();
}

/** Builds a canonical list from left to right: keep, remove and insert in the order of the original. */
class Builder<T> {
  readonly #kind: Spliceable<T>;
  readonly #splices: Splice<T>[] = [];
  /** The place in the original up to which all is said. */
  #at = 0;
  #start = 0;
  #inserts: T[] = [];

  constructor(kind: Spliceable<T>) {
    this.#kind = kind;
  }

  keepTo(at: number): void {
    if (at === this.#at) return;
    this.#flush();
    this.#at = at;
    this.#start = at;
  }

  remove(length: number): void {
    this.#at += length;
  }

  insert(part: T): void {
    if (this.#kind.length(part) > 0) this.#inserts.push(part);
  }

  finish(): Splice<T>[] {
    this.#flush();
    return this.#splices;
  }

  #flush(): void {
    const remove = this.#at - this.#start;
    if (remove === 0 && this.#inserts.length === 0) return;
    this.#splices.push({ at: this.#start, remove, insert: this.#kind.join(this.#inserts) });
    this.#inserts = [];
  }
}
