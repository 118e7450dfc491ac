// Owns: a file while blocks are placed in it: its lines as they are by now, and which of them are still those of the original.

import type { LineEnding } from "../../text/lines.ts";
import type { TextLines } from "../../text/text-lines.ts";
import type { DiffHunk, DiffLine } from "../_unified-parse.ts";
import type { BlockLine } from "./edit.ts";
import { LineKeys, replaceItems } from "./line-keys.ts";

interface WorkingLine {
  readonly text: string;
  /** Its number in the original; 0 for a line that came. */
  readonly origin: number;
  readonly ending?: LineEnding | undefined;
}

/** What is above the first line. */
const NOTHING: WorkingLine = { text: "", origin: 0 };

export class WorkingFile {
  readonly #original: TextLines;
  readonly #lines: WorkingLine[];
  /** By how lines are compared; made when asked for. */
  readonly #keys: Map<(text: string) => string, LineKeys> = new Map();

  constructor(original: TextLines) {
    this.#original = original;
    this.#lines = Array.from({ length: original.count }, (_, i) => ({
      text: original.text(i + 1),
      origin: i + 1,
    }));
  }

  get count(): number {
    return this.#lines.length;
  }

  /** The text of a line; they count from 0 here. */
  text(index: number): string {
    return this.#lines[index]?.text ?? "";
  }

  /** Did a block bring the line? */
  isNew(index: number): boolean {
    return this.#lines[index]?.origin === 0;
  }

  /** The number of a line in the original, or of the next one below that has one. */
  lineNumber(index: number): number {
    for (let i = index; i < this.#lines.length; i++) {
      const { origin } = this.#lines[i] as WorkingLine;
      if (origin > 0) return origin;
    }
    return this.#original.count + 1;
  }

  /** Where a line of the original is by now; one past the last is the end. Undefined if it went. */
  indexOf(line: number): number | undefined {
    if (line === this.#original.count + 1) return this.#lines.length;
    const index = this.#lines.findIndex(({ origin }) => origin === line);
    return index < 0 ? undefined : index;
  }

  keys(key: (text: string) => string): LineKeys {
    let keys = this.#keys.get(key);
    if (keys === undefined) {
      keys = new LineKeys(
        key,
        this.#lines.map(({ text }) => text),
      );
      this.#keys.set(key, keys);
    }
    return keys;
  }

  /** Carries a block out at `index`. Returns where it ends then. */
  change(index: number, lines: readonly BlockLine[], shift: (text: string) => string): number {
    const result: WorkingLine[] = [];
    let next = index;
    for (const { kind, text, ending } of lines)
      if (kind === "+") result.push({ text: shift(text), origin: 0, ending });
      else {
        const line = this.#lines[next++];
        if (kind === " " && line !== undefined)
          result.push(ending === undefined ? line : { ...line, ending });
      }
    const removed = next - index;
    replaceItems(this.#lines, index, removed, result);
    const texts = result.map((line) => line.text);
    for (const keys of this.#keys.values()) keys.change(index, removed, texts);
    return index + result.length;
  }

  /** What became of the original, with a line around each change, so that endings can be told. */
  hunks(at: number): DiffHunk[] {
    const hunks: DiffHunk[] = [];
    let last = NOTHING;
    let added: WorkingLine[] = [];
    const flush = (next: WorkingLine): void => {
      if (next.origin > last.origin + 1 || added.length > 0)
        hunks.push(this.#hunk(at, last, next.origin, added));
      last = next;
      added = [];
    };
    for (const line of this.#lines)
      if (line.origin === 0) added.push(line);
      else flush(line);
    flush({ text: "", origin: this.#original.count + 1 });
    return hunks;
  }

  #hunk(
    at: number,
    { origin: last, ending }: WorkingLine,
    next: number,
    added: readonly WorkingLine[],
  ): DiffHunk {
    const lines: DiffLine[] = [];
    const first = Math.max(1, last - 1);
    for (let line = first; line <= last; line++) lines.push(this.#shown(" ", line));
    // A line that becomes the last of the file ends as the file did, unless a diff says otherwise.
    if (next > this.#original.count && added.length === 0 && last > 0)
      lines.push({ kind: " ", text: lines.pop()?.text ?? "", ending });
    for (let line = last + 1; line < next; line++) lines.push(this.#shown("-", line));
    for (const { text, ending } of added) lines.push({ kind: "+", text, ending });
    if (next <= this.#original.count) lines.push(this.#shown(" ", next));
    return { at, start: first, lines };
  }

  #shown(kind: " " | "-", line: number): DiffLine {
    return { kind, text: this.#original.text(line), ending: this.#original.ending(line) };
  }
}
