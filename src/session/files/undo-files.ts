// Owns: undo of files: which records still stand in each file, and the changes that taking them back comes to.

import type { WorkspacePath } from "../../path/index.ts";
import type { Journal } from "../../store/journal.ts";
import { Pacer, type Steps } from "../../text/steps.ts";
import { targetsAmong, undoSteps } from "../../text/weave-undo.ts";
import { isTooManyRuns } from "../../text/weave.ts";
import { oldestFirst } from "../record-words.ts";
import type { Refusal, SliceUndo, UndoRequestOf } from "../slice.ts";
import { closedSteps, closedStepsOfAll } from "./closed-steps.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { factsOf, noFile, type FileFacts } from "./file-facts.ts";
import { changesByFile, laterSteps, pathAfter, pathBefore } from "./file-history.ts";
import type { FileAt, FileStep } from "./file-history.ts";
import { fileAt, type FilesState } from "./file-state.ts";
import { FileWeave } from "./file-weave.ts";
import { FilesMeant, pathsOf } from "./files-meant.ts";
import { planNamesSteps, type FileUndo } from "./name-planner.ts";
import { prunedRefusal, refusalSteps, takenRefusals, tooManyRunsRefusal } from "./undo-refusals.ts";

/** A file that the records changed: at the oldest of them, and which they are, newest first. */
interface Concerned extends FileAt {
  readonly targets: number[];
}

export async function undoFiles(request: UndoRequestOf<FilesState>): Promise<SliceUndo<FileChange>> {
  const { journal, limits, state, stamp, signal } = request;
  const pace = new Pacer(signal);
  const files = await concerned(request, pace);
  const histories = new Map<FileId, readonly FileStep[]>();
  const paths = new Map<FileId, string>();
  for (const [id, steps] of await laterSteps(journal, files, stamp.at.seq - 1, pace)) {
    const first = files.get(id)?.path ?? "";
    const path = steps.reduce((here, { changes }) => pathAfter(changes, here), first);
    await pace.step();
    histories.set(id, steps);
    paths.set(id, path);
  }
  const undos: FileUndo[] = [];
  for (const [id, steps] of await closedStepsOfAll(journal, histories, pace)) {
    const path = paths.get(id) ?? "";
    const entry = fileAt(state, path as WorkspacePath);
    const now = entry?.id === id ? factsOf(entry) : noFile(path);
    const named = files.get(id)?.targets ?? [];
    const from = { id, now, named };
    undos.push(
      "prunedAt" in steps
        ? await refusedByPruning(journal, from, histories.get(id) ?? [], steps.prunedAt)
        : await undoFile({ journal, limits }, { ...from, steps }, pace),
    );
    await pace.step();
  }
  return combine(request, undos, pace);
}

async function concerned(
  { records, state, scope }: UndoRequestOf<FilesState>,
  pace: Pacer,
): Promise<ReadonlyMap<FileId, Concerned>> {
  const files = new Map<FileId, Concerned>();
  const isMeant = new Set<FileId>();
  const meant = scope === undefined ? undefined : await FilesMeant.by(state, scope as WorkspacePath, pace);
  for (const { record, changes } of records)
    for (const [id, own] of await pace.run(changesByFile(changes))) {
      if (meant?.has(id, pathsOf(own)) !== false) isMeant.add(id);
      const targets = files.get(id)?.targets ?? [];
      targets.push(record.seq);
      files.set(id, { from: record.seq, path: pathBefore(own, own[0]?.path ?? ""), targets });
    }
  // One record that means a file is enough: the others may have changed it when it was elsewhere.
  for (const id of files.keys()) if (!isMeant.has(id)) files.delete(id);
  return files;
}

/** The records of one file that are to be taken back, newest first. */
interface NamedInFile {
  readonly id: FileId;
  readonly now: FileFacts;
  readonly named: readonly number[];
}

/** Refuses those that need pruned records: what a record needs, each older one of the file needs too. */
async function refusedByPruning(
  journal: Journal,
  { id, now, named }: NamedInFile,
  later: readonly FileStep[],
  prunedAt: number,
): Promise<FileUndo> {
  let [fine, refused] = [0, named.length - 1];
  while (fine < refused) {
    const middle = (fine + refused) >> 1;
    const from = named[middle] ?? 0;
    const steps = later.filter(({ record }) => record.seq >= from);
    if ("prunedAt" in (await closedSteps(journal, id, steps))) refused = middle;
    else fine = middle + 1;
  }
  return refuseAll({ id, now, named: named.slice(refused) }, prunedRefusal(now.path, prunedAt));
}

function refuseAll({ id, now, named }: NamedInFile, refusal: Refusal): FileUndo {
  return { ...nothingIn({ id, now }), refused: named.map((seq) => ({ seq, refusal })) };
}

function nothingIn({ id, now }: Pick<NamedInFile, "id" | "now">): Omit<FileUndo, "refused"> {
  return { id, now, undone: [], gone: [], after: now, putBy: undefined, base: 0, splices: [] };
}

async function undoFile(
  { journal, limits: { weaveRuns } }: Pick<UndoRequestOf<FilesState>, "journal" | "limits">,
  { id, now, steps, named }: NamedInFile & { readonly steps: readonly FileStep[] },
  pace: Pacer,
): Promise<FileUndo> {
  let file: FileWeave;
  try {
    file = await pace.run(FileWeave.buildSteps(now, steps, weaveRuns));
  } catch (error) {
    if (!isTooManyRuns(error)) throw error;
    return refuseAll({ id, now, named }, tooManyRunsRefusal(now.path, weaveRuns));
  }
  const { weave } = file;
  const targets = targetsAmong(weave, named);
  const taken = new Set(targets);
  const gone = named
    .filter((seq) => !taken.has(seq))
    .map((seq) => ({ seq, by: weave.record(seq)?.targetedBy.filter((one) => one.against === 0) ?? [] }))
    .map(({ seq, by }) => ({ seq, by: by.map((one) => one.seq) }));
  if (targets.length === 0) return { ...nothingIn({ id, now }), refused: [], gone };
  const planSteps = function* (): Steps<Pick<FileUndo, "splices" | "refused">> {
    const plan = yield* undoSteps(weave, { targets });
    return { splices: plan.splices, refused: yield* refusalSteps(file, now, targets, plan) };
  };
  const plan = await file.settle(planSteps, journal, pace);
  const withoutThem = weave.standingWithout(weave.targetsOf({ targets }));
  const after = file.facts(withoutThem);
  const putBy = file.registers.newest("path", withoutThem)?.seq;
  return { id, now, undone: targets, gone, after, putBy, base: weave.base.seq, ...plan };
}

/** What it comes to in all files together. Names that one file gives up may be taken by another. */
async function combine(
  { journal, state, stamp }: UndoRequestOf<FilesState>,
  undos: readonly FileUndo[],
  pace: Pacer,
): Promise<SliceUndo<FileChange>> {
  const undone = oldestFirst(undos.flatMap((undo) => undo.undone)).reverse();
  const all = new Set(undone);
  const gone = undos.flatMap((undo) => undo.gone).filter(({ seq }) => !all.has(seq));
  const some = undos.filter((undo) => undo.undone.length > 0);
  const { changes, taken } = await pace.run(planNamesSteps(state, stamp, some));
  const names = await takenRefusals(journal, state, stamp.at.seq - 1, some, taken, pace);
  const refused = [...undos.flatMap((undo) => undo.refused), ...names];
  return refused.length > 0 ? { undone: [], changes: [], refused, gone } : { undone, gone, changes, refused };
}
