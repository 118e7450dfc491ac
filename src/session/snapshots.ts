// Owns: snapshots: names for positions. A snapshot is a record that changes nothing and touches one key.

import { HoldfastError, say, type Shown } from "../errors.ts";
import type { Journal, JournalRecord } from "../store/journal.ts";
import { tokenOf } from "../store/token.ts";
import type { Draft } from "./draft.ts";
import { prunedUpTo } from "./pruned-records.ts";

/** Every snapshot touches it, so that they are found without looking at other records. */
export const SNAPSHOTS_KEY = "snapshots";
const TARGET = "snapshot:";
const LABEL_LENGTH = 200;

/** A place in history with a name. */
export interface Snapshot {
  /** The token of its position: what `restore`, `diff` and `fork` take. */
  readonly id: Shown;
  /** The record that it is of. */
  readonly seq: number;
  /** What it is called. */
  readonly label: string;
  /** Who made it. */
  readonly agent: string;
  /** When it was made. */
  readonly time: Date;
  /** Retention has dropped what the state there is made of. */
  readonly expired: boolean;
}

/** Which snapshots to list. */
export interface SnapshotQuery {
  /** Snapshots before this record only: the seq of the last one of the page before. */
  readonly before?: number;
  /** 100 unless told. */
  readonly limit?: number;
}

/** Makes the draft's record a snapshot. Throws `invalid_argument` / `bad_label`. */
export function markSnapshot(draft: Draft, label: string): void {
  const text = label.trim();
  if (text === "" || text.length > LABEL_LENGTH || /[\0\p{Surrogate}]/u.test(text))
    throw new HoldfastError(
      "invalid_argument",
      "bad_label",
      say`A snapshot needs a label of 1 to ${LABEL_LENGTH} characters, none of them NUL or half a surrogate pair.`,
    );
  draft.touched.add(SNAPSHOTS_KEY);
  draft.targets.push(TARGET + text);
}

/** Newest first. */
export async function listSnapshots(journal: Journal, query: SnapshotQuery = {}): Promise<Snapshot[]> {
  const records = await journal.records({
    key: SNAPSHOTS_KEY,
    newestFirst: true,
    limit: query.limit ?? 100,
    ...(query.before === undefined ? {} : { upTo: query.before - 1 }),
  });
  // The state right at the border of what was pruned is still there.
  const pruned = records.some((record) => record.changes === undefined) ? await prunedUpTo(journal) : 0;
  return records.map((record) => snapshotOf(record, pruned));
}

function snapshotOf(record: JournalRecord, pruned: number): Snapshot {
  const { seq, agent, time, targets } = record;
  const label = targets.find((target) => target.startsWith(TARGET))?.slice(TARGET.length) ?? "";
  return { id: tokenOf(record), seq, label, agent, time, expired: seq < pruned };
}
