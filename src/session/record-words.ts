// Owns: lists of records in words.

import { say, sayAll, type Shown } from "../errors.ts";

export function oldestFirst(seqs: readonly number[]): number[] {
  return [...new Set(seqs)].toSorted((a, b) => a - b);
}

/** "record 3", "records 3 and 5", "records 3, 5 and 9". */
export function recordsInWords(seqs: readonly number[]): Shown {
  const named = oldestFirst(seqs).map((seq) => say`${seq}`);
  const last = named.pop() ?? say`none`;
  return named.length === 0 ? say`record ${last}` : say`records ${sayAll(named, ", ")} and ${last}`;
}
