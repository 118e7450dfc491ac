// Owns: undo of files: which records still stand in each file, what is in the way, and the changes that it comes to.

import { say, sayAll, type Shown } from "../../errors.ts";
import { isUnder, type WorkspacePath } from "../../path/index.ts";
import { EXTENTS, spliceDelta, type Splice } from "../../text/index.ts";
import { Pacer } from "../../text/steps.ts";
import { partialUndoSteps, togetherSteps, undoSteps, type UndoFault } from "../../text/weave-undo.ts";
import type { ContentSplice } from "../content.ts";
import type { Refusal, SliceUndo, Stamp, UndoRefusal, UndoRequestOf } from "../slice.ts";
import { closedSteps } from "./closed-steps.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { factsBeforeSteps, factsOf, noFile, type FileFacts } from "./file-facts.ts";
import { changesOfFile, laterSteps, pathAfter, pathBefore } from "./file-history.ts";
import type { FileAt, FileStep } from "./file-history.ts";
import { fileKey } from "./file-keys.ts";
import { fileAt, type FilesState } from "./file-state.ts";
import { FileWeave, type Register } from "./file-weave.ts";
import { NamePlanner, type FileUndo } from "./name-planner.ts";

type Extents = ContentSplice["insert"];

export async function undoFiles(request: UndoRequestOf<FilesState>): Promise<SliceUndo<FileChange>> {
  const { journal, state, stamp, records, scope, signal } = request;
  const pace = new Pacer(signal);
  const files = concerned(request);
  const histories = await laterSteps(journal, files, stamp.at.seq - 1, pace);
  const undos: FileUndo[] = [];
  for (const [id, steps] of histories) {
    const first = files.get(id)?.path ?? "";
    const path = steps.reduce((here, { changes }) => pathAfter(changes, here), first);
    if (scope !== undefined && !isIn(path, scope) && !isIn(first, scope)) continue;
    const entry = fileAt(state, path as WorkspacePath);
    const now = entry?.id === id ? factsOf(entry) : noFile(path);
    const targets = records.filter(({ changes }) => changesOfFile(changes, id).length > 0);
    undos.push(
      await undoFile(
        request,
        id,
        now,
        steps,
        targets.map(({ record }) => record.seq),
        pace,
      ),
    );
  }
  return combine(state, stamp, undos);
}

function isIn(path: string, scope: string): boolean {
  return isUnder(path as WorkspacePath, scope as WorkspacePath);
}

/** The files that the records changed, each at the oldest of them. */
function concerned({ records }: UndoRequestOf<FilesState>): Map<FileId, FileAt> {
  const files = new Map<FileId, FileAt>();
  for (const { record, changes } of records)
    for (const { id, path, op } of changes as readonly FileChange[]) {
      if (op === "rewrite" || files.get(id)?.from === record.seq) continue;
      files.set(id, { from: record.seq, path: pathBefore(changesOfFile(changes, id), path) });
    }
  return files;
}

async function undoFile(
  { journal }: UndoRequestOf<FilesState>,
  id: FileId,
  now: FileFacts,
  later: readonly FileStep[],
  targets: readonly number[],
  pace: Pacer,
): Promise<FileUndo> {
  const nothing = { id, now, undone: [], gone: [], after: now, splices: [] };
  const steps = await closedSteps(journal, id, later);
  if ("prunedAt" in steps)
    return {
      ...nothing,
      refused: targets.map((seq) => ({ seq, refusal: pruned(now.path, steps.prunedAt) })),
    };
  const base = await pace.run(factsBeforeSteps(now, steps));
  const file = await pace.run(FileWeave.build(base, steps));
  file.check(now);
  const { weave } = file;
  const standing = targets.filter((seq) => weave.record(seq)?.against === 0);
  const gone = targets
    .filter((seq) => !standing.includes(seq))
    .map((seq) => ({ seq, by: weave.record(seq)?.targetedBy.filter((one) => one.against === 0) ?? [] }))
    .map(({ seq, by }) => ({ seq, by: by.map((one) => one.seq) }));
  if (standing.length === 0) return { ...nothing, refused: [], gone };
  const plan = await pace.run(undoSteps(weave, { targets: standing }));
  const refused =
    plan.faults.length > 0
      ? await refusedByFaults(file, now.path, standing, pace)
      : refusedByRegisters(file, now, standing, plan.splices);
  const withoutThem = weave.standingWithout(weave.targetsOf({ targets: standing }));
  return { id, now, undone: standing, refused, gone, after: file.facts(withoutThem), splices: plan.splices };
}

async function refusedByFaults(
  { weave }: FileWeave,
  path: string,
  targets: readonly number[],
  pace: Pacer,
): Promise<UndoRefusal[]> {
  const { refused } = await pace.run(partialUndoSteps(weave, targets));
  const together = await pace.run(togetherSteps(weave, targets));
  return refused.map(({ seq, faults }) => ({ seq, refusal: changedSince(path, seq, faults), together }));
}

function changedSince(path: string, seq: number, faults: readonly UndoFault[]): Refusal {
  const others = new Set(
    faults.flatMap(({ inTheWay, a, b }) => (inTheWay.length > 0 ? inTheWay : [a, b ?? a])),
  );
  others.delete(seq);
  const where = path as WorkspacePath;
  const message =
    others.size === 0
      ? say`${where} was changed in the same place since`
      : say`${where} was changed in the same place by ${namedRecords([...others])}`;
  return refusal(path, "changed_since", message);
}

const WRITTEN: Readonly<Record<Register, Shown>> = {
  exists: say`created or deleted again`,
  path: say`moved again`,
  encoding: say`given another encoding`,
  executable: say`given another mode`,
};

function refusedByRegisters(
  file: FileWeave,
  { path, content }: FileFacts,
  targets: readonly number[],
  splices: readonly Splice<Extents>[],
): UndoRefusal[] {
  const { weave } = file;
  const where = path as WorkspacePath;
  const then = weave.standingWithout(weave.targetsOf({ targets }));
  const refused: UndoRefusal[] = [];
  // A record that goes because an undo or a restore among the targets goes is a matter of all of them.
  const asTargets = (seq: number): readonly number[] => (targets.includes(seq) ? [seq] : targets);
  for (const { seq, register, by } of file.writtenSince(weave.standing(), then)) {
    const message = say`${where} was ${WRITTEN[register]} by ${namedRecords(by)}`;
    for (const target of asTargets(seq))
      refused.push({
        seq: target,
        refusal: refusal(path, "changed_since", message),
        together: inOrder([...targets, ...by]),
      });
  }
  if (refused.length > 0 || file.facts(then).exists || content.size + spliceDelta(splices, EXTENTS) === 0)
    return refused;
  const writers = file.writersOfText(then);
  const message = say`${where} would go with text of ${namedRecords(writers)} in it`;
  return targets.map((seq) => ({
    seq,
    refusal: refusal(path, "holds_text", message),
    together: inOrder([...targets, ...writers]),
  }));
}

function pruned(path: string, seq: number): Refusal {
  const message = say`what is needed of ${path as WorkspacePath} up to record ${seq} is pruned`;
  return refusal(path, "snapshot_expired", message);
}

function refusal(path: string, reason: Lowercase<string>, message: Shown): Refusal {
  return { key: fileKey(path as WorkspacePath), code: "conflict", reason, message };
}

function inOrder(seqs: readonly number[]): number[] {
  return [...new Set(seqs)].toSorted((a, b) => a - b);
}

/** "record 3", "records 3 and 5", "records 3, 5 and 9". */
export function namedRecords(seqs: readonly number[]): Shown {
  const named = inOrder(seqs).map((seq) => say`${seq}`);
  const last = named.pop() ?? say`none`;
  return named.length === 0 ? say`record ${last}` : say`records ${sayAll(named, ", ")} and ${last}`;
}

/** What it comes to in all files together. Names that one file gives up may be taken by another. */
function combine(state: FilesState, stamp: Stamp, undos: readonly FileUndo[]): SliceUndo<FileChange> {
  const undone = inOrder(undos.flatMap((undo) => undo.undone)).reverse();
  const gone = undos.flatMap((undo) => undo.gone).filter(({ seq }) => !undone.includes(seq));
  const refused = undos.flatMap((undo) => undo.refused);
  if (refused.length > 0) return { undone: [], changes: [], refused, gone };
  const planner = new NamePlanner(state, stamp);
  for (const undo of undos) if (undo.undone.length > 0) planner.add(undo);
  return { undone, gone, ...planner.run() };
}
