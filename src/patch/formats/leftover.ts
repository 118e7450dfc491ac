// Owns: what stands around edits of one format: words, which are skipped, or edits of another, which would be lost.

import { say } from "../../errors.ts";
import { isUnifiedDiff } from "../unified-read.ts";
import { editFault } from "./edit.ts";
import { holdsWholeFile } from "./whole-file.ts";

const MARK = /^(?:\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File: )|(?:<{5,9}|-{5,9}) SEARCH>?\s*$)/;

/** Refuses edits among the lines `from` up to `to`, from 0, that stand beside those of the format that is read. */
export function refuseLeftover(lines: readonly string[], from: number, to: number): void {
  // A fence that stands first closes the one around what was before.
  let first = from;
  while (first < to && (lines[first] as string).trim() === "") first++;
  if (from > 0 && /^(?:`{3,}|~{3,})\s*$/.test(lines[first] ?? "")) first++;
  const rest = lines.slice(first, to);
  const text = rest.join("\n");
  if (
    rest.some((line) => MARK.test(line)) ||
    isUnifiedDiff(text) ||
    /^\s*[[{]/.test(text) ||
    holdsWholeFile(rest)
  )
    throw mixed(first + 1);
}

/** The same around a unified diff, whose lines all begin with a mark. */
export function refuseWholeFileBeside(lines: readonly string[]): void {
  if (holdsWholeFile(lines)) throw mixed(1);
}

function mixed(at: number): Error {
  return editFault(
    at,
    say`edits of another format stand beside those that were read, and would be lost. Send each format in a call of its own.`,
  );
}
