// Owns: reading content, a list of extents, as one run of bytes.
// Must never: return short inside the content. Missing bytes are an error, never zeros.

import { bisect } from "../text/bisect.ts";
import type { ByteSource } from "../text/byte-source.ts";
import { assertContent } from "./_checks.ts";
import { blobLost } from "./lost-bytes.ts";
import { digest } from "./chain.ts";
import type { BlobId, Content } from "./journal.ts";

/** Reads bytes of one blob synchronously; returns how many it had. */
export type BlobRead = (at: number, into: Uint8Array, offset: number, length: number) => number;

/**
 * `opened` holds a reader per blob of the content. `starts[i]` is where extent i begins, so a read finds its extent by
 * bisection and then walks on.
 */
export function extentsSource(
  content: Content,
  opened: ReadonlyMap<BlobId, BlobRead>,
  close: () => void,
): ByteSource & { close(): void } {
  assertContent(content);
  const { extents, size } = content;
  const starts = new Float64Array(extents.length + 1);
  for (let i = 0; i < extents.length; i++) starts[i + 1] = (starts[i] ?? 0) + (extents[i]?.[2] ?? 0);

  const find = (at: number): number => bisect(extents.length, (i) => (starts[i + 1] ?? 0) <= at);

  let id: string | undefined = content.sha256;
  return {
    size,
    get id(): string {
      return (id ??= `x${digest(JSON.stringify(extents))}`);
    },
    read(at, into, offset, length): number {
      const end = Math.min(size, at + length);
      let place = at;
      for (let i = find(at); place < end; i++) {
        const extent = extents[i];
        if (extent === undefined) throw blobLost();
        const inside = place - (starts[i] ?? 0);
        const want = Math.min(extent[2] - inside, end - place);
        if (want === 0) continue;
        const got = opened.get(extent[0])?.(extent[1] + inside, into, offset + place - at, want) ?? 0;
        if (got !== want) throw blobLost();
        place += want;
      }
      return Math.max(0, end - at);
    },
    close,
  };
}

/** Reads from bytes in memory. */
export function readFrom(bytes: Uint8Array): BlobRead {
  return (at, into, offset, length) => {
    const part = bytes.subarray(at, at + length);
    into.set(part, offset);
    return part.length;
  };
}
