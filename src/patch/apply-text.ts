// Owns: a patch on one text, from text to text.

import { HoldfastError, say } from "../errors.ts";
import { checkOptionNames } from "../text/options.ts";
import { textBytes } from "../text/text-bytes.ts";
import { APPLY_OPTIONS, applyPatch, type ApplyPatchOptions } from "./apply.ts";
import { conflictError } from "./message.ts";
import { parsePatch } from "./parse.ts";
import { patchedFiles } from "./report.ts";
import { fromUnifiedDiff, isUnifiedDiff } from "./unified-read.ts";

/**
 * The text after a patch of one file: operations, their JSON, or a unified diff, whatever name the file has in it. Nothing
 * else is touched; endings stay as they are. Throws `conflict` when an operation does not fit, with what to send instead for
 * every one of them; `invalid_argument` for a patch that cannot be read or names several files, and a text with half of a surrogate
 * pair (`not_unicode`). Cost: linear in the text.
 *
 * @example applyPatchText("one\ntwo\n", [{ file: "f", line: 2, op: "replace", old: "two", new: "2" }]) // "one\n2\n"
 * @example applyPatchText("one\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n") // "1\n"
 */
export function applyPatchText(text: string, patch: unknown, options: ApplyPatchOptions = {}): string {
  checkOptionNames(say`applyPatchText`, options, APPLY_OPTIONS);
  const { limits, names } = options;
  const how = { ...(limits === undefined ? {} : { limits }), ...(names === undefined ? {} : { names }) };
  const isDiff = typeof patch === "string" && isUnifiedDiff(patch);
  const read = isDiff ? fromUnifiedDiff(patch, how) : parsePatch(patch, how);
  const paths = new Set(read.paths.values());
  const [path] = paths;
  if (path === undefined) return text;
  if (paths.size > 1)
    throw new HoldfastError(
      "invalid_argument",
      "several_files",
      say`The patch names ${paths.size} files, and there is one text. Use applyPatch with all files, or split the patch.`,
    );
  const files = new Map([[path, textBytes(text)]]);
  const report = applyPatch(files, read, options);
  if (!report.ok) throw conflictError(report);
  return decoder.decode(patchedFiles(files, report).get(report.files[0]?.file ?? path));
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
