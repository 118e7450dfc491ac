// Owns: the grammar of whole files in fences, each under its path.

import { echo, say } from "../../errors.ts";
import { isUnifiedDiff } from "../unified-read.ts";
import { editFault, editLines, nameIn, type FileEdit } from "./edit.ts";

const FENCE = /^(`{3,}|~{3,})([^`]*)$/;

export function isWholeFile(text: string): boolean {
  const lines = editLines(text);
  return lines.some((line, i) => FENCE.test(line) && i > 0 && nameAbove(lines, i) !== undefined);
}

export function parseWholeFiles(text: string): FileEdit[] {
  const lines = editLines(text);
  const edits: FileEdit[] = [];
  for (let i = 0; i < lines.length; i++) {
    const fence = FENCE.exec(lines[i] as string);
    if (fence === null) continue;
    const name = nameAbove(lines, i);
    if (name === undefined)
      throw editFault(
        i + 1,
        say`this fence has no path on the line before it, so it may be a file that was forgotten. Put the path there, or leave the fence out.`,
      );
    const end = closing(lines, i, fence[1] ?? "```");
    if (end === undefined)
      throw editFault(
        i + 1,
        say`the fence of ${echo(name)} is never closed. Send the file whole; if it holds fences itself, use a longer fence around it.`,
      );
    edits.push({ at: i, file: name, action: "write", lines: lines.slice(i + 1, end) });
    i = end;
  }
  return edits;
}

/** Does a whole file stand among the lines? A fence around a part of a diff is none. */
export function holdsWholeFile(lines: readonly string[]): boolean {
  for (let i = 0; i < lines.length; i++) {
    const fence = FENCE.exec(lines[i] as string);
    const end = fence === null ? undefined : closing(lines, i, fence[1] ?? "```");
    if (end === undefined) continue;
    if (nameAbove(lines, i) !== undefined && !isUnifiedDiff(lines.slice(i + 1, end).join("\n"))) return true;
    i = end;
  }
  return false;
}

function nameAbove(lines: readonly string[], at: number): string | undefined {
  const above = lines[at - 1]?.trim() === "" ? lines[at - 2] : lines[at - 1];
  return above === undefined ? undefined : nameIn(above);
}

/** The line that closes the fence; undefined if none does. A fence with a language that opens inside is closed before it. */
function closing(lines: readonly string[], from: number, fence: string): number | undefined {
  const isMark = (line: string): boolean => line.startsWith(fence) && FENCE.test(line);
  let open = 0;
  for (let i = from + 1; i < lines.length; i++) {
    const line = (lines[i] as string).trimEnd();
    if (!isMark(line)) continue;
    const isBare = /^(?:`+|~+)$/.test(line);
    if (!isBare) open++;
    else if (open > 0) open--;
    else return i;
  }
  return undefined;
}
