// Owns: two edits, one after the other, as one edit.

import { SpliceBuilder, type Splice } from "./splice.ts";

/**
 * One list that does what `first` and then `second` do, where `second` is over the result of `first`. Needs neither the
 * original bytes nor their size; bytes that `first` inserts and `second` removes vanish. The result is canonical.
 * Cost: linear in both lists and the bytes they insert.
 */
export function composeSplices(first: readonly Splice[], second: readonly Splice[]): Splice[] {
  const builder = new SpliceBuilder();
  /** Where we are in the original, and in the result of `first`. */
  let original = 0;
  let between = 0;
  let next = 0;
  /** What is left of the insert that `between` stands in. */
  let pending: Uint8Array | undefined;

  /** Walks `between` on to `to`, saying for each byte whether `second` keeps it. */
  function walk(to: number, keeps: boolean): void {
    for (;;) {
      if (pending === undefined) {
        const splice = first[next];
        const until = splice === undefined ? Infinity : splice.at;
        const length = Math.min(until - original, to - between);
        if (length > 0) {
          if (keeps) builder.keep(length);
          else builder.remove(length);
          original += length;
          between += length;
        }
        // Entered even at `to` itself, so that the removals of `first` join what `second` does at the same place.
        if (splice === undefined || original < splice.at) return;
        builder.remove(splice.remove);
        original += splice.remove;
        pending = splice.insert;
        next++;
      }
      const part = pending.subarray(0, to - between);
      if (keeps) builder.insert(part);
      between += part.length;
      if (part.length < pending.length) {
        pending = pending.subarray(part.length);
        return;
      }
      pending = undefined;
    }
  }

  for (const { at, remove, insert } of second) {
    walk(at, true);
    walk(at + remove, false);
    builder.insert(insert);
  }
  // What `first` still says beyond the last splice of `second`.
  if (pending !== undefined) builder.insert(pending);
  for (const { at, remove, insert } of first.slice(next)) {
    builder.keep(at - original);
    builder.remove(remove);
    builder.insert(insert);
    original = at + remove;
  }
  return builder.finish();
}
