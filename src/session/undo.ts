// Owns: undo: which records are meant, what each slice says to it, and the one commit it becomes.

import { HoldfastError, say, type Shown } from "../errors.ts";
import type { Change, Journal, JournalRecord, Key } from "../store/journal.ts";
import { refusalError, StaleDraft, type Draft } from "./draft.ts";
import { broughtBack, filesMade, requireNameable } from "./files/nameable.ts";
import { isOthers, requireOwnRecords, requireTellable, type HistoryCaller } from "./history-caller.ts";
import { passedKey, recordKey } from "./record-keys.ts";
import { NAMED_RECORDS, oldestFirst, recordsInWords } from "./record-words.ts";
import type { SliceUndo, UndoRefusal } from "./slice.ts";
import type { SessionCore } from "./transact.ts";
import { listedIn, recordsOf, recordsOfAgents, undoRefused } from "./undo-advice.ts";
import { askWithJudge } from "./undo-left-texts.ts";
import { chooseRecords, type UndoOptions, type UndoRequest } from "./undo-request.ts";
import { askSlices, leaveOutRefused, type AskSlices } from "./undo-slices.ts";

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
  const { records, pruned, scope } = await chooseRecords(core, draft.base, request);
  requireOwnRecords(caller, records);
  // A part of several may be possible without it.
  if (request.partial !== true || records.length === 1)
    core.outside.refuseUndo(
      records.map(({ seq }) => seq),
      scope,
    );
  draft.depend(new Set<Key>(records.flatMap((record) => record.keys)));
  const askIn = (part: typeof scope): AskSlices => {
    const ask: AskSlices = (some) => askSlices(core, draft, some, part, caller?.signal);
    return caller === undefined ? ask : askWithJudge(core, draft, ask, caller);
  };
  const ask = askIn(scope);
  const whole = records.filter(({ changes }) => changes !== undefined);
  const { parts, refused } = await leaveOutRefused(ask, whole, request.partial === true ? Infinity : 1);
  requireTellable(
    caller,
    refused.map(({ refusal }) => refusal),
  );
  const undone = new Set(parts.flatMap((part) => part.undone));
  if (undone.size === 0 && refused.length > 0)
    throw await undoRefused(core.journal, ask, {
      records: whole,
      refused,
      request,
      caller,
      ...(scope === undefined ? {} : { askEverywhere: askIn(undefined) }),
      allSince: (seq) => allSince(core, draft, request, caller, seq),
    });
  if (undone.size === 0) throw await alreadyGone(core.journal, parts, caller);
  const refusals = await draft.changeAll(parts.flatMap((part) => part.changes));
  if (refusals.length > 0) throw refusalError(refusals);
  await requireNameable(filesMade(draft, caller), core, broughtBack);
  draft.depend(draft.touched);
  const seqs = records.map(({ seq }) => seq).filter((seq) => undone.has(seq));
  // Taken back in a part only, a record still stands elsewhere.
  if (scope === undefined) draft.targets.push(...seqs.map(recordKey), ...passedKeys(parts, undone));
  return { undone: seqs, refused: [...refused, ...pruned.map(prunedRecord)], records };
}

/** All that a caller did after a position and still stands: none where a part of it is pruned or not to be taken back. */
async function allSince(
  core: SessionCore,
  draft: Draft,
  { path }: UndoOptions,
  caller: HistoryCaller | undefined,
  since: number,
): Promise<readonly JournalRecord[]> {
  if (caller === undefined) return [];
  const part = path === undefined ? {} : { path };
  try {
    const { records, scope } = await chooseRecords(core, draft.base, { agent: caller.agent, since, ...part });
    core.outside.refuseUndo(
      records.map(({ seq }) => seq),
      scope,
    );
    return records;
  } catch (error) {
    if (HoldfastError.is(error)) return [];
    throw error;
  }
}

/** Where an undo that changed something did not take back one of its records. */
function passedKeys(parts: readonly SliceUndo<Change>[], undone: ReadonlySet<number>): Key[] {
  const passed = parts.flatMap((part) => part.passed ?? []).filter(({ seq }) => undone.has(seq));
  return passed.map(({ seq, slice, part }) => passedKey(seq, slice, part));
}

function prunedRecord({ seq }: JournalRecord): UndoRefusal {
  const message = say`it is pruned`;
  return { seq, refusal: { key: recordKey(seq), code: "conflict", reason: "snapshot_expired", message } };
}

async function alreadyGone(
  journal: Journal,
  parts: readonly SliceUndo<Change>[],
  caller: HistoryCaller | undefined,
): Promise<HoldfastError> {
  const all = parts.flatMap((part) => part.gone);
  const [first] = all;
  if (first === undefined) return nothing(say`There is nothing of it that could be undone.`);
  const seqs = all.filter(({ seq }) => seq === first.seq).flatMap(({ by }) => by);
  const others = (await recordsOf(journal, seqs)).filter((record) => isOthers(caller, record));
  const by = recordsInWords(seqs);
  const undoneBy = oldestFirst(seqs);
  const isWhole = undoneBy.length <= NAMED_RECORDS;
  const host = say`ask the host to undo ${by} to bring it back.`;
  const again: Shown =
    others.length > 0
      ? say`You cannot undo ${recordsOfAgents(others)}: ${host}`
      : isWhole || caller === undefined
        ? say`Undo ${undoneBy.length > 1 ? say`those` : say`that`} to bring it back.`
        : say`They are too many to name: ${host}`;
  const listed: Shown = isWhole || caller !== undefined ? say`` : listedIn(say`undoneBy`);
  return new HoldfastError(
    "not_found",
    "nothing_to_undo",
    say`Record ${first.seq} was undone by ${by} already${listed}. ${again}`,
    { data: { undoneBy } },
  );
}

function nothing(message: Shown): HoldfastError {
  return new HoldfastError("not_found", "nothing_to_undo", message);
}
