// Owns: showing a part of a document in few characters, without reading the rest of it.

import { wholeCharacters } from "../../text/surrogate.ts";
import type { Scanner } from "../scan/scanner.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text from `start` to `end`, cut to `max` characters followed by `...`. */
export function cutValue(scanner: Scanner, start: number, end: number, max: number): string {
  return cutBytes(scanner.bytes(start, Math.min(end, start + 4 * max)), max, end - start);
}

/** The same of bytes in memory. `length` is that of the whole, of which they may be the beginning. */
export function cutBytes(bytes: Uint8Array, max: number, length: number = bytes.length): string {
  const text = decoder.decode(bytes.subarray(0, 4 * max));
  return text.length <= max && length <= 4 * max ? text : `${safeSlice(text, max)}...`;
}

/** The first `max` UTF-16 units, without half a surrogate pair or a broken last character. */
export function safeSlice(text: string, max: number): string {
  return wholeCharacters(text, max).replace(/\ufffd{1,3}$/, "");
}
