// What tests read off a weave to compare it with a model: the dead runs, and a set of edits with what it needs.

import type { Splice } from "../../src/text/splice.ts";
import type { Steps } from "../../src/text/steps.ts";
import { closeSteps, type NeededRecord } from "../../src/text/weave-needs.ts";
import { changeSteps, RunReader, cuttersOf } from "../../src/text/weave-text.ts";
import type { Weave } from "../../src/text/weave.ts";

interface Needs<T> {
  /** The splices from the base to the text with the chosen records and those that come along. */
  readonly splices: readonly Splice<T>[];
  readonly along: readonly NeededRecord[];
}

/**
 * What the edits `seqs` need to stand alone on the base. Records that do not stand are left out. In the end all faults
 * are gone: with every standing record there are none.
 */
export function* needSteps<T>(weave: Weave<T>, seqs: readonly number[]): Steps<Needs<T>> {
  const chosen = new Uint8Array(weave.records.length);
  const base = Uint8Array.from(chosen);
  for (const record of [weave.base, ...weave.targetsOf({ targets: seqs })])
    if (record.against === 0) chosen[record.index] = 1;
  base[weave.base.index] = 1;
  const along = yield* closeSteps(weave, chosen);
  return { splices: yield* changeSteps(weave, base, chosen), along };
}

/** Bytes that are not visible. */
interface DeadRun<T> {
  /** The place in the visible text where they would be. */
  readonly at: number;
  readonly content: T;
  /** The record that inserted them, undefined for the base, and whether it stands. */
  readonly by: number | undefined;
  readonly stands: boolean;
  /** The standing records that removed them. */
  readonly removedBy: readonly number[];
}

/** Everything that was there once, where it was, and why it is not visible. */
export function deadRuns<T>(weave: Weave<T>): DeadRun<T>[] {
  const reader = new RunReader(weave.kind);
  const found: DeadRun<T>[] = [];
  let at = 0;
  for (const { runs } of weave.chunks)
    for (const run of runs) {
      if (run.dead === 0) {
        at += run.length;
        continue;
      }
      const { record } = run.piece;
      const removedBy = cuttersOf(run).map(({ seq }) => seq);
      found.push({
        at,
        content: reader.read(run),
        by: record === weave.base ? undefined : record.seq,
        stands: record.against === 0,
        removedBy,
      });
    }
  return found;
}
