// Owns: LineRuns, what a patch does to a file, run by run: lines removed, and the texts put in their place.
// Both numberings end in it; splices begin with it. Kept as columns of numbers: objects for each of a hundred thousand
// operations would cost more than the work itself.

import type { Eol, Operation } from "./operation.ts";

/**
 * Run `r`: original lines `line(r)` to `line(r) + removed(r) - 1` are replaced by texts `firstText(r)` to
 * `firstText(r + 1) - 1`. Runs ascend and never touch.
 */
export class LineRuns {
  readonly #operations: readonly Operation[];
  #count = 0;
  readonly #lines: Int32Array;
  readonly #removed: Int32Array;
  readonly #firsts: Int32Array;
  #texts = 0;
  readonly #ops: Int32Array;
  readonly #places: Int32Array;
  readonly #unended: { readonly run: number; readonly text: number }[] = [];

  /** `most`: how many of the operations may take part. None makes more than one run or one text. */
  constructor(operations: readonly Operation[], most: number) {
    this.#operations = operations;
    this.#lines = new Int32Array(most);
    this.#removed = new Int32Array(most);
    this.#firsts = new Int32Array(most);
    this.#ops = new Int32Array(most);
    this.#places = new Int32Array(most);
  }

  /** Number of runs. */
  get count(): number {
    return this.#count;
  }

  line(run: number): number {
    return this.#lines[run] as number;
  }

  removed(run: number): number {
    return this.#removed[run] as number;
  }

  /** The first line after the run. */
  next(run: number): number {
    return this.line(run) + this.removed(run);
  }

  firstText(run: number): number {
    return run < this.#count ? (this.#firsts[run] as number) : this.#texts;
  }

  /** Index of the operation that puts the text there. */
  op(text: number): number {
    return this.#ops[text] as number;
  }

  /** As the operation gave it. */
  text(text: number): string {
    return (this.#operations[this.op(text)] as Operation).new ?? "";
  }

  eol(text: number): Eol | undefined {
    return (this.#operations[this.op(text)] as Operation).eol;
  }

  /** The original line the text replaces; below zero, the one it is put before. */
  place(text: number): number {
    return this.#places[text] as number;
  }

  /** The texts that ask for no ending, each with its run. */
  get unended(): readonly { readonly run: number; readonly text: number }[] {
    return this.#unended;
  }

  /** Takes out `removed` lines from `line` on. Runs are added from top to bottom; what touches the last one joins it. */
  add(line: number, removed: number): void {
    const last = this.#count - 1;
    if (last >= 0 && this.next(last) === line) {
      this.#removed[last] = this.removed(last) + removed;
      return;
    }
    const run = this.#count++;
    this.#lines[run] = line;
    this.#removed[run] = removed;
    this.#firsts[run] = this.#texts;
  }

  /** Puts the text of an operation after all others of the last run. */
  addText(op: number, place: number): void {
    const text = this.#texts++;
    this.#ops[text] = op;
    this.#places[text] = place;
    if (this.#operations[op]?.eol === "none") this.#unended.push({ run: this.#count - 1, text });
  }
}
