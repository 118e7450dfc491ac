// Owns: a stable merge sort that can be stepped, and the order of property values.

import type { Json } from "../value.ts";
import { STEP, type Steps } from "./steps.ts";

/** Positions 0..n-1 in sorted order; equal ones keep theirs. O(n log n). */
export function* stableOrder(n: number, compare: (a: number, b: number) => number): Steps<Int32Array> {
  let from = new Int32Array(n);
  let into = new Int32Array(n);
  for (let i = 0; i < n; i++) from[i] = i;
  let work = 0;
  for (let width = 1; width < n; width *= 2) {
    for (let low = 0; low < n; low += width * 2) {
      const middle = Math.min(low + width, n);
      const high = Math.min(low + width * 2, n);
      let a = low;
      let b = middle;
      for (let at = low; at < high; at++) {
        const takeA = a < middle && (b >= high || compare(from[a] as number, from[b] as number) <= 0);
        into[at] = from[takeA ? a++ : b++] as number;
        if (++work % STEP === 0) yield;
      }
    }
    [from, into] = [into, from];
  }
  return from;
}

/** A value prepared for comparing: numbers before text (without case) before booleans; undefined: no value, last. */
export type SortKey = number | string | boolean | undefined;

export function sortKey(value: Json | undefined): SortKey {
  if (typeof value === "string") return value.toLowerCase();
  if (typeof value === "number" || typeof value === "boolean") return value;
  return undefined;
}

function rank(key: SortKey): number {
  return typeof key === "number" ? 0 : typeof key === "string" ? 1 : typeof key === "boolean" ? 2 : 3;
}

/** Compares two keys; `sign` -1 turns the order round, but nodes without a value stay last. */
export function compareKeys(a: SortKey, b: SortKey, sign: number): number {
  const ranks = rank(a) - rank(b);
  if (a === undefined || b === undefined) return ranks;
  if (ranks !== 0) return ranks * sign;
  return a < b ? -sign : a > b ? sign : 0;
}
