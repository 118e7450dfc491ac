// Owns: which records an undo concerns where a slice knows its records by what each took back: who has taken back what, and how far back
// to read.

import type { Journal, JournalRecord, Key } from "../store/journal.ts";
import { undoneBy } from "./record-keys.ts";

const BATCH = 256;
/** Up to so many keys, the records that touch them are asked for key by key; beyond, all records are looked through. */
const KEYS_ASKED = 32;

export interface TakenBack {
  /** The records that are taken back, each with the undo that did it and still stands. */
  readonly gone: ReadonlyMap<number, number>;
  /** Those that two standing undos have taken back. */
  readonly twice: readonly { readonly target: number; readonly by: number; readonly other: number }[];
}

/** Who has taken back what, if an undo took back `more` now. */
export function takenBack(records: readonly JournalRecord[], more: Iterable<number> = []): TakenBack {
  const gone = new Map<number, number>();
  const twice: { target: number; by: number; other: number }[] = [];
  for (const seq of more) gone.set(seq, 0);
  for (const record of records.toReversed()) {
    if (gone.has(record.seq)) continue;
    for (const target of undoneBy(record)) {
      const by = gone.get(target);
      if (by === undefined) gone.set(target, record.seq);
      else twice.push({ target, by, other: record.seq });
    }
  }
  return { gone, twice };
}

/** Of `chosen`, what an undo takes back so that none of them stands: also what would come back, being undone by another of them. */
export function takenAmong(records: readonly JournalRecord[], chosen: ReadonlySet<number>): Set<number> {
  const { gone: now } = takenBack(records);
  const targets = new Set([...chosen].filter((seq) => !now.has(seq)));
  let { gone } = takenBack(records, targets);
  for (const seq of [...chosen].toSorted((a, b) => b - a)) {
    if (gone.has(seq)) continue;
    targets.add(seq);
    ({ gone } = takenBack(records, targets));
  }
  return targets;
}

/**
 * The records that working out an undo needs: those that touch its keys, from the oldest chosen one on, and further back
 * as far as undos among them reach, unless that is pruned. `heads` reach back in any case.
 */
export async function neededFor(
  journal: Journal,
  oldest: number,
  head: number,
  keys: ReadonlySet<Key>,
): Promise<{
  readonly records: readonly JournalRecord[];
  readonly from: number;
  readonly heads: readonly JournalRecord[];
}> {
  let heads = await touching(journal, oldest, head, keys);
  let [from, records] = [oldest, heads];
  for (let start = oldest; ;) {
    const reach = Math.min(start, ...heads.flatMap(undoneBy));
    if (reach === start) return { records, from, heads };
    start = reach;
    heads = await touching(journal, start, head, keys);
    if (!heads.some((record) => record.changes === undefined && record.seq < oldest))
      [from, records] = [start, heads];
  }
}

/** Records from `from` to `head`, oldest first, that touch one of `keys`. */
async function touching(
  journal: Journal,
  from: number,
  head: number,
  keys: ReadonlySet<Key>,
): Promise<JournalRecord[]> {
  const found = new Map<number, JournalRecord>();
  for (const key of keys.size <= KEYS_ASKED ? keys : [undefined])
    for (let after = from - 1; after < head;) {
      const records = await journal.records({
        after,
        upTo: head,
        limit: BATCH,
        ...(key === undefined ? {} : { key }),
      });
      for (const record of records)
        if (key !== undefined || record.keys.some((one) => keys.has(one))) found.set(record.seq, record);
      const last = records.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
  return [...found.values()].sort((a, b) => a.seq - b.seq);
}
