// Owns: a file's content as extents over immutable blobs, and splicing it without touching any byte.

import type { Content, Extent } from "../store/journal.ts";
import { applySplices, EXTENTS, spliceDelta, type Splice } from "../text/index.ts";

/** A splice whose new bytes are already stored: plain JSON, fit for a record. */
export type ContentSplice = Splice<readonly Extent[]>;

export const EMPTY_CONTENT: Content = Object.freeze({ size: 0, extents: [] });

/** The content that one blob holds whole. */
export function blobContent(blob: string, size: number): Content {
  return size === 0 ? EMPTY_CONTENT : { size, extents: [[blob, 0, size]] };
}

/** Content after `splices`. O(extents + splices). */
export function spliceContent(content: Content, splices: readonly ContentSplice[]): Content {
  return {
    size: content.size + spliceDelta(splices, EXTENTS),
    extents: applySplices(content.extents, splices, EXTENTS),
  };
}

/** Contents one after the other; what lies side by side in a blob is one extent. */
export function joinContents(contents: readonly Content[]): Content {
  return {
    size: contents.reduce((sum, { size }) => sum + size, 0),
    extents: EXTENTS.join(contents.map(({ extents }) => extents)),
  };
}
