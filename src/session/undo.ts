// Owns: undo: which records are meant, what each slice says to it, and the one commit it becomes.

import { echo, HoldfastError, say, sayAll, sayClauses, type Shown } from "../errors.ts";
import type { Change, Journal, JournalRecord, Key } from "../store/journal.ts";
import { refusalError, StaleDraft, type Draft } from "./draft.ts";
import { namedRecords } from "./files/undo-files.ts";
import { isOthers, requireOwnRecords, requireTellable, type HistoryCaller } from "./history-caller.ts";
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
 * or `not_found` / `nothing_to_undo`. A caller that is not the host takes back its own, and is told of no hidden file.
 */
export async function undo(
  core: SessionCore,
  draft: Draft,
  request: UndoRequest,
  caller?: HistoryCaller,
): Promise<UndoReport> {
  if (draft.changes.length > 0)
    throw new HoldfastError(
      "conflict",
      "undo_after_changes",
      say`A call that changes something can undo only before that. Undo in a call of its own.`,
    );
  // What was the last call, or is in the way, must be asked of all there is.
  if ((await core.timeline.catchUp()).at.seq > draft.base.at.seq) throw new StaleDraft();
  const { records, scope } = await chooseRecords(core, draft.base, request);
  requireOwnRecords(caller, records);
  draft.depend(new Set<Key>(records.flatMap((record) => record.keys)));
  const refused: UndoRefusal[] = [];
  let chosen = records;
  for (;;) {
    const parts = await askSlices(core, draft, chosen, scope);
    const now = parts.flatMap((part) => part.refused);
    requireTellable(
      caller,
      now.map(({ refusal }) => refusal),
    );
    refused.push(...now);
    chosen = chosen.filter(({ seq }) => !now.some((one) => one.seq === seq));
    if (now.length > 0 && request.partial === true && chosen.length > 0) continue;
    const undone = new Set(parts.flatMap((part) => part.undone));
    if (now.length > 0 || (undone.size === 0 && refused.length > 0))
      throw undoRefused(refused, {
        others: await othersAmong(core.journal, refused, caller),
        // Without effect where nothing is left, or where it was set.
        partial: request.partial !== true && chosen.length > 0,
      });
    if (undone.size === 0) throw alreadyGone(parts);
    const refusals = await draft.changeAll(parts.flatMap((part) => part.changes));
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

/** What a caller whose undo is refused can do. */
interface Ways {
  /** Records that would have to be undone too and are not the caller's to undo. */
  readonly others: readonly JournalRecord[];
  /** `partial` may take back a part. */
  readonly partial: boolean;
}

async function othersAmong(
  journal: Journal,
  refused: readonly UndoRefusal[],
  caller: HistoryCaller | undefined,
): Promise<JournalRecord[]> {
  if (caller === undefined || caller.mayUndoAll) return [];
  const others: JournalRecord[] = [];
  for (const seq of new Set(refused.flatMap(({ together }) => together ?? []))) {
    const [record] = await journal.records({ after: seq - 1, upTo: seq, limit: 1 });
    if (record !== undefined && isOthers(caller, record)) others.push(record);
  }
  return others;
}

function adviceFor(together: readonly number[], { others, partial }: Ways): Shown {
  const part: Shown = partial ? say`, or set partial to undo what can be` : say``;
  if (together.length < 2) return say`Undo the later changes first${part}.`;
  if (others.length === 0) return say`Undo ${namedRecords(together)} together${part}.`;
  const agents = [...new Set(others.map(({ agent }) => agent))].map((agent) => echo(agent));
  const whose = say`${namedRecords(others.map(({ seq }) => seq))} of ${sayAll(agents)}`;
  return say`You cannot undo ${whose}: ask the host to undo ${namedRecords(together)} together${part}.`;
}

function undoRefused(refused: readonly UndoRefusal[], ways: Ways): HoldfastError {
  const messages = new Map<string, UndoRefusal>();
  for (const one of refused) messages.set(`${one.seq} ${one.refusal.message}`, one);
  const all = [...messages.values()];
  const lines = all.map(({ seq, refusal }) => say`record ${seq}: ${refusal.message}`);
  const together = new Set(all.flatMap((one) => one.together ?? []));
  const advice = adviceFor([...together], ways);
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
