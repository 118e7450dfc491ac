// Owns: undo of files: which records still stand in each file, what is in the way, and the changes that it comes to.

import { say, sayAll, type Shown } from "../../errors.ts";
import { isUnder, type WorkspacePath } from "../../path/index.ts";
import { EXTENTS, removedBy, spliceDelta, type Splice } from "../../text/index.ts";
import { Pacer } from "../../text/steps.ts";
import { ClosedBase } from "../../text/weave-base.ts";
import { partialUndoSteps, togetherSteps, undoSteps, type UndoFault } from "../../text/weave-undo.ts";
import { spliceContent, type ContentSplice } from "../content.ts";
import type { Refusal, SliceUndo, Stamp, UndoRefusal, UndoRequestOf } from "../slice.ts";
import { applyFileChange, refuseFileChange } from "./apply-file-change.ts";
import type { FileChange, FileId } from "./file-change.ts";
import { factsBeforeSteps, factsOf, noFile, type FileFacts } from "./file-facts.ts";
import { changesOfFile, earlierSteps, laterSteps, pathAfter, pathBefore } from "./file-history.ts";
import type { FileAt, FileStep } from "./file-history.ts";
import { fileKey } from "./file-keys.ts";
import { fileAt, type FilesState } from "./file-state.ts";
import { FileWeave, reversalOf, type Register } from "./file-weave.ts";

type Extents = ContentSplice["insert"];

/** What taking records back comes to in one file. */
interface FileUndo {
  readonly id: FileId;
  readonly now: FileFacts;
  /** The records that it takes back here. */
  readonly undone: readonly number[];
  readonly refused: readonly UndoRefusal[];
  readonly gone: SliceUndo<FileChange>["gone"];
  /** What the file is then, and how its text gets there. */
  readonly after: Omit<FileFacts, "content">;
  readonly splices: readonly Splice<Extents>[];
}

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

/** The steps from a closed base on; where records that this needs are pruned, the newest of those. */
async function closedSteps(
  journal: UndoRequestOf<FilesState>["journal"],
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

interface Pending {
  readonly undo: FileUndo;
  readonly changes: readonly FileChange[];
}

/** Puts the changes of several files into an order in which each finds its name free. */
class NamePlanner {
  readonly #stamp: Stamp;
  readonly #made: FileChange[] = [];
  #pending: Pending[] = [];
  #state: FilesState;

  constructor(state: FilesState, stamp: Stamp) {
    this.#state = state;
    this.#stamp = stamp;
  }

  add(undo: FileUndo): void {
    this.#pending.push({ undo, changes: changesOf(undo) });
  }

  run(): Pick<SliceUndo<FileChange>, "changes" | "refused"> {
    while (this.#pending.length > 0) {
      const left = this.#pending.filter((one) => !this.#make(one));
      if (left.length === this.#pending.length && !this.#breakCircle())
        return { changes: [], refused: this.#refusals() };
      if (left.length < this.#pending.length) this.#pending = left;
    }
    return { changes: this.#made, refused: [] };
  }

  #make({ undo: { id, now, undone }, changes }: Pending): boolean {
    const revert: FileChange = { slice: "files", op: "revert", id, path: now.path, undoes: undone, changes };
    if (refuseFileChange(this.#state, revert).length > 0) return false;
    this.#state = applyFileChange(this.#state, revert, this.#stamp);
    this.#made.push(revert);
    return true;
  }

  /** Files that only change names with each other: one of them goes, and comes back when its name is free. */
  #breakCircle(): boolean {
    const at = this.#pending.findIndex(({ changes }) => changes[0]?.op === "move");
    const [one] = at < 0 ? [] : this.#pending.splice(at, 1);
    if (one === undefined) return false;
    const { undo } = one;
    if (!this.#make({ undo, changes: [deletion(undo)] })) return false;
    this.#pending.push({ undo, changes: [creation(undo)] });
    return true;
  }

  #refusals(): UndoRefusal[] {
    return this.#pending.flatMap(({ undo: { undone }, changes }) =>
      undone.flatMap((seq) =>
        changes
          .flatMap((change) => refuseFileChange(this.#state, change))
          .slice(0, 1)
          .map((refusal) => ({ seq, refusal })),
      ),
    );
  }
}

/** What one file changes. */
function changesOf(undo: FileUndo): FileChange[] {
  const { id, now, after, splices } = undo;
  if (!now.exists && !after.exists) return [];
  if (!after.exists) return [deletion(undo)];
  if (!now.exists) return [creation(undo)];
  const { path } = after;
  const changes: FileChange[] = [];
  if (path !== now.path) changes.push({ slice: "files", op: "move", id, path: now.path, to: path });
  if (after.encoding !== now.encoding || after.executable !== now.executable)
    changes.push({ slice: "files", op: "replace", id, path, before: bodyOf(now), after: bodyAfter(undo) });
  else if (splices.length > 0)
    changes.push({
      slice: "files",
      op: "splice",
      id,
      path,
      splices,
      removed: removedBy(now.content.extents, splices, EXTENTS),
    });
  return changes;
}

function deletion({ id, now }: FileUndo): FileChange {
  return { slice: "files", op: "delete", id, path: now.path, body: bodyOf(now), created: now.created };
}

function creation(undo: FileUndo): FileChange {
  const { id, now, after } = undo;
  const { path, created } = after;
  const from = now.path === path ? {} : { from: now.path };
  return { slice: "files", op: "create", id, path, ...from, body: bodyAfter(undo), created };
}

function bodyOf({ content, encoding, executable }: FileFacts) {
  return { content, encoding, executable };
}

function bodyAfter({ now, after: { encoding, executable }, splices }: FileUndo) {
  return { content: spliceContent(now.content, splices), encoding, executable };
}
