// Owns: large bytes in chunks, yielding to the event loop between them.

import { Pacer } from "../../text/steps.ts";
import type { BlobRead } from "../_extents.ts";
import type { Journal } from "../journal.ts";

/** What is done with a chunk, such as taking a checkpoint apart, must not hold the thread. */
const CHUNK = 256 * 1024;

export function* fileChunks(read: BlobRead): Generator<Uint8Array> {
  for (let at = 0; ;) {
    const chunk = new Uint8Array(CHUNK);
    const got = read(at, chunk, 0, CHUNK);
    if (got > 0) yield chunk.subarray(0, got);
    if (got < CHUNK) return;
    at += got;
  }
}

export async function* reading(source: Awaited<ReturnType<Journal["source"]>>): AsyncGenerator<Uint8Array> {
  const pace = new Pacer();
  try {
    for (let at = 0; at < source.size;) {
      const chunk = new Uint8Array(Math.min(CHUNK, source.size - at));
      at += source.read(at, chunk, 0, chunk.length);
      yield chunk;
      await pace.step();
    }
  } finally {
    source.close();
  }
}

/** The chunks are computed while they are taken. */
export async function* yieldingBetween(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pace = new Pacer();
  for (const chunk of chunks) {
    yield chunk;
    await pace.step();
  }
}
