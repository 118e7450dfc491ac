// Owns: which bytes go when a member is deleted, so that the remaining text reads as if it had never been there.

import type { Splice } from "../../text/splice.ts";
import { firstToken, leadOf, tailOf } from "./gap.ts";
import { gapBetween, gapStart, rowStart, type Seat } from "./member-rows.ts";
import { NONE, type Scanner } from "../scan/scanner.ts";

const NOTHING = new Uint8Array(0);

function cut(at: number, to: number): Splice {
  return { at, remove: to - at, insert: NOTHING };
}

/** The splices that delete the row of `seat` from the container at `container`, with the comments that belong to it. */
export function removal(scanner: Scanner, container: number, seat: Seat): readonly Splice[] {
  const { prev, row, next, close } = seat;
  const boundary = gapStart(container, prev);
  const lead = leadOf(gapBetween(scanner, boundary, rowStart(row)), boundary, rowStart(row));
  const behind = row.comma === NONE ? row.end : row.comma + 1;
  const until = next === undefined ? close : rowStart(next);
  const gap = gapBetween(scanner, behind, until);
  const tail = tailOf(gap, behind);
  // Without the break, what follows would end up inside the line comment above.
  const start = lead.behindLineComment && !tail.lineEnds ? lead.firstToken : lead.from;

  if (next !== undefined) {
    if (lead.ownLine)
      return [tail.lineEnds ? cut(lead.from, tail.to) : cut(lead.firstToken, firstToken(gap, until))];
    if (prev !== undefined) return [cut(boundary, tail.lineEnds ? tail.to : behind)];
    return [tail.lineEnds ? cut(boundary, tail.to) : cut(lead.firstToken, firstToken(gap, until))];
  }
  if (prev === undefined) {
    const left = [...gapBetween(scanner, boundary, start), ...gapBetween(scanner, tail.to, close)];
    const empty = left.every((part) => part.kind === "blank" || part.kind === "break");
    return [empty ? cut(boundary, close) : cut(start, tail.to)];
  }
  // The last of several: without a trailing comma of its own it takes the comma before it along.
  if (row.comma !== NONE) return [cut(start, tail.to)];
  if (start === prev.comma + 1) return [cut(prev.comma, tail.to)];
  return [cut(prev.comma, prev.comma + 1), cut(start, tail.to)];
}
