// Owns: two edits of one text as one edit, where one of them wins.

import { LF } from "./lines.ts";
import type { Splice } from "./splice.ts";

/**
 * All of `winning`, and of `other` what does not change the same bytes, insert at the same place, or share a line with it. Both
 * are edits of whole lines of the same text. Cost: the number of splices.
 */
export function mergeSplices(winning: readonly Splice[], other: readonly Splice[]): Splice[] {
  const splices: Splice[] = [];
  let i = 0;
  for (const one of other) {
    for (let next = winning[i]; next !== undefined && isBefore(next, one); next = winning[++i])
      splices.push(next);
    const next = winning[i];
    if (next === undefined || !meets(one, next)) splices.push(one);
  }
  return [...splices, ...winning.slice(i)];
}

function isBefore(a: Splice, b: Splice): boolean {
  return a.at + a.remove <= b.at && !meets(a, b);
}

function meets(a: Splice, b: Splice): boolean {
  if (a.remove === 0 && b.remove === 0) return a.at === b.at;
  return (a.at < b.at + b.remove && b.at < a.at + a.remove) || isJoined(a, b) || isJoined(b, a);
}

/** Whether `second` would go on in the last line of `first`, which has no ending. */
function isJoined(first: Splice, second: Splice): boolean {
  const isBeside = first.at + first.remove === second.at;
  return isBeside && first.insert.length > 0 && first.insert.at(-1) !== LF;
}
