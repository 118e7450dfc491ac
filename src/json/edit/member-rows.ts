// Owns: where the members around a place are: the rows an edit has to know, and no more.

import type { Steps } from "../../text/steps.ts";
import { HoldfastError, say } from "../../errors.ts";
import { keyName } from "../scan/members.ts";
import { NONE, PAUSED, type Scanner, settle } from "../scan/scanner.ts";
import { type GapPart, splitGap } from "./gap.ts";

/** A member of an object or an item of an array. */
export interface MemberRow {
  readonly index: number;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
  /** The comma after it; NONE when there is none. */
  readonly comma: number;
}

/** A row with its neighbours. `close` is the closing bracket, known when the row is the last. */
export interface Seat {
  readonly prev: MemberRow | undefined;
  readonly row: MemberRow;
  readonly next: MemberRow | undefined;
  readonly close: number;
}

/** One past the key or value where the row starts. */
export function rowStart(row: MemberRow): number {
  return row.keyStart === NONE ? row.start : row.keyStart;
}

function commaAfter(scanner: Scanner, end: number): number {
  const at = scanner.blank(end);
  return scanner.byte(at) === 0x2c ? at : NONE;
}

/** The parts between `from` and `to`, which hold blanks and comments only. */
export function gapBetween(scanner: Scanner, from: number, to: number): readonly GapPart[] {
  return splitGap(scanner.bytes(from, to), from);
}

/** Where the gap before a row starts: after the previous comma, or after the opening bracket. */
export function gapStart(container: number, prev: MemberRow | undefined): number {
  return prev === undefined ? container + 1 : prev.comma + 1;
}

/** Up to `many` items of the array at `at`, from index `from` on. */
export function* itemRows(
  scanner: Scanner,
  at: number,
  from: number,
  many: number,
): Steps<readonly MemberRow[]> {
  const rows: MemberRow[] = [];
  let start = yield* settle(scanner, scanner.nth(at, from));
  for (let index = from; start !== NONE && rows.length < many; index++) {
    const end = yield* settle(scanner, scanner.end(start));
    const comma = commaAfter(scanner, end);
    rows.push({ index, keyStart: NONE, keyEnd: NONE, start, end, comma });
    if (comma === NONE) break;
    const next = scanner.blank(comma + 1);
    start = scanner.kind(next) === undefined ? NONE : next;
  }
  return rows;
}

/** What one walk over an object tells. */
export interface Survey {
  readonly count: number;
  readonly last: MemberRow | undefined;
  readonly beforeLast: MemberRow | undefined;
  /** Every member with the wanted name, in order. */
  readonly seats: readonly Seat[];
}

const OCCURRENCES = 100;

/** Walks the members of the object at `at`, noting those named `name`. */
export function* surveyObject(scanner: Scanner, at: number, name: string | undefined): Steps<Survey> {
  const children = scanner.children(at);
  // Any spelling of a name takes a byte to six for each UTF-16 unit: other literals need not be read.
  const shortest = 2 + (name?.length ?? 0);
  const longest = 2 + 6 * (name?.length ?? 0);
  const hits: { prev: MemberRow | undefined; row: MemberRow; next?: MemberRow }[] = [];
  let last: MemberRow | undefined;
  let beforeLast: MemberRow | undefined;
  let count = 0;
  for (let start = children.next(); start !== NONE; start = children.next()) {
    if (start === PAUSED) {
      yield;
      continue;
    }
    const { keyStart, keyEnd, end, index } = children;
    const row: MemberRow = { index, keyStart, keyEnd, start, end, comma: commaAfter(scanner, end) };
    const open = hits.at(-1);
    if (open !== undefined && open.row === last) open.next = row;
    const size = keyEnd - keyStart;
    if (
      name !== undefined &&
      size >= shortest &&
      size <= longest &&
      keyName(scanner, keyStart, keyEnd) === name
    )
      hits.push({ prev: last, row });
    if (hits.length > OCCURRENCES)
      throw new HoldfastError(
        "invalid_argument",
        "too_many_duplicates",
        say`The key occurs more than ${OCCURRENCES} times in its object.`,
      );
    beforeLast = last;
    last = row;
    count++;
  }
  const close = children.close - 1;
  const seats = hits.map(({ prev, row, next }): Seat => ({
    prev,
    row,
    next,
    close: next === undefined ? close : NONE,
  }));
  return { count, last, beforeLast, seats };
}

/** The closing bracket of a container whose last row is `last`; `at` is the container. */
export function closeAfter(scanner: Scanner, at: number, last: MemberRow | undefined): number {
  if (last === undefined) return scanner.blank(at + 1);
  return scanner.blank(last.comma === NONE ? last.end : last.comma + 1);
}
