// Owns: what lies around edits of one format: words, which are skipped, or edits of another, which would be lost.

import { say } from "../../errors.ts";
import { editFault } from "./edit.ts";
import { EditLines, type NextEdit } from "./next-edit.ts";
import { editLikeAt, unreadable } from "./unreadable.ts";

export function mixedFormats(at: number): Error {
  return editFault(
    at,
    say`edits of another format are beside those that were read, and would be lost. Send each format in a call of its own.`,
  );
}

export function tangledFences(at: number): Error {
  return editFault(
    at,
    say`there are too many fences above that are never closed, or open in each other. Close each, or send fewer edits in one call.`,
  );
}

/** Refuses operations of JSON that come first among the lines `from` up to `to`, from 0. */
export function refuseJson(lines: readonly string[], from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const line = (lines[i] as string).trim();
    if (/^[[{]/.test(line)) throw mixedFormats(i + 1);
    if (line !== "" && !/^(?:`{3,}|~{3,})/.test(line)) return;
  }
}

/** The next edit of the format, over words and fences of commands; undefined if there is none. Refuses those of other formats. */
export function nextOf(
  format: NextEdit["is"],
  scan: EditLines,
  from: number,
  isAfterEdit: boolean,
): number | undefined {
  const found = scan.nextEdit(from, isAfterEdit);
  refuseJson(scan.lines, from, found.at);
  if (found.is === "end") return undefined;
  if (found.is === "tangle") throw tangledFences(found.at + 1);
  if (found.is === "unreadable") throw unreadable(found);
  if (found.is !== format) throw mixedFormats(found.at + 1);
  return found.at;
}

/** Refuses what lies around a unified diff, whose lines all begin with a mark. */
export function refuseBesideDiff(lines: readonly string[]): void {
  const scan = new EditLines(lines);
  for (let found = scan.nextEdit(0); found.is !== "end"; found = scan.nextEdit(found.at + 1)) {
    const line = lines[found.at] as string;
    if (found.is === "tangle") throw tangledFences(found.at + 1);
    // A line of a hunk may look like a mark, and hunks begin with "@@".
    if (/^[-+ ]|^@@/.test(line) && (found.is === "search_replace" || found.is === "unreadable")) continue;
    if (found.is === "unreadable") throw unreadable(found);
    if (found.is !== "unified_diff") throw mixedFormats(found.at + 1);
  }
}

/** Refuses a line outside edits, counted from 0, that looks like the beginning of one. */
export function refuseEditLike(lines: readonly string[], at: number): void {
  const hint = editLikeAt(lines, at);
  if (hint !== undefined) throw unreadable({ at, hint });
}
