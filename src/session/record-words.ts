// Owns: lists of records in words, short also where the records are many.

import { say, sayAll, type Shown } from "../errors.ts";

/** So many records are named in a list, the oldest; the others are counted. */
export const NAMED_RECORDS = 10;

export function oldestFirst(seqs: readonly number[]): number[] {
  return [...new Set(seqs)].toSorted((a, b) => a - b);
}

/** "record 3", "records 3 and 5", "records 3, 5 and 9"; of many the oldest, "and 40 more". */
export function recordsInWords(seqs: readonly number[]): Shown {
  const all = oldestFirst(seqs).map((seq) => say`${seq}`);
  if (all.length === 0) return say`record none`;
  return say`${all.length === 1 ? say`record` : say`records`} ${firstInWords(all)}`;
}

/** The first of a list, and how many more there are: "a, b and c", "a, b and 7 more". */
export function firstInWords(all: readonly Shown[]): Shown {
  const named = all.slice(0, NAMED_RECORDS);
  const last = all.length > NAMED_RECORDS ? say`${all.length - NAMED_RECORDS} more` : named.pop();
  if (last === undefined) return say``;
  return named.length === 0 ? last : say`${sayAll(named, ", ")} and ${last}`;
}
