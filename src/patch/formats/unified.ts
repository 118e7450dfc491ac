// Owns: a unified diff as edits whose blocks can be looked for.

import type { LineEnding } from "../../text/lines.ts";
import type { DiffFile, DiffHunk } from "../_unified-parse.ts";
import type { BlockLine, EditBlock, FileEdit } from "./edit.ts";

/** One edit for each file of the diff, in its order. */
export function editsOfDiff(files: readonly DiffFile[]): FileEdit[] {
  return files.map((diff): FileEdit => {
    const { at, from = "", to = from, rename, copy, isNew, isDeleted, hunks } = diff;
    const added = hunks.flatMap(({ lines }) => lines.map(({ text }) => text));
    if (isNew) return { at, file: to, action: "create", lines: added };
    const blocks = hunks.map(blockOf);
    if (rename || copy) return { at, file: from, action: "update", blocks, to, isCopy: copy };
    // Of two names the new one counts, unless only the old one is there (`a.js.orig` and `a.js`).
    const names = isDeleted || from === to ? { file: from } : { file: to, otherName: from };
    return { at, ...names, action: "update", blocks, isRemoval: isDeleted };
  });
}

function blockOf({ at, start, lines }: DiffHunk): EditBlock {
  return {
    at,
    lines: endingsThatCount(lines),
    anchors: [],
    isInOrder: true,
    isAtEnd: false,
    ...(start === 0 ? {} : { start }),
  };
}

/** Only at the end of the file an ending is part of the change: elsewhere the file's own count. */
function endingsThatCount(lines: DiffHunk["lines"]): BlockLine[] {
  const showsEnd = lines.some(({ ending }) => ending === "none");
  const last = lines.findLast(({ kind }) => kind !== "-");
  return lines.map((line) => {
    const { kind, text, ending } = line;
    const counts: LineEnding | undefined = showsEnd && line === last ? ending : undefined;
    return { kind, text: text.replace(/^\ufeff/, ""), ...(counts === undefined ? {} : { ending: counts }) };
  });
}
