// Owns: which ending every added line gets (rules NDP-31 to NDP-36). Applying, creating and showing a patch all ask here.

import type { LineEnding } from "../text/lines.ts";
import type { LineRuns } from "./_line-runs.ts";
import type { Eol } from "./operation.ts";

/** All that endings depend on. */
export interface FileEndings {
  readonly count: number;
  readonly finalNewline: boolean;
  ending(line: number): LineEnding;
}

/** The bytes of an ending as text. */
export const ENDING_TEXT: { readonly [E in LineEnding]: string } = { lf: "\n", crlf: "\r\n", none: "" };

/** The ending a line gets that is put before `line`. Never `none`. */
export function endingBefore(file: FileEndings, line: number): "lf" | "crlf" {
  for (let above = Math.min(line - 1, file.count); above >= 1 && above >= line - 2; above--) {
    const ending = file.ending(above);
    if (ending !== "none") return ending;
  }
  const own = line <= file.count ? file.ending(line) : "none";
  return own === "none" ? "lf" : own;
}

/** The ending between and after the lines of an added text, wherever one is needed. `place`: see {@link LineRuns}. */
export function innerEnding(file: FileEndings, eol: Eol | undefined, place: number): "lf" | "crlf" {
  if (eol === "lf" || eol === "crlf") return eol;
  const replaced = place < 0 ? "none" : file.ending(place);
  return replaced === "none" ? endingBefore(file, Math.abs(place)) : replaced;
}

/** The ending of the last line of an added text. `isLast`: it is the last line of the result. */
export function lastEnding(
  file: FileEndings,
  eol: Eol | undefined,
  place: number,
  isLast: boolean,
): LineEnding {
  if (eol === "none" || (eol === undefined && isLast && !file.finalNewline)) return "none";
  return innerEnding(file, eol, place);
}

/** Does the run reach the end of the file, so that its last added line is the last of the result? */
export function reachesEnd(file: FileEndings, runs: LineRuns, run: number): boolean {
  return runs.next(run) > file.count;
}

/** The operations that ask for no ending although lines follow them. */
export function gluedOperations(file: FileEndings, runs: LineRuns): number[] {
  return runs.unended
    .filter(({ run, text }) => text + 1 < runs.firstText(run + 1) || !reachesEnd(file, runs, run))
    .map(({ text }) => runs.op(text));
}
