// Owns: collecting hunks within a budget, and counting what does not fit.

import type { Block } from "./_hunk-blocks.ts";
import { shorten, type ShownLine } from "./_hunk-lines.ts";
import type { Hunk, HunkLine, HunkList } from "./hunk.ts";

/** After the first line that does not fit no other is shown, only counted. */
export class HunkWriter {
  readonly #hunks: Hunk[] = [];
  readonly #lineLength: number;
  #room: number;
  #full = false;
  #exact = true;
  #leftOutHunks = 0;
  #removed = 0;
  #added = 0;
  #oldStart = 0;
  #newStart = 0;
  #oldLines = 0;
  #newLines = 0;
  #leftOut = 0;
  #lines: HunkLine[] = [];

  constructor(budget: number, lineLength: number) {
    this.#room = budget;
    this.#lineLength = lineLength;
  }

  open(oldStart: number, newStart: number): void {
    [this.#oldStart, this.#newStart, this.#oldLines, this.#newLines, this.#leftOut] = [
      oldStart,
      newStart,
      0,
      0,
      0,
    ];
    this.#lines = [];
  }

  add(kind: HunkLine["kind"], line: ShownLine, center = 0): void {
    if (kind !== "+") this.#oldLines++;
    if (kind !== "-") this.#newLines++;
    const { bytes, cutBefore, cutAfter } = shorten(line, this.#lineLength, center);
    if (this.#full || bytes.length + 1 > this.#room) {
      this.#full = true;
      this.#leftOut++;
      return;
    }
    this.#room -= bytes.length + 1;
    if (cutBefore || cutAfter) this.#exact = false;
    this.#lines.push({ kind, bytes, cutBefore, cutAfter });
  }

  block(block: Block): void {
    for (const [kind, lines, count] of [
      ["-", block.oldLines, block.oldCount],
      ["+", block.newLines, block.newCount],
    ] as const) {
      let shown = 0;
      for (const line of lines) {
        this.add(kind, line, shown === 0 ? block.center : 0);
        shown++;
      }
      this.#leftOut += count - shown;
      if (count > shown) this.#full = true;
      if (kind === "-") this.#oldLines += count - shown;
      else this.#newLines += count - shown;
    }
    // A block that begins in the long line where the last one ended shows another part of a line already counted.
    const again = block.sameLine ? 1 : 0;
    this.#removed += block.oldCount - again;
    this.#added += block.newCount - again;
  }

  close(): void {
    if (this.#lines.length === 0) {
      this.#leftOutHunks++;
      return;
    }
    this.#hunks.push({
      oldStart: this.#oldStart,
      oldLines: this.#oldLines,
      newStart: this.#newStart,
      newLines: this.#newLines,
      lines: this.#lines,
      leftOut: this.#leftOut,
    });
  }

  list(): HunkList {
    return {
      hunks: this.#hunks,
      removed: this.#removed,
      added: this.#added,
      leftOut: this.#leftOutHunks,
      exact: this.#exact && !this.#full,
    };
  }
}
