// Owns: turning runs of lines into byte splices. The only place that writes the bytes of a patch.

import { joinBytes, type Splice } from "../text/splice.ts";
import { ByteArena } from "./_byte-arena.ts";
import { ENDING_TEXT, endingBefore, innerEnding, lastEnding, reachesEnd } from "./_endings.ts";
import type { LineRuns } from "./_line-runs.ts";
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
export function* spliceRuns(file: TextLines, runs: LineRuns): Steps<SplicedRuns> {
  const splices: Splice[] = [];
  const arena = new ByteArena();
  let added = 0;
  let removed = 0;
  for (let run = 0; run < runs.count; run++) {
    if (run % RUNS_PER_STEP === RUNS_PER_STEP - 1) yield;
    let at = file.start(runs.line(run));
    const end = file.start(runs.next(run));
    const lines = writeRun(file, runs, run, arena);
    const lost = runs.line(run) - 1;
    // The last line is gone from a file without final ending: the line that is last now gives up its own.
    if (lines === 0 && lost >= 1 && !file.finalNewline && reachesEnd(file, runs, run)) at = file.end(lost);
    added += lines;
    removed += runs.removed(run);
    if (arena.holds(file.bytes, at, end)) arena.drop();
    else addSplice(splices, at, end - at, arena.take());
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

/** Writes the texts of a run with all their endings; answers the number of their lines. */
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
