// Owns: what a part of a file's records needs of the others, so that it makes sense alone.

import type { Steps } from "./steps.ts";
import { faultSteps, type Fault, type FaultKind } from "./weave-faults.ts";
import { standingCutters } from "./weave-text.ts";
import type { Standing, WovenRecord } from "./weave-parts.ts";
import type { Weave } from "./weave.ts";

/** A record that must come along, and for which of those that were chosen or came along before it. */
export interface NeededRecord {
  readonly seq: number;
  readonly because: FaultKind;
  readonly of: number;
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

/** What a fault lacks: `b`; where `b` is there or was undone, what hides the bytes today, else what took either record back. */
function neededBy<T>({ kind, a, b, run }: Fault<T>): WovenRecord<T>[] {
  if (kind !== "torn" && b.against === 0) return [b];
  const cutters = standingCutters(run);
  if (cutters.length > 0) return cutters;
  return [a, b].flatMap(({ targetedBy }) => targetedBy).filter(({ against }) => against === 0);
}
