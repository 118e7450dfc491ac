// Owns: a patch as a git-style unified diff, for people and programs that speak that.

import { say } from "../errors.ts";
import { checkOptionNames, type OptionNames } from "../text/options.ts";
import { relativePath, type WorkspacePath } from "../path/index.ts";
import { hunksOfSteps } from "../text/hunks.ts";
import { diffLinesSteps } from "../text/line-diff.ts";
import { renderHunksSteps } from "../text/render-hunks.ts";
import { runNow, type Steps } from "../text/steps.ts";
import { applyPatchSteps, type ApplyPatchOptions } from "./apply.ts";
import { findFile, type PatchFiles } from "./files.ts";
import { conflictError } from "./message.ts";
import type { FileReport } from "./report.ts";

const OPTIONS: OptionNames<ToUnifiedDiffOptions> = {
  limits: true,
  names: ["ascii", "unicode"],
  numbering: ["original", "offset"],
  existing: true,
  context: true,
};

/** How a unified diff is written. */
export interface ToUnifiedDiffOptions extends ApplyPatchOptions {
  /** Unchanged lines around each change: 3 unless told. */
  readonly context?: number;
}

/**
 * The patch as a unified diff against the files it applies to. `git apply` and `patch -p1` make the same bytes of it.
 * Throws `conflict` if the patch does not apply, and what {@link parsePatch} throws. Cost: what the patch touches and the
 * lines around it.
 *
 * @example toUnifiedDiff({ x: "a\n" }, [{ file: "x", line: 1, op: "replace", old: "a", new: "b" }])
 * // "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
 */
export function toUnifiedDiff(files: PatchFiles, patch: unknown, options: ToUnifiedDiffOptions = {}): string {
  checkOptionNames(say`toUnifiedDiff`, options, OPTIONS);
  return runNow(toUnifiedDiffSteps(files, patch, options));
}

/**
 * {@link toUnifiedDiff} in steps of a few milliseconds. The files must not change between steps.
 *
 * @example const diff = await runPaced(toUnifiedDiffSteps(files, patch));
 */
export function* toUnifiedDiffSteps(
  files: PatchFiles,
  patch: unknown,
  options: ToUnifiedDiffOptions = {},
): Steps<string> {
  const report = yield* applyPatchSteps(files, patch, options);
  if (!report.ok) throw conflictError(report);
  let text = "";
  for (const file of report.files) {
    if (file.status === "already_applied" || file.status === "unchanged") continue;
    const before = findFile(files, file.path, file.file)?.bytes ?? new Uint8Array(0);
    // No budget: a diff that leaves something out would make other bytes.
    const wanted = { context: options.context ?? 3, budget: Infinity, lineLength: Infinity };
    const hunks = yield* hunksOfSteps(before, file.splices, wanted);
    text += headOf(file, hunks.hunks.length > 0) + (yield* renderHunksSteps(hunks));
  }
  return text;
}

/** One side of a file's difference; a file that does not exist has none. */
export interface FileSideOfDiff {
  readonly path: WorkspacePath;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
  readonly isBinary: boolean;
}

/** Do two states differ in bytes that a text cannot show? */
export function isOtherBinary(
  before: FileSideOfDiff | undefined,
  after: FileSideOfDiff | undefined,
): boolean {
  if (before?.isBinary !== true && after?.isBinary !== true) return false;
  const [old, next] = [before?.bytes, after?.bytes];
  if (old === undefined || next === undefined) return true;
  return old.length !== next.length || old.some((byte, i) => byte !== next[i]);
}

/**
 * The difference between two states of a file, moves and modes included, as git writes it. Binary files are only named, unless the
 * part of the diff that makes their bytes is given.
 */
export function* fileDiffSteps(
  before: FileSideOfDiff | undefined,
  after: FileSideOfDiff | undefined,
  binary?: string,
): Steps<string> {
  const from = before ?? after;
  const to = after ?? before;
  if (from === undefined || to === undefined) return "";
  const isBinary = from.isBinary || to.isBinary;
  const none = new Uint8Array(0);
  const [old, next] = [before?.bytes ?? none, after?.bytes ?? none];
  const splices = isBinary ? [] : yield* diffLinesSteps(old, next);
  const hunks = yield* hunksOfSteps(old, splices, { budget: Infinity, lineLength: Infinity });
  const status = before === undefined ? "created" : after === undefined ? "removed" : "changed";
  const isMoved = from.path !== to.path;
  const modes: Modes = {
    ...(before === undefined ? {} : { old: modeOf(before) }),
    ...(after === undefined ? {} : { new: modeOf(after) }),
  };
  const head = headOf(
    { path: to.path, status, modes, isBinary, ...(isMoved ? { from: from.path } : {}) },
    hunks.hunks.length > 0,
  );
  const named = `Binary files ${quoted("a/", from.path, true)} and ${quoted("b/", to.path, true)} differ\n`;
  return head + (isOtherBinary(before, after) ? (binary ?? named) : yield* renderHunksSteps(hunks));
}

function modeOf({ executable }: FileSideOfDiff): string {
  return executable ? "100755" : "100644";
}

interface Modes {
  readonly old?: string;
  readonly new?: string;
}

interface Head extends Pick<FileReport, "path"> {
  readonly status: FileReport["status"] | "changed";
  readonly from?: WorkspacePath;
  readonly modes?: Modes;
  readonly isBinary?: boolean;
}

/** How git abbreviates the name of an empty file's bytes. */
const EMPTY = "e69de29";
const NONE = "0000000";

function headOf(head: Head, hasHunks: boolean): string {
  const { path, status, from: source = path, modes = {}, isBinary = false } = head;
  // Without the two lines of names, GNU patch reads them here, and blanks confuse it unless they are quoted.
  const a = quoted("a/", source, !hasHunks);
  const b = quoted("b/", path, !hasHunks);
  let lines = `diff --git ${a} ${b}\n`;
  if (status === "created") lines += `new file mode ${modes.new ?? "100644"}\n`;
  else if (status === "removed") lines += `deleted file mode ${modes.old ?? "100644"}\n`;
  else if (modes.old !== modes.new) lines += `old mode ${modes.old ?? ""}\nnew mode ${modes.new ?? ""}\n`;
  if (source !== path)
    lines += `rename from ${quoted("", source, false)}\nrename to ${quoted("", path, false)}\n`;
  // GNU patch takes an empty file for one that is to be emptied, unless the names of its bytes say that it comes or goes.
  if (!hasHunks && !isBinary && status === "created") lines += `index ${NONE}..${EMPTY}\n`;
  if (!hasHunks && !isBinary && status === "removed") lines += `index ${EMPTY}..${NONE}\n`;
  if (!hasHunks) return lines;
  // A tab ends a name with blanks, as git writes it: else a reader takes the rest for a time.
  const tab = (name: WorkspacePath): string => (name.includes(" ") ? "\t" : "");
  const from = status === "created" ? "/dev/null" : `${a}${tab(source)}`;
  const to = status === "removed" ? "/dev/null" : `${b}${tab(path)}`;
  return `${lines}--- ${from}\n+++ ${to}\n`;
}

/** The name as git writes it: in quotes with C escapes if it holds a quote, a backslash or anything but plain ASCII. */
function quoted(prefix: string, path: WorkspacePath, evenBlanks: boolean): string {
  const name = prefix + relativePath(path);
  if (!(evenBlanks ? /[^\u0021-\u007e]|["\\]/ : /[^\u0020-\u007e]|["\\]/).test(name)) return name;
  let text = '"';
  for (const byte of new TextEncoder().encode(name)) {
    if (byte === 0x22 || byte === 0x5c) text += `\\${String.fromCharCode(byte)}`;
    else if (byte < 0x20 || byte > 0x7e) text += `\\${byte.toString(8).padStart(3, "0")}`;
    else text += String.fromCharCode(byte);
  }
  return `${text}"`;
}
