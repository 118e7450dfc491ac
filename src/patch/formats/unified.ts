// Owns: a unified diff as edits whose blocks can be looked for.

import type { LineEnding } from "../../text/lines.ts";
import type { DiffFile, DiffHunk } from "../_unified-parse.ts";
import type { BlockLine, EditBlock, FileEdit } from "./edit.ts";

export function editsOfDiff(files: readonly DiffFile[]): FileEdit[] {
  return files.map((diff): FileEdit => {
    const { at, from, to, rename, copy, isNew, isDeleted, hunks } = diff;
    const file = (isNew ? to : from) ?? to ?? "";
    const added = hunks.flatMap(({ lines }) => lines.map(({ text }) => text));
    if (isNew) return { at, file, action: "create", lines: added };
    if (isDeleted && hunks.length === 0) return { at, file, action: "remove" };
    const blocks = hunks.map(blockOf);
    const target = rename || copy ? { to, isCopy: copy } : {};
    return { at, file, action: "update", blocks, isRemoval: isDeleted, ...target };
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
