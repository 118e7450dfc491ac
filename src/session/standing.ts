// Owns: whether a record still stands, and where: in each file that it changed, and in its other slices.

import type { Change, Journal, JournalRecord } from "../store/journal.ts";
import { isBlobLost } from "../store/lost-bytes.ts";
import { Pacer } from "../text/steps.ts";
import type { FileId } from "./files/file-change.ts";
import { changesByFile } from "./files/file-history.ts";
import { touchesUnder } from "./files/file-keys.ts";
import { reversalOf } from "./files/file-weave.ts";
import { pathsOf, type FilesMeant } from "./files/files-meant.ts";
import { changesOf, isExpired } from "./packed-changes.ts";
import { undoneBy } from "./record-keys.ts";
import { kindOf, REVERSALS } from "./record-kinds.ts";

/** Where a record still stands, of all that it changed. */
export type Stands = "nowhere" | "in_part" | "everywhere";

/** What records that stand take back in one file. */
interface TakenBack {
  readonly records: Set<number>;
  /** A restore takes back this record and all after it. */
  from: number;
}

const BATCH = 256;

/** Is told of records newest first, and can be asked of any that is older than those. */
export class StandingRecords {
  readonly #journal: Journal;
  readonly #pace: Pacer;
  readonly #inFiles = new Map<FileId, TakenBack>();
  /** What undos that stand took back as a whole: other slices know no parts. */
  readonly #whole = new Set<number>();

  constructor(journal: Journal, pace: Pacer) {
    this.#journal = journal;
    this.#pace = pace;
  }

  /** Takes note of what a record takes back. */
  async note(record: JournalRecord): Promise<void> {
    const { seq } = record;
    if (!this.#whole.has(seq)) for (const one of undoneBy(record)) this.#whole.add(one);
    const changes = takesBack(record) ? await this.#changesOf(record) : undefined;
    // What a pruned record took back is pruned too.
    for (const [id, own] of changes === undefined ? [] : await this.#pace.run(changesByFile(changes))) {
      const reversal = reversalOf(own);
      if (reversal === undefined || this.#isGone(id, seq)) continue;
      const taken = this.#inFiles.get(id) ?? { records: new Set(), from: Number.POSITIVE_INFINITY };
      this.#inFiles.set(id, taken);
      if ("restoreTo" in reversal) taken.from = Math.min(taken.from, reversal.restoreTo + 1);
      else for (const target of reversal.targets) taken.records.add(target);
    }
  }

  /** Where a record stands; with `meant`, only of the files that are meant. Of a pruned record no parts are known. */
  async of(record: JournalRecord, meant?: FilesMeant): Promise<Stands> {
    const { seq } = record;
    const isNothingGone = this.#whole.size === 0 && this.#inFiles.size === 0;
    if (isNothingGone && meant === undefined) return "everywhere";
    const changes = await this.#changesOf(record);
    if (changes === undefined) {
      const isMeant = meant === undefined || touchesUnder(record, meant.scope);
      return isMeant && !this.#whole.has(seq) ? "everywhere" : "nowhere";
    }
    const parts: boolean[] = [];
    for (const [id, own] of await this.#pace.run(changesByFile(changes)))
      if (meant === undefined || meant.has(id, pathsOf(own))) parts.push(!this.#isGone(id, seq));
    if (meant === undefined && changes.some(({ slice }) => slice !== "files"))
      parts.push(!this.#whole.has(seq));
    if (parts.every((stands) => stands))
      return parts.length > 0 || meant === undefined ? "everywhere" : "nowhere";
    return parts.includes(true) ? "in_part" : "nowhere";
  }

  #isGone(id: FileId, seq: number): boolean {
    const taken = this.#inFiles.get(id);
    return taken !== undefined && (seq >= taken.from || taken.records.has(seq));
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

function takesBack(record: JournalRecord): boolean {
  return kindOf(record).takesBack === true || record.changes?.some(({ op }) => op === "revert") === true;
}

/** Where records, newest first, stand after record `head`. Cost: the undos, restores and resets after the oldest of them. */
export async function standingOf(
  journal: Journal,
  head: number,
  records: readonly JournalRecord[],
): Promise<ReadonlyMap<number, Stands>> {
  const standing = new StandingRecords(journal, new Pacer());
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
