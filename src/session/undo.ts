// Owns: working out the changes that take records back, beneath whatever others have changed since.

import { say } from "../errors.ts";
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
 * Puts into `draft` the changes that take back the records of `chosen`. `records` are all records of the history from
 * `from` on, oldest first, that touch a key of a chosen one. A record that somebody changed later in the same place is
 * refused and stays; it is for the caller to drop the draft then, unless a partial undo was asked for.
 */
export async function planUndo(
  slices: SliceSet,
  journal: Journal,
  draft: Draft,
  records: readonly JournalRecord[],
  from: number,
  chosen: ReadonlySet<number>,
): Promise<UndoPlan> {
  const undone: number[] = [];
  const refused: UndoRefusal[] = [];
  const history: Step[] = [];
  for (const record of records)
    for (const change of await changesOf(journal, record)) history.push({ seq: record.seq, change });
  let way = withoutEarlierUndos(slices, history, records, from, chosen);
  let asItWas: readonly Step[] | undefined = history;
  for (const { seq } of records.toReversed()) {
    if (!chosen.has(seq)) continue;
    const asIs: TakenBack | undefined = asItWas && takeRecord(slices, asItWas, seq);
    const first = way.findIndex((step) => step.seq === seq);
    if (first < 0 && history.some((step) => step.seq === seq)) {
      refused.push({ seq, refusal: cannotTell(seq) });
      continue;
    }
    const step = takeRecord(slices, way, seq);
    const inverses = asIs !== undefined && onlyTakesOut(slices, asIs) ? asIs.inverses : step.inverses;
    const refusals = step.refusals ?? (await make(slices, journal, draft, inverses, from - 1));
    for (const refusal of refusals) refused.push({ seq, refusal });
    if (refusals.length > 0) continue;
    undone.push(seq);
    way = step.kept;
    asItWas = asIs?.refusals === undefined ? asIs?.kept : undefined;
  }
  return { undone, refused };
}

/** The record went out of the way together with an undo that has been undone since: what of it stands cannot be said. */
function cannotTell(seq: number): Refusal {
  const message = say`it was undone and brought back among other changes, and cannot be told from them; undo those first`;
  return { key: recordKey(seq), code: "conflict", reason: "changed_since", message };
}

/**
 * The same way as if undos that somebody made before, and all they took back, had never been. So what is to be taken back
 * now is seen where it would stand, and text that comes back finds its place beside text that came back earlier.
 */
function withoutEarlierUndos(
  slices: SliceSet,
  history: readonly Step[],
  records: readonly JournalRecord[],
  from: number,
  chosen: ReadonlySet<number>,
): readonly Step[] {
  let way = history;
  const gone = new Set<number>();
  // What reaches back least comes first: an undo within another's reach must be out of its way.
  const undos = records
    .map((record) => ({ seq: record.seq, targets: undoneBy(record), reach: Math.min(...undoneBy(record)) }))
    .filter(({ seq, targets, reach }) => targets.length > 0 && !chosen.has(seq) && reach >= from)
    .toSorted((a, b) => b.reach - a.reach || b.seq - a.seq);
  for (const undo of undos) {
    if (gone.has(undo.seq)) continue;
    way = without(slices, way, undo);
    // Also where it had to stay: an undo that is taken back is no undo, whatever became of the one that did it.
    for (const target of undo.targets) gone.add(target);
  }
  return way;
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
  since: number,
): Promise<readonly Refusal[]> {
  const parts = await loadParts(slices, journal, changes);
  // A change so large that it has to be prepared is alone in its record.
  const [first] = changes;
  if (first !== undefined) await draft.prepare(first);
  const { refusals, steps } = draft.foresee(changes, parts);
  if (refusals.length > 0) return refusals;
  for (const { state, change } of steps) {
    const doubts = (await sliceOf(slices, change.slice).confirm?.(state, change, journal, since)) ?? [];
    if (doubts.length > 0) return doubts;
  }
  return draft.changeAll(changes, parts);
}

interface TakenBack {
  /** The inverse changes, each as it reads on top of `kept` and of those before it. */
  readonly inverses: readonly Change[];
  /** The later steps as they read without the record. */
  readonly kept: readonly Step[];
  readonly refusals?: readonly Refusal[];
}

/** A record out of a way. `kept` is the whole way without it. */
function takeRecord(slices: SliceSet, way: readonly Step[], seq: number): TakenBack {
  const first = way.findIndex((step) => step.seq === seq);
  if (first < 0) return { inverses: [], kept: way };
  const next = way.findLastIndex((step) => step.seq === seq) + 1;
  const own = way.slice(first, next).map(({ change }) => change);
  const taken = takeBack(slices, own, way.slice(next));
  return { ...taken, kept: [...way.slice(0, first), ...taken.kept] };
}

function onlyTakesOut(slices: SliceSet, { inverses, refusals }: TakenBack): boolean {
  return (
    refusals === undefined &&
    inverses.length > 0 &&
    inverses.every((change) => sliceOf(slices, change.slice).takesOut?.(change) === true)
  );
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
