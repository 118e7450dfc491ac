// Owns: byte order marks.

/** The encodings that have a byte order mark. */
export type BomEncoding = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** A byte order mark. */
export interface Bom {
  /** What the mark says the encoding is. */
  readonly encoding: BomEncoding;
  /** Bytes it takes. */
  readonly length: number;
}

// UTF-32 little endian begins like UTF-16 little endian, so it is asked first.
const MARKS: readonly (readonly [BomEncoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-32le", [0xff, 0xfe, 0, 0]],
  ["utf-32be", [0, 0, 0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * The mark that the bytes begin with, if any. Four bytes are enough to ask.
 *
 * @example bomOf(Uint8Array.of(0xef, 0xbb, 0xbf))  // { encoding: "utf-8", length: 3 }
 */
export function bomOf(head: Uint8Array): Bom | undefined {
  for (const [encoding, mark] of MARKS)
    if (mark.every((byte, i) => head[i] === byte)) return { encoding, length: mark.length };
  return undefined;
}

/** How many bytes the UTF-8 byte order mark at the start takes: 3, or 0 where there is none. */
export function utf8BomLength(bytes: Uint8Array): number {
  const bom = bomOf(bytes.subarray(0, 4));
  return bom?.encoding === "utf-8" ? bom.length : 0;
}
