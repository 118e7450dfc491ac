// Owns: collecting what is wrong with a patch: bounded in what it holds, exact in what it counts.

import { HoldfastError, say, sayAll, type Reason, type Shown, type ShownData } from "../errors.ts";

/** One thing that is wrong with a patch document. */
export interface PatchProblem {
  /** Index of the operation, from 0; absent for the document as a whole. */
  readonly index?: number;
  /** Where in the patch. */
  readonly field?: Shown;
  /** What is wrong, as a word to compare with. */
  readonly reason: Reason;
  /** What is wrong and what to send instead. */
  readonly message: Shown;
}

/** How many problems the message itself spells out. */
const SPELLED_OUT = 20;
/** Characters of JSON that they may take in the data. */
const DATA_CHARS = 8_000;

/** Problems in the order they were found. Beyond `max` they are counted, not listed. */
export class Problems {
  readonly listed: PatchProblem[] = [];
  total = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** What a problem says is worked out only if it is listed: a patch may have a problem in every operation. */
  add(problem: PatchProblem | (() => PatchProblem)): void {
    this.total++;
    if (this.listed.length >= this.#max) return;
    this.listed.push(typeof problem === "function" ? problem() : problem);
  }

  /** As many as the data of an error may hold. */
  #shown(): ShownData[] {
    let room = DATA_CHARS;
    const shown: ShownData[] = [];
    for (const problem of this.listed) {
      const data = shownProblem(problem);
      room -= JSON.stringify(data).length;
      if (room < 0 && shown.length > 0) break;
      shown.push(data);
    }
    return shown;
  }

  /** The error that carries them. At least one problem must have been added. */
  error(): HoldfastError {
    const first = this.listed[0];
    const lines = this.listed
      .slice(0, SPELLED_OUT)
      .map((problem) => say`\n- ${placeOf(problem)}${problem.message}`);
    const more = this.total - lines.length;
    if (more > 0) lines.push(say`\n- and ${more} more`);
    const count = this.total === 1 ? say`1 problem` : say`${this.total} problems`;
    return new HoldfastError(
      "invalid_argument",
      first?.reason ?? "invalid_patch",
      say`The patch cannot be read (${count}); nothing was written. Correct and send the whole patch again:${sayAll(lines, "")}`,
      { data: { total: this.total, problems: this.#shown() } },
    );
  }
}

function placeOf(problem: PatchProblem): Shown {
  if (problem.index === undefined) return say``;
  return problem.field === undefined
    ? say`operations[${problem.index}]: `
    : say`operations[${problem.index}].${problem.field}: `;
}

function shownProblem(problem: PatchProblem): ShownData {
  return {
    ...(problem.index === undefined ? {} : { index: problem.index }),
    ...(problem.field === undefined ? {} : { field: problem.field }),
    reason: problem.reason as Shown,
    message: problem.message,
  };
}
