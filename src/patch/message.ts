// Owns: what a model reads after a patch: short when it worked, and when not, exactly what to send instead.

import { echo, HoldfastError, say, sayAll, type Shown, type ShownData } from "../errors.ts";
import type { Conflict } from "./conflict.ts";
import type { FileReport, PatchReport } from "./report.ts";

const SPELLED_OUT = 20;

/**
 * The report in words. Says what was done to each file, or, when the patch does not apply, that nothing was written and
 * what to send instead for each operation that does not fit.
 */
export function describeReport(report: PatchReport): Shown {
  return report.ok ? describeSuccess(report) : describeConflicts(report);
}

/** The error for a report that is not `ok`: code `conflict`, the reason of the first conflict, all of them as data. */
export function conflictError(report: PatchReport): HoldfastError {
  const [first] = report.conflicts;
  return new HoldfastError("conflict", first?.reason ?? "invalid_patch", describeConflicts(report), {
    data: { total: report.conflictCount, conflicts: report.conflicts.map(shownConflict) },
  });
}

function describeSuccess({ files, statuses, warnings }: PatchReport): Shown {
  if (files.length === 0) return say`The patch is empty; nothing changed.`;
  const count = statuses.length === 1 ? say`1 operation` : say`${statuses.length} operations`;
  const lines = files.slice(0, SPELLED_OUT).map(describeFile);
  if (files.length > SPELLED_OUT) lines.push(say`\n- and ${files.length - SPELLED_OUT} more files`);
  for (const { index, message } of warnings.slice(0, SPELLED_OUT))
    lines.push(
      index === undefined ? say`\n[Warning] ${message}` : say`\n[Warning] operations[${index}]: ${message}`,
    );
  if (warnings.length > SPELLED_OUT)
    lines.push(say`\n[Warning] and ${warnings.length - SPELLED_OUT} more warnings`);
  return say`${count} on ${files.length === 1 ? say`1 file` : say`${files.length} files`}:${sayAll(lines, "")}`;
}

function describeFile({ path, status, added, removed, linesAfter }: FileReport): Shown {
  const size = linesAfter === 1 ? say`1 line` : say`${linesAfter} lines`;
  if (status === "already_applied") return say`\n- ${path}: already applied, not changed again`;
  if (status === "removed") return say`\n- ${path}: removed`;
  if (status === "unchanged") return say`\n- ${path}: nothing to change, ${size}`;
  return say`\n- ${path}: ${status === "created" ? say`created, ` : say``}+${added} -${removed}, now ${size}`;
}

function describeConflicts({ conflicts, conflictCount, statuses }: PatchReport): Shown {
  const lines = conflicts
    .slice(0, SPELLED_OUT)
    .map((conflict) => say`\n- ${placeOf(conflict)}: ${conflict.message}`);
  if (conflictCount > lines.length) lines.push(say`\n- and ${conflictCount - lines.length} more`);
  const misfits = statuses.filter((status) => status !== "fits" && status !== "already_applied").length;
  const others = statuses.length - misfits;
  const shifts = shiftHints(conflicts);
  const rest =
    misfits === 0
      ? say``
      : others === 0
        ? say``
        : others === 1
          ? say`\nThe other operation fits: send it again as it is.`
          : say`\nThe other ${others} operations fit: send them again as they are.`;
  const head =
    misfits === 0
      ? say`The patch does not fit`
      : say`${misfits} of ${statuses.length} ${statuses.length === 1 ? say`operation does` : say`operations do`} not fit`;
  return say`${head}; nothing was written. Send the whole patch again with these corrected:${sayAll(lines, "")}${shifts}${rest}`;
}

/** One sentence for each file whose failed operations are all off by the same number of lines. */
function shiftHints(conflicts: readonly Conflict[]): Shown {
  const shifts = new Map(conflicts.filter((c) => c.shift !== undefined).map((c) => [c.path, c.shift ?? 0]));
  const hints = [...shifts].map(([path, shift]) => {
    const [by, where] =
      shift > 0 ? [say`add ${shift} to`, say`further down`] : [say`take ${-shift} from`, say`further up`];
    return say`\nAll failed operations on ${path} fit ${Math.abs(shift)} lines ${where}: ${by} their "line", and check the inserts near them.`;
  });
  return sayAll(hints, "");
}

function placeOf({ index, op, line, path }: Conflict): Shown {
  if (index === undefined) return path;
  return say`operations[${index}] (${(op ?? "") as Shown} line ${line ?? 0} of ${path})`;
}

/** The conflict as data that may leave the house: what comes from files and callers is quoted and cut. */
function shownConflict(conflict: Conflict): ShownData {
  const { index, path, line, op, reason, expected, found, column, difference, candidates, resend } = conflict;
  return {
    ...(index === undefined ? {} : { index }),
    path,
    ...(line === undefined ? {} : { line }),
    ...(op === undefined ? {} : { op: op as Shown }),
    reason: reason as Shown,
    ...(expected === undefined ? {} : { expected: echo(expected, 1_000) }),
    ...(found === undefined ? {} : { found: echo(found, 1_000) }),
    ...(column === undefined ? {} : { column }),
    ...(difference === undefined ? {} : { difference: difference as Shown }),
    ...(candidates === undefined
      ? {}
      : { candidates: candidates.map((c) => ({ line: c.line, match: c.match as Shown })) }),
    ...(conflict.shift === undefined ? {} : { shift: conflict.shift }),
    ...(conflict.lines === undefined ? {} : { lines: conflict.lines }),
    ...(conflict.token === undefined ? {} : { token: echo(conflict.token) }),
    ...(resend === undefined
      ? {}
      : {
          resend: {
            ...(resend.line === undefined ? {} : { line: resend.line }),
            ...(resend.old === undefined ? {} : { old: echo(resend.old, 1_000) }),
          },
        }),
    message: conflict.message,
  };
}
