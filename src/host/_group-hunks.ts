// Owns: which splices of a file's text belong together, so that a person can take or leave them: those whose lines touch.

import { LF } from "../text/lines.ts";
import type { Steps } from "../text/steps.ts";

/** A splice over a text, by the length of what it inserts and whether that ends a line. */
export interface LineSplice {
  readonly at: number;
  readonly remove: number;
  /** Undefined: nothing is inserted. */
  readonly lastInserted: number | undefined;
}

const SPLICES_PER_STEP = 256;

/**
 * The splices in groups, as indexes. Two are in one group when no whole line lies between the lines that they change.
 * Cost: the text is searched once, however many splices there are and however long its lines.
 */
export function* touchingSplices(text: Uint8Array, splices: readonly LineSplice[]): Steps<number[][]> {
  const groups: number[][] = [];
  let end = -1;
  /** Where the line of the splice before begins, and that splice. */
  let [start, before] = [0, 0];
  /** The next line feed that was found. */
  let feed = -1;
  for (const [i, { at, remove, lastInserted }] of splices.entries()) {
    if (i % SPLICES_PER_STEP === 0) yield;
    const last = text.subarray(before, at).lastIndexOf(LF);
    if (last >= 0) start = before + last + 1;
    before = at;
    const group = groups.at(-1);
    if (group !== undefined && start <= end) group.push(i);
    else groups.push([i]);
    const to = at + remove;
    const isWhole =
      start === at && isLineEnd(text, to) && (lastInserted === undefined || lastInserted === LF);
    if (!isWhole && feed < to) feed = feedFrom(text, to);
    end = Math.max(end, isWhole ? to : Math.min(feed + 1, text.length));
  }
  return groups;
}

/** The first line feed from `at` on, or the end. */
function feedFrom(text: Uint8Array, at: number): number {
  const feed = text.indexOf(LF, at);
  return feed < 0 ? text.length : feed;
}

function isLineEnd(text: Uint8Array, at: number): boolean {
  return at === 0 || text[at - 1] === LF;
}
