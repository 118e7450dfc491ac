// Owns: the text of edits in whatever format it is written: which one, and what it says.

import { checkArgument } from "../../text/options.ts";
import { HoldfastError, say } from "../../errors.ts";
import { parseUnified, type DiffFile } from "../_unified-parse.ts";
import { editLines, namesOf, type EditFormat, type FileEdit } from "./edit.ts";
import { refuseBesideDiff, refuseEditLike } from "./leftover.ts";
import { EditLines, type NextEdit } from "./next-edit.ts";
import { parseSearchReplace } from "./search-replace.ts";
import { editsOfDiff } from "./unified.ts";
import { formats, unreadable } from "./unreadable.ts";
import { parseV4a } from "./v4a.ts";
import { parseWholeFiles } from "./whole-file.ts";

/** Edits that have been read and not yet placed. */
export interface ParsedEdits {
  /** What the text was recognised as. */
  readonly format: Exclude<EditFormat, "ndpatch">;
  /** In the order of the text; one file may be there several times. */
  readonly files: readonly FileEdit[];
  /** The names of the files whose content is needed, as they are spelled: both of a diff's, and those that files are moved to as well. */
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
  checkArgument(say`editFormatOf: the text`, text, "string");
  return formatOf(firstEdit(text));
}

function firstEdit(text: string): NextEdit {
  // JSON that was encoded twice begins with a quote.
  if (/^[\ufeff\s]*"?[[{]/.test(text.slice(0, 1_000))) return { is: "ndpatch", at: 0 };
  return new EditLines(editLines(text)).nextEdit(0);
}

function formatOf({ is }: NextEdit): EditFormat | undefined {
  if (is === "end" || is === "unreadable") return undefined;
  return is === "doubt" || is === "tangle" ? "whole_file" : is;
}

/**
 * Reads V4A, SEARCH/REPLACE blocks, a unified diff or whole files in fences. Throws `invalid_argument` with the line that is
 * wrong. {@link placeEdits} makes a patch of the result.
 *
 * @example parseEdits("a.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n").sources // ["a.txt"]
 */
export function parseEdits(text: string): ParsedEdits {
  checkArgument(say`parseEdits: the text`, text, "string");
  const first = firstEdit(text);
  if (first.is === "unreadable") throw unreadable(first);
  const format = formatOf(first);
  if (format === undefined || format === "ndpatch")
    throw new HoldfastError(
      "invalid_argument",
      "invalid_patch",
      format === undefined
        ? say`The text is no patch: neither ${formats("nor")}.`
        : say`The text is JSON: read it with parsePatch.`,
    );
  if (format === "unified_diff") {
    const lines = editLines(text);
    refuseBesideDiff(lines);
    const diff = parseUnified(text, (at) => refuseEditLike(lines, at));
    const files = editsOfDiff(diff);
    return { format, files, sources: sourcesOf(files), diff };
  }
  const parse = { v4a: parseV4a, search_replace: parseSearchReplace, whole_file: parseWholeFiles }[format];
  const files = parse(text);
  return { format, files, sources: sourcesOf(files) };
}

function sourcesOf(files: readonly FileEdit[]): string[] {
  return [...new Set(files.flatMap(namesOf))];
}
