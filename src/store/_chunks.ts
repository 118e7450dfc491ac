// Owns: turning what `stage` accepts into chunks of bounded size that nobody else can change.

import { HoldfastError, say } from "../errors.ts";
import type { ByteSource } from "../text/byte-source.ts";

const CHUNK = 256 * 1024;

export type Stageable = Uint8Array | ByteSource | AsyncIterable<Uint8Array>;

/**
 * Every chunk is a copy, or bytes that we read ourselves. Throws `invalid_argument` / `bad_chunk` for a chunk that is no
 * `Uint8Array`, and `internal` / `short_source` for a source with fewer bytes than its size.
 */
export async function* chunksOf(from: Stageable): AsyncGenerator<Uint8Array> {
  if (from instanceof Uint8Array) {
    for (let at = 0; at < from.length; at += CHUNK) yield copyOf(from.subarray(at, at + CHUNK));
  } else if (Symbol.asyncIterator in from) {
    for await (const chunk of from) {
      if (!isBytes(chunk)) throw badChunk();
      if (chunk.length > 0) yield copyOf(chunk);
    }
  } else {
    for (let at = 0; at < from.size;) {
      const chunk = new Uint8Array(Math.min(CHUNK, from.size - at));
      const got = from.read(at, chunk, 0, chunk.length);
      if (got === 0) throw shortSource();
      yield got < chunk.length ? chunk.subarray(0, got) : chunk;
      at += got;
    }
  }
}

/** Of this realm or another one: what has elements of another size, or none, would be stored as other bytes. */
function isBytes(chunk: unknown): boolean {
  return ArrayBuffer.isView(chunk) && Object.prototype.toString.call(chunk) === "[object Uint8Array]";
}

function badChunk(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_chunk",
    say`A chunk to be stored is no Uint8Array. Encode text, and send other views as new Uint8Array(view.buffer, view.byteOffset, view.byteLength).`,
  );
}

function shortSource(): HoldfastError {
  return new HoldfastError(
    "internal",
    "short_source",
    say`A source to be stored has fewer bytes than its size says. Nothing of it was kept.`,
  );
}

/** `slice` of a Buffer would share its bytes. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
