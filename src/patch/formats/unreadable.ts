// Owns: what looks like an edit and is none that can be read. Written as it is it would destroy a file; skipped, it would be lost.

import { echo, say, type Shown } from "../../errors.ts";
import { editFault, nameSameFile } from "./edit.ts";

/** What `git show`, `git format-patch` and others write above the names of a diff. */
export const DIFF_HEAD: RegExp =
  /^(?:index |Index: |=+$|commit |Author: |Date: |From |Subject: |diff |new file|deleted file|(?:old|new) mode|similarity |rename |copy )/;

/** The formats that are read, as a sentence lists them. */
export function formats(before: "or" | "nor"): Shown {
  return say`JSON of line operations, a V4A patch ("*** Begin Patch"), SEARCH/REPLACE blocks ("<<<<<<< SEARCH"), a unified diff ("--- a/name" and "+++ b/name"), ${before as Shown} whole files in fences, each with its path alone on the line above`;
}

const NAMES_ONE_SIDE = /^(?:---|\+\+\+) \S/;
const HUNK = /^@@(?:\s|$)/;
/** The mark of a block with another word, another number of signs or in lower case, or of a conflict. */
const BLOCK = /^(?:<{3,}(?:\s|$)|<{3,}\s*(?:search|original|old|head)\b|-{3,}\s*(?:search|original)>?\s*$)/i;
const V4A = /^\*\*\* ?(?:begin|update|add|delete|move)\b/i;
const CONTEXT_DIFF = /^(?:\*{15}|\*\*\* \d+(?:,\d+)? \*{4})\s*$/;
const NORMAL_DIFF = /^\d+(?:,\d+)?[acd]\d+(?:,\d+)?\s*$/;
const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc|org)$/i;

/** Marks of edits that do not begin their lines. */
const INDENTED =
  /^\s+(?:<{3,}\s*search\b|\*\*\* (?:begin patch|(?:update|add|delete) file:)|(?:`{3,}|~{3,})\s*(?:u?diff|patch)\b)/i;
/** A line that goes or comes, and no item of a list. */
const GOES = /^-(?: {2,}|\t|[^\s-])/;
const COMES = /^\+(?: {2,}|\t|[^\s+])/;
const NUMBERED_HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;
/** Files in which no line begins with the signs of a diff. */
const CODE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|scala|swift|c|h|cc|cpp|hpp|cs|php|sh|css|scss|html?|vue|svelte|sql|json|toml)$/i;

/** Lines that are looked at for what a fence begins with. */
const FIRST_LINES = 10;

const BLOCK_HINT = say`A block has the lines "<<<<<<< SEARCH", "=======" and ">>>>>>> REPLACE".`;
const JSON_HINT = say`Send the JSON of the operations alone, without path, fence and words.`;
const DIFF_HINT = say`Make it a unified diff ("diff -u", "git diff").`;
const HUNK_HINT = say`Put the lines "--- a/name" and "+++ b/name" above the first "@@" line.`;
const INDENTED_HINT = say`Begin its marks and fences at the start of their lines.`;
const MARKED_HINT = say`Put the lines "--- a/name", "+++ b/name" and "@@ ... @@" above the lines marked by "-" and "+".`;

/** Do operations of JSON begin at the line? */
export function operationsAt(lines: readonly string[], at: number): boolean {
  if (!/^\s*[[{]/.test(lines[at] ?? "")) return false;
  const text = lines.slice(at, at + FIRST_LINES).join("\n");
  return (
    (/"file"\s*:/.test(text) && /"(?:line|line_number|op|operation)"\s*:/.test(text)) ||
    /"(?:operations|created|removed)"\s*:\s*\[/.test(text)
  );
}

/** What to send instead of an edit that begins at a line outside fences; undefined if none does. */
export function editLikeAt(lines: readonly string[], at: number): Shown | undefined {
  const line = lines[at] ?? "";
  if (BLOCK.test(line)) return BLOCK_HINT;
  if (HUNK.test(line)) return HUNK_HINT;
  if (INDENTED.test(line)) return INDENTED_HINT;
  if (GOES.test(line) && COMES.test(lines[at + 1] ?? "")) return MARKED_HINT;
  return CONTEXT_DIFF.test(line) ? DIFF_HINT : undefined;
}

/** What to send instead of the edit that a fence begins with; undefined if it begins with none. */
export function editLikeIn(
  lines: readonly string[],
  { name, isDiff }: { readonly name: string | undefined; readonly isDiff: boolean },
): Shown | undefined {
  const first = lines.findIndex((line) => line.trim() !== "");
  const line = lines[first];
  if (line === undefined) return isDiff && name !== undefined ? MARKED_HINT : undefined;
  if (operationsAt(lines, first))
    return isOwnJson(lines.slice(first, first + FIRST_LINES), name) ? undefined : JSON_HINT;
  const body = lines.slice(first).findIndex((one) => !DIFF_HEAD.test(one) && !NAMES_ONE_SIDE.test(one));
  const start = first + Math.max(0, body);
  const hint = editLikeAt(lines, start);
  if (hint !== undefined) return hint;
  if (V4A.test(line))
    return say`A V4A patch has the lines "*** Begin Patch", "*** Update File: path" and "*** End Patch".`;
  const isContext = line.startsWith("*** ") && lines[first + 1]?.startsWith("--- ") === true;
  const isNormal = NORMAL_DIFF.test(line) && /^[<>] /.test(lines[first + 1] ?? "");
  if (isContext || isNormal || CONTEXT_DIFF.test(line)) return DIFF_HINT;
  const isMarked = (name !== undefined || isDiff) && hasMarks(lines.slice(start), name);
  return isMarked || isDiff ? MARKED_HINT : undefined;
}

/** Operations that are the text of a file of JSON: they are for others. */
function isOwnJson(lines: readonly string[], name: string | undefined): boolean {
  if (name?.endsWith(".json") !== true) return false;
  const files = [...lines.join("\n").matchAll(/"file"\s*:\s*"([^"]*)"/g)].map(([, file]) => file ?? "");
  return !files.some((file) => nameSameFile(file, name));
}

/** Does every line stay, go or come, and some come? In prose, `+` and `-` before a blank begin items of a list. */
function hasMarks(lines: readonly string[], name: string | undefined): boolean {
  const said = lines.filter((line) => line.trim() !== "");
  const come = said.filter((line) => line.startsWith("+"));
  const isList =
    PROSE.test(name ?? "") &&
    come.every((line) => line.startsWith("+ ")) &&
    !said.some((line) => line.startsWith("-"));
  return come.length > 0 && !isList && said.every((line) => /^[ +\\-]/.test(line));
}

/** Are there parts of edits among the lines of a file: a block, whatever its words, a numbered hunk, or, in code, lines that go and come? */
export function holdsEdits(lines: readonly string[], name: string): boolean {
  if (isPatchFile(name)) return false;
  const isCode = CODE.test(name);
  const open = lines.findIndex((line) => /^<{5,9}(?: |$)|^<{3,} ?search\b/i.test(line));
  const divider = open < 0 ? -1 : lines.findIndex((line, i) => i > open && /^={3,}\s*$/.test(line));
  if (divider >= 0 && lines.some((line, i) => i > divider && /^>{3,}(?: |$)/.test(line))) return true;
  return lines.some(
    (line, i) =>
      NUMBERED_HUNK.test(line) || (isCode && /^-[^-]/.test(line) && /^\+[^+]/.test(lines[i + 1] ?? "")),
  );
}

/** Is the file a diff by its name? */
export function isPatchFile(name: string | undefined): boolean {
  return /\.(?:diff|patch)$/i.test(name ?? "");
}

/** The error for an edit that cannot be read. `at` counts from 0. */
export function unreadable({
  at,
  hint,
  name,
}: {
  readonly at: number;
  readonly hint: Shown;
  readonly name?: string | undefined;
}): Error {
  const what = name === undefined ? say`this` : say`what the fence of ${echo(name)} holds`;
  const write =
    name === undefined ? say`` : say` If it is the text of that file, send it as added lines of a V4A patch.`;
  return editFault(
    at + 1,
    say`${what} looks like an edit, and can be read as none. ${hint}${write} What is read: ${formats("or")}.`,
  );
}
