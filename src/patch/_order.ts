// Owns: the order of a file's operations by line, then by their place in the patch, in steps.

import type { Steps } from "../text/steps.ts";
import type { Operation } from "./operation.ts";

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const MOST = 2 ** 31;

/**
 * The members of `indices` ordered by line; the order in the patch decides between equals. Lines of 2^31 and more count
 * as equal: no file that can be patched has them. Operations that ascend already cost one look, others one pass for
 * every 11 bits of the largest line.
 */
export function* orderByLine(
  operations: readonly Operation[],
  indices: readonly number[],
): Steps<ArrayLike<number>> {
  const count = indices.length;
  let lines = new Uint32Array(count);
  let ascending = true;
  let highest = 0;
  for (let i = 0; i < count; i++) {
    const line = Math.min((operations[indices[i] as number] as Operation).line, MOST);
    lines[i] = line;
    if (line < highest) ascending = false;
    else highest = line;
  }
  if (ascending) return indices;
  let ordered = Uint32Array.from(indices);
  let spareLines = new Uint32Array(count);
  let spareOrdered = new Uint32Array(count);
  for (let shift = 0; shift < 32 && highest >>> shift > 0; shift += DIGIT_BITS) {
    yield;
    sortByDigit(shift, lines, ordered, spareLines, spareOrdered);
    [lines, spareLines] = [spareLines, lines];
    [ordered, spareOrdered] = [spareOrdered, ordered];
  }
  return ordered;
}

/** Moves lines and indices to where they belong by one digit of the line; equal digits keep their order. */
function sortByDigit(
  shift: number,
  lines: Uint32Array,
  indices: Uint32Array,
  toLines: Uint32Array,
  toIndices: Uint32Array,
): void {
  // places[d]: how many come before the first with digit d.
  const places = new Uint32Array(DIGITS + 1);
  for (let i = 0; i < lines.length; i++) {
    const above = (((lines[i] as number) >>> shift) & (DIGITS - 1)) + 1;
    places[above] = (places[above] as number) + 1;
  }
  for (let d = 1; d < DIGITS; d++) places[d] = (places[d] as number) + (places[d - 1] as number);
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as number;
    const digit = (line >>> shift) & (DIGITS - 1);
    const place = places[digit] as number;
    places[digit] = place + 1;
    toLines[place] = line;
    toIndices[place] = indices[i] as number;
  }
}
