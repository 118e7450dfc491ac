// Owns: LineRun, what a patch does to one stretch of a file: lines removed, and the lines that stand there instead.
// Both numberings end in a list of runs; splices, diffs and previews begin with it.

import type { Eol } from "./operation.ts";

/** Text that one operation puts into the file: one or more lines. */
export interface AddedText {
  /** Index of the operation. */
  readonly op: number;
  /** As the operation gave it. */
  readonly text: string;
  readonly eol: Eol | undefined;
  /** The original line it stands for and takes the ending of; 0 for an insert. */
  readonly replaces: number;
  /** The original line it stands before, or for. */
  readonly anchor: number;
}

/** Original lines `line` to `line + removed - 1` give way to `added`. Runs of a file ascend and never touch. */
export interface LineRun {
  readonly line: number;
  readonly removed: number;
  readonly added: readonly AddedText[];
}

/** Collects runs from top to bottom and joins those that touch. */
export class RunBuilder {
  readonly runs: LineRun[] = [];
  #last: { line: number; removed: number; added: AddedText[] } | undefined;
  /** What runs that add nothing share. It is never written to. */
  readonly #nothing: AddedText[] = [];

  /** The array becomes the builder's own. Without one, nothing is added. */
  add(line: number, removed: number, added: AddedText[] = this.#nothing): void {
    const last = this.#last;
    if (last !== undefined && last.line + last.removed === line) {
      last.removed += removed;
      if (added.length === 0) return;
      if (last.added === this.#nothing) last.added = added;
      else for (const text of added) last.added.push(text);
      return;
    }
    this.#last = { line, removed, added };
    this.runs.push(this.#last);
  }
}
