// Owns: what a part of a file's records needs of the others, so that it makes sense alone.

import type { Steps } from "./steps.ts";
import type { Splice } from "./splice.ts";
import { faultSteps, type Fault, type FaultKind } from "./weave-faults.ts";
import { changeSteps, standingCutters } from "./weave-text.ts";
import type { Standing, WovenRecord } from "./weave-parts.ts";
import type { Weave } from "./weave.ts";

/** A record that must come along, and for which of those that were chosen or came along before it. */
export interface NeededRecord {
  readonly seq: number;
  readonly because: FaultKind;
  readonly of: number;
}

export interface Needs<T> {
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

/** Adds to `chosen` whatever the records in it need, and returns what that is. */
export function* closeSteps<T>(weave: Weave<T>, chosen: Standing): Steps<NeededRecord[]> {
  const along: NeededRecord[] = [];
  for (;;) {
    const faults = yield* faultSteps(weave, chosen);
    const before = along.length;
    for (const fault of faults.values())
      for (const { index, seq } of neededBy(fault)) {
        if (chosen[index] === 1) continue;
        chosen[index] = 1;
        along.push({ seq, because: fault.kind, of: fault.a.seq });
      }
    if (along.length === before) return along;
  }
}

/** What a fault lacks: `b`; where `b` is there or was undone, what hides the bytes today. */
function neededBy<T>({ kind, b, run }: Fault<T>): WovenRecord<T>[] {
  return kind === "torn" || b.against > 0 ? standingCutters(run) : [b];
}
