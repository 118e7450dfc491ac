// Owns: the text of edits in whatever format it is written: which one, and what it says.

import { HoldfastError, say } from "../../errors.ts";
import { parseUnified, type DiffFile } from "../_unified-parse.ts";
import { editLines, targetOf, type EditFormat, type FileEdit } from "./edit.ts";
import { refuseBesideDiff } from "./leftover.ts";
import { EditLines } from "./next-edit.ts";
import { parseSearchReplace } from "./search-replace.ts";
import { editsOfDiff } from "./unified.ts";
import { parseV4a } from "./v4a.ts";
import { parseWholeFiles } from "./whole-file.ts";

/** Edits that have been read and not yet placed. */
export interface ParsedEdits {
  /** What the text was recognised as. */
  readonly format: Exclude<EditFormat, "ndpatch">;
  /** In the order of the text; one file may be there several times. */
  readonly files: readonly FileEdit[];
  /** The names of the files whose content is needed, as they are spelled; those that files are moved to as well. */
  readonly sources: readonly string[];
  /** The diff as it was read. */
  readonly diff?: readonly DiffFile[];
}

/**
 * The format that a text of edits is written in; undefined for none that is known. JSON counts as `ndpatch`. Cost: linear.
 *
 * @example editFormatOf("*** Begin Patch\n*** Delete File: a.txt\n*** End Patch") // "v4a"
 */
export function editFormatOf(text: string): EditFormat | undefined {
  if (/^[\ufeff\s]*[[{]/.test(text.slice(0, 1_000))) return "ndpatch";
  const { is } = new EditLines(editLines(text)).nextEdit(0);
  if (is === "end") return undefined;
  return is === "doubt" || is === "tangle" ? "whole_file" : is;
}

/**
 * Reads V4A, SEARCH/REPLACE blocks, a unified diff or whole files in fences. Throws `invalid_argument` with the line that is
 * wrong. {@link placeEdits} makes a patch of the result.
 *
 * @example parseEdits("a.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n").sources // ["a.txt"]
 */
export function parseEdits(text: string): ParsedEdits {
  const format = editFormatOf(text);
  if (format === undefined || format === "ndpatch")
    throw new HoldfastError(
      "invalid_argument",
      "invalid_patch",
      format === undefined
        ? say`The text is no patch: neither JSON of line operations, a V4A patch ("*** Begin Patch"), SEARCH/REPLACE blocks ("<<<<<<< SEARCH"), a unified diff ("--- a/name" and "+++ b/name"), nor whole files in fences under their paths.`
        : say`The text is JSON: read it with parsePatch.`,
    );
  if (format === "unified_diff") {
    refuseBesideDiff(editLines(text));
    const diff = parseUnified(text);
    const files = editsOfDiff(diff);
    return { format, files, sources: sourcesOf(files), diff };
  }
  const parse = { v4a: parseV4a, search_replace: parseSearchReplace, whole_file: parseWholeFiles }[format];
  const files = parse(text);
  return { format, files, sources: sourcesOf(files) };
}

function sourcesOf(files: readonly FileEdit[]): string[] {
  return [...new Set(files.flatMap((edit) => [edit.file, targetOf(edit) ?? edit.file]))];
}
