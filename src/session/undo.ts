// Owns: undo: which records are meant, what each slice says to it, and the one commit it becomes.

import { HoldfastError, say, sayClauses, type Shown } from "../errors.ts";
import type { Change, JournalRecord, Key } from "../store/journal.ts";
import { refusalError, StaleDraft, type Draft } from "./draft.ts";
import { namedRecords } from "./files/undo-files.ts";
import { changesOf } from "./packed-changes.ts";
import { recordKey } from "./record-keys.ts";
import type { AnySlice, RecordOf, SliceUndo, UndoRefusal } from "./slice.ts";
import { sliceOf } from "./state.ts";
import type { SessionCore } from "./transact.ts";
import { chooseRecords, type UndoRequest } from "./undo-request.ts";

/** What an undo took back. */
export interface UndoReport {
  /** The records taken back, newest first. */
  readonly undone: readonly number[];
  /** Why records could not be taken back. */
  readonly refused: readonly UndoRefusal[];
  /** The records that were meant, newest first. */
  readonly records: readonly JournalRecord[];
}

/**
 * Puts the undo into `draft`. All or nothing unless `partial`: throws `conflict` / `undo_refused` listing every refusal,
 * or `not_found` / `nothing_to_undo`.
 */
export async function undo(core: SessionCore, draft: Draft, request: UndoRequest): Promise<UndoReport> {
  if (draft.changes.length > 0)
    throw new HoldfastError(
      "conflict",
      "undo_after_changes",
      say`A call that changes something can undo only before that. Undo in a call of its own.`,
    );
  // What was the last call, or is in the way, must be asked of all there is.
  if ((await core.timeline.catchUp()).at.seq > draft.base.at.seq) throw new StaleDraft();
  const { records, scope } = await chooseRecords(core, draft.base.at.seq, request);
  draft.depend(new Set<Key>(records.flatMap((record) => record.keys)));
  const refused: UndoRefusal[] = [];
  let chosen = records;
  for (;;) {
    const parts = await askSlices(core, draft, chosen, scope);
    const now = parts.flatMap((part) => part.refused);
    refused.push(...now);
    chosen = chosen.filter(({ seq }) => !now.some((one) => one.seq === seq));
    if (now.length > 0 && request.partial === true && chosen.length > 0) continue;
    const undone = new Set(parts.flatMap((part) => part.undone));
    if (now.length > 0) throw undoRefused(refused);
    if (undone.size === 0) throw refused.length > 0 ? undoRefused(refused) : alreadyGone(parts);
    const refusals = draft.changeAll(parts.flatMap((part) => part.changes));
    if (refusals.length > 0) throw refusalError(refusals);
    draft.depend(draft.touched);
    const seqs = records.map(({ seq }) => seq).filter((seq) => undone.has(seq));
    // Taken back in a part only, a record still stands elsewhere.
    if (scope === undefined) draft.targets.push(...seqs.map(recordKey));
    return { undone: seqs, refused, records };
  }
}

/** What taking back `records` comes to, slice by slice. */
async function askSlices(
  { journal, slices }: SessionCore,
  draft: Draft,
  records: readonly JournalRecord[],
  scope: string | undefined,
): Promise<SliceUndo<Change>[]> {
  const bySlice = new Map<string, RecordOf[]>();
  for (const record of records) {
    const changes = await changesOf(journal, record);
    for (const name of new Set(changes.map((change) => change.slice))) {
      if (scope !== undefined && name !== "files") continue;
      const list = bySlice.get(name) ?? [];
      bySlice.set(name, list);
      list.push({ record, changes: changes.filter((change) => change.slice === name) });
    }
  }
  const parts: SliceUndo<Change>[] = [];
  for (const [name, list] of bySlice) {
    const slice: AnySlice = sliceOf(slices, name);
    const { stamp } = draft;
    const state: unknown = draft.state(slice);
    parts.push(
      await slice.undo({ journal, state, stamp, records: list, ...(scope === undefined ? {} : { scope }) }),
    );
  }
  return parts;
}

function alreadyGone(parts: readonly SliceUndo<Change>[]): HoldfastError {
  const [gone] = parts.flatMap((part) => part.gone);
  const message =
    gone === undefined
      ? say`There is nothing of it that could be undone.`
      : say`Record ${gone.seq} was undone by ${namedRecords(gone.by)} already. Undo that to bring it back.`;
  return new HoldfastError("not_found", "nothing_to_undo", message);
}

function undoRefused(refused: readonly UndoRefusal[]): HoldfastError {
  const messages = new Map<string, UndoRefusal>();
  for (const one of refused) messages.set(`${one.seq} ${one.refusal.message}`, one);
  const all = [...messages.values()];
  const lines = all.map(({ seq, refusal }) => say`record ${seq}: ${refusal.message}`);
  const together = new Set(all.flatMap((one) => one.together ?? []));
  const advice: Shown =
    together.size > 1
      ? say`Undo ${namedRecords([...together])} together, or set partial to undo what can be.`
      : say`Undo the later changes first, or set partial to undo what can be.`;
  return new HoldfastError(
    "conflict",
    "undo_refused",
    say`Nothing was undone: ${sayClauses(lines)}. ${advice}`,
    {
      data: {
        refusals: all.map(({ seq, refusal }) => ({ record: seq, message: refusal.message })),
        ...(together.size > 1 ? { together: [...together].toSorted((a, b) => a - b) } : {}),
      },
    },
  );
}
