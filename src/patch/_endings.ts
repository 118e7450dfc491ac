// Owns: which ending every added line gets (rules NDP-31 to NDP-36). Applying, creating and showing a patch all ask here.

import type { LineEnding } from "../text/lines.ts";
import type { AddedText, LineRun } from "./_line-run.ts";

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

/** The ending between and behind the lines of an added text, wherever one is needed. */
export function innerEnding(file: FileEndings, added: AddedText): "lf" | "crlf" {
  if (added.eol === "lf" || added.eol === "crlf") return added.eol;
  const replaced = added.replaces === 0 ? "none" : file.ending(added.replaces);
  return replaced === "none" ? endingBefore(file, added.anchor) : replaced;
}

/** The ending of the last line of an added text. `isLast`: it is the last line of the result. */
export function lastEnding(file: FileEndings, added: AddedText, isLast: boolean): LineEnding {
  if (added.eol === "none") return "none";
  if (added.eol === undefined && isLast && !file.finalNewline) return "none";
  return innerEnding(file, added);
}

/** Does the run reach the end of the file, so that its last added line is the last of the result? */
export function reachesEnd(file: FileEndings, run: LineRun): boolean {
  return run.line + run.removed > file.count;
}

/** The added texts that ask for no ending although lines follow them. */
export function gluedTexts(file: FileEndings, runs: readonly LineRun[]): AddedText[] {
  const glued: AddedText[] = [];
  for (const run of runs)
    for (let i = 0; i < run.added.length; i++) {
      const added = run.added[i] as AddedText;
      const isLast = i === run.added.length - 1 && reachesEnd(file, run);
      if (added.eol === "none" && !isLast) glued.push(added);
    }
  return glued;
}
