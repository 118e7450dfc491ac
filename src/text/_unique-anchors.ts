// Owns: the longest list of pairs, rising on both sides, of elements that occur once in each of two sequences.

import type { Box } from "./_sequence-diff.ts";
import type { Steps } from "./steps.ts";

const ELEMENTS_PER_STEP = 1 << 16;

/**
 * The pairs of places in the box, in order. None if fewer than half of all such pairs rise together: then the sequences do
 * not follow each other and anchors would mislead. (If all elements are such pairs, the list is the longest there is.)
 * Elements are below `symbols`. Cost: n log n.
 */
export function* uniqueAnchors(
  a: Int32Array,
  b: Int32Array,
  { aFrom, aTo, bFrom, bTo }: Box,
  symbols: number,
): Steps<readonly [number, number][]> {
  const placesA = onlyPlaces(a, aFrom, aTo, symbols);
  const placesB = onlyPlaces(b, bFrom, bTo, symbols);
  yield;
  // Patience: pile p ends with the smallest b-place that a rising list of p + 1 pairs can end with.
  const piles: number[] = [];
  const ends: number[] = [];
  const previous = new Int32Array(aTo - aFrom);
  let pairs = 0;
  for (let i = aFrom; i < aTo; i++) {
    const symbol = a[i] as number;
    const j = placesB[symbol] as number;
    if ((placesA[symbol] as number) < 0 || j < 0) continue;
    let low = 0;
    let high = piles.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((piles[middle] as number) < j) low = middle + 1;
      else high = middle;
    }
    piles[low] = j;
    ends[low] = i;
    previous[i - aFrom] = low > 0 ? (ends[low - 1] as number) : -1;
    if (++pairs % ELEMENTS_PER_STEP === 0) yield;
  }
  const anchors: [number, number][] = [];
  if (piles.length * 2 < pairs && pairs < aTo - aFrom) return anchors;
  for (let i = ends.at(-1) ?? -1; i >= 0; i = previous[i - aFrom] as number)
    anchors.push([i, placesB[a[i] as number] as number]);
  return anchors.reverse();
}

/** By symbol: the place of its only occurrence, or -1. */
function onlyPlaces(sequence: Int32Array, from: number, to: number, symbols: number): Int32Array {
  const places = new Int32Array(symbols).fill(-1);
  const counts = new Uint8Array(symbols);
  for (let i = from; i < to; i++) {
    const symbol = sequence[i] as number;
    counts[symbol] = Math.min(2, (counts[symbol] as number) + 1);
    places[symbol] = counts[symbol] === 1 ? i : -1;
  }
  return places;
}
