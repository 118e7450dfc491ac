// Owns: two edits of one text as one edit, where one of them wins.

import type { Splice } from "./splice.ts";

/**
 * All of `winning`, and of `other` what does not change the same bytes or insert at the same place. Both are over the same text.
 * Cost: the number of splices.
 */
export function mergeSplices<T>(winning: readonly Splice<T>[], other: readonly Splice<T>[]): Splice<T>[] {
  const splices: Splice<T>[] = [];
  let i = 0;
  for (const one of other) {
    for (let next = winning[i]; next !== undefined && isBefore(next, one); next = winning[++i])
      splices.push(next);
    const next = winning[i];
    if (next === undefined || !meets(one, next)) splices.push(one);
  }
  return [...splices, ...winning.slice(i)];
}

function isBefore<T>(a: Splice<T>, b: Splice<T>): boolean {
  return a.at + a.remove <= b.at && !meets(a, b);
}

function meets<T>(a: Splice<T>, b: Splice<T>): boolean {
  if (a.remove === 0 && b.remove === 0) return a.at === b.at;
  return a.at < b.at + b.remove && b.at < a.at + a.remove;
}
