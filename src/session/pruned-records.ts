// Owns: how far back a history is pruned.

import type { Journal } from "../store/journal.ts";

/**
 * The newest record whose changes are gone; 0 when all are whole. The state after it is the oldest that there still is. A few
 * lookups.
 */
export async function prunedUpTo(journal: Journal): Promise<number> {
  let low = 0;
  let high = (await journal.head()).seq;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (await isPruned(journal, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** True when the changes of a record are gone by now. */
export async function isPruned(journal: Journal, seq: number): Promise<boolean> {
  const [record] = await journal.records({ after: seq - 1, upTo: seq, limit: 1 });
  return record !== undefined && record.changes === undefined;
}
