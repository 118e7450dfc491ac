// Owns: what an agent is told whose text is not in a file: the nearest place, and where it first differs.
// Must never: take more than a bounded look.

import { echo, say, type Shown } from "../../errors.ts";
import { readBytes, type ByteSource, type Steps } from "../../text/index.ts";
import { firstDifference } from "../../text/first-difference.ts";
import { countFeedsSteps } from "../../text/line-column.ts";
import { LF } from "../../text/lines.ts";
import { mostSimilarLine } from "../../text/similar-line.ts";
import { linesOfBytes } from "../../text/text-lines.ts";
import { findTextSteps, withLf } from "./_find-text.ts";

/** The nearest place: the first line that differs, from which column on, and what the file and the text have there. */
export interface NearPlace {
  readonly line: number;
  readonly column: number;
  readonly file: string;
  readonly sent: string;
}

/** Lines of the text that are looked for, longest first, and places of each that are compared. */
const ANCHORS = 6;
const PLACES = 8;
const LEAST_ANCHOR = 3;
/** Similar lines are looked for in files up to this size. */
const SIMILAR_BYTES = 4 << 20;
const LINE_BYTES = 4_096;
const SHOWN = 120;
const BEFORE_COLUMN = 40;

/** The place of the file that is most like `text`; undefined when nothing is. */
export function* nearPlaceSteps(source: ByteSource, text: string): Steps<NearPlace | undefined> {
  const lines = withLf(text).split("\n");
  let best: { readonly start: number; readonly equal: number } | undefined;
  for (const { anchor, index } of anchorsOf(lines))
    for (const { from } of yield* findTextSteps(source, anchor, { most: PLACES })) {
      const start = linesUp(source, lineStart(source, from), index);
      if (start === undefined) continue;
      const equal = equalLines(source, start, lines);
      if (best === undefined || equal > best.equal) best = { start, equal };
    }
  if (best !== undefined) return yield* differingLine(source, best.start, lines);
  return yield* similarPlace(source, lines);
}

/** The longest lines of the text without the blanks around them, and which lines they are. */
function anchorsOf(lines: readonly string[]): { readonly anchor: string; readonly index: number }[] {
  return lines
    .map((line, index) => ({ anchor: line.trim(), index }))
    .filter(({ anchor }) => anchor.length >= LEAST_ANCHOR)
    .toSorted((a, b) => b.anchor.length - a.anchor.length)
    .slice(0, ANCHORS);
}

function* similarPlace(source: ByteSource, lines: readonly string[]): Steps<NearPlace | undefined> {
  const [longest] = anchorsOf(lines);
  if (longest === undefined || source.size > SIMILAR_BYTES) return undefined;
  const file = yield* linesOfBytes(readBytes(source, 0, source.size));
  const text = lines[longest.index] ?? "";
  const line = yield* mostSimilarLine(file, { line: 1, text });
  if (line === undefined) return undefined;
  const there = file.text(line, LINE_BYTES);
  return { line, column: firstDifference(there, text).column, file: there, sent: text };
}

function lineStart(source: ByteSource, at: number): number {
  const start = Math.max(0, at - LINE_BYTES);
  return start + readBytes(source, start, at - start).lastIndexOf(LF) + 1;
}

/** Where the line `count` above begins; undefined when there are not so many, or they are long. */
function linesUp(source: ByteSource, at: number, count: number): number | undefined {
  let here = at;
  for (let left = count; left > 0; left--) {
    if (here === 0) return undefined;
    here = lineStart(source, here - 1);
  }
  return here;
}

function* linesFrom(source: ByteSource, start: number): Generator<string, void, void> {
  for (let at = start; at < source.size;) {
    const bytes = readBytes(source, at, LINE_BYTES);
    const end = bytes.indexOf(LF);
    const line = end < 0 ? bytes : bytes.subarray(0, end);
    yield new TextDecoder().decode(line.at(-1) === 13 ? line.subarray(0, -1) : line);
    at += end < 0 ? bytes.length : end + 1;
  }
}

/** How many lines are equal in their places. The last of the text may be the beginning of a line. */
function equalLines(source: ByteSource, start: number, lines: readonly string[]): number {
  let equal = 0;
  let i = 0;
  for (const line of linesFrom(source, start)) {
    if (i >= lines.length) break;
    if (isLike(line, lines, i)) equal++;
    i++;
  }
  return equal;
}

/** The first and the last line of a text may be parts of lines. */
function isLike(line: string, lines: readonly string[], i: number): boolean {
  const text = lines[i] ?? "";
  if (line === text) return true;
  if (i === lines.length - 1 && i > 0) return line.startsWith(text);
  return i === 0 && lines.length > 1 && line.endsWith(text);
}

function* differingLine(
  source: ByteSource,
  start: number,
  lines: readonly string[],
): Steps<NearPlace | undefined> {
  const first = 1 + (yield* countFeedsSteps(source, 0, start));
  let i = 0;
  for (const line of linesFrom(source, start)) {
    if (i >= lines.length) break;
    if (!isLike(line, lines, i)) {
      const sent = lines[i] ?? "";
      return { line: first + i, column: firstDifference(line, sent).column, file: line, sent };
    }
    i++;
  }
  if (i >= lines.length) return undefined;
  return { line: first + i, column: 1, file: "", sent: lines[i] ?? "" };
}

/** What differs, in words. */
export function sayMiss({ line, column, file, sent }: NearPlace): Shown {
  const blanks = file.replace(/\s+/g, "") === sent.replace(/\s+/g, "") ? say` (white space differs)` : say``;
  return say`Nearest is line ${line}, which differs from column ${column} on${blanks}: the file has ${shownAt(file, column)}, old_text has ${shownAt(sent, column)}.`;
}

function shownAt(text: string, column: number): Shown {
  const chars = Array.from(text);
  const from = chars.length > SHOWN ? Math.max(0, column - 1 - BEFORE_COLUMN) : 0;
  return echo(`${from > 0 ? "..." : ""}${chars.slice(from).join("")}`, SHOWN);
}
