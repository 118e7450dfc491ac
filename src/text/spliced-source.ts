// Owns: the view of a source through splices, without copying the source.

import { bisect } from "./bisect.ts";
import type { ByteSource } from "./byte-source.ts";
import { validateSplices, type Splice } from "./splice.ts";

/**
 * The result of splices as a source that reads through to the original. Making it costs the number of splices, a read
 * the logarithm of it plus the bytes read. `id` must name the new content. Throws `RangeError` for a list that
 * `validateSplices` refuses.
 *
 * @example readAll(splicedSource(bytesSource(bytes), splices, "edited"), limit)  // equals applySplices(bytes, splices)
 */
export function splicedSource(source: ByteSource, splices: readonly Splice[], id: string): ByteSource {
  validateSplices(splices, source.size);
  const count = splices.length;
  // starts[i]: where the insert of splice i begins in the result. It is followed by original bytes from its end on.
  const starts = new Float64Array(count);
  let shift = 0;
  for (let i = 0; i < count; i++) {
    const { at, remove, insert } = splices[i] as Splice;
    starts[i] = at + shift;
    shift += insert.length - remove;
  }
  const size = source.size + shift;

  /** The last splice that begins at or before `at`, or -1. */
  function spliceAt(at: number): number {
    return bisect(count, (i) => (starts[i] as number) <= at) - 1;
  }

  function read(at: number, into: Uint8Array, offset: number, length: number): number {
    const wanted = Math.max(0, Math.min(length, size - at));
    let done = 0;
    for (let i = spliceAt(at); done < wanted; i++) {
      const splice = splices[i];
      const begin = splice === undefined ? 0 : (starts[i] ?? 0);
      const inserted = splice?.insert.length ?? 0;
      let within = at + done - begin;
      if (splice !== undefined && within < inserted) {
        const isWhole = within === 0 && inserted <= wanted - done;
        const part = isWhole ? splice.insert : splice.insert.subarray(within, within + wanted - done);
        into.set(part, offset + done);
        done += part.length;
        within += part.length;
      }
      const next = i + 1 < count ? (starts[i + 1] ?? 0) : size;
      const kept = Math.min(wanted - done, next - begin - within);
      if (kept <= 0) continue;
      const from = (splice === undefined ? 0 : splice.at + splice.remove) + within - inserted;
      const got = source.read(from, into, offset + done, kept);
      done += got;
      if (got < kept) break;
    }
    return done;
  }

  return { size, id, read };
}
