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
    const then = Uint8Array.from(chosen);
    const faults = yield* faultSteps(weave, then);
    const before = along.length;
    for (const fault of faults.values())
      for (const { index, seq } of neededBy(fault, then)) {
        if (chosen[index] === 1) continue;
        chosen[index] = 1;
        along.push({ seq, because: fault.kind, of: fault.a.seq });
      }
    if (along.length === before) return along;
  }
}

/**
 * What a fault lacks: what keeps the lines apart today, or `b`; where `b` is there or was undone, what hides the bytes today, else what
 * took either record back.
 */
function neededBy<T>({ a, b, run, apart }: Fault<T>, then: Standing): WovenRecord<T>[] {
  for (const one of [apart, b]) if (one?.against === 0 && then[one.index] === 0) return [one];
  const cutters = standingCutters(run);
  if (cutters.length > 0) return cutters;
  return [a, b].flatMap(({ targetedBy }) => targetedBy).filter(({ against }) => against === 0);
}
