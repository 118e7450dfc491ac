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
    const [record] = await journal.records({ after: middle - 1, upTo: middle, limit: 1 });
    if (record !== undefined && record.changes === undefined) low = middle;
    else high = middle - 1;
  }
  return low;
}
