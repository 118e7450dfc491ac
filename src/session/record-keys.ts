// Owns: the keys by which an undo names the records it has taken back.

import type { JournalRecord, Key } from "../store/journal.ts";

const PREFIX = "record:";

export function recordKey(seq: number): Key {
  return `${PREFIX}${seq}`;
}

/** The records that an undo took back as a whole; none for any other record. */
export function undoneBy(record: Pick<JournalRecord, "kind" | "targets">): number[] {
  if (record.kind !== "undo") return [];
  const keys = record.targets.filter((key) => key.startsWith(PREFIX));
  return [...new Set(keys.map((key) => Number(key.slice(PREFIX.length))))];
}
