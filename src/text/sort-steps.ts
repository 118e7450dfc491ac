// Owns: sorting very many items in steps.

import type { Steps } from "./steps.ts";

/** Sorted at once, in well under a millisecond where comparing is cheap. */
const RUN = 512;

/** What `items.toSorted(compare)` returns, as steps: runs are sorted at once, then merged two by two. Stable. */
export function* sortedSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      merged.push(yield* mergedSteps(runs[i] as T[], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedSteps<T>(a: T[], b: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  if (b.length === 0) return a;
  const merged: T[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const isFirst = j === b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0);
    merged.push((isFirst ? a[i++] : b[j++]) as T);
    if (merged.length % RUN === 0) yield;
  }
  return merged;
}
