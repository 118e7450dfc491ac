// Owns: a piece of a literal that is too long to be shown whole.

import { readBytes, type ByteSource } from "../../text/index.ts";

const BYTES_PER_CHAR = 4;
const encoder = new TextEncoder();

/**
 * The text from byte `from` on, at most `most` characters, and how many bytes it has. No character and no escape is cut, so
 * that the pieces of a string, each in quotes, are strings that joined together are the string.
 */
export function literalPiece(
  source: ByteSource,
  from: number,
  end: number,
  most: number,
): { readonly text: string; readonly bytes: number } {
  const window = readBytes(source, from, Math.min(end - from, most * BYTES_PER_CHAR));
  const isLast = from + window.length >= end;
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(window, { stream: !isLast });
  let length = 0;
  while (length < decoded.length) {
    const size = sizeAt(decoded, length);
    if (length + size > Math.min(most, decoded.length)) break;
    length += size;
  }
  const text = decoded.slice(0, length);
  return { text, bytes: encoder.encode(text).length };
}

/** UTF-16 units of the character or escape at a place. */
function sizeAt(text: string, at: number): number {
  if (text[at] === "\\") return text[at + 1] === "u" ? 6 : 2;
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
