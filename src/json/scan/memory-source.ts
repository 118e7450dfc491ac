// Owns: a ByteSource over bytes in memory.

import type { ByteSource } from "../../text/byte-source.ts";

let made = 0;

/**
 * Bytes in memory as a source. `bytes` must not change afterwards: an index would go on describing the old ones.
 * Text is encoded as UTF-8. Without `id` every call makes a new identity, so nothing is shared by accident.
 *
 * @example getJson(memorySource('{"a": [1, 2]}'), "$.a[1]")
 */
export function memorySource(bytes: Uint8Array | string, id: string = `memory:${++made}`): ByteSource {
  const held = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  return {
    size: held.length,
    id,
    read(at, into, offset, length) {
      const part = held.subarray(at, Math.min(held.length, at + length));
      into.set(part, offset);
      return part.length;
    },
  };
}
