// Owns: why a patch does not fit, in words of a folder: its paths, and for a diff its lines instead of operations.

import { describeReport, type PatchReport } from "../patch/index.ts";
import { echo } from "../errors.ts";
import { relativePath } from "../path/index.ts";
import { plural } from "../text/plural.ts";

/** Misfits that are named; the rest is counted. */
const NAMED = 20;

type Conflict = PatchReport["conflicts"][number];

/** Why it does not fit. `isNdpatch`: who wrote it can send operations again. */
export function misfitText(report: PatchReport, isNdpatch: boolean): string {
  return isNdpatch ? reportText(report) : diffMisfits(report);
}

/** A report with paths of the folder. */
export function reportText(report: PatchReport): string {
  const paths = [...report.files, ...report.conflicts].map(({ path }) => path);
  const longestFirst = [...new Set(paths)].toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce(
    (text, path) => text.replaceAll(path, () => relativePath(path)),
    describeReport(report) as string,
  );
}

function diffMisfits({ conflicts, conflictCount }: PatchReport): string {
  const lines = [...new Set(conflicts.map(diffMisfit))];
  const shown = lines.slice(0, NAMED);
  const more =
    lines.length > shown.length ? [`- and ${plural(conflictCount - shown.length, "more place")}`] : [];
  return ["The patch does not fit; nothing was written:", ...shown.map((line) => `- ${line}`), ...more].join(
    "\n",
  );
}

function diffMisfit({
  path,
  line,
  reason,
  expected,
  found,
  lines,
  candidates = [],
  message,
}: Conflict): string {
  const name = relativePath(path);
  const where = line === undefined ? name : `${name}, line ${line}`;
  if (reason === "out_of_range" && lines === 0) return `${name}: there is no such file, or it is empty.`;
  if (reason === "out_of_range" && lines !== undefined)
    return `${where}: the file has ${plural(lines, "line")}. Make the diff again from the file as it is.`;
  if (reason !== "old_mismatch" || expected === undefined || found === undefined)
    return `${where}: ${message}`;
  const places = candidates.map((one) => one.line).join(", ");
  const elsewhere =
    places === "" ? "Make the diff again from the file as it is." : `That text is at line ${places}.`;
  return `${where}: the diff has ${echo(expected)}, the file ${echo(found)}. ${elsewhere}`;
}
