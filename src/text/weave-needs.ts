// Owns: what a part of a file's records needs of the others, so that it makes sense alone.

import type { Steps } from "./steps.ts";
import { faultSteps, recordsOfRuns, type Fault, type FaultKind } from "./weave-faults.ts";
import { cuttersOf } from "./weave-text.ts";
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
      for (const { index, seq } of neededBy(weave, fault, then)) {
        if (chosen[index] === 1) continue;
        chosen[index] = 1;
        along.push({ seq, because: fault.kind, of: fault.a.seq });
      }
    if (along.length === before) return along;
  }
}

/**
 * What a fault lacks: `b`, or what made a line ending between glued lines. Where that is there, or was undone: what hides the bytes today;
 * else what was between glued lines, else what took any of these back.
 */
function neededBy<T>({ lines }: Weave<T>, { a, b, runs }: Fault<T>, then: Standing): WovenRecord<T>[] {
  const isLacking = ({ index, against }: WovenRecord<T>): boolean => against === 0 && then[index] === 0;
  const [one, other, ...between] = runs;
  const lacking = between.filter(({ piece }) => isLacking(piece.record));
  const ending = lacking.find((run) => lines?.hasEnding(run))?.piece.record;
  for (const record of [ending, b]) if (record !== undefined && isLacking(record)) return [record];
  for (const run of [one, other]) {
    const cutters = run === undefined ? [] : cuttersOf(run);
    if (cutters.length > 0) return cutters;
  }
  const nearest = lacking[0]?.piece.record;
  if (nearest !== undefined) return [nearest];
  return [a, b, ...recordsOfRuns(between)]
    .flatMap(({ targetedBy }) => targetedBy)
    .filter(({ against }) => against === 0);
}
