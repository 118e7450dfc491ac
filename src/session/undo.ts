// Owns: working out the changes that take records back, beneath whatever others have changed since.

import type { Change, Journal, JournalRecord, Key } from "../store/journal.ts";
import type { Draft } from "./draft.ts";
import { changesOf } from "./packed-changes.ts";
import type { Refusal } from "./slice.ts";
import { loadParts, sliceOf, type SliceSet } from "./state.ts";

export interface UndoRefusal {
  readonly seq: number;
  readonly refusal: Refusal;
}

export interface UndoPlan {
  /** The records taken back, newest first. */
  readonly undone: readonly number[];
  /** Why records could not be taken back. */
  readonly refused: readonly UndoRefusal[];
}

/** The key by which an undo names a record it has taken back. */
export function recordKey(seq: number): Key {
  return `record:${seq}`;
}

/** The records that an undo took back; none for any other record. */
export function undoneBy(record: JournalRecord): number[] {
  if (record.kind !== "undo") return [];
  return record.targets.filter((key) => key.startsWith("record:")).map((key) => Number(key.slice(7)));
}

/**
 * Puts into `draft` the changes that take back the records of `chosen`. `records` are all records from the oldest
 * chosen one on, oldest first, that touch a key of a chosen one. A record that somebody changed later in the same place
 * is refused and counts as kept; it is for the caller to drop the draft then, unless a partial undo was asked for.
 */
export async function planUndo(
  slices: SliceSet,
  journal: Journal,
  draft: Draft,
  records: readonly JournalRecord[],
  chosen: ReadonlySet<number>,
): Promise<UndoPlan> {
  const undone: number[] = [];
  const refused: UndoRefusal[] = [];
  const oldest = records[0]?.seq ?? 0;
  // The way from just after the record at hand to the draft, without what has been taken back so far.
  let kept: readonly Change[] = [];
  // Records that an earlier undo took back, with how many of the last `kept` came after that undo.
  const cancelled = new Map<number, number>();
  for (const record of records.toReversed()) {
    const changes = await changesOf(journal, record);
    const pairs = undoneBy(record);
    const after = cancelled.get(record.seq);
    if (chosen.has(record.seq)) {
      const step = takeBack(slices, changes, kept);
      const refusals = step.refusals ?? (await make(slices, journal, draft, step.inverses));
      for (const refusal of refusals) refused.push({ seq: record.seq, refusal });
      if (refusals.length === 0) undone.push(record.seq);
      kept = refusals.length === 0 ? step.kept : [...changes, ...kept];
    } else if (after !== undefined) {
      const later = kept.length - after;
      kept = [...takeBack(slices, changes, kept.slice(0, later)).kept, ...kept.slice(later)];
    } else if (pairs.length > 0 && pairs.every((seq) => seq >= oldest)) {
      for (const seq of pairs) cancelled.set(seq, kept.length);
    } else kept = [...changes, ...kept];
  }
  return { undone, refused };
}

async function make(
  slices: SliceSet,
  journal: Journal,
  draft: Draft,
  changes: readonly Change[],
): Promise<readonly Refusal[]> {
  return draft.changeAll(changes, await loadParts(slices, journal, changes));
}

interface TakenBack {
  /** The inverse changes, each as it reads on top of `kept` and of those before it. */
  readonly inverses: readonly Change[];
  /** The later changes as they read without the record. */
  readonly kept: readonly Change[];
  readonly refusals?: readonly Refusal[];
}

function takeBack(slices: SliceSet, changes: readonly Change[], later: readonly Change[]): TakenBack {
  const inverses: Change[] = [];
  let kept: readonly Change[] = later;
  for (const change of changes.toReversed()) {
    const slice = sliceOf(slices, change.slice);
    let inverse = slice.invert(change) as Change;
    const without: Change[] = [];
    for (const other of kept) {
      if (other.slice !== change.slice) {
        without.push(other);
        continue;
      }
      // The two are swapped: the later change as if the record had never been, the inverse on top of it.
      const moved = slice.rebase(inverse, [other], "before") as Change | readonly Refusal[];
      const bare = slice.rebase(other, [inverse], "after") as Change | readonly Refusal[];
      if (isRefused(moved)) return { inverses, kept: later, refusals: moved };
      if (isRefused(bare)) return { inverses, kept: later, refusals: bare };
      inverse = moved;
      without.push(bare);
    }
    inverses.push(inverse);
    kept = without;
  }
  return { inverses, kept };
}

function isRefused(answer: Change | readonly Refusal[]): answer is readonly Refusal[] {
  return Array.isArray(answer);
}
