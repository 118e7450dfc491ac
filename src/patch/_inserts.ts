// Owns: writing a run of inserted lines with as few operations as their endings allow.

import type { Eol, Operation } from "./operation.ts";

/**
 * The operations that put lines before `line`, made while the lines are added. Lines with the same `eol` are one operation:
 * line breaks inside `new` make several lines. `none` is about the last of them only, so it joins lines that need no `eol`.
 */
export class Inserts {
  readonly #operations: Operation[];
  readonly #place: Pick<Operation, "file" | "line">;
  /** The lines of the next operation but its last, each with a break. */
  #text = "";
  #last: string | undefined;
  #eol: Eol | undefined;

  constructor(operations: Operation[], file: string, line: number) {
    this.#operations = operations;
    this.#place = { file, line };
  }

  /** A line, or several with line feeds between them. `eol`: what the last needs to get its ending, if anything. */
  add(text: string, eol: Eol | undefined): void {
    const isJoined =
      this.#eol !== "none" && (eol === this.#eol || (eol === "none" && this.#eol === undefined));
    if (!isJoined) this.end();
    // A CR before a line feed would be taken for a part of the break, unless the break has its own.
    else if (this.#last !== undefined) this.#text += this.#last + (this.#last.endsWith("\r") ? "\r\n" : "\n");
    this.#last = text;
    this.#eol = eol;
  }

  /** Adds the last operation. */
  end(): void {
    if (this.#last === undefined) return;
    // One ending at the end of `new` is dropped when it is read, so an empty last line is written with one.
    const isLastEmpty = this.#last === "" ? this.#text !== "" : this.#last.endsWith("\n");
    const text = this.#text + this.#last + (isLastEmpty ? "\n" : "");
    const eol = this.#eol === undefined ? {} : { eol: this.#eol };
    this.#operations.push({ ...this.#place, op: "insert", new: text, ...eol });
    this.#text = "";
    this.#last = undefined;
    this.#eol = undefined;
  }
}
