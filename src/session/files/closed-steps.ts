// Owns: the records of a file that a weave of it needs: from a closed base on.

import type { Journal } from "../../store/journal.ts";
import { ClosedBase } from "../../text/weave-base.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { earlierSteps, pathBefore, type FileStep } from "./file-history.ts";
import { reversalOf } from "./file-weave.ts";

/** The steps from a closed base on; where records that this needs are pruned, the newest of those. */
export async function closedSteps(
  journal: Journal,
  id: FileId,
  later: readonly FileStep[],
): Promise<readonly FileStep[] | { readonly prunedAt: number }> {
  const [first] = later;
  if (first === undefined) return later;
  const { seq } = first.record;
  const base = new ClosedBase(seq);
  const includes = (at: number, changes: readonly FileChange[] = []): boolean =>
    base.includes({ seq: at, ...(reversalOf(changes) ?? { splices: [] }) });
  for (const { record, changes } of later.toReversed()) includes(record.seq, changes);
  if (!includes(seq - 1)) return later;
  const earlier: FileStep[] = [];
  for await (const step of earlierSteps(
    journal,
    id,
    pathBefore(first.changes, first.changes[0]?.path ?? ""),
    seq - 1,
  )) {
    if (step.changes === undefined) {
      if (includes(step.record.seq)) return { prunedAt: step.record.seq };
      break;
    }
    if (!includes(step.record.seq, step.changes)) break;
    earlier.push(step);
  }
  return [...earlier.reverse(), ...later];
}
