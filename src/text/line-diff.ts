// Owns: splices between two texts that nobody edited here: what a person or a container changed meanwhile.
// Must never: be on the write path of an edit. An edit knows its splices.

import { LineNumbering, lineStarts } from "./_line-ids.ts";
import { diffSequences } from "./_sequence-diff.ts";
import type { Splice } from "./splice.ts";
import { runNow, type Steps } from "./steps.ts";

const LF = 10;
const LINES_PER_STEP = 1 << 16;
const BYTES_PER_STEP = 1 << 20;

export interface LineDiffOptions {
  /** Roughly how many comparisons to spend before taking the rest as replaced. */
  readonly maxWork?: number;
}

/**
 * Whole-line splices that turn `before` into `after`, as steps that a caller can spread over time. Short edits are found
 * exactly; for texts far apart the work is bounded and the answer coarser, but always right. Cost: linear in both texts,
 * plus at most `maxWork` (default: 32 for each line, and 4 million).
 */
export function* diffLinesSteps(
  before: Uint8Array,
  after: Uint8Array,
  options: LineDiffOptions = {},
): Steps<Splice[]> {
  // Common ends are found byte by byte, so that a small change in a large text costs little more than reading it.
  const head = yield* commonHead(before, after);
  const tail = yield* commonTail(before, after, head);
  const startsA = yield* lineStarts(before, head, before.length - tail);
  const startsB = yield* lineStarts(after, head, after.length - tail);
  const lines = startsA.length + startsB.length - 2;
  const numbering = new LineNumbering(lines);
  yield;
  const a = yield* numbering.number(before, startsA);
  const b = yield* numbering.number(after, startsB);
  const maxWork = options.maxWork ?? 32 * lines + 4_000_000;
  const { keptA, keptB } = yield* diffSequences(a, b, numbering.size, maxWork);
  const splices: Splice[] = [];
  let i = 0;
  let j = 0;
  while (i < keptA.length || j < keptB.length) {
    const [fromA, fromB] = [i, j];
    while (i < keptA.length && keptA[i] === 0) i++;
    while (j < keptB.length && keptB[j] === 0) j++;
    if (i > fromA || j > fromB) {
      const at = startsA[fromA] as number;
      const insert = after.subarray(startsB[fromB], startsB[j]);
      splices.push({ at, remove: (startsA[i] as number) - at, insert });
    }
    i++;
    j++;
    if (i % LINES_PER_STEP === 0) yield;
  }
  return splices;
}

/** {@link diffLinesSteps} in one go. */
export function diffLines(before: Uint8Array, after: Uint8Array, options: LineDiffOptions = {}): Splice[] {
  return runNow(diffLinesSteps(before, after, options));
}

/** Bytes that both begin with, up to a line border of both. */
function* commonHead(a: Uint8Array, b: Uint8Array): Steps<number> {
  const most = Math.min(a.length, b.length);
  let i = 0;
  for (let stop = BYTES_PER_STEP; i < most && a[i] === b[i]; i++) {
    if (i < stop) continue;
    stop += BYTES_PER_STEP;
    yield;
  }
  if (i === a.length && i === b.length) return i;
  return i === 0 ? 0 : a.lastIndexOf(LF, i - 1) + 1;
}

/** Bytes that both end with, beyond `head`, from a line border of both on. */
function* commonTail(a: Uint8Array, b: Uint8Array, head: number): Steps<number> {
  const most = Math.min(a.length, b.length) - head;
  let i = 0;
  for (let stop = BYTES_PER_STEP; i < most && a[a.length - 1 - i] === b[b.length - 1 - i]; i++) {
    if (i < stop) continue;
    stop += BYTES_PER_STEP;
    yield;
  }
  // The tail must begin right behind a line feed, or at the head, in both texts.
  const isBorder = (bytes: Uint8Array, at: number): boolean => at === head || bytes[at - 1] === LF;
  while (i > 0 && !(isBorder(a, a.length - i) && isBorder(b, b.length - i))) i--;
  return i;
}
