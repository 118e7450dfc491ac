// Owns: planning with offset numbering, the letter of the earlier draft: operations run in order over a list of lines,
// and one running counter shifts every later line number, wherever it lies.

import { LineList } from "./_line-list.ts";
import type { LineRuns } from "./_line-runs.ts";
import { holds, isCheck, type Misfit, type PlannedFile } from "./_plan.ts";
import type { Steps } from "../text/steps.ts";
import type { Operation } from "./operation.ts";

const OPERATIONS_PER_STEP = 2_048;
const LINES_PER_STEP = 131_072;

/** Plans the operations `indices` of one file by line number and running offset. */
export function* planOffset(
  file: PlannedFile,
  operations: readonly Operation[],
  indices: readonly number[],
  runs: LineRuns,
): Steps<readonly Misfit[]> {
  const list = new LineList(file.count);
  // The original line that an operation's text replaces: inherited when a replaced text is replaced again.
  const replacedBy = new Map<number, number>();
  const misfits: Misfit[] = [];
  let offset = 0;
  for (let i = 0; i < indices.length; i++) {
    if (i % OPERATIONS_PER_STEP === OPERATIONS_PER_STEP - 1) yield;
    const op = indices[i] as number;
    const operation = operations[op] as Operation;
    const index = operation.line - 1 + offset;
    const isInsert = operation.op === "insert";
    if (index < 0 || index >= list.length + (isInsert ? 1 : 0)) {
      misfits.push({ op, reason: "out_of_range", count: list.length });
      continue;
    }
    if (isInsert) {
      list.insert(index, -1 - op);
      offset++;
      continue;
    }
    const id = list.get(index);
    const there = id > 0 ? id : (operations[-1 - id]?.new ?? "");
    if (operation.old !== undefined && !holds(file, there, operation.old)) {
      misfits.push({ op, reason: "old_mismatch", saw: there });
    } else if (operation.op === "delete") {
      list.remove(index);
      offset--;
    } else {
      replacedBy.set(op, id > 0 ? id : (replacedBy.get(-1 - id) ?? 0));
      list.set(index, -1 - op);
    }
  }
  yield* addRuns(list, file, operations, replacedBy, runs);
  return misfits;
}

/** What became of the list: originals that are gone, and texts between those that are left. */
function* addRuns(
  list: LineList,
  file: PlannedFile,
  operations: readonly Operation[],
  replacedBy: ReadonlyMap<number, number>,
  runs: LineRuns,
): Steps<void> {
  let next = 1;
  let waiting: { readonly op: number; readonly replaces: number }[] = [];
  const reach = (line: number): void => {
    if (waiting.length > 0 || line > next) runs.add(next, line - next);
    for (const { op, replaces } of waiting) runs.addText(op, replaces === 0 ? -line : replaces);
    waiting = [];
    next = line;
  };
  let seen = 0;
  for (const id of list) {
    if (++seen % LINES_PER_STEP === 0) yield;
    if (id > 0) {
      if (id > next || waiting.length > 0) reach(id);
      next = id + 1;
      continue;
    }
    const op = -1 - id;
    const replaces = replacedBy.get(op) ?? 0;
    if (replaces > 0 && isCheck(file, replaces, operations[op] as Operation)) {
      // It is where its line was, so it can count as that line.
      if (replaces > next || waiting.length > 0) reach(replaces);
      next = replaces + 1;
    } else waiting.push({ op, replaces });
  }
  if (waiting.length > 0 || next <= file.count) reach(file.count + 1);
}
