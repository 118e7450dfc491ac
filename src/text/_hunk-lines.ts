// Owns: reading a few lines around a place, without ever following a line further than SCAN bytes.

import { readBytes, type ByteSource } from "./byte-source.ts";

const LF = 10;

/** A line is not searched for its start or end further than this. */
export const SCAN = 65_536;

export interface ShownLine {
  readonly from: number;
  /** Where the next line starts; less when the line was not followed to its end. */
  readonly to: number;
  readonly bytes: Uint8Array;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/** The start of the line that `at` lies in, or undefined when it is further away than {@link SCAN}. */
export function lineStart(source: ByteSource, at: number): number | undefined {
  // Most lines are short: look a little way first, then further.
  for (let back = 256, to = at; ; back *= 4) {
    const from = Math.max(0, at - back);
    const feed = readBytes(source, from, to - from).lastIndexOf(LF);
    if (feed >= 0) return from + feed + 1;
    if (from === 0) return 0;
    if (back >= SCAN) return undefined;
    to = from;
  }
}

/** Where the line that `at` lies in is over, ending included, or undefined when that is further than {@link SCAN}. */
export function lineEnd(source: ByteSource, at: number): number | undefined {
  for (let ahead = 256, from = at; ; ahead *= 4) {
    const to = Math.min(source.size, at + ahead);
    const feed = readBytes(source, from, to - from).indexOf(LF);
    if (feed >= 0) return from + feed + 1;
    if (to === source.size) return to;
    if (ahead >= SCAN) return undefined;
    from = to;
  }
}

/** Is `at` the start of a line (or the end of all bytes behind a line feed)? */
export function isLineStart(source: ByteSource, at: number): boolean {
  return at === 0 || readBytes(source, at - 1, 1)[0] === LF;
}

/** Up to `count` whole lines that end at `at`, which is the start of a line. Stops short of a line too long to scan. */
export function linesBefore(source: ByteSource, at: number, count: number): ShownLine[] {
  const lines: ShownLine[] = [];
  for (let to = at; to > 0 && lines.length < count;) {
    const from = lineStart(source, to - 1);
    if (from === undefined) break;
    lines.push({ from, to, bytes: readBytes(source, from, to - from), cutBefore: false, cutAfter: false });
    to = from;
  }
  return lines.reverse();
}

/** Up to `count` lines from `at`, the start of a line, to `end`. A line too long to scan is cut, and the last. */
export function linesAfter(source: ByteSource, at: number, end: number, count: number): ShownLine[] {
  const lines: ShownLine[] = [];
  const stop = Math.min(end, source.size);
  for (let from = at; from < stop && lines.length < count;) {
    const found = lineEnd(source, from);
    const to = Math.min(stop, found ?? from + SCAN);
    const cutAfter = found === undefined || found > stop;
    lines.push({ from, to, bytes: readBytes(source, from, to - from), cutBefore: false, cutAfter });
    if (found === undefined) break;
    from = to;
  }
  return lines;
}

/** The next place from `at` on where a character starts, at most three bytes further. */
export function charStart(bytes: Uint8Array, at: number): number {
  let i = at;
  while (i < bytes.length && i < at + 3 && ((bytes[i] as number) & 0xc0) === 0x80) i++;
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
  while (to > from && to < bytes.length && ((bytes[to] as number) & 0xc0) === 0x80) to--;
  return {
    bytes: bytes.subarray(from, to),
    cutBefore: line.cutBefore || from > 0,
    cutAfter: line.cutAfter || to < bytes.length,
  };
}
