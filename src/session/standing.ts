// Owns: whether a record still stands, and where: in each file that it changed, and in each part of other slices.

import type { Change, Journal, JournalRecord } from "../store/journal.ts";
import { isBlobLost } from "../store/lost-bytes.ts";
import { Pacer } from "../text/steps.ts";
import { changesByFile } from "./files/file-history.ts";
import { touchesUnder } from "./files/file-keys.ts";
import { reversalOf } from "./files/file-weave.ts";
import { pathsOf, type FilesMeant } from "./files/files-meant.ts";
import { changesOf, isExpired } from "./packed-changes.ts";
import { undoneBy, undoneIn } from "./record-keys.ts";
import { kindOf, REVERSALS } from "./record-kinds.ts";
import type { SliceSet } from "./state.ts";
import type { SessionCore } from "./transact.ts";
import { isRestoredOver, partsIn, restoreOf, WHOLE_SLICE, type RestoreOf } from "./undo-records.ts";

/** Where a record still stands, of all that it changed. */
export type Stands = "nowhere" | "in_part" | "everywhere";

/** What records that stand take back in one file, or in a part of another slice. */
interface TakenBackThere {
  readonly records: Set<number>;
  /** Restores take back this record and all after it. */
  from: number;
  /** Restores that take back only what touched their keys. */
  readonly byKeys: RestoreOf[];
}

const BATCH = 256;

/** Is told of records newest first, and can be asked of any that is older than those. */
export class StandingRecords {
  readonly #journal: Journal;
  readonly #slices: SliceSet;
  readonly #pace: Pacer;
  /** By slice, then by file or part. */
  readonly #taken = new Map<string, Map<string, TakenBackThere>>();
  /** What undos that stand took back as a whole, with the slices that each changed. That is all that is known of a pruned record. */
  readonly #whole = new Map<number, ReadonlySet<string>[]>();
  /** What was ever taken back in a slice without parts, also by records that do not stand. */
  readonly #ever = new Map<string, TakenBackThere>();

  constructor(journal: Journal, slices: SliceSet, pace: Pacer) {
    this.#journal = journal;
    this.#slices = slices;
    this.#pace = pace;
  }

  /** Takes note of what a record takes back. */
  async note(record: JournalRecord): Promise<void> {
    const changes = takesBack(record) ? await this.#changesOf(record) : undefined;
    const targets = undoneBy(record);
    if (targets.length > 0 && (await this.#standsIn(record, changes)) !== "nowhere")
      for (const one of targets)
        this.#whole.set(one, [...(this.#whole.get(one) ?? []), new Set(changes?.map(({ slice }) => slice))]);
    // What a pruned record took back is pruned too.
    if (changes === undefined) return;
    for (const [id, own] of await this.#pace.run(changesByFile(changes))) {
      const reversal = reversalOf(own);
      if (reversal === undefined || this.#isGone("files", id, record)) continue;
      const taken = this.#takenIn("files", id);
      if ("restoreTo" in reversal) taken.from = Math.min(taken.from, reversal.restoreTo + 1);
      else for (const target of reversal.targets) taken.records.add(target);
    }
    for (const [name, slice] of this.#slices) {
      const restore = restoreOf(slice, record);
      if (name === "files" || (restore === undefined && targets.length === 0)) continue;
      for (const part of partsIn(slice, changes)) {
        const undone = undoneIn(record, name, part);
        if (!this.#isGone(name, part, record)) takeBack(this.#takenIn(name, part), restore, undone);
        if (slice.part !== undefined) continue;
        const ever = this.#ever.get(name) ?? nothingTaken();
        this.#ever.set(name, ever);
        takeBack(ever, restore, undone);
      }
    }
  }

  /** Where a record stands; with `meant`, only of the files that are meant. Of a pruned record no parts are known. */
  async of(record: JournalRecord, meant?: FilesMeant): Promise<Stands> {
    if (this.#whole.size === 0 && this.#taken.size === 0 && meant === undefined) return "everywhere";
    return this.#standsIn(record, await this.#changesOf(record), meant);
  }

  async #standsIn(
    record: JournalRecord,
    changes: readonly Change[] | undefined,
    meant?: FilesMeant,
  ): Promise<Stands> {
    if (changes === undefined) {
      const isMeant = meant === undefined || touchesUnder(record, meant.scope);
      return isMeant && !this.#whole.has(record.seq) ? "everywhere" : "nowhere";
    }
    const parts: boolean[] = [];
    for (const [id, own] of await this.#pace.run(changesByFile(changes)))
      if (meant === undefined || meant.has(id, pathsOf(own))) parts.push(!this.#isGone("files", id, record));
    const names = meant === undefined ? new Set(changes.map(({ slice }) => slice)) : new Set<string>();
    names.delete("files");
    for (const name of names)
      for (const part of partsIn(this.#slices.get(name) ?? { name }, changes))
        parts.push(!this.#isGone(name, part, record));
    if (parts.every((stands) => stands))
      return parts.length > 0 || meant === undefined ? "everywhere" : "nowhere";
    return parts.includes(true) ? "in_part" : "nowhere";
  }

  #takenIn(slice: string, part: string): TakenBackThere {
    const parts = this.#taken.get(slice) ?? new Map<string, TakenBackThere>();
    this.#taken.set(slice, parts);
    const taken = parts.get(part) ?? nothingTaken();
    parts.set(part, taken);
    return taken;
  }

  #isGone(slice: string, part: string, record: JournalRecord): boolean {
    if (isTaken(this.#taken.get(slice)?.get(part), record)) return true;
    return part === WHOLE_SLICE && this.#isLeftAlone(slice, record);
  }

  /** Whether an undo took it back that had nothing to change in the slice, and not because the record was gone there already. */
  #isLeftAlone(slice: string, record: JournalRecord): boolean {
    if (this.#slices.get(slice)?.part !== undefined) return false;
    const isUndone = this.#whole.get(record.seq)?.some((changed) => !changed.has(slice)) === true;
    return isUndone && !isTaken(this.#ever.get(slice), record);
  }

  /** Undefined where they are pruned or lost. */
  async #changesOf(record: JournalRecord): Promise<readonly Change[] | undefined> {
    if (record.changes === undefined) return undefined;
    try {
      return await changesOf(this.#journal, record);
    } catch (error) {
      if (isExpired(error) || isBlobLost(error)) return undefined;
      throw error;
    }
  }
}

function nothingTaken(): TakenBackThere {
  return { records: new Set(), from: Number.POSITIVE_INFINITY, byKeys: [] };
}

function takeBack(there: TakenBackThere, restore: RestoreOf | undefined, undone: readonly number[]): void {
  for (const target of undone) there.records.add(target);
  if (restore?.keys !== undefined) there.byKeys.push(restore);
  else if (restore !== undefined) there.from = Math.min(there.from, restore.to + 1);
}

function isTaken(there: TakenBackThere | undefined, record: JournalRecord): boolean {
  if (there === undefined) return false;
  if (record.seq >= there.from || there.records.has(record.seq)) return true;
  return there.byKeys.some((restore) => isRestoredOver(restore, record));
}

function takesBack(record: JournalRecord): boolean {
  return kindOf(record).takesBack === true || record.changes?.some(({ op }) => op === "revert") === true;
}

/** Where records, newest first, stand after record `head`. Cost: the undos, restores and resets after the oldest of them. */
export async function standingOf(
  { journal, slices }: Pick<SessionCore, "journal" | "slices">,
  head: number,
  records: readonly JournalRecord[],
): Promise<ReadonlyMap<number, Stands>> {
  const standing = new StandingRecords(journal, slices, new Pacer());
  const found = new Map<number, Stands>();
  const newer = await reversalsAfter(journal, records.at(-1)?.seq ?? head, head);
  let noted = 0;
  for (const record of records) {
    for (; (newer[noted]?.seq ?? 0) > record.seq; noted++) await standing.note(newer[noted] as JournalRecord);
    found.set(record.seq, await standing.of(record));
  }
  return found;
}

/** Newest first. */
async function reversalsAfter(journal: Journal, after: number, head: number): Promise<JournalRecord[]> {
  const found: JournalRecord[] = [];
  for (const kind of REVERSALS)
    for (let upTo = head; upTo > after;) {
      const records = await journal.records({ kind, after, upTo, newestFirst: true, limit: BATCH });
      found.push(...records);
      if (records.length < BATCH) break;
      upTo = (records.at(-1)?.seq ?? 1) - 1;
    }
  return found.sort((a, b) => b.seq - a.seq);
}
