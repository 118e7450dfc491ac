// Owns: telling a patch that was applied before from one that does not fit (rule NDP-45). It errs towards "does not fit".

import { LineRuns } from "./_line-runs.ts";
import { linesOfNew, dropEnding } from "./_new-text.ts";
import type { Misfit, PlannedFile, Planner } from "./_plan.ts";
import type { Steps } from "../text/steps.ts";
import type { TextLines } from "../text/text-lines.ts";
import type { Operation } from "./operation.ts";

const RUNS_PER_STEP = 4_096;

/** Is everything the operations of a file would put there at its place already? */
export function* isAlreadyApplied(
  file: TextLines,
  operations: readonly Operation[],
  indices: readonly number[],
  misfits: readonly Misfit[],
  planner: Planner,
): Steps<boolean> {
  if (misfits.some(({ reason }) => reason === "line_already_deleted")) return false;
  if (!misfits.some(({ op }) => operations[op]?.old !== undefined)) return false;
  const deleted = new Set<string>();
  let deletes = 0;
  for (const index of indices) {
    const operation = operations[index] as Operation;
    if (operation.op !== "delete") continue;
    deletes++;
    if (operation.old !== undefined) deleted.add(dropEnding(operation.old));
  }
  // What the operations did to the original, whose lines are not known: it had at most this many.
  const original: PlannedFile = { count: file.count + deletes, equals: () => true, blind: true };
  const runs = new LineRuns(operations, indices.length);
  const blind = yield* planner(original, operations, indices, runs);
  if (blind.length > 0) return false;
  const longest = Math.max(0, ...[...deleted].slice(0, 1_000).map((text) => text.length)) * 3;
  let shift = 0;
  let seen = 0;
  for (let run = 0; run < runs.count; run++) {
    if (run % RUNS_PER_STEP === RUNS_PER_STEP - 1) yield;
    let place = runs.line(run) + shift;
    let replaced = 0;
    for (let text = runs.firstText(run); text < runs.firstText(run + 1); text++) {
      if (runs.place(text) > 0) replaced++;
      for (const line of linesOfNew(runs.text(text))) {
        if (place > file.count || !file.equals(place, line)) return false;
        place++;
        seen++;
      }
    }
    if (runs.removed(run) > replaced && place <= file.count && deleted.has(file.text(place, longest + 4)))
      return false;
    shift = place - runs.next(run);
  }
  return seen > 0;
}
