// Owns: growing splices to whole lines, the changed part of a hunk.

import { readBytes, type ByteSource } from "./byte-source.ts";
import { charStart, isLineStart, endOfLine, startOfLine, type ShownLine } from "./_hunk-lines.ts";
import type { LineIndex } from "./line-index.ts";
import { countFeedsSteps, LineCounter } from "./line-column.ts";
import { LF, linesOf } from "./lines.ts";
import { mergeAdjacent } from "./splice-compose.ts";
import type { Splice } from "./splice.ts";
import type { Steps } from "./steps.ts";

const SPLICES_PER_STEP = 256;
const LINES_PER_STEP = 4096;
/** Of a block that is not read as a whole the first lines are shown, the rest is counted. */
const SHOWN_BYTES = 1 << 16;

/** Old lines that become new lines. Both sides are whole lines, except where a line was too long to scan. */
export interface Block {
  readonly oldFrom: number;
  readonly oldTo: number;
  /** The number of the first line, old counting. */
  readonly line: number;
  /** The lines, or the first of them; the counts are of all. */
  readonly oldLines: readonly ShownLine[];
  readonly newLines: readonly ShownLine[];
  readonly oldCount: number;
  readonly newCount: number;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
  /** How many bytes the first lines of both sides have in common: where to look when they are long. */
  readonly center: number;
  /** Does it begin in the long line that the block before it ended in? */
  readonly sameLine: boolean;
}

interface Range {
  from: number;
  to: number;
  cutBefore: boolean;
  cutAfter: boolean;
  /** How far the result is shifted at the two ends. */
  shiftFrom: number;
  shiftTo: number;
}

export interface BlockOptions {
  readonly lineLength: number;
  /** A line is not followed further than this. */
  readonly reach: number;
  /** A larger block is not read as a whole. */
  readonly blockBytes: number;
  readonly lines: Pick<LineIndex, "lineAt"> | undefined;
}

/** The blocks of an edit, from first to last, one at a time; undefined is a pause. */
export function* blocksOf(
  source: ByteSource,
  result: ByteSource,
  splices: readonly Splice[],
  options: BlockOptions,
): Generator<Block | undefined, void, void> {
  const counter = new LineCounter(source);
  let lastLine = 0;
  for (const range of rangesOf(source, splices, options)) {
    if (range === undefined) {
      yield undefined;
      continue;
    }
    const line = options.lines?.lineAt(range.from) ?? (yield* counter.lineAt(range.from));
    const block = yield* blockOf(
      source,
      result,
      range,
      line,
      range.cutBefore && line === lastLine,
      options.blockBytes,
    );
    lastLine = 0;
    if (block.oldCount === 0 && block.newCount === 0) continue;
    if (block.cutAfter) lastLine = block.line + block.oldCount - 1;
    yield block;
  }
}

/**
 * The ranges of whole lines that splices touch, those that meet joined. Two splices further apart in one line than a
 * line is shown get a range each, cut on the side of the other, so that both changes are seen.
 */
function* rangesOf(
  source: ByteSource,
  splices: readonly Splice[],
  { lineLength, reach }: BlockOptions,
): Generator<Range | undefined, void, void> {
  const merged = mergeAdjacent(splices);
  const around = lineLength >> 1;
  let last: Range | undefined;
  let shift = 0;
  for (const [i, { at, remove, insert }] of merged.entries()) {
    if (i % SPLICES_PER_STEP === SPLICES_PER_STEP - 1) yield undefined;
    // Only what lies between two splices is searched for a border.
    const start: number | undefined =
      startOfLine(source, at, Math.min(reach, at - (last?.to ?? 0))) ?? startAfter(last, at, reach);
    const tail = at + remove;
    const gap = (merged[i + 1]?.at ?? source.size) - tail;
    // Whole lines already, when what lies before the tail ends a line in the old text and in the new one.
    const whole =
      isLineStart(source, tail) && (insert.length > 0 ? insert.at(-1) === LF : isLineStart(source, at));
    const end = whole
      ? tail
      : (endOfLine(source, tail, Math.min(reach, gap)) ?? (gap <= lineLength ? tail + gap : undefined));
    const range: Range = {
      from: start ?? borderNear(source, at - around),
      to: end ?? borderNear(source, tail + around),
      cutBefore: start === undefined,
      cutAfter: end === undefined,
      shiftFrom: shift,
      shiftTo: shift + insert.length - remove,
    };
    shift = range.shiftTo;
    if (last === undefined || range.from > last.to) {
      if (last !== undefined) yield last;
      last = range;
    } else {
      last.to = range.to;
      last.cutAfter = range.cutAfter;
      last.shiftTo = range.shiftTo;
    }
  }
  if (last !== undefined) yield last;
}

/** Without a line feed since the range before, the line starts where that one ends, unless it is cut there. */
function startAfter(last: Range | undefined, at: number, reach: number): number | undefined {
  return last === undefined || last.cutAfter || at - last.to > reach ? undefined : last.to;
}

function borderNear(source: ByteSource, at: number): number {
  return at + charStart(readBytes(source, at, 4), 0);
}

function* blockOf(
  source: ByteSource,
  result: ByteSource,
  range: Range,
  line: number,
  sameLine: boolean,
  blockBytes: number,
): Steps<Block> {
  const { from, to, cutBefore, cutAfter } = range;
  const newFrom = from + range.shiftFrom;
  const newTo = to + range.shiftTo;
  if (to - from + newTo - newFrom > blockBytes) {
    const oldLines = yield* headOf(source, from, to, range);
    const newLines = yield* headOf(result, newFrom, newTo, range);
    const oldCount = yield* countLines(source, from, to);
    const newCount = yield* countLines(result, newFrom, newTo);
    const center = commonBytes(oldLines[0], newLines[0]);
    return {
      oldFrom: from,
      oldTo: to,
      line,
      oldLines,
      newLines,
      oldCount,
      newCount,
      cutBefore,
      cutAfter,
      center,
      sameLine,
    };
  }
  const oldAll = yield* shownLines(source, from, to, range);
  const newAll = yield* shownLines(result, newFrom, newTo, range);
  const [head, tail] = yield* commonEnds(oldAll, newAll, cutBefore, cutAfter);
  const oldLines = oldAll.slice(head, oldAll.length - tail);
  const newLines = newAll.slice(head, newAll.length - tail);
  return {
    oldFrom: oldAll[head]?.from ?? to,
    oldTo: oldAll[oldAll.length - tail]?.from ?? to,
    line: line + head,
    oldLines,
    newLines,
    oldCount: oldLines.length,
    newCount: newLines.length,
    cutBefore: cutBefore && head === 0,
    cutAfter: cutAfter && tail === 0,
    center: commonBytes(oldLines[0], newLines[0]),
    sameLine,
  };
}

/** How many lines both sides begin and end with. They were touched, but not changed. */
function* commonEnds(
  a: readonly ShownLine[],
  b: readonly ShownLine[],
  cutBefore: boolean,
  cutAfter: boolean,
): Steps<[head: number, tail: number]> {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (!cutBefore && head < most && isEqual(a[head], b[head])) if (++head % LINES_PER_STEP === 0) yield;
  const left = cutAfter ? 0 : most - head;
  let tail = 0;
  while (tail < left && isEqual(a[a.length - 1 - tail], b[b.length - 1 - tail]))
    if (++tail % LINES_PER_STEP === 0) yield;
  return [head, tail];
}

function isEqual(a: ShownLine | undefined, b: ShownLine | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.bytes.length === b.bytes.length &&
    commonBytes(a, b) === a.bytes.length
  );
}

function commonBytes(a: ShownLine | undefined, b: ShownLine | undefined): number {
  if (a === undefined || b === undefined) return 0;
  let i = 0;
  while (i < a.bytes.length && i < b.bytes.length && a.bytes[i] === b.bytes[i]) i++;
  return i;
}

function* shownLines(source: ByteSource, from: number, to: number, range: Range): Steps<ShownLine[]> {
  const bytes = readBytes(source, from, to - from);
  const lines: ShownLine[] = [];
  for (const { start, next } of linesOf(bytes)) {
    if (lines.length % LINES_PER_STEP === LINES_PER_STEP - 1) yield;
    lines.push({
      from: from + start,
      to: from + next,
      bytes: bytes.subarray(start, next),
      cutBefore: start === 0 && range.cutBefore,
      cutAfter: next === bytes.length && range.cutAfter,
    });
  }
  return lines;
}

/** The first lines of a large part. */
function* headOf(source: ByteSource, from: number, to: number, range: Range): Steps<ShownLine[]> {
  const end = Math.min(to, from + SHOWN_BYTES);
  const lines = yield* shownLines(source, from, end, { ...range, cutAfter: end < to || range.cutAfter });
  // The last of several is cut somewhere: it is not worth showing.
  return end < to && lines.length > 1 ? lines.slice(0, -1) : lines;
}

function* countLines(source: ByteSource, from: number, to: number): Steps<number> {
  if (to <= from) return 0;
  const feeds = yield* countFeedsSteps(source, from, to);
  return feeds + (readBytes(source, to - 1, 1)[0] === LF ? 0 : 1);
}
