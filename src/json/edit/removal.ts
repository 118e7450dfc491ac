// Owns: which bytes go when a member is deleted, so that the remaining text reads as if it had never been there.

import type { Splice } from "../../text/splice.ts";
import { firstToken, type GapPart, type GapTail, type Lead, leadOf, tailOf } from "./gap.ts";
import { commaLead, gapBetween, gapStart, rowStart, type Seat } from "./member-rows.ts";
import { NONE, type Scanner } from "../scan/scanner.ts";

const NOTHING = new Uint8Array(0);

function cut(at: number, to: number): Splice {
  return { at, remove: to - at, insert: NOTHING };
}

function isBlank(parts: readonly GapPart[]): boolean {
  return parts.every((part) => part.kind === "blank" || part.kind === "break");
}

/**
 * From where to where whole lines go. Of the empty lines on both sides, those of the larger gap stay; at a bracket
 * (`opens`, `closes`), those that were there.
 */
function lines(lead: Lead, tail: GapTail, opens: boolean, closes: boolean): { from: number; to: number } {
  const dropsAbove = lead.ownLine && tail.lineEnds && (closes || (!opens && lead.empty <= tail.empty));
  const dropsBelow = !dropsAbove && (opens || tail.empty < lead.empty);
  return { from: dropsAbove ? lead.emptyFrom : lead.from, to: dropsBelow ? tail.emptyTo : tail.to };
}

/** The splices that delete the row of `seat` from the container at `container`, with the comments that belong to it. */
export function removal(scanner: Scanner, container: number, seat: Seat): readonly Splice[] {
  const { prev, row, next, close } = seat;
  const commaFirst = commaFirstRemoval(scanner, container, seat);
  if (commaFirst !== undefined) return commaFirst;
  const boundary = gapStart(container, prev);
  const above = gapBetween(scanner, boundary, rowStart(row));
  const lead = leadOf(above, boundary, rowStart(row));
  const after = row.comma === NONE ? row.end : row.comma + 1;
  const until = next === undefined ? close : rowStart(next);
  const gap = gapBetween(scanner, after, until);
  const tail = tailOf(gap, after);
  const { from, to } = lines(
    lead,
    tail,
    prev === undefined && isBlank(above),
    next === undefined && isBlank(gap),
  );
  // Without the break, what follows would end up inside the line comment above.
  const start = lead.afterLineComment && !tail.lineEnds ? lead.firstToken : from;

  if (next !== undefined) {
    if (lead.ownLine) return [tail.lineEnds ? cut(from, to) : cut(lead.firstToken, firstToken(gap, until))];
    if (prev !== undefined) return [cut(boundary, tail.lineEnds ? tail.to : after)];
    return [tail.lineEnds ? cut(boundary, to) : cut(lead.firstToken, firstToken(gap, until))];
  }
  if (prev === undefined) {
    const left = [...gapBetween(scanner, boundary, start), ...gapBetween(scanner, to, close)];
    return [isBlank(left) ? cut(boundary, close) : cut(start, to)];
  }
  // The last of several: without a trailing comma of its own it takes the comma before it along.
  if (row.comma !== NONE) return [cut(start, to)];
  if (start === prev.comma + 1) return [cut(prev.comma, to)];
  return [cut(prev.comma, prev.comma + 1), cut(start, to)];
}

/** The same where the commas around the row begin lines: comments above a comma belong to what follows it. */
function commaFirstRemoval(
  scanner: Scanner,
  container: number,
  { prev, row, next, close }: Seat,
): readonly Splice[] | undefined {
  const below = next === undefined ? undefined : commaLead(scanner, row, rowStart(next));
  if (next === undefined ? row.comma !== NONE : below === undefined) return undefined;
  const gap = gapBetween(scanner, row.end, next === undefined ? close : row.comma);
  const tail = tailOf(gap, row.end);
  if (!tail.lineEnds) return undefined;
  if (prev !== undefined) {
    const lead = commaLead(scanner, prev, rowStart(row));
    if (lead === undefined) return undefined;
    const { from, to } = lines(lead, tail, false, next === undefined && isBlank(gap));
    return [cut(from, to)];
  }
  if (next === undefined) return undefined;
  const above = gapBetween(scanner, container + 1, rowStart(row));
  const lead = leadOf(above, container + 1, rowStart(row));
  // Without comments of its own the next row takes this one's place; else they do.
  if (isBlank(gap.filter((part) => part.start >= tail.to))) return [cut(lead.firstToken, rowStart(next))];
  const { from, to } = lines(lead, tail, isBlank(above), false);
  return [cut(from, to), cut(row.comma, rowStart(next))];
}
