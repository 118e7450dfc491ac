// Owns: turning runs of lines into byte splices. The only place that writes the bytes of a patch.

import { joinBytes, type Splice } from "../text/splice.ts";
import { ENDING_TEXT, endingBefore, innerEnding, lastEnding, reachesEnd } from "./_endings.ts";
import type { AddedText, LineRun } from "./_line-run.ts";
import { linesOfNew } from "./_new-text.ts";
import type { Steps } from "./_steps.ts";
import type { TextLines } from "./_text-lines.ts";

const RUNS_PER_STEP = 4_096;

export interface SplicedRuns {
  readonly splices: readonly Splice[];
  /** Lines put in and taken out. */
  readonly added: number;
  readonly removed: number;
}

/** The splices of a file. The runs fit the file and glue nothing together. Cost: the runs and their text. */
export function* spliceRuns(file: TextLines, runs: readonly LineRun[]): Steps<SplicedRuns> {
  const splices: Splice[] = [];
  const arena = new Arena();
  let added = 0;
  let removed = 0;
  for (let i = 0; i < runs.length; i++) {
    if (i % RUNS_PER_STEP === RUNS_PER_STEP - 1) yield;
    const run = runs[i] as LineRun;
    let at = file.start(run.line);
    const end = file.start(run.line + run.removed);
    const { text, lines } = textOf(file, run);
    const lost = run.line - 1;
    // The last line is gone from a file without final ending: the line that is last now gives up its own.
    if (lines === 0 && lost >= 1 && !file.finalNewline && reachesEnd(file, run)) at = file.end(lost);
    added += lines;
    removed += run.removed;
    const insert = arena.encode(text);
    if (sameBytes(file.bytes, at, end, insert)) continue;
    addSplice(splices, at, end - at, insert);
  }
  return { splices, added, removed };
}

/** Runs never touch; their bytes can, where a line gives up its ending. Touching splices become one. */
function addSplice(splices: Splice[], at: number, remove: number, insert: Uint8Array): void {
  const last = splices[splices.length - 1];
  if (last === undefined || last.at + last.remove < at) splices.push({ at, remove, insert });
  else
    splices[splices.length - 1] = {
      at: last.at,
      remove: last.remove + remove,
      insert: joinBytes([last.insert, insert]),
    };
}

/** The text of a run with all its endings, and the number of its lines. */
export function textOf(file: TextLines, run: LineRun): { text: string; lines: number } {
  const atEnd = reachesEnd(file, run);
  // Appending to a file without final ending: its last line gets one first.
  let text =
    run.removed === 0 && atEnd && !file.finalNewline ? ENDING_TEXT[endingBefore(file, file.count + 1)] : "";
  let lines = 0;
  for (let i = 0; i < run.added.length; i++) {
    const added = run.added[i] as AddedText;
    const last = ENDING_TEXT[lastEnding(file, added, atEnd && i === run.added.length - 1)];
    if (added.text.includes("\n")) {
      const parts = linesOfNew(added.text);
      text += parts.join(ENDING_TEXT[innerEnding(file, added)]) + last;
      lines += parts.length;
    } else {
      text += added.text + last;
      lines++;
    }
  }
  return { text, lines };
}

function sameBytes(bytes: Uint8Array, at: number, end: number, insert: Uint8Array): boolean {
  if (end - at !== insert.length) return false;
  for (let i = 0; i < insert.length; i++) if (bytes[at + i] !== insert[i]) return false;
  return true;
}

const NOTHING = new Uint8Array(0);
const BLOCK = 65_536;
const SHORT = 256;

/** Encodes many short texts into few large blocks: a small array of its own for each costs more than its bytes. */
class Arena {
  readonly #encoder = new TextEncoder();
  #block = new Uint8Array(0);
  #used = 0;

  encode(text: string): Uint8Array {
    if (text === "") return NOTHING;
    if (text.length > SHORT) return this.#encoder.encode(text);
    if (this.#block.length - this.#used < text.length * 3) {
      this.#block = new Uint8Array(BLOCK);
      this.#used = 0;
    }
    const from = this.#used;
    const block = this.#block;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) {
        const { written } = this.#encoder.encodeInto(text, block.subarray(from));
        return this.#take(from + written);
      }
      block[from + i] = unit;
    }
    return this.#take(from + text.length);
  }

  #take(end: number): Uint8Array {
    const bytes = new Uint8Array(this.#block.buffer, this.#used, end - this.#used);
    this.#used = end;
    return bytes;
  }
}
