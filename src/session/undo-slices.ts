// Owns: what taking records back comes to in each slice.

import type { Change, JournalRecord } from "../store/journal.ts";
import type { Draft } from "./draft.ts";
import { changesOf } from "./packed-changes.ts";
import type { AnySlice, RecordOf, SliceUndo, UndoRefusal } from "./slice.ts";
import { sliceOf } from "./state.ts";
import type { SessionCore } from "./transact.ts";

/** What taking records back comes to, slice by slice. */
export type AskSlices = (records: readonly JournalRecord[]) => Promise<readonly SliceUndo<Change>[]>;

/**
 * Asks again without those that were refused, until none is, at most `times`. `parts` is empty where something is refused to
 * the end.
 */
export async function leaveOutRefused(
  ask: AskSlices,
  records: readonly JournalRecord[],
  times: number,
): Promise<{ readonly parts: readonly SliceUndo<Change>[]; readonly refused: readonly UndoRefusal[] }> {
  const refused: UndoRefusal[] = [];
  let chosen = records;
  for (let asked = 0; asked < times && chosen.length > 0; asked++) {
    const parts = await ask(chosen);
    const now = parts.flatMap((part) => part.refused);
    if (now.length === 0) return { parts, refused };
    refused.push(...now);
    const seqs = new Set(now.map(({ seq }) => seq));
    const left = chosen.filter(({ seq }) => !seqs.has(seq));
    // A slice that refuses what it was not asked for would refuse it again.
    if (left.length === chosen.length) break;
    chosen = left;
  }
  return { parts: [], refused };
}

export async function askSlices(
  { journal, limits, slices }: SessionCore,
  draft: Draft,
  records: readonly JournalRecord[],
  scope: string | undefined,
  signal: AbortSignal | undefined,
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
    const ways = { ...(scope === undefined ? {} : { scope }), ...(signal === undefined ? {} : { signal }) };
    parts.push(await slice.undo({ journal, limits, state, stamp, records: list, ...ways }));
  }
  return parts;
}
