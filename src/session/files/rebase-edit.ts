// Owns: an edit that was made for an older version of a file, placed on the file as it is now.

import type { Limits } from "../../limits.ts";
import type { Content, Journal } from "../../store/journal.ts";
import { BYTES, type Splice } from "../../text/index.ts";
import type { Pacer, Steps } from "../../text/steps.ts";
import {
  anchorEdit,
  settleEdit,
  type Anchor,
  type RebasedEdit,
  type RebasePlace,
} from "../../text/weave-rebase.ts";
import { isTooManyRuns } from "../../text/weave.ts";
import { closedSteps } from "./closed-steps.ts";
import { factsOf, type FileFacts } from "./file-facts.ts";
import { laterSteps, type FileStep } from "./file-history.ts";
import type { FileEntry } from "./file-state.ts";
import { FileWeave } from "./file-weave.ts";
import { hasByteLines, insertEnds, keepsLines } from "./whole-lines.ts";

/** A file at two positions: `was` after record `at`, `now` after record `head`. */
export interface FileSince {
  readonly was: FileEntry;
  readonly at: number;
  readonly now: FileEntry;
  readonly head: number;
}

/**
 * The splices, which are over the text at `at`, over the text at `head`, where whole lines stay whole. Undefined where no place can be told: the path has
 * another file now, its history has too many pieces, or records that are needed are pruned. Cost: the records of the file since, and those that they reach
 * back to. Throws `RangeError` for splices that do not fit the older text.
 */
export async function rebaseEdit(
  { journal, limits }: { readonly journal: Journal; readonly limits: Pick<Limits, "weaveRuns"> },
  { was, at, now, head }: FileSince,
  splices: readonly Splice[],
  pace: Pacer,
): Promise<RebasedEdit<Uint8Array> | undefined> {
  if (was.id !== now.id) return undefined;
  const later = await laterSteps(journal, new Map([[now.id, { from: at + 1, path: was.path }]]), head, pace);
  const steps = await closedSteps(journal, now.id, later.get(now.id) ?? []);
  if ("prunedAt" in steps) return undefined;
  const then = await journal.source(was.content);
  try {
    const today = await journal.source(now.content);
    try {
      const fits = hasByteLines(now.encoding) ? keepsLines(then, today, splices.map(insertEnds)) : undefined;
      return await pace.run(settledSteps(factsOf(now), steps, limits.weaveRuns, at, splices, fits));
    } finally {
      today.close();
    }
  } catch (error) {
    if (isTooManyRuns(error)) return undefined;
    throw error;
  } finally {
    then.close();
  }
}

function* settledSteps(
  now: FileFacts,
  steps: readonly FileStep[],
  maxRuns: number,
  at: number,
  splices: readonly Splice[],
  fits: ((place: RebasePlace) => boolean) | undefined,
): Steps<RebasedEdit<Uint8Array>> {
  const file = yield* FileWeave.beforeSteps(now, steps, maxRuns);
  let anchors: Anchor<Content["extents"], Uint8Array>[] | undefined;
  for (const step of steps) {
    if (step.record.seq > at) anchors ??= anchorEdit(file.weave, splices, BYTES);
    yield* file.addSteps(step);
    yield;
  }
  anchors ??= anchorEdit(file.weave, splices, BYTES);
  file.check(now);
  return settleEdit(file.weave, anchors, fits);
}
