// Owns: two lists of lines as one: what stays, what goes, what comes.

import { lineChanges } from "../../text/line-diff.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { linesOfBytes } from "../../text/text-lines.ts";
import type { BlockLine } from "./edit.ts";

const encoder = new TextEncoder();

export function changedLines(before: readonly string[], after: readonly string[]): BlockLine[] {
  return runNow(changedLinesSteps(before, after));
}

export function* changedLinesSteps(before: readonly string[], after: readonly string[]): Steps<BlockLine[]> {
  const a = yield* linesOfBytes(bytesOf(before));
  const b = yield* linesOfBytes(bytesOf(after));
  const lines: BlockLine[] = [];
  let next = 1;
  const keep = (to: number): void => {
    for (; next < to; next++) lines.push({ kind: " ", text: before[next - 1] as string });
  };
  for (const { aFrom, aTo, bFrom, bTo } of yield* lineChanges(a, b)) {
    keep(aFrom);
    for (const text of before.slice(aFrom - 1, aTo - 1)) lines.push({ kind: "-", text });
    for (const text of after.slice(bFrom - 1, bTo - 1)) lines.push({ kind: "+", text });
    next = aTo;
  }
  keep(before.length + 1);
  return lines;
}

/** Every line with an ending. */
function bytesOf(lines: readonly string[]): Uint8Array {
  return encoder.encode(lines.map((line) => `${line}\n`).join(""));
}
