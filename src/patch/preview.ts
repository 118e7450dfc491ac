// Owns: a patch as text that a person reads before saying yes.
// Must never: let the content of a file speak to the terminal. Control and direction characters are shown as escapes.

import { say } from "../errors.ts";
import { checkOptionNames, type OptionNames } from "../text/options.ts";
import { hunksOfSteps, type Hunk, type HunkLine, type HunkList } from "../text/index.ts";
import { CR, LF } from "../text/lines.ts";
import { plural } from "../text/plural.ts";
import { runNow, type Steps } from "../text/steps.ts";
import { applyPatchSteps, type ApplyPatchOptions } from "./apply.ts";
import { findFile, type PatchFiles } from "./files.ts";
import { describeReport } from "./message.ts";
import type { FileReport, PatchReport } from "./report.ts";

const OPTIONS: OptionNames<PreviewPatchOptions> = {
  limits: true,
  names: ["ascii", "unicode"],
  numbering: ["original", "offset"],
  existing: true,
  color: true,
  context: true,
  budget: true,
};

/** How a patch is shown. */
export interface PreviewPatchOptions extends ApplyPatchOptions {
  /** ANSI colours; none unless told. */
  readonly color?: boolean;
  /** Unchanged lines around each change: 3 unless told. */
  readonly context?: number;
  /** Bytes of file content to show in all: 8,000 unless told. What is left out is counted. */
  readonly budget?: number;
}

/**
 * What a patch does, as readable text: per file a head with counts, then the changed lines with their numbers. If the
 * patch does not apply, why not. Plain text unless `color` is set; control characters are escaped. Throws what
 * {@link parsePatch} throws. Cost: the files named, and at most `budget` bytes of text.
 *
 * @example previewPatch({ x: "a\n" }, [{ file: "x", line: 1, op: "replace", old: "a", new: "b" }])
 * // "/workspace/x  changed  +1 -1\n  1 - a\n  1 + b\n"
 */
export function previewPatch(files: PatchFiles, patch: unknown, options: PreviewPatchOptions = {}): string {
  checkOptionNames(say`previewPatch`, options, OPTIONS);
  return runNow(previewPatchSteps(files, patch, options));
}

/**
 * {@link previewPatch} in steps of a few milliseconds. The files must not change between steps.
 *
 * @example const text = await runPaced(previewPatchSteps(files, patch, { context: 1 }));
 */
export function* previewPatchSteps(
  files: PatchFiles,
  patch: unknown,
  options: PreviewPatchOptions = {},
): Steps<string> {
  const report = yield* applyPatchSteps(files, patch, options);
  return yield* previewReportSteps(files, report, options);
}

/**
 * {@link previewPatchSteps} of a report that is at hand. `files` are those that the report is about. Never fails.
 *
 * @example const text = await runPaced(previewReportSteps(files, applyPatch(files, patch)));
 */
export function* previewReportSteps(
  files: PatchFiles,
  report: PatchReport,
  options: Pick<PreviewPatchOptions, "color" | "context" | "budget"> = {},
): Steps<string> {
  const paint = options.color === true ? inColor : plain;
  if (!report.ok || report.files.length === 0) return `${describeReport(report)}\n`;
  let room = options.budget ?? 8_000;
  let text = "";
  for (const file of report.files) {
    text += paint("head", headOf(file)) + "\n";
    if (file.splices.length === 0) continue;
    const before = findFile(files, file.path, file.file)?.bytes ?? new Uint8Array(0);
    const bounds = { context: options.context ?? 3, budget: Math.max(0, room) };
    const list = yield* hunksOfSteps(before, file.splices, bounds);
    const body = bodyOf(list, paint);
    for (const hunk of list.hunks) for (const { bytes } of hunk.lines) room -= bytes.length;
    text += body;
  }
  return text;
}

function headOf({ path, status, added, removed }: FileReport): string {
  const counts = added + removed === 0 ? "" : `  +${added} -${removed}`;
  return `${path}  ${status.replace("_", " ")}${counts}`;
}

type Paint = (what: "head" | "place" | "+" | "-" | " ", text: string) => string;

const plain: Paint = (_, text) => text;

const COLORS = {
  head: "\u001b[1m",
  place: "\u001b[36m",
  "+": "\u001b[32m",
  "-": "\u001b[31m",
  " ": "",
} as const;

const inColor: Paint = (what, text) => (COLORS[what] === "" ? text : `${COLORS[what]}${text}\u001b[0m`);

function bodyOf(list: HunkList, paint: Paint): string {
  let text = "";
  const last = list.hunks.at(-1);
  const width = String(
    Math.max(
      1,
      last === undefined ? 1 : last.oldStart + last.oldLines,
      last === undefined ? 1 : last.newStart + last.newLines,
    ),
  ).length;
  for (const [i, hunk] of list.hunks.entries())
    text += (i === 0 ? "" : `${paint("place", "  ...")}\n`) + hunkText(hunk, width, paint);
  if (list.leftOut > 0)
    text += `${paint("place", `  ... ${plural(list.leftOut, "more place")}, not shown`)}\n`;
  return text;
}

function hunkText(hunk: Hunk, width: number, paint: Paint): string {
  let text = "";
  let old = hunk.oldStart;
  let fresh = hunk.newStart;
  // The CR of an ending is worth showing only where lines differ in it.
  const hideCr = hunk.lines.every(
    ({ bytes, cutAfter }) => cutAfter || (bytes.at(-1) === LF && bytes.at(-2) === CR),
  );
  for (const line of hunk.lines) {
    const number = line.kind === "-" ? old : fresh;
    if (line.kind !== "+") old++;
    if (line.kind !== "-") fresh++;
    text += `${paint(line.kind, `${String(number).padStart(width + 2)} ${line.kind} ${shownText(line, hideCr)}`)}\n`;
  }
  if (hunk.leftOut > 0)
    text += `${paint("place", `  ... ${plural(hunk.leftOut, "more line")} here, not shown`)}\n`;
  return text;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function shownText({ bytes, cutBefore, cutAfter }: HunkLine, hideCr: boolean): string {
  const hasEnding = bytes.at(-1) === LF;
  const text = decoder.decode(hasEnding ? bytes.subarray(0, hideCr ? -2 : -1) : bytes);
  const note = hasEnding || cutAfter ? "" : "  (no line ending)";
  return `${cutBefore ? "..." : ""}${harmless(text)}${cutAfter ? "..." : ""}${note}`;
}

/** Tabs stay. Everything that moves a cursor, changes colours or turns the direction of text is written as an escape. */
function harmless(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (c) => (c === "\r" ? "\\r" : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
