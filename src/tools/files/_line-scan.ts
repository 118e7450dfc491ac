// Owns: the lines of a file in which a pattern matches, found in windows.
// Must never: hold more than a window of a file.

import type { ByteSource } from "../../text/index.ts";
import { countFeeds, CR, LF } from "../../text/lines.ts";
import type { LineMatch, LinePattern } from "./_pattern.ts";

/** A line with a match. Offsets are bytes of the file. */
export interface MatchedLine {
  /** From 1. */
  readonly number: number;
  readonly start: number;
  /** Without its ending. */
  readonly end: number;
  /** The text, or the part of a very long line, and where in the file that part begins. */
  readonly text: string;
  readonly textAt: number;
  readonly match: LineMatch;
}

const WINDOW = 1 << 18;
/** Bytes of lines that are decoded and matched between two pauses: about a millisecond of the slowest pattern. */
const STEP = 1 << 14;
/** A line that does not fit a window is looked at in parts, which overlap by this much. */
const OVERLAP = 1 << 13;

/**
 * The lines that match, in order, each once; undefined is a pause. A match longer than 8 KiB across two parts of a line longer
 * than 256 KiB is not found.
 */
export function* matchedLines(
  source: ByteSource,
  pattern: LinePattern,
  buffer: Buffer,
): Generator<MatchedLine | undefined, void, void> {
  let number = 1;
  let lineAt = 0;
  /** The last line that was given, so that parts of one line give it once. */
  let given = 0;
  for (let at = 0; at < source.size;) {
    const length = source.read(at, buffer, 0, Math.min(buffer.length, source.size - at));
    const isLast = at + length === source.size;
    const lastFeed = isLast ? length - 1 : buffer.lastIndexOf(LF, length - 1);
    const isPart = lastFeed < 0;
    const size = isPart ? length : lastFeed + 1;
    const window = buffer.subarray(0, size);
    let counted = 0;
    for (const line of linesWith(window, pattern)) {
      if (line === undefined) {
        yield undefined;
        continue;
      }
      number += countFeeds(window.subarray(counted, line.start));
      if (line.start > counted) lineAt = at + line.start;
      counted = line.start;
      if (given === number) continue;
      given = number;
      yield {
        ...line,
        number,
        start: line.start === 0 ? lineAt : at + line.start,
        end: at + line.end,
        textAt: at + line.start,
      };
    }
    if (isLast) return;
    if (!isPart) {
      number += countFeeds(window.subarray(counted, size));
      lineAt = at + size;
    }
    at += isPart ? size - OVERLAP : size;
    yield undefined;
  }
}

export function scanBuffer(): Buffer {
  return Buffer.allocUnsafe(WINDOW);
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly match: LineMatch;
}

/** Lines of a window with a match; undefined is a pause. Only lines that hold what every match holds are decoded. */
function* linesWith(window: Buffer, pattern: LinePattern): Generator<Found | undefined, void, void> {
  const { required } = pattern;
  let decoded = 0;
  for (let from = 0; from < window.length;) {
    const at = required === undefined ? from : required.indexIn(window, from);
    if (at < 0) return;
    const start = at === 0 ? 0 : window.lastIndexOf(LF, at - 1) + 1;
    const feed = window.indexOf(LF, at);
    const next = feed < 0 ? window.length : feed + 1;
    const stop = feed < 0 ? window.length : feed;
    const end = stop > start && window[stop - 1] === CR ? stop - 1 : stop;
    const text = window.toString("utf8", start, end);
    const match = pattern.match(text, 0);
    if (match !== undefined) yield { start, end, text, match };
    decoded += end - start;
    if (decoded >= STEP) {
      decoded = 0;
      yield undefined;
    }
    from = next;
  }
}
