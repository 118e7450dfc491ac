// Owns: which records an undo concerns where a slice knows its records by what each took back: who has taken back what, and how far back
// to read.

import type { Change, Journal, JournalRecord, Key } from "../store/journal.ts";
import { restoredTo, undoneBy, undoneIn } from "./record-keys.ts";
import type { AnySlice } from "./slice.ts";

const BATCH = 256;
/** Up to so many keys, the records that touch them are asked for key by key; beyond, all records are looked through. */
const KEYS_ASKED = 32;

/** The one part of a slice that has none of its own. */
export const WHOLE_SLICE = "";

/** What of a slice says which part a change is in. */
export type Parted = Pick<AnySlice, "name" | "part">;

/** One part of a slice. */
export interface SlicePart {
  readonly slice: Parted;
  readonly part: string;
}

/** The parts of a slice that changes are in. */
export function partsIn(slice: Parted, changes: readonly Change[]): Set<string> {
  const parts = new Set<string>();
  for (const change of changes)
    if (change.slice === slice.name) parts.add(slice.part?.(change) ?? WHOLE_SLICE);
  return parts;
}

/** What a restore or a reset took back in a slice. */
export interface RestoreOf {
  readonly seq: number;
  /** The slice is what it was after this record. */
  readonly to: number;
  /** What it touched, for a slice without parts: records of other keys stand. */
  readonly keys?: ReadonlySet<Key>;
}

/** Undefined for a record that is no restore of the slice. */
export function restoreOf({ name, part }: Parted, record: JournalRecord): RestoreOf | undefined {
  const to = restoredTo(record, name);
  if (to === undefined) return undefined;
  return { seq: record.seq, to, ...(part === undefined ? { keys: new Set(record.keys) } : {}) };
}

/** Whether it took back a record that changed the same part of the slice. */
export function isRestoredOver(
  { seq: own, to, keys }: RestoreOf,
  { seq, keys: touched }: Pick<JournalRecord, "seq" | "keys">,
): boolean {
  return seq > to && seq < own && (keys === undefined || touched.some((key) => keys.has(key)));
}

export interface TakenBack {
  /** The records that are taken back, each with the undo or restore that did it and still stands. */
  readonly gone: ReadonlyMap<number, number>;
  /** Those that two of these have taken back. */
  readonly twice: readonly { readonly target: number; readonly by: number; readonly other: number }[];
}

/** Who has taken back what in a part, if an undo took back `more` now. `records` are those that changed the part. */
export function takenBack(
  of: SlicePart,
  records: readonly JournalRecord[],
  more: Iterable<number> = [],
): TakenBack {
  const gone = new Map<number, number>();
  const twice: { target: number; by: number; other: number }[] = [];
  for (const seq of more) gone.set(seq, 0);
  for (const record of records.toReversed()) {
    if (gone.has(record.seq)) continue;
    for (const target of targetsOf(of, record, records)) {
      const by = gone.get(target);
      if (by === undefined) gone.set(target, record.seq);
      else twice.push({ target, by, other: record.seq });
    }
  }
  return { gone, twice };
}

function targetsOf(
  { slice, part }: SlicePart,
  record: JournalRecord,
  records: readonly JournalRecord[],
): number[] {
  const restore = restoreOf(slice, record);
  if (restore === undefined) return undoneIn(record, slice.name, part);
  return records.filter((one) => isRestoredOver(restore, one)).map(({ seq }) => seq);
}

/**
 * Of `chosen`, what an undo takes back so that none of them stands: also what would come back, being undone by another of them, and not
 * what another one undoes again that stands then.
 */
export function takenAmong(
  of: SlicePart,
  records: readonly JournalRecord[],
  chosen: ReadonlySet<number>,
): Set<number> {
  const targets = new Set<number>();
  const gone = new Set<number>();
  // Newest first: whether a record stands depends on newer ones only.
  for (const record of records.toReversed()) {
    if (gone.has(record.seq)) continue;
    if (chosen.has(record.seq)) targets.add(record.seq);
    else for (const target of targetsOf(of, record, records)) gone.add(target);
  }
  return targets;
}

export interface NeededRecords {
  /** Oldest first. */
  readonly heads: readonly JournalRecord[];
  /** From this one on their changes are there, and wanted. */
  readonly from: number;
}

/**
 * The records that working out an undo in a slice needs: those that touch its keys, from the oldest chosen one on, and further back
 * as far as undos among them reach, and restores that do not stay, unless that is pruned. `heads` reach back in any case.
 */
export async function neededFor(
  journal: Journal,
  slice: string,
  chosen: ReadonlySet<number>,
  head: number,
  keys: ReadonlySet<Key>,
): Promise<NeededRecords> {
  const oldest = Math.min(...chosen);
  let heads = await touching(journal, oldest, head, keys);
  let from = oldest;
  for (let start = oldest; ;) {
    const reach = Math.min(start, ...heads.flatMap(undoneBy), ...restoresReach(slice, heads, chosen));
    if (reach === start) return { heads, from };
    start = reach;
    heads = await touching(journal, start, head, keys);
    if (!heads.some((record) => record.changes === undefined && record.seq < oldest)) from = start;
  }
}

/** How far back restores reach that may come and go. What one that stays took back needs no second look. */
function restoresReach(
  slice: string,
  heads: readonly JournalRecord[],
  chosen: ReadonlySet<number>,
): number[] {
  const restores = heads.flatMap((record) => {
    const to = restoredTo(record, slice);
    return to === undefined ? [] : [{ seq: record.seq, to }];
  });
  const undone = restores.length === 0 ? [] : heads.flatMap(undoneBy);
  return restores
    .filter(
      ({ seq }) =>
        chosen.has(seq) ||
        undone.includes(seq) ||
        restores.some((other) => other.seq > seq && other.to < seq),
    )
    .map(({ to }) => to + 1);
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
