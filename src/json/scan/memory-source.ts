// Owns: a ByteSource over bytes in memory.

import { type ByteSource, bytesSource, textSource } from "../../text/byte-source.ts";

/**
 * Bytes in memory as a source. `bytes` must not change afterwards: an index would go on describing the old ones.
 * Text is encoded as UTF-8. Without `id` every call makes a new identity, so nothing is shared by accident.
 *
 * @example getJson(memorySource('{"a": [1, 2]}'), "$.a[1]")
 */
export function memorySource(bytes: Uint8Array | string, id?: string): ByteSource {
  return typeof bytes === "string" ? textSource(bytes, id) : bytesSource(bytes, id);
}
