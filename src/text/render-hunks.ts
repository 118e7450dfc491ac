// Owns: hunks as unified-diff text.

import type { Hunk, HunkLine, HunkList } from "./hunk.ts";
import { LF } from "./lines.ts";
import { plural } from "./plural.ts";
import { runNow, type Steps } from "./steps.ts";

const LINES_PER_STEP = 1024;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The hunks as the body of a unified diff: `@@` headers and lines, without file names. When the list is exact, `patch`
 * and `git apply` take it. What was cut or left out is said on lines that begin with a backslash.
 *
 * @example `--- a/x\n+++ b/x\n${renderHunks(hunksOf(bytes, splices))}`  // a unified diff
 */
export function renderHunks(list: HunkList): string {
  return runNow(renderHunksSteps(list));
}

/** {@link renderHunks} in steps. */
export function* renderHunksSteps(list: HunkList): Steps<string> {
  let text = "";
  for (const hunk of list.hunks) text += yield* renderHunk(hunk);
  if (list.leftOut > 0)
    text += `\\ ${plural(list.leftOut, "more hunk")} not shown; in all ${plural(list.removed, "line")} removed, ${list.added} added\n`;
  return text;
}

function* renderHunk(hunk: Hunk): Steps<string> {
  const old = rangeOf(hunk.oldStart, hunk.oldLines);
  let text = `@@ -${old} +${rangeOf(hunk.newStart, hunk.newLines)} @@\n`;
  for (const [i, line] of hunk.lines.entries()) {
    if (i % LINES_PER_STEP === LINES_PER_STEP - 1) yield;
    text += renderLine(line);
  }
  if (hunk.leftOut > 0) text += `\\ ${plural(hunk.leftOut, "more line")} of this hunk not shown\n`;
  return text;
}

function renderLine({ kind, bytes, cutBefore, cutAfter }: HunkLine): string {
  if (cutBefore || cutAfter) {
    const shown = decoder.decode(bytes.at(-1) === LF ? bytes.subarray(0, -1) : bytes);
    return `${kind}${cutBefore ? "..." : ""}${shown}${cutAfter ? "..." : ""}\n\\ The line is longer: a part is shown\n`;
  }
  const text = kind + decoder.decode(bytes);
  return bytes.at(-1) === LF ? text : `${text}\n\\ No newline at end of file\n`;
}

/** Where a side has no lines, unified diffs name the line before the place. */
function rangeOf(start: number, count: number): string {
  return count === 1 ? String(start) : `${count === 0 ? start - 1 : start},${count}`;
}
