// Owns: the grammar of V4A patches.

import { echo, say } from "../../errors.ts";
import { bareName, editFault, editLines, type BlockLine, type EditBlock, type FileEdit } from "./edit.ts";
import { nextOf } from "./leftover.ts";
import { EditLines } from "./next-edit.ts";

const FILE = /^\*\*\* (Update|Add|Delete) File: *(.*)$/;
const MOVE = /^\*\*\* Move to: *(.*)$/;
const END_OF_FILE = "*** End of File";
const BEGIN = "*** Begin Patch";
const END = "*** End Patch";

export function parseV4a(text: string): FileEdit[] {
  return new V4aParser(text).parse();
}

class V4aParser {
  readonly #lines: readonly string[];
  readonly #scan: EditLines;
  #at = 0;
  /** The first line at or after `#at` that is not empty, once looked for. */
  #afterBlanks = 0;

  constructor(text: string) {
    this.#lines = editLines(text);
    this.#scan = new EditLines(this.#lines);
  }

  parse(): FileEdit[] {
    const edits: FileEdit[] = [];
    while (this.#begin()) this.#patch(edits);
    return edits;
  }

  /** Goes to the next patch, over words. */
  #begin(): boolean {
    const from = this.#at;
    const next = nextOf("v4a", this.#scan, from, from > 0) ?? this.#lines.length;
    // A mark that is none of ours is no word either.
    while (this.#at < next && !this.#line().startsWith("*** ")) this.#at++;
    const isThere = this.#at < this.#lines.length;
    if (this.#line().trimEnd() === BEGIN) this.#at++;
    return isThere;
  }

  #patch(edits: FileEdit[]): void {
    for (; this.#at < this.#lines.length;) {
      const line = this.#line();
      if (line.trimEnd() === END) {
        this.#at++;
        return;
      }
      const head = FILE.exec(line);
      if (head !== null) edits.push(this.#file(head[1] ?? "", bareName(head[2] ?? "")));
      else if (line.trim() === "") this.#at++;
      else
        throw editFault(
          this.#at + 1,
          say`${echo(line)} belongs to no file. A file begins with "*** Update File: path", "*** Add File: path" or "*** Delete File: path".`,
        );
    }
    throw editFault(
      Math.max(1, this.#lines.length),
      say`"*** End Patch" is missing, so the patch may be cut off. Send it whole, with that line at its end.`,
    );
  }

  #line(): string {
    return this.#lines[this.#at] ?? "";
  }

  #file(action: string, file: string): FileEdit {
    const at = this.#at + 1;
    if (file === "") throw editFault(at, say`the path is missing.`);
    this.#at++;
    if (action === "Delete") return { at, file, action: "remove" };
    return action === "Add" ? this.#added(at, file) : this.#updated(at, file);
  }

  #added(at: number, file: string): FileEdit {
    const lines: string[] = [];
    for (; this.#at < this.#lines.length && !this.#line().startsWith("*** "); this.#at++) {
      const line = this.#line();
      if (line.startsWith("+")) lines.push(line.slice(1));
      else if (line.trim() !== "" || this.#lines[this.#at + 1]?.startsWith("+") === true)
        throw editFault(
          this.#at + 1,
          say`every line of an added file begins with "+"; ${echo(line)} does not.`,
        );
    }
    return { at, file, action: "create", lines };
  }

  #updated(at: number, file: string): FileEdit {
    const move = MOVE.exec(this.#line());
    if (move !== null) this.#at++;
    const blocks: EditBlock[] = [];
    for (let block = this.#block(); block !== undefined; block = this.#block()) blocks.push(block);
    if (blocks.length === 0 && move === null)
      throw editFault(at, say`the update of ${echo(file)} changes nothing. Write its chunks below the line.`);
    return { at, file, action: "update", blocks, to: move === null ? undefined : bareName(move[1] ?? "") };
  }

  /** The lines up to the next `@@`, file or end; undefined when there are none. */
  #block(): EditBlock | undefined {
    while (this.#line() === "" && this.#at < this.#lines.length && this.#endsAfterBlanks()) this.#at++;
    const at = this.#at + 1;
    const anchors: string[] = [];
    for (; this.#line().startsWith("@@"); this.#at++) {
      const anchor = anchorIn(this.#line());
      if (anchor !== "") anchors.push(anchor);
    }
    const lines: BlockLine[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line();
      if (line.startsWith("@@") || line.startsWith("*** ") || (line === "" && this.#endsAfterBlanks())) break;
      lines.push(this.#marked(line));
    }
    const isAtEnd = this.#line().trimEnd() === END_OF_FILE;
    if (isAtEnd) this.#at++;
    if (lines.length === 0) {
      if (anchors.length > 0) throw editFault(at, say`there is nothing below the "@@" line.`);
      return undefined;
    }
    if (lines.every(({ kind }) => kind === " "))
      throw editFault(at, say`the chunk has no line that begins with "-" or "+", so it changes nothing.`);
    return { at, lines, anchors, isInOrder: true, isAtEnd };
  }

  #marked(line: string): BlockLine {
    const mark = line.charAt(0);
    if (mark === " " || mark === "-" || mark === "+") return { kind: mark, text: line.slice(1) };
    // Editors drop the blank of an empty line.
    if (line === "") return { kind: " ", text: "" };
    throw editFault(
      this.#at + 1,
      say`${echo(line)} begins with neither a blank, "-" nor "+". A line that stays is written with a blank before it.`,
    );
  }

  /** Empty lines before a head, or at the end, belong to nothing. */
  #endsAfterBlanks(): boolean {
    if (this.#afterBlanks < this.#at) this.#afterBlanks = this.#at;
    while (this.#lines[this.#afterBlanks] === "") this.#afterBlanks++;
    const line = this.#lines[this.#afterBlanks];
    return line === undefined || line.startsWith("*** ");
  }
}

/** What an `@@` line names; empty for line numbers, which other formats write there. */
function anchorIn(line: string): string {
  const text = line
    .slice(2)
    .replace(/@@\s*$/, "")
    .trim();
  return /^(?:\.{3}|-\d+(?:,\d+)? \+\d+(?:,\d+)?)$/.test(text)
    ? ""
    : text.replace(/^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/, "").trim();
}
