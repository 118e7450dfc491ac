// Owns: the lines of a file in which a pattern matches, found in windows.
// Must never: hold more than a window of a file.

import type { ByteSource } from "../../text/index.ts";
import { countFeeds, CR, LF } from "../../text/lines.ts";
import type { Needle } from "./_needle.ts";
import type { LineMatch, LinePattern } from "./_pattern.ts";

/** A line, or a part of one that does not fit a window. Offsets are bytes of the file. */
export interface LinePart {
  /** From 1. */
  readonly number: number;
  /** Where the line begins, also of a later part. */
  readonly start: number;
  /** Where the part ends, without the ending of the line. */
  readonly end: number;
  readonly text: string;
  /** Where in the file `text` begins. */
  readonly textAt: number;
  /**
   * Where in `text` its matches begin, in UTF-16 units: at `from` and before `to`. Those before and after are seen whole in the
   * parts before and after.
   */
  readonly from: number;
  readonly to: number;
  /** All of the line. */
  readonly isWhole: boolean;
}

/** A line with its first match. */
export interface MatchedLine extends LinePart {
  readonly match: LineMatch;
}

const WINDOW = 1 << 18;
/** Bytes of lines that are decoded and matched between two pauses: about a millisecond of the slowest pattern. */
const STEP = 1 << 14;
/** A line that does not fit a window is looked at in parts, which overlap by this much. */
const OVERLAP = 1 << 13;
/** So much of it is there to tell what is before a match: whether a word or the line begins there. */
const BEFORE = 1 << 6;

/**
 * The lines that match, in order, each once; undefined is a pause. Of a line longer than 256 KiB, a match is seen as far as its
 * part goes: 8,128 bytes at least.
 */
export function* matchedLines(
  source: ByteSource,
  pattern: LinePattern,
  buffer: Buffer,
): Generator<MatchedLine | undefined, void, void> {
  let given = 0;
  for (const part of linesWith(source, pattern.required, buffer)) {
    if (part?.number === given) continue;
    const match = part && matchIn(part, pattern, part.from);
    if (part === undefined) yield undefined;
    else if (match !== undefined) {
      given = part.number;
      yield { ...part, match };
    }
  }
}

/** The first match at or after `from` that is one of this part. */
export function matchIn(part: LinePart, pattern: LinePattern, from: number): LineMatch | undefined {
  if (from > part.text.length) return undefined;
  const match = pattern.match(part.text, from);
  return match !== undefined && match.start < part.to ? match : undefined;
}

export function scanBuffer(): Buffer {
  return Buffer.allocUnsafe(WINDOW);
}

/** The lines that hold what every match holds, in order and in their parts; undefined is a pause. Only these are decoded. */
export function* linesWith(
  source: ByteSource,
  required: Needle | undefined,
  buffer: Buffer,
): Generator<LinePart | undefined, void, void> {
  let number = 1;
  let lineAt = 0;
  /** Where the matches of this window begin. */
  let border = 0;
  for (let at = 0; at < source.size;) {
    const length = source.read(at, buffer, 0, Math.min(buffer.length, source.size - at));
    const isLast = at + length === source.size;
    const lastFeed = isLast ? length - 1 : buffer.lastIndexOf(LF, length - 1);
    const isPart = lastFeed < 0;
    const window = buffer.subarray(0, isPart ? length : lastFeed + 1);
    const next = isPart ? characterAt(window, length - OVERLAP) : window.length;
    const nextBorder = isPart ? characterAt(window, length - OVERLAP + BEFORE) : next;
    let counted = 0;
    for (const line of linesIn(window, required)) {
      if (line === undefined) {
        yield undefined;
        continue;
      }
      const { start, end } = line;
      number += countFeeds(window.subarray(counted, start));
      if (start > counted) lineAt = at + start;
      counted = start;
      const first = Math.max(start, border - at);
      yield {
        number,
        start: lineAt,
        end: at + end,
        text: window.toString("utf8", start, end),
        textAt: at + start,
        from: unitsOf(window, start, first),
        to: isPart ? unitsOf(window, start, nextBorder) : Number.POSITIVE_INFINITY,
        isWhole: !isPart && lineAt === at + start,
      };
    }
    if (isLast) return;
    if (!isPart) {
      number += countFeeds(window.subarray(counted));
      lineAt = at + next;
    }
    border = at + nextBorder;
    at += next;
    yield undefined;
  }
}

/** Lines of a window that hold a needle, or all; undefined is a pause. */
function* linesIn(
  window: Buffer,
  required: Needle | undefined,
): Generator<{ readonly start: number; readonly end: number } | undefined, void, void> {
  let decoded = 0;
  for (let from = 0; from < window.length;) {
    const at = required === undefined ? from : required.indexIn(window, from);
    if (at < 0) return;
    const start = at === 0 ? 0 : window.lastIndexOf(LF, at - 1) + 1;
    const feed = window.indexOf(LF, at);
    const stop = feed < 0 ? window.length : feed;
    const end = stop > start && window[stop - 1] === CR ? stop - 1 : stop;
    yield { start, end };
    decoded += end - start;
    if (decoded >= STEP) {
      decoded = 0;
      yield undefined;
    }
    from = feed < 0 ? window.length : feed + 1;
  }
}

/** The start of the character that holds a byte of UTF-8. */
function characterAt(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

function unitsOf(bytes: Buffer, from: number, to: number): number {
  return to <= from ? 0 : bytes.toString("utf8", from, to).length;
}
