// Owns: which lines of two texts differ, as few as possible, and the splices between two texts that were edited elsewhere.

import { say } from "../errors.ts";
import { badOptions, checkOptionNames, type OptionNames } from "./options.ts";
import { LineNumbering } from "./_line-numbers.ts";
import { commonElements } from "./_sequence-diff.ts";
import type { Splice } from "./splice.ts";
import { runNow, type Steps } from "./steps.ts";
import { linesOfBytes, type TextLines } from "./text-lines.ts";

const OPTIONS: OptionNames<LineDiffOptions> = { maxWork: true };

const LINES_PER_STEP = 1 << 16;
const BYTES_PER_STEP = 1 << 18;

/** How lines are compared. */
export interface LineDiffOptions {
  /**
   * About how many comparisons to spend on the smallest difference: 32 for each line and 4 million, unless told. Beyond
   * it, some lines may count as changed that are not.
   */
  readonly maxWork?: number;
}

/**
 * Whole-line splices that turn `before` into `after`, with as few changed lines as possible. Texts that share very many
 * lines in another order reach the bound of work and get a few more, and the result is still exact. Never fails; any
 * bytes will do. Cost: linear in both texts, plus at most about `maxWork`; eight bytes of memory for each line.
 *
 * @example diffLines(encode("a\nb\n"), encode("a\nc\n"))  // [{ at: 2, remove: 2, insert: encode("c\n") }]
 */
export function diffLines(before: Uint8Array, after: Uint8Array, options: LineDiffOptions = {}): Splice[] {
  checkOptionNames(say`diffLines`, options, OPTIONS);
  if (!(before instanceof Uint8Array && after instanceof Uint8Array))
    throw badOptions(say`diffLines compares bytes: send two Uint8Arrays`);
  return runNow(diffLinesSteps(before, after, options));
}

/**
 * {@link diffLines} in steps.
 *
 * @example const splices = await runPaced(diffLinesSteps(before, after));
 */
export function* diffLinesSteps(
  before: Uint8Array,
  after: Uint8Array,
  options: LineDiffOptions = {},
): Steps<Splice[]> {
  const a = yield* linesOfBytes(before);
  const b = yield* linesOfBytes(after);
  const changes = yield* lineChanges(a, b, options);
  return changes.map(({ aFrom, aTo, bFrom, bTo }) => {
    const at = a.start(aFrom);
    return { at, remove: a.start(aTo) - at, insert: after.subarray(b.start(bFrom), b.start(bTo)) };
  });
}

/** Lines `aFrom` up to but not including `aTo` of one text become lines `bFrom` up to `bTo` of the other. From 1. */
export interface LineChange {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/**
 * The changes from `a` to `b`, from top to bottom; none of them touch. Lines are equal when text and ending are; with
 * `finalEnding`, a last line without ending counts as having that one.
 */
export function* lineChanges(
  a: TextLines,
  b: TextLines,
  options: LineDiffOptions & { readonly finalEnding?: "lf" | "crlf" } = {},
): Steps<LineChange[]> {
  // A small change in a large text costs little more than reading it: lines that both begin and end with are no part of
  // the search.
  const head = yield* commonHead(a, b);
  const tail = yield* commonTail(a, b, head);
  const [countA, countB] = [a.count - head - tail, b.count - head - tail];
  if (countA === 0 || countB === 0) {
    const from = head + 1;
    const change = { aFrom: from, aTo: from + countA, bFrom: from, bTo: from + countB };
    return countA + countB === 0 ? [] : [change];
  }
  const numbering = new LineNumbering(countA + countB, options.finalEnding);
  yield;
  const x = yield* numbering.number(a, head + 1, countA);
  const y = yield* numbering.number(b, head + 1, countB);
  const maxWork = options.maxWork ?? 32 * (countA + countB) + 4_000_000;
  const common = yield* commonElements(x, y, numbering.size, maxWork);
  const changes: LineChange[] = [];
  for (let i = 0, j = 0; i < countA || j < countB; i++, j++) {
    const [aFrom, bFrom] = [head + 1 + i, head + 1 + j];
    while (i < countA && common.a[i] === 0) i++;
    while (j < countB && common.b[j] === 0) j++;
    const [aTo, bTo] = [head + 1 + i, head + 1 + j];
    if (aTo > aFrom || bTo > bFrom) changes.push({ aFrom, aTo, bFrom, bTo });
    if (i % LINES_PER_STEP === 0) yield;
  }
  return changes;
}

/** How many lines both texts begin with. */
function* commonHead(a: TextLines, b: TextLines): Steps<number> {
  const most = Math.min(a.count, b.count);
  let head = 0;
  for (let stop = BYTES_PER_STEP; head < most && a.isSame(head + 1, b, head + 1); head++) {
    if (a.start(head + 1) < stop) continue;
    stop = a.start(head + 1) + BYTES_PER_STEP;
    yield;
  }
  return head;
}

/** How many lines both texts end with, beyond the `head` they begin with. */
function* commonTail(a: TextLines, b: TextLines, head: number): Steps<number> {
  const most = Math.min(a.count, b.count) - head;
  let tail = 0;
  for (let read = 0; tail < most && a.isSame(a.count - tail, b, b.count - tail); tail++) {
    read += a.start(a.count - tail + 1) - a.start(a.count - tail) + 1;
    if (read < BYTES_PER_STEP) continue;
    read = 0;
    yield;
  }
  return tail;
}
