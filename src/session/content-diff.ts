// Owns: the splices between two contents. What they share in storage is known to be equal and never read.

import type { Content, Extent, Journal } from "../store/journal.ts";
import { diffLinesSteps, readBytes, type ByteSource, type Splice } from "../text/index.ts";
import type { Differs } from "../text/splice.ts";
import type { Pacer } from "../text/steps.ts";

/** A place where two contents may differ: `remove` bytes at `at` of the old one became `insert` bytes at `from` of the new. */
interface Region {
  readonly at: number;
  readonly remove: number;
  readonly from: number;
  readonly insert: number;
}

/** Both contents, open for reading, and what turns the one into the other. */
export interface ContentDiff {
  readonly before: ByteSource;
  /** Undefined when some place is too large to compare. */
  readonly splices: readonly Splice[] | undefined;
}

/**
 * Compares two contents within `most` bytes for each changed place, and hands the result to `use`; the sources are closed
 * after it. Only places that are stored apart are read: one splice in a large file costs that splice. Nothing is compared where
 * what differs is `known`.
 */
export async function withContentDiff<T>(
  journal: Journal,
  before: Content,
  after: Content,
  most: number,
  pace: Pacer,
  use: (diff: ContentDiff) => Promise<T>,
  known?: Differs,
): Promise<T> {
  const old = await journal.source(before);
  try {
    const now = await journal.source(after);
    try {
      const splices =
        known === undefined
          ? await splicesBetween(old, now, regionsOf(before, after, most), most, pace)
          : knownSplices(now, known);
      return await use({ before: old, splices });
    } finally {
      now.close();
    }
  } finally {
    old.close();
  }
}

function knownSplices(after: ByteSource, differs: Differs): Splice[] {
  let shift = 0;
  return differs.map(([at, remove, insert]) => {
    const splice = { at, remove, insert: readBytes(after, at + shift, insert) };
    shift += insert - remove;
    return splice;
  });
}

async function splicesBetween(
  before: ByteSource,
  after: ByteSource,
  regions: readonly Region[],
  most: number,
  pace: Pacer,
): Promise<Splice[] | undefined> {
  const splices: Splice[] = [];
  for (const { at, remove, from, insert } of regions) {
    if (Math.max(remove, insert) > most) return undefined;
    const steps = diffLinesSteps(readBytes(before, at, remove), readBytes(after, from, insert));
    for (const splice of await pace.run(steps)) splices.push({ ...splice, at: splice.at + at });
  }
  return splices;
}

/** What is left between the common beginning and the common end; when that is much, taken apart where storage is shared. */
function regionsOf(before: Content, after: Content, most: number): Region[] {
  const head = commonLength(before.extents, after.extents, Math.min(before.size, after.size), false);
  const room = Math.min(before.size, after.size) - head;
  const tail = commonLength(before.extents, after.extents, room, true);
  const remove = before.size - head - tail;
  const insert = after.size - head - tail;
  if (remove === 0 && insert === 0) return [];
  if (Math.max(remove, insert) <= most) return [{ at: head, remove, from: head, insert }];
  return sharedApart(before, after);
}

/** How many bytes two lists of extents share from their beginning, or from their end. */
function commonLength(a: readonly Extent[], b: readonly Extent[], most: number, fromEnd: boolean): number {
  const place = (list: readonly Extent[], i: number): Extent | undefined =>
    fromEnd ? list[list.length - 1 - i] : list[i];
  let common = 0;
  let [i, j, usedA, usedB] = [0, 0, 0, 0];
  while (common < most) {
    const one = place(a, i);
    const two = place(b, j);
    if (one === undefined || two === undefined || one[0] !== two[0]) break;
    const edgeA = fromEnd ? one[1] + one[2] - usedA : one[1] + usedA;
    const edgeB = fromEnd ? two[1] + two[2] - usedB : two[1] + usedB;
    if (edgeA !== edgeB) break;
    const length = Math.min(one[2] - usedA, two[2] - usedB, most - common);
    common += length;
    usedA += length;
    usedB += length;
    if (usedA === one[2]) [i, usedA] = [i + 1, 0];
    if (usedB === two[2]) [j, usedB] = [j + 1, 0];
  }
  return common;
}

/** Matches each extent of the new content with the next place of the old one that holds the same stored bytes. */
function sharedApart(before: Content, after: Content): Region[] {
  const regions: Region[] = [];
  const places = placesByBlob(before);
  let old = 0;
  let now = 0;
  let from = 0;
  const match = (oldAt: number, newAt: number, length: number): void => {
    if (oldAt > old || newAt > from)
      regions.push({ at: old, remove: oldAt - old, from, insert: newAt - from });
    old = oldAt + length;
    from = newAt + length;
  };
  for (const [blob, start, length] of after.extents) {
    const end = start + length;
    for (const place of places.get(blob) ?? []) {
      const low = Math.max(place.start, start, place.start + old - place.at, start + from - now);
      const high = Math.min(place.end, end);
      if (low < high) match(place.at + low - place.start, now + low - start, high - low);
    }
    now += length;
  }
  match(before.size, after.size, 0);
  return regions;
}

interface StoredAt {
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

function placesByBlob(content: Content): ReadonlyMap<string, readonly StoredAt[]> {
  const places = new Map<string, StoredAt[]>();
  let at = 0;
  for (const [blob, start, length] of content.extents) {
    const list = places.get(blob) ?? [];
    places.set(blob, list);
    list.push({ at, start, end: start + length });
    at += length;
  }
  return places;
}
