// Owns: a file's content as extents over immutable blobs, and splicing it without touching any byte.

import type { Content, Extent } from "../store/journal.ts";

/** A {@link Splice} whose new bytes are already stored: plain JSON, fit for a record. */
export interface ContentSplice {
  readonly at: number;
  readonly remove: number;
  readonly insert: readonly Extent[];
}

export const EMPTY_CONTENT: Content = Object.freeze({ size: 0, extents: [] });

/** The content that one blob holds whole. */
export function blobContent(blob: string, size: number): Content {
  return size === 0 ? EMPTY_CONTENT : { size, extents: [[blob, 0, size]] };
}

export function extentsLength(extents: readonly Extent[]): number {
  let length = 0;
  for (const extent of extents) length += extent[2];
  return length;
}

/** Content after `splices` (sorted, not overlapping, over the original bytes). O(extents + splices). */
export function spliceContent(content: Content, splices: readonly ContentSplice[]): Content {
  const reader = new ExtentReader(content.extents);
  const out: Extent[] = [];
  let done = 0;
  for (const { at, remove, insert } of splices) {
    for (const extent of reader.take(at - done)) push(out, extent);
    for (const extent of insert) push(out, extent);
    reader.take(remove);
    done = at + remove;
  }
  for (const extent of reader.take(content.size - done)) push(out, extent);
  return { size: extentsLength(out), extents: out };
}

/** What each splice removes from `before`. */
export function removedBy(before: Content, splices: readonly ContentSplice[]): Extent[][] {
  const reader = new ExtentReader(before.extents);
  let done = 0;
  return splices.map(({ at, remove }) => {
    reader.take(at - done);
    done = at + remove;
    return reader.take(remove);
  });
}

/** The splices that take `splices` back, over the content they make, given what they removed. */
export function invertContentSplices(
  splices: readonly ContentSplice[],
  removed: readonly (readonly Extent[])[],
): ContentSplice[] {
  let shift = 0;
  return splices.map(({ at, remove, insert }, i) => {
    const inserted = extentsLength(insert);
    const inverse = { at: at + shift, remove: inserted, insert: removed[i] ?? [] };
    shift += inserted - remove;
    return inverse;
  });
}

/** Reads extents from the front, a number of bytes at a time. */
class ExtentReader {
  readonly #extents: readonly Extent[];
  #next = 0;
  #used = 0;

  constructor(extents: readonly Extent[]) {
    this.#extents = extents;
  }

  take(length: number): Extent[] {
    const out: Extent[] = [];
    for (let left = length; left > 0;) {
      const extent = this.#extents[this.#next];
      if (extent === undefined) break;
      const size = Math.min(left, extent[2] - this.#used);
      push(out, [extent[0], extent[1] + this.#used, size]);
      left -= size;
      this.#used += size;
      if (this.#used === extent[2]) {
        this.#next++;
        this.#used = 0;
      }
    }
    return out;
  }
}

/** Adds an extent, melting it into the one before where they are neighbours in one blob. */
function push(out: Extent[], extent: Extent): void {
  if (extent[2] === 0) return;
  const last = out.at(-1);
  if (last !== undefined && last[0] === extent[0] && last[1] + last[2] === extent[1])
    out[out.length - 1] = [last[0], last[1], last[2] + extent[2]];
  else out.push(extent);
}
