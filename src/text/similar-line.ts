// Owns: the line of a file that an expected text is most like, for a text that is nowhere in it.
// Must never: take more than a bounded look at each line.

import type { Steps } from "./steps.ts";
import type { TextLines } from "./text-lines.ts";

/** Lines nearest to the wanted one that are looked at, and bytes of a line or a text that count. */
const MOST_LINES = 10_000;
const MOST_BYTES = 1_000;
const BYTES_PER_STEP = 1 << 19;
/** How much of both texts must be shared, from 0 to 1. */
const LEAST = 0.6;

const encoder = new TextEncoder();

/**
 * The most similar line, or undefined when none is similar: the one that shares the most pairs of neighbouring bytes (Dice
 * coefficient), the nearest of equals. Cost: linear in the lines around the wanted one.
 */
export function* mostSimilarLine(
  file: TextLines,
  { line: at, text }: { readonly line: number; readonly text: string },
): Steps<number | undefined> {
  const wanted = encoder.encode(text.slice(0, MOST_BYTES)).subarray(0, MOST_BYTES);
  // How often each pair occurs in the wanted text; taken down while a line is compared, then put back.
  const pairs = new Uint16Array(1 << 16);
  for (let i = 1; i < wanted.length; i++) {
    const pair = pairAt(wanted, i);
    pairs[pair] = (pairs[pair] as number) + 1;
  }
  let best: number | undefined;
  let bestShare = LEAST;
  let read = 0;
  const first = Math.max(1, at - MOST_LINES / 2);
  const last = Math.min(file.count, first + MOST_LINES);
  for (let line = first; line <= last; line++) {
    const start = file.start(line);
    const length = Math.min(MOST_BYTES, file.end(line) - start);
    const all = wanted.length + length - 2;
    read += 8;
    // The shorter text can share no more than all of itself.
    if (all <= 0 || (2 * (Math.min(wanted.length, length) - 1)) / all < bestShare) continue;
    const share = (2 * sharedPairs(pairs, file.bytes, start, start + length)) / all;
    const isNearer = best !== undefined && Math.abs(line - at) < Math.abs(best - at);
    if (share > bestShare || (share === bestShare && (best === undefined || isNearer))) {
      best = line;
      bestShare = share;
    }
    read += length;
    if (read < BYTES_PER_STEP) continue;
    read = 0;
    yield;
  }
  return best;
}

function sharedPairs(pairs: Uint16Array, bytes: Uint8Array, from: number, to: number): number {
  const taken: number[] = [];
  for (let i = from + 1; i < to; i++) {
    const pair = pairAt(bytes, i);
    if (pairs[pair] === 0) continue;
    pairs[pair] = (pairs[pair] as number) - 1;
    taken.push(pair);
  }
  for (const pair of taken) pairs[pair] = (pairs[pair] as number) + 1;
  return taken.length;
}

function pairAt(bytes: Uint8Array, i: number): number {
  return ((bytes[i - 1] as number) << 8) | (bytes[i] as number);
}
