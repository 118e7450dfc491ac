// Owns: the keys by which an undo or a restore names the records that it has taken back.

import type { JournalRecord, Key } from "../store/journal.ts";

const PREFIX = "record:";
const RESTORED = "restored:";
const PASSED = "passed:";

export function recordKey(seq: number): Key {
  return `${PREFIX}${seq}`;
}

/** What a restore says of a slice that it changed: it is what it was after record `seq`. Files say it in their changes. */
export function restoredKey(seq: number, slice: string): Key {
  return `${RESTORED}${seq}:${slice}`;
}

/** What an undo says of a record that it took back elsewhere, and that did not stand in a part of a slice which it changed. */
export function passedKey(seq: number, slice: string, part: string): Key {
  return `${PASSED}${seq}:${slice}:${part}`;
}

/** Whether a key is for history alone, and nothing that a caller has named. */
export function isHistoryKey(key: Key): boolean {
  return key.startsWith(RESTORED) || key.startsWith(PASSED);
}

/** The records that an undo took back as a whole; none for any other record. */
export function undoneBy(record: Pick<JournalRecord, "kind" | "targets">): number[] {
  if (record.kind !== "undo") return [];
  const keys = record.targets.filter((key) => key.startsWith(PREFIX));
  return [...new Set(keys.map((key) => Number(key.slice(PREFIX.length))))];
}

/** Those that it took back in a part of a slice that it changed. */
export function undoneIn(
  record: Pick<JournalRecord, "kind" | "targets">,
  slice: string,
  part: string,
): number[] {
  const all = undoneBy(record);
  if (all.length === 0) return all;
  const passed = new Set(record.targets.filter((key) => key.startsWith(PASSED)));
  return passed.size === 0 ? all : all.filter((seq) => !passed.has(passedKey(seq, slice, part)));
}

/** The record after which a slice was as a restore or a reset made it again; undefined for any other record. */
export function restoredTo(
  record: Pick<JournalRecord, "kind" | "targets">,
  slice: string,
): number | undefined {
  if (record.kind !== "restore" && record.kind !== "reset") return undefined;
  const found = record.targets.filter((key) => key.startsWith(RESTORED) && key.endsWith(`:${slice}`));
  const seqs = new Set(found.flatMap((key) => seqFor(key, slice)));
  const [seq] = seqs;
  // Parts of one slice that are of two positions: which is of which cannot be said.
  return seqs.size === 1 ? seq : undefined;
}

function seqFor(key: Key, slice: string): number[] {
  const seq = key.slice(RESTORED.length, -slice.length - 1);
  return /^\d+$/.test(seq) ? [Number(seq)] : [];
}
