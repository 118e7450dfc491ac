// Owns: telling UTF-16 and UTF-32 from UTF-8 by a document's first bytes.

export type WideEncoding = "UTF-16LE" | "UTF-16BE" | "UTF-32LE" | "UTF-32BE";

/**
 * The wide encoding that the first (up to four) bytes show, by a byte order mark or by where the zero bytes of two
 * ASCII characters are; undefined when they look like UTF-8.
 */
export function wideEncoding(first: Uint8Array): WideEncoding | undefined {
  const [a = -1, b = -1, c = -1, d = -1] = first;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? "UTF-32LE" : "UTF-16LE";
  if (a === 0xfe && b === 0xff) return "UTF-16BE";
  if (a === 0 && b === 0) return (c === 0xfe && d === 0xff) || (c === 0 && d > 0) ? "UTF-32BE" : undefined;
  if (a > 0 && b === 0 && c === 0 && d === 0) return "UTF-32LE";
  // Two wide characters, or one that is the whole document.
  if (a > 0 && b === 0 && (c === -1 || (c > 0 && d === 0))) return "UTF-16LE";
  if (a === 0 && b > 0 && (c === -1 || (c === 0 && d > 0))) return "UTF-16BE";
  return undefined;
}
