// Owns: carrying a place or an edit over to the result of another edit.
// Must never: guess. An edit of bytes that another edit changed has no place in its result, and is refused.

import { mergeAdjacent, type Splice } from "./splice.ts";

/** To which side a place clings when bytes are inserted right at it, or when the bytes around it are gone. */
export type Side = "before" | "after";

/**
 * Where a place of the original lies in the result. Touching splices count as one replaced range:
 * - outside every range it shifts;
 * - at the start of a range it stays before the replacement, at the end after it;
 * - strictly inside, or where the range is empty (a pure insert), `side` decides: before or after the replacement.
 *
 * Cost: linear in the splices. For many places use {@link positionMap}.
 */
export function mapPosition(splices: readonly Splice[], position: number, side: Side): number {
  return positionMap(splices)(position, side);
}

/** The same for many places: linear once, then logarithmic for each. */
export function positionMap(splices: readonly Splice[]): (position: number, side: Side) => number {
  const ranges = mergeAdjacent(splices);
  // shifts[i]: how far a place between range i - 1 and range i moves.
  const shifts = new Float64Array(ranges.length + 1);
  for (const [i, { remove, insert }] of ranges.entries())
    shifts[i + 1] = (shifts[i] ?? 0) + insert.length - remove;
  return (position, side) => {
    let low = 0;
    let high = ranges.length;
    // The first range that ends at or after the position.
    while (low < high) {
      const middle = (low + high) >>> 1;
      const range = ranges[middle];
      if (range !== undefined && range.at + range.remove < position) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low];
    const shift = shifts[low] ?? 0;
    if (range === undefined || position < range.at) return position + shift;
    const start = range.at + shift;
    if (range.remove > 0 && position === range.at) return start;
    if (range.remove > 0 && position === range.at + range.remove) return start + range.insert.length;
    return side === "before" ? start : start + range.insert.length;
  };
}

/** Two edits of the same place, both over the original. */
export interface Overlap {
  readonly ours: { readonly at: number; readonly remove: number; readonly insert: number };
  readonly theirs: { readonly at: number; readonly remove: number; readonly insert: number };
}

export type MappedSplices =
  | { readonly ok: true; readonly splices: readonly Splice[] }
  | { readonly ok: false; readonly overlaps: readonly Overlap[] };

export interface MapOptions {
  /**
   * Two pure inserts at one place have no order of their own: refused unless the host says that ours goes after theirs.
   */
  readonly sameInsert?: "refuse" | "after";
}

/**
 * Rebases `splices` over `through`: both edit the same original, the answer edits the result of `through` and does
 * there what `splices` did. Refused, with every overlap, when
 * - both remove a byte, or one inserts strictly inside what the other removes;
 * - both only insert, at one place.
 *
 * Edits that only touch are fine: each keeps its side. When both directions succeed, both orders give the same bytes.
 * Cost: linear in both lists.
 */
export function mapSplices(
  splices: readonly Splice[],
  through: readonly Splice[],
  options: MapOptions = {},
): MappedSplices {
  const ours = mergeAdjacent(splices);
  const theirs = mergeAdjacent(through);
  const after = options.sameInsert === "after";
  const mapped: Splice[] = [];
  const overlaps: Overlap[] = [];
  let next = 0;
  let shift = 0;
  for (const splice of ours) {
    const end = splice.at + splice.remove;
    // Theirs that lie wholly before ours move it; one that ends where a pure insert of ours stands lies before it too.
    for (let their = theirs[next]; their !== undefined; their = theirs[next]) {
      const theirEnd = their.at + their.remove;
      const before =
        theirEnd < splice.at || (theirEnd === splice.at && (their.remove > 0 || splice.remove > 0 || after));
      if (!before) break;
      shift += their.insert.length - their.remove;
      next++;
    }
    let clean = true;
    for (let i = next; i < theirs.length; i++) {
      const their = theirs[i];
      if (their === undefined || their.at > end || (their.at === end && splice.remove > 0)) break;
      // A pure insert of ours at the start of what they replace stays before it.
      if (their.at === end && their.remove > 0) break;
      overlaps.push({ ours: extentOf(splice), theirs: extentOf(their) });
      clean = false;
    }
    if (clean) mapped.push({ at: splice.at + shift, remove: splice.remove, insert: splice.insert });
  }
  return overlaps.length > 0 ? { ok: false, overlaps } : { ok: true, splices: mapped };
}

/** {@link mapSplices} for one splice. */
export function mapSplice(
  splice: Splice,
  through: readonly Splice[],
  options: MapOptions = {},
): MappedSplices {
  return mapSplices([splice], through, options);
}

function extentOf({ at, remove, insert }: Splice): Overlap["ours"] {
  return { at, remove, insert: insert.length };
}
