// Owns: where the members around a place are: the rows an edit has to know, and no more.

import type { Steps } from "../../text/steps.ts";
import { type IndexableScanner, NONE, PAUSED, type Scanner, settle } from "../scan/scanner.ts";
import { type GapPart, type Lead, leadOf, splitGap } from "./gap.ts";

/** A member of an object or an item of an array. */
export interface MemberRow {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
  /** The comma after it; NONE when there is none. */
  readonly comma: number;
}

/** The rows around a place in a container. */
export interface Around {
  readonly beforePrev: MemberRow | undefined;
  readonly prev: MemberRow | undefined;
  /** The row that starts at the place. */
  readonly row: MemberRow | undefined;
  readonly next: MemberRow | undefined;
  /** The closing bracket; NONE when there are rows after these. */
  readonly close: number;
}

/** A row with its neighbours. */
export type Seat = Around & { readonly row: MemberRow };

/** The key or value where the row starts. */
export function rowStart(row: MemberRow): number {
  return row.keyStart === NONE ? row.start : row.keyStart;
}

/** The parts between `from` and `to`, which hold blanks and comments only. */
export function gapBetween(scanner: Scanner, from: number, to: number): readonly GapPart[] {
  return splitGap(scanner.bytes(from, to), from);
}

/** Where the gap before a row starts: after the previous comma, or after the opening bracket. */
export function gapStart(container: number, prev: MemberRow | undefined): number {
  return prev === undefined ? container + 1 : prev.comma + 1;
}

/** How the comma after `prev` reads when it begins a line on which the next row starts, at `start`; else undefined. */
export function commaLead(scanner: Scanner, prev: MemberRow, start: number): Lead | undefined {
  if (prev.comma === NONE) return undefined;
  const after = gapBetween(scanner, prev.comma + 1, start);
  if (!after.every((part) => part.kind === "blank")) return undefined;
  const lead = leadOf(gapBetween(scanner, prev.end, prev.comma), prev.end, prev.comma);
  return lead.ownLine ? lead : undefined;
}

/** A place after the last row of any container. */
export const AT_END: number = Infinity;

/** Bytes that are stepped over at once on the way to a place. */
const STEP = 1_024;

/**
 * The rows around `place`, where a row of the container at `at` starts, or {@link AT_END}. Only the children near it are
 * looked at, one by one; the way there goes from the nearest place known.
 */
export function* rowsAround(scanner: IndexableScanner, at: number, place: number): Steps<Around> {
  let from = yield* settle(scanner, scanner.landmark(at, place));
  // Two strides stay between, so that there are two rows if the container has so many.
  for (let [middle, near] = [from, from]; ;) {
    const next = yield* settle(scanner, scanner.stride(at, near, STEP));
    if (next === NONE || next >= place) break;
    [from, middle, near] = [middle, near, next];
  }
  const children = scanner.childrenFrom(at, from, 0);
  const passed: MemberRow[] = [];
  let row: MemberRow | undefined;
  for (let start = children.next(); start !== NONE; start = children.next()) {
    if (start === PAUSED) {
      yield;
      continue;
    }
    const { keyStart, keyEnd, end } = children;
    const comma = scanner.blank(end);
    const one = { keyStart, keyEnd, start, end, comma: scanner.byte(comma) === 0x2c ? comma : NONE };
    if (row !== undefined)
      return { beforePrev: passed.at(-2), prev: passed.at(-1), row, next: one, close: NONE };
    if (rowStart(one) === place) row = one;
    else passed.push(one);
  }
  const close = children.close - 1;
  return { beforePrev: passed.at(-2), prev: passed.at(-1), row, next: undefined, close };
}
