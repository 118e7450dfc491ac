// Owns: the records of files that weaves of them need: from a closed base on.

import type { WorkspacePath } from "../../path/index.ts";
import type { Journal, JournalRecord, Key } from "../../store/journal.ts";
import type { Pacer } from "../../text/steps.ts";
import { ClosedBase } from "../../text/weave-base.ts";
import { changesOf } from "../packed-changes.ts";
import type { FileChange, FileId } from "./file-change.ts";
import {
  BATCH,
  changesByFile,
  earlierSteps,
  FILES_ASKED,
  pathBefore,
  stepRecord,
  type FileStep,
} from "./file-history.ts";
import { fileKey } from "./file-keys.ts";
import { reversalOf } from "./file-weave.ts";

/** The steps from a closed base on; where records that this needs are pruned, the newest of those. */
export type ClosedSteps = readonly FileStep[] | { readonly prunedAt: number };

/** A file's steps while its base moves back. */
class Closing {
  readonly #later: readonly FileStep[];
  readonly #earlier: FileStep[] = [];
  readonly #base: ClosedBase;
  /** The oldest of the steps that it began with. */
  readonly first: number;
  /** Where the file was before the oldest step so far. */
  path: string;
  #prunedAt: number | undefined;

  constructor(later: readonly FileStep[]) {
    const [first] = later;
    this.#later = later;
    this.first = first?.record.seq ?? 0;
    this.path = first === undefined ? "" : pathBefore(first.changes, first.changes[0]?.path ?? "");
    this.#base = new ClosedBase(this.first);
    for (let i = later.length - 1; i >= 0; i--) this.#includes(later[i] as FileStep);
  }

  /** Older records are needed too. */
  get isOpen(): boolean {
    return this.reach < this.first;
  }

  /** The oldest record that may be needed. */
  get reach(): number {
    return this.#base.reach;
  }

  /** Takes the next older step. False: it is not needed, and none before it is. */
  add(step: FileStep): boolean {
    if (!this.#includes(step)) return false;
    this.#earlier.push(step);
    this.path = pathBefore(step.changes, this.path);
    return true;
  }

  /** The next older record is pruned. */
  end(seq: number): void {
    if (this.#base.includes({ seq, splices: [] })) this.#prunedAt ??= seq;
  }

  get steps(): ClosedSteps {
    if (this.#prunedAt !== undefined) return { prunedAt: this.#prunedAt };
    return this.#earlier.length === 0 ? this.#later : [...this.#earlier.toReversed(), ...this.#later];
  }

  #includes({ record: { seq }, changes }: FileStep): boolean {
    return this.#base.includes({ seq, ...(reversalOf(changes) ?? { splices: [] }) });
  }
}

/** What a weave of a file needs, whose steps from some record on are `later`. */
export async function closedSteps(
  journal: Journal,
  id: FileId,
  later: readonly FileStep[],
): Promise<ClosedSteps> {
  const closing = new Closing(later);
  if (closing.isOpen) await goBack(journal, id, closing);
  return closing.steps;
}

async function goBack(journal: Journal, id: FileId, closing: Closing): Promise<void> {
  for await (const { record, changes } of earlierSteps(journal, id, closing.path, closing.first - 1)) {
    if (changes === undefined) closing.end(record.seq);
    else if (!closing.add({ record: stepRecord(record), changes })) return;
  }
}

/** The same of many files: beyond some, older records are gone through once for all of them. */
export async function closedStepsOfAll(
  journal: Journal,
  files: ReadonlyMap<FileId, readonly FileStep[]>,
  pace: Pacer,
): Promise<ReadonlyMap<FileId, ClosedSteps>> {
  const all = new Map<FileId, Closing>();
  const open = new Map<FileId, Closing>();
  for (const [id, later] of files) {
    const closing = new Closing(later);
    all.set(id, closing);
    if (closing.isOpen) open.set(id, closing);
    await pace.step();
  }
  if (open.size > FILES_ASKED) await goBackTogether(journal, open, pace);
  else for (const [id, closing] of open) await goBack(journal, id, closing);
  return new Map(await pace.map(all, ([id, { steps }]) => [id, steps] as const));
}

async function goBackTogether(
  journal: Journal,
  open: ReadonlyMap<FileId, Closing>,
  pace: Pacer,
): Promise<void> {
  let upTo = 0;
  let reach = Number.POSITIVE_INFINITY;
  for (const closing of open.values()) {
    upTo = Math.max(upTo, closing.first - 1);
    reach = Math.min(reach, closing.reach);
  }
  let pruned: PrunedRecords | undefined;
  while (upTo >= reach) {
    const records = await journal.records({ after: reach - 1, upTo, newestFirst: true, limit: BATCH });
    if (records.length === 0) return;
    for (const record of records) {
      upTo = record.seq - 1;
      if (record.changes === undefined) {
        pruned ??= new PrunedRecords(open.values());
        await pruned.meet(record, pace);
        continue;
      }
      const isOlder = (id: FileId): boolean => record.seq < (open.get(id)?.first ?? 0);
      const byFile = await pace.run(changesByFile(await changesOf(journal, record), isOlder));
      for (const [id, changes] of byFile) reach = Math.min(reach, takenBy(open.get(id), record, changes));
    }
  }
}

/** How far back a file reaches that has been given one more step. */
function takenBy(
  closing: Closing | undefined,
  record: JournalRecord,
  changes: readonly FileChange[],
): number {
  closing?.add({ record: stepRecord(record), changes });
  return closing?.reach ?? Number.POSITIVE_INFINITY;
}

/** What pruned records end. All that are older are pruned too, so that no file changes its path any more. */
class PrunedRecords {
  readonly #byKey = new Map<Key, Closing[]>();

  constructor(files: Iterable<Closing>) {
    for (const closing of files) {
      const key = fileKey(closing.path as WorkspacePath);
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), closing]);
    }
  }

  async meet({ seq, keys }: JournalRecord, pace: Pacer): Promise<void> {
    for (const key of keys) {
      for (const closing of this.#byKey.get(key) ?? []) if (seq < closing.first) closing.end(seq);
      await pace.step();
    }
  }
}
