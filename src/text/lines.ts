// Owns: what a line is. It ends at \n; a \r right before it belongs to the ending; a lone \r is content.
// Must never: change an ending, or count one that is not there.

import { bytesSource, windowsOf, type ByteSource } from "./byte-source.ts";

export const LF = 10;
export const CR = 13;

/** How a line ends. Only the last line of a file can have no ending. */
export type LineEnding = "lf" | "crlf" | "none";

/** One line by byte offsets: content `start .. end`, ending `end .. next`. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Its first byte. */
  readonly start: number;
  /** The byte after its text, where its ending starts. */
  readonly end: number;
  /** Where the next line starts. */
  readonly next: number;
}

/**
 * How a line ends, from its offsets.
 *
 * @example endingOf({ number: 1, start: 0, end: 1, next: 3 })  // "crlf"
 */
export function endingOf(line: Line): LineEnding {
  return endingOfLength(line.next - line.end);
}

const FEEDS = 0x0a0a0a0a;
const LOW_BITS = 0x7f7f7f7f;
const HIGH_BITS = 0x80808080;

/** Line feeds among bytes, four at a time. */
export function countFeeds(bytes: Uint8Array): number {
  let feeds = 0;
  const start = Math.min(bytes.length, -bytes.byteOffset & 3);
  const words = new Int32Array(
    bytes.buffer,
    start === bytes.length ? 0 : bytes.byteOffset + start,
    (bytes.length - start) >> 2,
  );
  for (let i = 0; i < words.length; i++) {
    const other = (words[i] as number) ^ FEEDS;
    // The high bit of every byte that is a line feed: of 0, and of nothing else, adding the low bits sets no high bit.
    const found = ~(((other & LOW_BITS) + LOW_BITS) | other) & HIGH_BITS;
    if (found !== 0) feeds += Math.imul(found >>> 7, 0x01010101) >>> 24;
  }
  for (let i = 0; i < start; i++) if (bytes[i] === LF) feeds++;
  for (let i = start + words.length * 4; i < bytes.length; i++) if (bytes[i] === LF) feeds++;
  return feeds;
}

/** How a line ends whose ending takes so many bytes. */
export function endingOfLength(length: number): LineEnding {
  return length === 0 ? "none" : length === 1 ? "lf" : "crlf";
}

/**
 * The lines of a source, in windows, from the line that begins at `from`. `""` has no line, `"a"` and `"a\n"` have one.
 * Joining all `start .. next` gives the bytes back. Cost: one pass in windows; a line is never held in memory.
 *
 * @example for (const { number, start, end } of linesOf(source)) console.log(number, end - start);
 */
export function* linesOf(
  input: Uint8Array | ByteSource,
  from: { readonly start: number; readonly number: number } = { start: 0, number: 1 },
): Generator<Line, void, void> {
  const source = input instanceof Uint8Array ? bytesSource(input, "") : input;
  let { start, number } = from;
  let lastByte = 0;
  for (const { at, bytes } of windowsOf(source, start)) {
    for (let i = bytes.indexOf(LF); i >= 0; i = bytes.indexOf(LF, i + 1)) {
      const next = at + i + 1;
      const before = i > 0 ? bytes[i - 1] : lastByte;
      const end = before === CR ? next - 2 : next - 1;
      yield { number, start, end, next };
      start = next;
      number++;
    }
    lastByte = bytes[bytes.length - 1] ?? 0;
  }
  if (start < source.size) yield { number, start, end: source.size, next: source.size };
}

/** What the endings of a text look like. */
export interface LineSummary {
  /** Lines, a last one without ending included. */
  readonly lines: number;
  /** Lines that end with LF alone. */
  readonly lf: number;
  /** Lines that end with CR LF. */
  readonly crlf: number;
  /** Does the last line end with an ending? False for an empty text. */
  readonly finalNewline: boolean;
}

/**
 * Which ending the text mostly uses: what new lines should be written with. `lf` when there is none, or a tie.
 *
 * @example usualEnding(lineIndex(bytes))  // "crlf"
 */
export function usualEnding(summary: Pick<LineSummary, "lf" | "crlf">): "lf" | "crlf" {
  return summary.crlf > summary.lf ? "crlf" : "lf";
}

/**
 * Are both kinds of ending present?
 *
 * @example isMixed({ lf: 3, crlf: 1 })  // true
 */
export function isMixed(summary: Pick<LineSummary, "lf" | "crlf">): boolean {
  return summary.lf > 0 && summary.crlf > 0;
}
