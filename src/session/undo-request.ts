// Owns: which records an undo means: one record, an agent's last call, or all an agent did since a position.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import type { Journal, JournalRecord, Key } from "../store/journal.ts";
import { StaleDraft, type Draft } from "./draft.ts";
import { kindOf } from "./record-kinds.ts";
import type { Book } from "./transact.ts";
import { planUndo, recordKey, undoneBy, type UndoPlan, type UndoRefusal } from "./undo.ts";

export type UndoRequest =
  | { readonly record: number; readonly partial?: boolean }
  | { readonly lastCallOf: string; readonly partial?: boolean }
  | { readonly agent: string; readonly since: number; readonly partial?: boolean };

export interface UndoReport extends UndoPlan {
  readonly records: readonly JournalRecord[];
}

const BATCH = 256;
/** Up to so many keys, the records that touch them are asked for key by key; beyond, all records are looked through. */
const KEYS_ASKED = 32;

/**
 * Puts the undo into `draft`. All or nothing unless `partial`: throws `conflict` / `undo_refused` listing every refusal,
 * or `not_found` when there is nothing to undo.
 */
export async function undo(book: Book, draft: Draft, request: UndoRequest): Promise<UndoReport> {
  const { slices, journal } = book;
  const head = draft.base.at.seq;
  // What was the last call, or stands in the way, must be asked of all there is.
  if ((await book.timeline.catchUp()).at.seq > head) throw new StaleDraft();
  const chosen = await choose(journal, head, request);
  const keys = new Set<Key>(chosen.flatMap((record) => record.keys));
  const seqs = new Set(chosen.map((record) => record.seq));
  const { records, from, heads } = await neededFor(journal, Math.min(...seqs), head, keys);
  refuseGone(heads, seqs);
  refuseTwice(heads, seqs);
  draft.depend(keys);
  const plan = await planUndo(slices, journal, draft, records, from, seqs);
  if (plan.undone.length === 0 || (plan.refused.length > 0 && request.partial !== true))
    throw refusedUndo(plan.refused);
  draft.targets.push(...plan.undone.map(recordKey));
  return { ...plan, records: chosen };
}

/** What an undo that still stands has taken back cannot be taken back again. */
function refuseGone(records: readonly JournalRecord[], chosen: ReadonlySet<number>): void {
  const { gone } = takenBack(records);
  for (const seq of chosen) {
    const by = gone.get(seq);
    if (by !== undefined)
      throw nothing(say`Record ${seq} was undone by record ${by} already. Undo that one to bring it back.`);
  }
}

/**
 * Undoing an undo can make an older undo stand again. If what that one took back was taken back by another meanwhile, two
 * undos would stand for one record, and its text would come back twice.
 */
function refuseTwice(records: readonly JournalRecord[], chosen: ReadonlySet<number>): void {
  const { twice } = takenBack(records, chosen);
  if (twice.length === 0) return;
  const [seq = 0] = chosen;
  throw refusedUndo(
    twice.map(({ target, by, other }) => ({
      seq,
      refusal: {
        key: recordKey(target),
        code: "conflict",
        reason: "undone_twice",
        message: say`record ${target} would be undone by record ${other} again, and is by record ${by}; undo that one first`,
      },
    })),
  );
}

interface TakenBack {
  /** The records that are taken back, each with the undo that did it and still stands. */
  readonly gone: ReadonlyMap<number, number>;
  /** Those that two standing undos have taken back. */
  readonly twice: readonly { readonly target: number; readonly by: number; readonly other: number }[];
}

/** Who has taken back what, if an undo took back `more` now. */
function takenBack(records: readonly JournalRecord[], more: Iterable<number> = []): TakenBack {
  const gone = new Map<number, number>();
  const twice: { target: number; by: number; other: number }[] = [];
  for (const seq of more) gone.set(seq, 0);
  for (const record of records.toReversed()) {
    if (gone.has(record.seq)) continue;
    for (const target of undoneBy(record)) {
      const by = gone.get(target);
      if (by === undefined) gone.set(target, record.seq);
      else twice.push({ target, by, other: record.seq });
    }
  }
  return { gone, twice };
}

async function choose(journal: Journal, head: number, request: UndoRequest): Promise<JournalRecord[]> {
  if ("record" in request) {
    const [record] = await journal.records({ after: request.record - 1, upTo: request.record, limit: 1 });
    if (record === undefined || record.seq !== request.record || record.seq > head)
      throw nothing(say`There is no record ${request.record}. List the changes to see which there are.`);
    if (!kindOf(record).isUndoable)
      throw nothing(say`Record ${request.record} changed nothing that could be undone.`);
    return [withChanges(record)];
  }
  const agent = "lastCallOf" in request ? request.lastCallOf : request.agent;
  const since = "since" in request ? request.since : 0;
  const chosen = await standing(
    journal,
    head,
    agent,
    since,
    "lastCallOf" in request ? 1 : Number.POSITIVE_INFINITY,
  );
  if (chosen.length === 0) throw nothing(say`${echo(agent)} has made no change that could be undone.`);
  return chosen.map(withChanges);
}

/** The agent's changes after `since` that no undo has taken back, newest first. */
async function standing(
  journal: Journal,
  head: number,
  agent: string,
  since: number,
  most: number,
): Promise<JournalRecord[]> {
  const found: JournalRecord[] = [];
  const gone = new Set<number>();
  for (let upTo = head; upTo > since && found.length < most;) {
    const records = await journal.records({ after: since, upTo, newestFirst: true, limit: BATCH });
    for (const record of records) {
      upTo = record.seq - 1;
      if (gone.has(record.seq)) continue;
      for (const seq of undoneBy(record)) gone.add(seq);
      const isWork = kindOf(record).isWork && record.changes?.length !== 0;
      if (isWork && record.agent === agent && found.length < most) found.push(record);
    }
    if (records.length < BATCH) break;
  }
  return found;
}

/**
 * The records that working out an undo needs: those that touch its keys, from the oldest chosen one on, and further back
 * as far as undos among them reach, unless that is pruned. `heads` reach back in any case.
 */
async function neededFor(
  journal: Journal,
  oldest: number,
  head: number,
  keys: ReadonlySet<Key>,
): Promise<{
  readonly records: readonly JournalRecord[];
  readonly from: number;
  readonly heads: readonly JournalRecord[];
}> {
  let heads = await touching(journal, oldest, head, keys);
  let [from, records] = [oldest, heads];
  for (let start = oldest; ;) {
    const reach = Math.min(start, ...heads.flatMap(undoneBy));
    if (reach === start) return { records, from, heads };
    start = reach;
    heads = await touching(journal, start, head, keys);
    if (!heads.some((record) => record.changes === undefined && record.seq < oldest))
      [from, records] = [start, heads];
  }
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

function withChanges(record: JournalRecord): JournalRecord {
  if (record.changes !== undefined) return record;
  throw new HoldfastError(
    "conflict",
    "snapshot_expired",
    say`Record ${record.seq} is older than the kept history and cannot be undone.`,
  );
}

function nothing(message: Shown): HoldfastError {
  return new HoldfastError("not_found", "nothing_to_undo", message);
}

function refusedUndo(refused: readonly UndoRefusal[]): HoldfastError {
  const lines = refused.map(({ seq, refusal }) => say`record ${seq}: ${refusal.message}`);
  return new HoldfastError(
    "conflict",
    "undo_refused",
    say`Nothing was undone: ${sayAll(lines, "; ")}. Undo the later changes first, or set partial to undo what can be.`,
    {
      data: {
        refusals: refused.map(({ seq, refusal }) => ({ record: seq, message: refusal.message })),
      },
    },
  );
}
