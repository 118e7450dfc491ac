// Owns: turning runs of lines into byte splices. The only place that writes the bytes of a patch.

import type { Splice } from "../text/splice.ts";
import { joinBytes } from "../text/spliceable.ts";
import { ByteArena } from "./_byte-arena.ts";
import { ENDING_TEXT, endingBefore, innerEnding, lastEnding, reachesEnd } from "./_endings.ts";
import type { LineRuns } from "./_line-runs.ts";
import { linesOfNew } from "./_new-text.ts";
import type { TextLines } from "../text/text-lines.ts";

/**
 * Makes the splices of a file while its runs are being planned: what an operation says and the line it is about are
 * looked at together, before others push them out of the processor's cache.
 */
export class Splicer {
  readonly splices: Splice[] = [];
  /** Lines put in and taken out. */
  added = 0;
  removed = 0;
  readonly #file: TextLines;
  readonly #runs: LineRuns;
  readonly #arena = new ByteArena();
  #next = 0;

  constructor(file: TextLines, runs: LineRuns) {
    this.#file = file;
    this.#runs = runs;
  }

  /** Makes the splices of all runs, or of all but the last, which may still grow. Cost: those runs and their text. */
  advance(isPlanned: boolean): void {
    const end = this.#runs.count - (isPlanned ? 0 : 1);
    for (; this.#next < end; this.#next++) this.#splice(this.#next);
  }

  #splice(run: number): void {
    const file = this.#file;
    const runs = this.#runs;
    const arena = this.#arena;
    let at = file.start(runs.line(run));
    const end = file.start(runs.next(run));
    const lines = writeRun(file, runs, run, arena);
    const lost = runs.line(run) - 1;
    // The last line is gone from a file without final ending: the line that is last now gives up its own.
    if (lines === 0 && lost >= 1 && !file.finalNewline && reachesEnd(file, runs, run)) at = file.end(lost);
    this.added += lines;
    this.removed += runs.removed(run);
    if (arena.holds(file.bytes, at, end)) arena.drop();
    else addSplice(this.splices, at, end - at, arena.take());
  }
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

/** Writes the texts of a run with all their endings; returns the number of their lines. */
export function writeRun(file: TextLines, runs: LineRuns, run: number, arena: ByteArena): number {
  const atEnd = reachesEnd(file, runs, run);
  // Appending to a file without final ending: its last line gets one first.
  if (runs.removed(run) === 0 && atEnd && !file.finalNewline)
    arena.write(ENDING_TEXT[endingBefore(file, file.count + 1)]);
  const end = runs.firstText(run + 1);
  let lines = 0;
  for (let i = runs.firstText(run); i < end; i++) {
    const text = runs.text(i);
    if (text.includes("\n")) {
      const parts = linesOfNew(text);
      arena.write(parts.join(ENDING_TEXT[innerEnding(file, runs.eol(i), runs.place(i))]));
      lines += parts.length;
    } else {
      arena.write(text);
      lines++;
    }
    arena.write(ENDING_TEXT[lastEnding(file, runs.eol(i), runs.place(i), atEnd && i === end - 1)]);
  }
  return lines;
}
