// Owns: which splices of a file's text belong together, so that a person can take or leave them: those whose lines touch.

import { LF } from "../text/lines.ts";

/** A splice over a text, by the length of what it inserts and whether that ends a line. */
export interface LineSplice {
  readonly at: number;
  readonly remove: number;
  /** Undefined: nothing is inserted. */
  readonly lastInserted: number | undefined;
}

/** The splices in groups, as indexes. Two are in one group when no whole line lies between the lines that they change. */
export function touchingSplices(text: Uint8Array, splices: readonly LineSplice[]): number[][] {
  const groups: number[][] = [];
  let end = -1;
  for (const [i, { at, remove, lastInserted }] of splices.entries()) {
    const start = at === 0 ? 0 : text.lastIndexOf(LF, at - 1) + 1;
    const group = groups.at(-1);
    if (group !== undefined && start <= end) group.push(i);
    else groups.push([i]);
    const to = at + remove;
    const isWhole =
      start === at && isLineEnd(text, to) && (lastInserted === undefined || lastInserted === LF);
    const next = isWhole ? to - 1 : text.indexOf(LF, to);
    end = Math.max(end, isWhole ? to : next < 0 ? text.length : next + 1);
  }
  return groups;
}

function isLineEnd(text: Uint8Array, at: number): boolean {
  return at === 0 || text[at - 1] === LF;
}
