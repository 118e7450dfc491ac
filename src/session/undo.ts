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
  const keys = record.targets.filter((key) => key.startsWith("record:"));
  return [...new Set(keys.map((key) => Number(key.slice(7))))];
}

/** A change on the way from a record to the present, and the record it is of. */
interface Step {
  readonly seq: number;
  readonly change: Change;
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
  // The way from just after the record at hand to the draft, without what has been taken back so far.
  let kept: readonly Step[] = [];
  const earlier = new EarlierUndos(records);
  for (const record of records.toReversed()) {
    const { seq } = record;
    const changes = await changesOf(journal, record);
    if (chosen.has(seq)) {
      const step = takeBack(slices, changes, kept);
      const refusals = step.refusals ?? (await make(slices, journal, draft, step.inverses));
      for (const refusal of refusals) refused.push({ seq, refusal });
      if (refusals.length === 0) {
        undone.push(seq);
        kept = step.kept;
        continue;
      }
    }
    kept = [...changes.map((change) => ({ seq, change })), ...kept];
    const by = earlier.reach(record);
    if (by !== undefined) kept = without(slices, kept, by);
  }
  return { undone, refused };
}

/** Undos that somebody made before: once all that one took back has been passed, they and it are as if never made. */
class EarlierUndos {
  readonly #takenBackBy = new Map<number, number>();
  readonly #waiting = new Map<number, { readonly targets: readonly number[]; left: number }>();

  readonly #oldest: number;
  readonly #present: ReadonlySet<number>;

  constructor(records: readonly JournalRecord[]) {
    this.#oldest = records[0]?.seq ?? 0;
    this.#present = new Set(records.map(({ seq }) => seq));
  }

  /** Answers the undo, with its targets, whose last target this record is. */
  reach(record: JournalRecord): { seq: number; targets: readonly number[] } | undefined {
    const by = this.#takenBackBy.get(record.seq);
    if (by === undefined) {
      const all = undoneBy(record);
      // Targets that are not here touch nothing of what is to be undone.
      const targets = all.filter((seq) => this.#present.has(seq));
      if (targets.length === 0 || all.some((seq) => seq < this.#oldest)) return undefined;
      for (const seq of targets) this.#takenBackBy.set(seq, record.seq);
      this.#waiting.set(record.seq, { targets, left: targets.length });
      return undefined;
    }
    const waiting = this.#waiting.get(by);
    if (waiting === undefined || --waiting.left > 0) return undefined;
    return { seq: by, targets: waiting.targets };
  }
}

/** The same way without an undo and what it took back. Left as it is where that cannot be said. */
function without(
  slices: SliceSet,
  kept: readonly Step[],
  undo: { readonly seq: number; readonly targets: readonly number[] },
): readonly Step[] {
  let list = kept;
  for (const target of undo.targets.toSorted((a, b) => b - a)) {
    const from = list.findIndex(({ seq }) => seq === target);
    if (from < 0) continue;
    const to = list.findLastIndex(({ seq }) => seq === target) + 1;
    const end = list.findIndex(({ seq }) => seq === undo.seq);
    const border = end < 0 ? list.length : end;
    const own = list.slice(from, to).map(({ change }) => change);
    const step = takeBack(slices, own, list.slice(to, border));
    if (step.refusals !== undefined) return kept;
    list = [...list.slice(0, from), ...step.kept, ...list.slice(border)];
  }
  return list.filter(({ seq }) => seq !== undo.seq);
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
  /** The later steps as they read without the record. */
  readonly kept: readonly Step[];
  readonly refusals?: readonly Refusal[];
}

function takeBack(slices: SliceSet, changes: readonly Change[], later: readonly Step[]): TakenBack {
  const inverses: Change[] = [];
  let kept: readonly Step[] = later;
  for (const change of changes.toReversed()) {
    const slice = sliceOf(slices, change.slice);
    let inverse = slice.invert(change) as Change;
    const without: Step[] = [];
    for (const step of kept) {
      const other = step.change;
      if (other.slice !== change.slice) {
        without.push(step);
        continue;
      }
      // The two are swapped: the later change as if the record had never been, the inverse on top of it.
      const moved = slice.rebase(inverse, [other], "before") as Change | readonly Refusal[];
      const bare = slice.rebase(other, [inverse], "after") as Change | readonly Refusal[];
      if (isRefused(moved)) return { inverses, kept: later, refusals: moved };
      if (isRefused(bare)) return { inverses, kept: later, refusals: bare };
      inverse = moved;
      without.push({ seq: step.seq, change: bare });
    }
    inverses.push(inverse);
    kept = without;
  }
  return { inverses, kept };
}

function isRefused(answer: Change | readonly Refusal[]): answer is readonly Refusal[] {
  return Array.isArray(answer);
}
