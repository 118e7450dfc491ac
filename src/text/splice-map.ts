// Owns: carrying a place or an edit over to the result of another edit.
// Must never: guess. An edit of bytes that another edit changed has no place in its result, and is refused.

import { bisect } from "./bisect.ts";
import { orBytes, type Splice } from "./splice.ts";
import type { Spliceable } from "./spliceable.ts";

/** To which side a place clings when bytes are inserted right at it, or when the bytes around it are gone. */
export type Side = "before" | "after";

/**
 * Where a place of the original lies in the result. Touching splices count as one replaced range:
 * - outside every range it shifts;
 * - at the start of a range it stays before the replacement, at the end after it;
 * - strictly inside, or where the range is empty (a pure insert), `side` decides: before or after the replacement.
 *
 * Cost: linear in the splices. For many places use {@link positionMap}.
 *
 * @example mapPosition([{ at: 4, remove: 0, insert: encode("xyz") }], 4, "after")  // 7
 */
export function mapPosition(splices: readonly Splice[], position: number, side: Side): number {
  return positionMap(splices)(position, side);
}

/**
 * {@link mapPosition} for many places: linear once, then logarithmic for each.
 *
 * @example const map = positionMap(splices); cursors.map((cursor) => map(cursor, "after"))
 */
export function positionMap(splices: readonly Splice[]): (position: number, side: Side) => number;
/** The same for inserts of another kind than bytes. */
export function positionMap<T>(
  splices: readonly Splice<T>[],
  kind: Spliceable<T>,
): (position: number, side: Side) => number;
export function positionMap<T>(
  splices: readonly Splice<T>[],
  kind?: Spliceable<T>,
): (position: number, side: Side) => number {
  const ranges = rangesOf(splices, orBytes(kind));
  // shifts[i]: how far a place between range i - 1 and range i moves.
  const shifts = new Float64Array(ranges.length + 1);
  for (const [i, { remove, insert }] of ranges.entries()) shifts[i + 1] = (shifts[i] ?? 0) + insert - remove;
  return (position, side) => {
    // The first range that ends at or after the position.
    const next = bisect(ranges.length, (i) => endOf(ranges[i] as SpliceRange) < position);
    const range = ranges[next];
    const shift = shifts[next] ?? 0;
    if (range === undefined || position < range.at) return position + shift;
    const start = range.at + shift;
    if (range.remove > 0 && position === range.at) return start;
    if (range.remove > 0 && position === endOf(range)) return start + range.insert;
    return side === "before" ? start : start + range.insert;
  };
}

/** A place that an edit replaces: how many bytes by how many. */
export interface SpliceRange {
  /** Bytes before it, in the original. */
  readonly at: number;
  /** How many bytes go. */
  readonly remove: number;
  /** How many bytes come. */
  readonly insert: number;
}

/** Two edits of the same place, both over the original. */
export interface Overlap {
  /** The range of the splice that was to be moved. */
  readonly ours: SpliceRange;
  /** The range that it meets. */
  readonly theirs: SpliceRange;
}

/** An edit over the result of another, or every place where the two meet. */
export type MappedSplices<T = Uint8Array> =
  | {
      /** They have a place after the others. */
      readonly ok: true;
      /** The same edits, over the result of the others. */
      readonly splices: readonly Splice<T>[];
    }
  | {
      /** Both edit the same place. */
      readonly ok: false;
      /** Every pair that does. */
      readonly overlaps: readonly Overlap[];
    };

/** What happens where two edits meet. */
export interface MapOptions {
  /** Two pure inserts at one place have no order of their own: refused unless this says where ours goes. */
  readonly sameInsert?: "refuse" | Side;
}

/**
 * Rebases `splices` over `through`: both edit the same original, the result edits the result of `through` and does
 * there what `splices` did, splice by splice. Refused, with every overlap, when
 * - both remove a byte, or one inserts strictly inside what the other removes;
 * - both only insert, at one place.
 *
 * Edits that only touch are fine: each keeps its side. When both directions succeed, both orders give the same bytes.
 * Cost: linear in both lists. Never throws for valid lists.
 *
 * @example
 * const mapped = mapSplices(mine, theirs);
 * if (mapped.ok) applySplices(applySplices(bytes, theirs), mapped.splices);
 * else mapped.overlaps; // [{ ours: { at, remove, insert }, theirs: { at, remove, insert } }]
 */
export function mapSplices(
  splices: readonly Splice[],
  through: readonly Splice[],
  options?: MapOptions,
): MappedSplices;
/** The same for inserts of another kind than bytes. */
export function mapSplices<T>(
  splices: readonly Splice<T>[],
  through: readonly Splice<T>[],
  options: MapOptions,
  kind: Spliceable<T>,
): MappedSplices<T>;
export function mapSplices<T>(
  splices: readonly Splice<T>[],
  through: readonly Splice<T>[],
  { sameInsert = "refuse" }: MapOptions = {},
  kind?: Spliceable<T>,
): MappedSplices<T> {
  const theirs = rangesOf(through, orBytes(kind));
  const mapped: Splice<T>[] = [];
  const overlaps: Overlap[] = [];
  let mine = 0;
  let next = 0;
  let shift = 0;
  for (const ours of rangesOf(splices, orBytes(kind))) {
    const end = endOf(ours);
    for (
      let their = theirs[next];
      their !== undefined && liesBefore(their, ours, sameInsert);
      their = theirs[next]
    ) {
      shift += their.insert - their.remove;
      next++;
    }
    for (let i = next; i < theirs.length; i++) {
      const their = theirs[i] as SpliceRange;
      if (liesAfter(their, ours, sameInsert)) break;
      overlaps.push({ ours, theirs: their });
    }
    // The splices of this range; those before it are empty.
    for (; mine < splices.length; mine++) {
      const splice = splices[mine] as Splice<T>;
      if (splice.at > end) break;
      if (splice.at >= ours.at)
        mapped.push({ at: splice.at + shift, remove: splice.remove, insert: splice.insert });
    }
  }
  return overlaps.length > 0 ? { ok: false, overlaps } : { ok: true, splices: mapped };
}

/** Theirs wholly before ours moves it. What they replace right before a pure insert of ours lies before it too. */
function liesBefore(their: SpliceRange, ours: SpliceRange, sameInsert: MapOptions["sameInsert"]): boolean {
  const end = endOf(their);
  if (end !== ours.at) return end < ours.at;
  return their.remove > 0 || ours.remove > 0 || sameInsert === "after";
}

/** Theirs wholly after ours. What they replace right after a pure insert of ours lies after it too. */
function liesAfter(their: SpliceRange, ours: SpliceRange, sameInsert: MapOptions["sameInsert"]): boolean {
  const end = endOf(ours);
  if (their.at !== end) return their.at > end;
  return ours.remove > 0 || their.remove > 0 || sameInsert === "before";
}

/** Where what it removes ends, in the original. */
function endOf({ at, remove }: Omit<SpliceRange, "insert">): number {
  return at + remove;
}

/** The places that splices replace: touching ones are one, empty ones none. */
function rangesOf<T>(splices: readonly Splice<T>[], { length }: Spliceable<T>): SpliceRange[] {
  const ranges: { at: number; remove: number; insert: number }[] = [];
  for (const { at, remove, insert } of splices) {
    const inserted = length(insert);
    if (remove === 0 && inserted === 0) continue;
    const last = ranges.at(-1);
    if (last !== undefined && endOf(last) === at) {
      last.remove += remove;
      last.insert += inserted;
    } else ranges.push({ at, remove, insert: inserted });
  }
  return ranges;
}
