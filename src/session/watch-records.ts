// Owns: records as they are committed, by this process or another.

import type { Journal, JournalRecord } from "../store/journal.ts";
import { kindOf } from "./record-kinds.ts";

const BATCH = 256;
const STAY_MS = 60_000;

/** Every record after `after`, once each and in order, until the signal ends it. Rewrites are left out. */
export async function* watchRecords(
  journal: Journal,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<JournalRecord, void, undefined> {
  // A caller that waits for records means to wait: the process stays alive for it, whatever the store does.
  const stay = setInterval(() => {}, STAY_MS);
  try {
    let seen = after;
    for await (const head of journal.watch(after, signal))
      while (seen < head.seq) {
        const records = await journal.records({ after: seen, upTo: head.seq, limit: BATCH });
        if (records.length === 0) break;
        for (const record of records) {
          seen = record.seq;
          if (signal.aborted) return;
          if (!kindOf(record).isHidden) yield record;
        }
      }
  } finally {
    clearInterval(stay);
  }
}
