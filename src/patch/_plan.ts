// Owns: what a planner is given and what it returns, and planning with original numbering: every `line` names a line of
// the file as it was. One pass over the operations in order of lines.
// Must never: stop at a conflict, or make text. It makes runs and says which operations do not fit.

import { dropEnding, sameLines } from "./_new-text.ts";
import type { LineRuns } from "./_line-runs.ts";
import { orderByLine } from "./_order.ts";
import type { Steps } from "../text/steps.ts";
import type { Operation } from "./operation.ts";

/** All that planning needs to know of a file. */
export interface PlannedFile {
  readonly count: number;
  /** Is this the text of the line? It has no ending. */
  equals(line: number, text: string): boolean;
  /** Takes every `old` as right and no `new` as old: to see what a patch would have done to a file that is not at hand. */
  readonly blind?: boolean;
}

/** An operation that does not fit. What it should have found is looked up later, for those that are reported. */
export interface Misfit {
  readonly op: number;
  readonly reason: "old_mismatch" | "out_of_range" | "line_already_deleted";
  /** old_mismatch: the original line looked at, or the text that an earlier operation had put there. */
  readonly saw?: number | string;
  /** old_mismatch: the operation that inserts the expected text at the same line. */
  readonly insertedBy?: number;
  /** out_of_range: how many lines there were at that moment. */
  readonly count?: number;
}

/** Adds what the operations `indices` do to the runs, from top to bottom, and returns those that do not fit. */
export type Planner = (
  file: PlannedFile,
  operations: readonly Operation[],
  indices: readonly number[],
  runs: LineRuns,
) => Steps<readonly Misfit[]>;

const OPERATIONS_PER_STEP = 2_048;

/** Plans the operations `indices` of one file by original line numbers. O(m log m) for m operations. */
export function* planOriginal(
  file: PlannedFile,
  operations: readonly Operation[],
  indices: readonly number[],
  runs: LineRuns,
): Steps<readonly Misfit[]> {
  const ordered = yield* orderByLine(operations, indices);
  const misfits: Misfit[] = [];
  for (let i = 0; i < ordered.length;) {
    const from = i;
    const { line } = operations[ordered[i] as number] as Operation;
    const next = i + 1 < ordered.length ? operations[ordered[i + 1] as number] : undefined;
    if (i % OPERATIONS_PER_STEP === OPERATIONS_PER_STEP - 1) yield;
    // Nearly every line has one operation only: no need to remember what came before.
    if (next?.line !== line) {
      planAlone(file, operations[ordered[i] as number] as Operation, ordered[i] as number, runs, misfits);
      i++;
      continue;
    }
    const place = new Place(file, line, misfits);
    for (; i < ordered.length; i++) {
      const index = ordered[i] as number;
      const operation = operations[index] as Operation;
      if (operation.line !== line) break;
      place.take(operation, index);
    }
    place.finish(runs);
    if (Math.floor(i / OPERATIONS_PER_STEP) !== Math.floor(from / OPERATIONS_PER_STEP)) yield;
  }
  misfits.sort((a, b) => a.op - b.op);
  return misfits;
}

/** One operation that is alone on its line. The same as a {@link Place} that takes one. */
function planAlone(
  file: PlannedFile,
  operation: Operation,
  op: number,
  runs: LineRuns,
  misfits: Misfit[],
): void {
  const { line, old } = operation;
  const isInsert = operation.op === "insert";
  if (line > file.count + (isInsert ? 1 : 0)) {
    misfits.push({ op, reason: "out_of_range", count: file.count });
    return;
  }
  if (!isInsert && old !== undefined && !holds(file, line, old)) {
    misfits.push({ op, reason: "old_mismatch", saw: line });
    return;
  }
  if (operation.op === "replace" && isCheck(file, line, operation)) return;
  runs.add(line, isInsert ? 0 : 1);
  if (operation.op !== "delete") runs.addText(op, isInsert ? -line : line);
}

/** One original line, and what the operations on it have made of it so far. */
class Place {
  readonly #file: PlannedFile;
  readonly #line: number;
  readonly #misfits: Misfit[];
  readonly #inserted: { readonly op: number; readonly text: string }[] = [];
  #replaced: { readonly op: number; readonly operation: Operation } | undefined;
  #deleted = false;

  constructor(file: PlannedFile, line: number, misfits: Misfit[]) {
    this.#file = file;
    this.#line = line;
    this.#misfits = misfits;
  }

  take(operation: Operation, op: number): void {
    const { count } = this.#file;
    if (this.#line > count + (operation.op === "insert" ? 1 : 0)) {
      this.#misfits.push({ op, reason: "out_of_range", count });
      return;
    }
    if (operation.op === "insert") {
      this.#inserted.push({ op, text: operation.new ?? "" });
      return;
    }
    if (this.#deleted) {
      this.#misfits.push({ op, reason: "line_already_deleted" });
      return;
    }
    if (operation.old !== undefined && !this.#holds(operation.old)) {
      this.#misfits.push({
        op,
        reason: "old_mismatch",
        saw: this.#there,
        ...this.#inserter(operation.old),
      });
      return;
    }
    if (operation.op === "delete") this.#deleted = true;
    else this.#replaced = { op, operation };
  }

  finish(runs: LineRuns): void {
    const replaced = this.#deleted ? undefined : this.#replaced;
    const changes = replaced !== undefined && !isCheck(this.#file, this.#line, replaced.operation);
    if (!changes && !this.#deleted && this.#inserted.length === 0) return;
    runs.add(this.#line, changes || this.#deleted ? 1 : 0);
    for (const { op } of this.#inserted) runs.addText(op, -this.#line);
    if (changes) runs.addText(replaced.op, this.#line);
  }

  #inserter(old: string): { insertedBy?: number } {
    const inserted = this.#inserted.slice(0, 100).find(({ text }) => sameLines(text, old));
    return inserted === undefined ? {} : { insertedBy: inserted.op };
  }

  get #there(): number | string {
    return this.#replaced === undefined ? this.#line : (this.#replaced.operation.new ?? "");
  }

  #holds(old: string): boolean {
    return holds(this.#file, this.#there, old);
  }
}

/** Does `old` say what is there: an original line, or the text an operation put in its place? */
export function holds(file: PlannedFile, there: number | string, old: string): boolean {
  if (file.blind === true) return true;
  if (typeof there === "string") return sameLines(there, old);
  return file.equals(there, dropEnding(old));
}

/** A replacement that leaves the line as it is. With `eol` it may still change the ending. */
export function isCheck(file: PlannedFile, line: number, { new: text = "", eol }: Operation): boolean {
  return file.blind !== true && eol === undefined && file.equals(line, dropEnding(text));
}
