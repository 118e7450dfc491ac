// Owns: the weave of a file with all its records that there still are, wherever the file is now.

import type { WorkspacePath } from "../../path/index.ts";
import { HoldfastError } from "../../errors.ts";
import type { Journal, Key } from "../../store/journal.ts";
import type { Pacer } from "../../text/steps.ts";
import { shownSteps, type HeldText } from "../../text/weave-held.ts";
import { isTooManyRuns } from "../../text/weave.ts";
import { prunedUpTo } from "../pruned-records.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { factsOf, noFile } from "./file-facts.ts";
import {
  BATCH,
  earlierSteps,
  FILES_ASKED,
  laterSteps,
  pathAfter,
  pathBefore,
  stepRecord,
  type FileAt,
  type FileStep,
} from "./file-history.ts";
import { fileKey } from "./file-keys.ts";
import type { FileEntry } from "./file-state.ts";
import { FileWeave, reachOf } from "./file-weave.ts";

/** A file's steps, oldest first, after record `base`; 0 when none is pruned. */
export interface FileSteps {
  readonly steps: readonly FileStep[];
  readonly base: number;
}

/** All steps up to `head`, or, where older ones are pruned, those after the first record that no later one reaches back to. */
export async function allSteps(
  journal: Journal,
  { id, path }: Pick<FileEntry, "id" | "path">,
  head: number,
  pace: Pacer,
): Promise<FileSteps> {
  const newestFirst: FileStep[] = [];
  let base = 0;
  for await (const { record, changes } of earlierSteps(journal, id, path, head)) {
    if (changes === undefined) base = record.seq;
    else newestFirst.push({ record: stepRecord(record), changes });
    await pace.step();
  }
  return closedFrom(newestFirst.reverse(), base);
}

/** Those of the steps after a pruned record that reach back to nothing before them. */
function closedFrom(steps: readonly FileStep[], pruned: number): FileSteps {
  if (pruned === 0) return { steps, base: 0 };
  let base = pruned;
  for (const { record, changes } of steps) if (reachOf(changes) <= base) base = record.seq;
  return { steps: steps.filter(({ record }) => record.seq > base), base };
}

/** A file whose history is wanted: it is at `entry`, or is gone and was at `path` once. */
export interface HistoryOf {
  readonly id: FileId;
  readonly path: WorkspacePath;
  readonly entry: FileEntry | undefined;
}

/** The steps of files. */
export type Histories = ReadonlyMap<FileId, FileSteps>;

/** All steps of each file: beyond some files, the records are gone through once for all of them. */
export async function stepsOfEach(
  journal: Journal,
  files: readonly HistoryOf[],
  head: number,
  pace: Pacer,
): Promise<Histories> {
  if (files.length > FILES_ASKED) return goThroughOnce(journal, files, head, pace);
  const found = new Map<FileId, FileSteps>();
  for (const { id, path, entry } of files) {
    const { steps, base } = await allSteps(journal, entry ?? { id, path }, head, pace);
    const all = entry === undefined ? await withLater(journal, { id, path }, steps, head, pace) : steps;
    found.set(id, { steps: all, base });
  }
  return found;
}

async function goThroughOnce(
  journal: Journal,
  files: readonly HistoryOf[],
  head: number,
  pace: Pacer,
): Promise<Histories> {
  const pruned = await prunedUpTo(journal);
  const asked = new Map<FileId, FileAt>();
  for (const { id, path } of files) asked.set(id, { path, from: pruned + 1 });
  const later = await laterSteps(journal, asked, head, pace);
  const oldest = new Map<FileId, Key>();
  for (const { id, path, entry } of pruned === 0 ? [] : files) {
    const [first] = later.get(id) ?? [];
    const there = (entry ?? { path }).path;
    oldest.set(
      id,
      fileKey((first === undefined ? there : pathBefore(first.changes, there)) as WorkspacePath),
    );
    await pace.step();
  }
  const prunedAt = await newestOfKeys(journal, new Set(oldest.values()), pruned, pace);
  const found = new Map<FileId, FileSteps>();
  for (const [id, steps] of later) {
    found.set(id, closedFrom(steps, prunedAt.get(oldest.get(id) ?? "") ?? 0));
    await pace.step();
  }
  return found;
}

/** The newest record up to one that touched each key. */
async function newestOfKeys(
  journal: Journal,
  keys: Set<Key>,
  upTo: number,
  pace: Pacer,
): Promise<ReadonlyMap<Key, number>> {
  const found = new Map<Key, number>();
  for (let last = upTo; last > 0 && keys.size > 0;) {
    const records = await journal.records({ upTo: last, newestFirst: true, limit: BATCH });
    if (records.length === 0) break;
    for (const { seq, keys: touched } of records) {
      last = seq - 1;
      for (const key of touched) {
        if (keys.delete(key)) found.set(key, seq);
        await pace.step();
      }
    }
  }
  return found;
}

export interface WholeWeave extends FileSteps {
  readonly file: FileWeave;
  /** The records do not make what the file is, or are too many to be looked at: the weave has its text now, and no record has a part in it. */
  readonly isBroken?: true;
}

/** Of a file that has no record. */
const NO_STEPS: FileSteps = { steps: [], base: 0 };

/**
 * The weave of a file, whose steps are among those of `histories`. One whose history does not replay, or has more than `maxRuns`
 * pieces, stops no work on others.
 */
export async function wholeWeave(
  { id, path, entry }: HistoryOf,
  histories: Histories,
  maxRuns: number,
  pace: Pacer,
): Promise<WholeWeave> {
  const { steps, base } = histories.get(id) ?? NO_STEPS;
  const now = entry === undefined ? noFile(path) : factsOf(entry);
  try {
    const file = await pace.run(FileWeave.buildSteps(now, steps, maxRuns));
    return { file, steps, base };
  } catch (error) {
    const isBroken = HoldfastError.is(error) && error.reason === "broken_history";
    if (!(isBroken || isTooManyRuns(error) || error instanceof RangeError)) throw error;
    const silent = steps.map(({ record }) => ({ record, changes: [] }));
    const file = await pace.run(FileWeave.buildSteps(now, silent, maxRuns));
    return { file, steps, base: steps.at(-1)?.record.seq ?? 1, isBroken: true };
  }
}

/** The file may have gone elsewhere before it went away. */
async function withLater(
  journal: Journal,
  { id, path }: Pick<FileEntry, "id" | "path">,
  steps: readonly FileStep[],
  head: number,
  pace: Pacer,
): Promise<readonly FileStep[]> {
  const last = steps.at(-1);
  if (last === undefined) return steps;
  const from = { from: last.record.seq + 1, path: pathAfter(last.changes, path) };
  const later = await laterSteps(journal, new Map([[id, from]]), head, pace);
  return [...steps, ...(later.get(id) ?? [])];
}

/**
 * The file's text as runs after one more record, whose pieces get the number 0; undefined where records are pruned, since runs would
 * then name bytes that have no record, and where that record makes too many pieces.
 */
export async function runsAfter(
  { file, steps, base }: WholeWeave,
  changes: readonly FileChange[],
  pace: Pacer,
): Promise<HeldText | undefined> {
  if (base > 0) return undefined;
  const { weave } = file;
  const last = steps.at(-1);
  try {
    if (changes.length > 0 && last !== undefined)
      await pace.run(file.addSteps({ record: { ...last.record, seq: last.record.seq + 1 }, changes }));
  } catch (error) {
    if (isTooManyRuns(error)) return undefined;
    throw error;
  }
  const own = `${(last?.record.seq ?? 0) + 1}.`;
  const shown = await pace.run(shownSteps(weave, weave.standing()));
  return shown.map(([name, at, length]) => [
    name.startsWith(own) ? `0.${name.slice(own.length)}` : name,
    at,
    length,
  ]);
}
