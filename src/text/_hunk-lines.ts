// Owns: reading a few lines around a place, without following a line further than is wanted: SCAN bytes, unless all of it is.

import { readBytes, type ByteSource } from "./byte-source.ts";
import { LF } from "./lines.ts";
import { isContinuation } from "./utf8.ts";

/** A line that may be cut is not searched for its start or end further than this. */
export const SCAN = 65_536;

/** Most lines are short: look a little way first, then further. */
const FIRST_LOOK = 256;

export interface ShownLine {
  readonly from: number;
  /** Where the next line starts; less when the line was not followed to its end. */
  readonly to: number;
  readonly bytes: Uint8Array;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/** The start of the line that `at` lies in, or undefined when there is none in the `most` bytes before it. */
export function startOfLine(source: ByteSource, at: number, most: number): number | undefined {
  for (let back = FIRST_LOOK, to = at; ; back *= 4) {
    const from = Math.max(0, at - Math.min(back, most));
    const feed = readBytes(source, from, to - from).lastIndexOf(LF);
    if (feed >= 0) return from + feed + 1;
    if (from === 0) return 0;
    if (back >= most) return undefined;
    to = from;
  }
}

/** Where the line that `at` lies in is over, ending included, or undefined when that is not in the next `most` bytes. */
export function endOfLine(source: ByteSource, at: number, most: number): number | undefined {
  for (let ahead = FIRST_LOOK, from = at; ; ahead *= 4) {
    const to = Math.min(source.size, at + Math.min(ahead, most));
    const feed = readBytes(source, from, to - from).indexOf(LF);
    if (feed >= 0) return from + feed + 1;
    if (to === source.size) return to;
    if (ahead >= most) return undefined;
    from = to;
  }
}

/** Is `at` the start of a line (or the end of all bytes after a line feed)? */
export function isLineStart(source: ByteSource, at: number): boolean {
  return at === 0 || readBytes(source, at - 1, 1)[0] === LF;
}

/** Up to `count` whole lines that end at `at`, which is the start of a line. Stops short of a line longer than `reach`. */
export function linesBefore(source: ByteSource, at: number, count: number, reach: number): ShownLine[] {
  const lines: ShownLine[] = [];
  for (let to = at; to > 0 && lines.length < count;) {
    let back = FIRST_LOOK;
    let from = 0;
    let bytes: Uint8Array;
    let feed: number;
    // Read further back until the line that ends at `to` is there, then take all that were read with it.
    do {
      from = Math.max(0, to - back);
      bytes = readBytes(source, from, to - from);
      feed = bytes.lastIndexOf(LF, bytes.length - 2);
      back *= 4;
    } while (feed < 0 && from > 0 && back <= reach);
    if (feed < 0 && from > 0) break;
    for (let end = bytes.length; end > 0 && lines.length < count; end = feed + 1) {
      feed = end < 2 ? -1 : bytes.lastIndexOf(LF, end - 2);
      if (feed < 0 && from > 0) break;
      to = from + feed + 1;
      lines.push(wholeLine(to, bytes.subarray(feed + 1, end)));
    }
  }
  return lines.reverse();
}

/** Up to `count` lines from `at`, the start of a line, to `end`. A line longer than `reach` is cut, and the last. */
export function linesAfter(
  source: ByteSource,
  at: number,
  end: number,
  count: number,
  reach: number,
): ShownLine[] {
  const lines: ShownLine[] = [];
  const stop = Math.min(end, source.size);
  for (let from = at; from < stop && lines.length < count;) {
    let ahead = FIRST_LOOK;
    let bytes: Uint8Array;
    let feed: number;
    do {
      bytes = readBytes(source, from, Math.min(ahead, stop - from));
      feed = bytes.indexOf(LF);
      ahead *= 4;
    } while (feed < 0 && from + bytes.length < stop && ahead <= reach);
    if (feed < 0) {
      const cutAfter = from + bytes.length < source.size;
      lines.push({ ...wholeLine(from, bytes), cutAfter });
      break;
    }
    for (let start = 0; feed >= 0 && lines.length < count; feed = bytes.indexOf(LF, start)) {
      const line = wholeLine(from, bytes.subarray(start, feed + 1));
      lines.push(line);
      from = line.to;
      start = feed + 1;
    }
  }
  return lines;
}

function wholeLine(from: number, bytes: Uint8Array): ShownLine {
  return { from, to: from + bytes.length, bytes, cutBefore: false, cutAfter: false };
}

/** The next place from `at` on where a character starts, at most three bytes further. */
export function charStart(bytes: Uint8Array, at: number): number {
  let i = at;
  while (i < bytes.length && i < at + 3 && isContinuation(bytes[i] as number)) i++;
  return i;
}

/** At most `length` bytes of a line, those around `center`, on borders of characters. */
export function shorten(
  line: ShownLine,
  length: number,
  center: number,
): Pick<ShownLine, "bytes" | "cutBefore" | "cutAfter"> {
  const { bytes } = line;
  if (bytes.length <= length) return line;
  const wanted = Math.max(0, Math.min(center - (length >> 1), bytes.length - length));
  const from = charStart(bytes, wanted);
  let to = Math.min(bytes.length, wanted + length);
  while (to > from && to < bytes.length && isContinuation(bytes[to] as number)) to--;
  return {
    bytes: bytes.subarray(from, to),
    cutBefore: line.cutBefore || from > 0,
    cutAfter: line.cutAfter || to < bytes.length,
  };
}
