// Owns: what a caller whose undo is refused is told: why, and what it can do instead.

import { echo, HoldfastError, say, sayAll, sayClauses, type Shown } from "../errors.ts";
import type { Journal, JournalRecord } from "../store/journal.ts";
import { plural } from "../text/plural.ts";
import { isOthers, isTellable, type HistoryCaller } from "./history-caller.ts";
import { kindOf } from "./record-kinds.ts";
import { firstInWords, NAMED_RECORDS, oldestFirst, recordsInWords } from "./record-words.ts";
import type { UndoRefusal } from "./slice.ts";
import type { UndoOptions } from "./undo-request.ts";
import { leaveOutRefused, type AskSlices } from "./undo-slices.ts";

/** So often records that are in the way are added to those that are asked for. */
const ROUNDS = 16;

/** So many refusals are told in words; the advice after them must not be cut off. All are in the data. */
const LISTED = 20;

/** An undo that is refused. */
export interface RefusedUndo {
  /** The records that were meant, newest first. */
  readonly records: readonly JournalRecord[];
  readonly refused: readonly UndoRefusal[];
  readonly request: UndoOptions;
  readonly caller: HistoryCaller | undefined;
  /** Asks without the path that the undo was narrowed to, if it was. */
  readonly askEverywhere?: AskSlices;
  /** All that the caller did after a position and still stands, where an undo has them: none where that cannot be undone. */
  readonly allSince: (seq: number) => Promise<readonly JournalRecord[]>;
}

/** The error for it. It advises only what has been tried: undoing those records together works, and so does `partial`. */
export async function undoRefused(
  journal: Journal,
  ask: AskSlices,
  undo: RefusedUndo,
): Promise<HoldfastError> {
  const { refused, caller } = undo;
  const messages = new Map<string, UndoRefusal>();
  for (const one of refused) messages.set(`${one.seq} ${one.refusal.message}`, one);
  const all = [...messages.values()];
  const lines = all.slice(0, LISTED).map(({ seq, refusal }) => say`record ${seq}: ${refusal.message}`);
  if (all.length > LISTED) lines.push(say`and ${plural(all.length - LISTED, "more place") as Shown}`);
  const together = await togetherWith(journal, ask, undo);
  const seqs = oldestFirst(together.map(({ seq }) => seq));
  const others = together.filter((record) => isOthers(caller, record));
  const partial = await canUndoPart(ask, undo);
  const inTheWay = together.length === 0 ? await inTheWayOf(journal, undo) : [];
  const since = others.length === 0 ? await sinceFor(ask, undo, seqs) : undefined;
  const advice =
    together.length === 0
      ? laterFirst(inTheWay, undo, partial, inTheWay.length === 0 && (await worksEverywhere(undo)))
      : since !== undefined
        ? say`Set since to ${since} to undo all you did after record ${since}, ${recordsInWords(seqs)} among it${orPartial(partial)}.`
        : adviceFor(seqs, others, caller, partial);
  return new HoldfastError(
    "conflict",
    "undo_refused",
    say`Nothing was undone: ${sayClauses(lines)}. ${advice}`,
    {
      data: {
        // What to do next comes first: where all is too long, lists are cut in this order.
        ...(seqs.length > 0 ? { together: seqs } : {}),
        ...(inTheWay.length > 0 ? { inTheWay: oldestFirst(inTheWay.map(({ seq }) => seq)) } : {}),
        refusals: all.map(({ seq, refusal }) => ({ record: seq, message: refusal.message })),
      },
    },
  );
}

/**
 * The records that are refused with all that is in the way, and what is in the way of that; none where there is no such list. Where the
 * others that were meant could not be undone with these, a list that holds them too, unless they are many.
 */
async function togetherWith(
  journal: Journal,
  ask: AskSlices,
  { records, refused }: RefusedUndo,
): Promise<readonly JournalRecord[]> {
  const isRefused = new Set(refused.map(({ seq }) => seq));
  const some = records.filter(({ seq }) => isRefused.has(seq));
  const found = await withInTheWay(journal, ask, some, refused);
  if (some.length === records.length || records.length > LISTED) return found;
  const isFound = new Set(found.map(({ seq }) => seq));
  const both = [...found, ...records.filter(({ seq }) => !isFound.has(seq))];
  const now = (await ask(both.toSorted((a, b) => b.seq - a.seq))).flatMap((part) => part.refused);
  if (found.length > 0 && now.length === 0) return found;
  const all = await withInTheWay(journal, ask, records, refused);
  return all.length > 0 ? all : found;
}

const NOTHING: readonly number[] = [];

async function withInTheWay(
  journal: Journal,
  ask: AskSlices,
  records: readonly JournalRecord[],
  refused: readonly UndoRefusal[],
): Promise<readonly JournalRecord[]> {
  let all = records;
  let now = refused;
  for (let round = 0; round < ROUNDS; round++) {
    // Refusals of one file share their list: a long one is gone through once.
    const lists = new Set(now.map(({ together }) => together ?? NOTHING));
    const more = new Set([...lists].flat());
    for (const { seq } of all) more.delete(seq);
    if (more.size === 0) return [];
    const added = await recordsOf(journal, more);
    if (added.some((record) => record.changes === undefined || !kindOf(record).isUndoable)) return [];
    all = [...all, ...added].toSorted((a, b) => b.seq - a.seq);
    now = (await ask(all)).flatMap((part) => part.refused);
    if (now.length === 0) return all;
  }
  return [];
}

export async function recordsOf(journal: Journal, seqs: Iterable<number>): Promise<JournalRecord[]> {
  const found: JournalRecord[] = [];
  for (const seq of new Set(seqs))
    found.push(...(await journal.records({ after: seq - 1, upTo: seq, limit: 1 })));
  return found;
}

/** Whether `partial`, which is not set, would take something back. */
async function canUndoPart(
  ask: AskSlices,
  { records, refused, request, caller }: RefusedUndo,
): Promise<boolean> {
  if (request.partial === true) return false;
  const seqs = new Set(refused.map(({ seq }) => seq));
  const left = records.filter(({ seq }) => !seqs.has(seq));
  const some = await leaveOutRefused(ask, left, Infinity);
  const isTold = some.refused.every(({ refusal }) => isTellable(caller, refusal));
  return isTold && some.parts.some(({ undone }) => undone.length > 0);
}

/** Whether the same records can be undone in all files: what is in the way of a part may be their own work elsewhere. */
async function worksEverywhere({ records, askEverywhere }: RefusedUndo): Promise<boolean> {
  const parts = await askEverywhere?.(records);
  return parts?.every(({ refused }) => refused.length === 0) ?? false;
}

/** A caller that reads no data cannot name records that are not all told. It may undo all that it did since, if that works. */
async function sinceFor(
  ask: AskSlices,
  { records, caller, allSince }: RefusedUndo,
  together: readonly number[],
): Promise<number | undefined> {
  const [oldest] = together;
  if (caller === undefined || oldest === undefined || together.length <= NAMED_RECORDS) return undefined;
  const all = await allSince(oldest - 1);
  const seqs = new Set(all.map(({ seq }) => seq));
  if (!records.every(({ seq }) => seqs.has(seq))) return undefined;
  const refused = (await ask(all)).flatMap((part) => part.refused);
  return refused.length === 0 ? oldest - 1 : undefined;
}

/** `others`: those of `together` that are not the caller's to undo. */
function adviceFor(
  together: readonly number[],
  others: readonly JournalRecord[],
  caller: HistoryCaller | undefined,
  partial: boolean,
): Shown {
  const isWhole = together.length <= NAMED_RECORDS;
  const part = orPartial(partial);
  const what = say`${recordsInWords(together)} together`;
  const list = isWhole ? say`` : listedIn(say`together`);
  const host = say`ask the host to undo ${what}${list}${part}.`;
  if (others.length > 0) return say`You cannot undo ${recordsOfAgents(others)}: ${host}`;
  if (isWhole) return say`Undo ${what}${part}.`;
  if (caller !== undefined) return say`They are too many to name: ${host}`;
  return say`Undo ${what}${list}${part}.`;
}

/** Refusals that undoing other records does not lift. */
const FOR_GOOD: ReadonlySet<string> = new Set(["snapshot_expired", "too_many_runs"]);

/** Where no list of records that can be undone together is known. */
function laterFirst(
  inTheWay: readonly JournalRecord[],
  { refused, caller }: RefusedUndo,
  partial: boolean,
  everywhere: boolean,
): Shown {
  const part = orPartial(partial);
  if (everywhere) return say`Leave path out to undo all of it${part}.`;
  if (refused.every(({ refusal }) => FOR_GOOD.has(refusal.reason)))
    return say`No other undo changes that: restore or write what is to be there${part}.`;
  if (inTheWay.length === 0) return say`Undo the later changes first${part}.`;
  const others = inTheWay.filter((record) => isOthers(caller, record));
  if (others.length === 0)
    return say`Undo the later changes first, ${recordsOfAgents(inTheWay)} among them${part}.`;
  return say`You cannot undo ${recordsOfAgents(others)}: ask the host to undo the later changes first${part}.`;
}

/** The records that refusals name, beside those that were meant. */
async function inTheWayOf(journal: Journal, { records, refused }: RefusedUndo): Promise<JournalRecord[]> {
  const named = new Set(refused.flatMap(({ together }) => together ?? []));
  for (const { seq } of records) named.delete(seq);
  return recordsOf(journal, named);
}

/** Beside a list that words do not tell to its end, for those who read data. */
export function listedIn(field: Shown): Shown {
  return say` (the error's data lists all, as ${field})`;
}

function orPartial(partial: boolean): Shown {
  return partial ? say`, or set partial to undo what can be` : say``;
}

/** "records 3 and 5 of "bob"". */
export function recordsOfAgents(records: readonly JournalRecord[]): Shown {
  const agents = [...new Set(records.map(({ agent }) => agent))].map((agent) => echo(agent));
  return say`${recordsInWords(records.map(({ seq }) => seq))} of ${agents.length > NAMED_RECORDS ? firstInWords(agents) : sayAll(agents)}`;
}
