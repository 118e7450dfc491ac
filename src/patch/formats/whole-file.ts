// Owns: the grammar of whole files in fences, each under its path.

import { echo, say } from "../../errors.ts";
import { editFault, editLines, type FileEdit } from "./edit.ts";
import { mixedFormats, refuseJson, tangledFences } from "./leftover.ts";
import { EditLines } from "./next-edit.ts";
import { unreadable } from "./unreadable.ts";

export function parseWholeFiles(text: string): FileEdit[] {
  const lines = editLines(text);
  const scan = new EditLines(lines);
  const edits: FileEdit[] = [];
  for (let from = 0; ;) {
    const found = scan.next(from);
    refuseJson(lines, from, found.at);
    const at = found.at + 1;
    switch (found.is) {
      case "end":
        return edits;
      case "tangle":
        throw tangledFences(at);
      case "unreadable":
        throw unreadable(found);
      case "doubt":
        throw editFault(
          at,
          say`the fence of ${echo(found.name ?? "")} holds edits, and whether they are to be applied or are the text of that file cannot be told. To apply them, send them without this path and fence; to write them, send the file as added lines of a V4A patch.`,
        );
      case "whole_file":
      case "other": {
        const { name, mayBeWords, end } = found;
        if (name === undefined)
          throw editFault(
            at,
            say`this fence has no path on the line before it, so it may be a file that was forgotten. Put the path there, or leave the fence out.`,
          );
        if (end === undefined)
          throw editFault(
            at,
            say`the fence of ${echo(name)} is never closed. Send the file whole; if it holds fences itself, use a longer fence around it.`,
          );
        edits.push({ at: found.at, file: name, mayBeWords, action: "write", lines: lines.slice(at, end) });
        from = end + 1;
        break;
      }
      default:
        throw mixedFormats(at);
    }
  }
}
