// Owns: the weave of a file with all its records that there still are, wherever the file is now.

import type { Journal } from "../../store/journal.ts";
import type { Pacer } from "../../text/steps.ts";
import { shownSteps, type HeldText } from "../../text/weave-held.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { factsBeforeSteps, factsOf, noFile } from "./file-facts.ts";
import { earlierSteps, laterSteps, pathAfter, type FileStep } from "./file-history.ts";
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
  for await (const step of earlierSteps(journal, id, path, head)) {
    if (step.changes === undefined) base = step.record.seq;
    else newestFirst.push(step);
    await pace.step();
  }
  const steps = newestFirst.reverse();
  for (const { record, changes } of base === 0 ? [] : steps) if (reachOf(changes) <= base) base = record.seq;
  return { steps: steps.filter(({ record }) => record.seq > base), base };
}

export interface WholeWeave extends FileSteps {
  readonly file: FileWeave;
}

/** The weave of a file that is at `entry`, or of one that is gone and was at `path` once. */
export async function wholeWeave(
  journal: Journal,
  file: { readonly id: FileId; readonly path: FileEntry["path"] },
  entry: FileEntry | undefined,
  head: number,
  pace: Pacer,
): Promise<WholeWeave> {
  const found = await allSteps(journal, entry ?? file, head, pace);
  const steps = entry === undefined ? await withLater(journal, file, found.steps, head, pace) : found.steps;
  const now = entry === undefined ? noFile(file.path) : factsOf(entry);
  const weave = await pace.run(FileWeave.build(await pace.run(factsBeforeSteps(now, steps)), steps));
  weave.check(now);
  return { file: weave, steps, base: found.base };
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
 * then name bytes that have no record.
 */
export async function runsAfter(
  { file, steps, base }: WholeWeave,
  changes: readonly FileChange[],
  pace: Pacer,
): Promise<HeldText | undefined> {
  if (base > 0) return undefined;
  const { weave } = file;
  const last = steps.at(-1);
  if (changes.length > 0 && last !== undefined)
    file.add({ record: { ...last.record, seq: last.record.seq + 1 }, changes });
  const own = `${(last?.record.seq ?? 0) + 1}.`;
  const shown = await pace.run(shownSteps(weave, weave.standing()));
  return shown.map(([name, at, length]) => [
    name.startsWith(own) ? `0.${name.slice(own.length)}` : name,
    at,
    length,
  ]);
}
