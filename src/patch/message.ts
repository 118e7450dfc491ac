// Owns: what a model reads after a patch: short when it worked, and when not, exactly what to send instead.
// Must never: let text or data grow with the number of conflicts. What to send again comes first, what is quoted last.

import { HoldfastError, say, sayAll, type Shown, type ShownData } from "../errors.ts";
import { checkOptionNames, type OptionNames, checkArgument } from "../text/options.ts";
import { plural } from "../text/plural.ts";
import type { Conflict } from "./conflict.ts";
import type { FileReport, PatchReport } from "./report.ts";

const SPELLED_OUT = 20;

/** How much of a report to put into words. */
export interface DescribeOptions {
  /** About how many characters the text may have, or the text and the data of an error together: 8,000 unless told. */
  readonly budget?: number;
}

const BUDGET = 8_000;
const DESCRIBE_OPTIONS: OptionNames<DescribeOptions> = { budget: true };

/**
 * The report in words. Says what was done to each file, or, when the patch does not apply, that nothing was written and
 * what to send instead for each operation that does not fit: at most 20 of them, within the budget, and how many more
 * there are.
 *
 * @example describeReport(applyPatch({ a: "1\n" }, [{ file: "a", line: 1, op: "delete", old: "1" }]))
 * // "1 operation on 1 file:\n- /workspace/a: +0 -1, now 0 lines"
 */
export function describeReport(report: PatchReport, options: DescribeOptions = {}): Shown {
  checkOptionNames(say`describeReport`, options, DESCRIBE_OPTIONS);
  checkArgument(say`describeReport: the report`, report, "object");
  return report.ok ? describeSuccess(report) : describeConflicts(report, options.budget ?? BUDGET);
}

/**
 * The error for a report that is not `ok`: code `conflict`, the reason of the first conflict. Its data hold `total` and, as
 * far as the budget goes, `conflicts`: what to send again for each, then what was expected and found. Never fails.
 *
 * @example
 * const report = applyPatch({ a: "1\n" }, [{ file: "a", line: 1, op: "delete", old: "2" }]);
 * if (!report.ok) throw conflictError(report); // conflict / old_mismatch
 */
export function conflictError(report: PatchReport, options: DescribeOptions = {}): HoldfastError {
  checkOptionNames(say`conflictError`, options, DESCRIBE_OPTIONS);
  checkArgument(say`conflictError: the report`, report, "object");
  const [first] = report.conflicts;
  const budget = options.budget ?? BUDGET;
  const message = describeConflicts(report, budget / 2);
  const conflicts = shownConflicts(report.conflicts, budget - message.length);
  return new HoldfastError("conflict", first?.reason ?? "invalid_patch", message, {
    data: { total: report.conflictCount, conflicts },
  });
}

function count(number: number, one: string): Shown {
  return plural(number, one) as Shown;
}

function describeSuccess({ files, statuses, warnings }: PatchReport): Shown {
  if (files.length === 0 && warnings.length === 0) return say`The patch is empty; nothing changed.`;
  const lines = files.slice(0, SPELLED_OUT).map(describeFile);
  if (files.length > SPELLED_OUT) lines.push(say`\n- and ${count(files.length - SPELLED_OUT, "more file")}`);
  for (const { index, message } of warnings.slice(0, SPELLED_OUT))
    lines.push(
      index === undefined ? say`\n[Warning] ${message}` : say`\n[Warning] operations[${index}]: ${message}`,
    );
  if (warnings.length > SPELLED_OUT)
    lines.push(say`\n[Warning] and ${count(warnings.length - SPELLED_OUT, "more warning")}`);
  const head =
    files.length === 0
      ? say`The patch changes no line`
      : say`${count(statuses.length, "operation")} on ${count(files.length, "file")}`;
  return say`${head}:${sayAll(lines, "")}`;
}

function describeFile({ path, status, added, removed, linesAfter }: FileReport): Shown {
  const size = count(linesAfter, "line");
  if (status === "already_applied") return say`\n- ${path}: already applied, not changed again`;
  if (status === "removed") return say`\n- ${path}: removed`;
  if (status === "unchanged") return say`\n- ${path}: nothing to change, ${size}`;
  return say`\n- ${path}: ${status === "created" ? say`created, ` : say``}+${added} -${removed}, now ${size}`;
}

function describeConflicts({ conflicts, conflictCount, statuses }: PatchReport, budget: number): Shown {
  const misfits = statuses.filter((status) => status !== "fits" && status !== "already_applied").length;
  const head =
    misfits === 0
      ? say`The patch does not fit`
      : say`${misfits} of ${count(statuses.length, "operation")} ${misfits === 1 ? say`does` : say`do`} not fit`;
  const tail = sayAll([shiftHints(conflicts), othersHint(misfits, statuses.length - misfits)], "");
  const lines: Shown[] = [];
  let room = budget - head.length - tail.length;
  for (const conflict of conflicts.slice(0, SPELLED_OUT)) {
    const line = say`\n- ${placeOf(conflict)}: ${conflict.message}`;
    room -= line.length;
    // The first is always said: an error without any would not help.
    if (room < 0 && lines.length > 0) break;
    lines.push(line);
  }
  const more =
    conflictCount > lines.length
      ? say`\n- and ${conflictCount - lines.length} more: correct these and send the patch again to see them`
      : say``;
  return say`${head}; nothing was written. Send the whole patch again with ${conflictCount === 1 ? say`this` : say`these`} corrected:${sayAll(lines, "")}${more}${tail}`;
}

function othersHint(misfits: number, others: number): Shown {
  if (misfits === 0 || others === 0) return say``;
  return others === 1
    ? say`\nThe other operation fits: send it again as it is.`
    : say`\nThe other ${others} operations fit: send them again as they are.`;
}

/** One sentence for each file whose failed operations are all off by the same number of lines. */
function shiftHints(conflicts: readonly Conflict[]): Shown {
  const shifts = new Map(conflicts.filter((c) => c.shift !== undefined).map((c) => [c.path, c.shift ?? 0]));
  const hints = [...shifts].slice(0, SPELLED_OUT).map(([path, shift]) => {
    const [by, where] =
      shift > 0 ? [say`add ${shift} to`, say`further down`] : [say`take ${-shift} from`, say`further up`];
    return say`\nAll failed operations on ${path} fit ${count(Math.abs(shift), "line")} ${where}: ${by} their "line", and check the inserts near them.`;
  });
  return sayAll(hints, "");
}

function placeOf({ index, op, line, path }: Conflict): Shown {
  if (index === undefined) return path;
  return say`operations[${index}] (${(op ?? "") as Shown} line ${line ?? 0} of ${path})`;
}

/** As many conflicts as the budget holds: all that is needed to send them again first, then what was quoted. */
function shownConflicts(conflicts: readonly Conflict[], budget: number): ShownData[] {
  const shown: { [key: string]: ShownData }[] = [];
  let room = budget;
  for (const conflict of conflicts) {
    const data = essentials(conflict);
    room -= JSON.stringify(data).length;
    if (room < 0 && shown.length > 0) break;
    shown.push(data);
  }
  for (const [i, data] of shown.entries()) {
    const extra = quotations(conflicts[i] as Conflict);
    room -= JSON.stringify(extra).length;
    if (room < 0) break;
    Object.assign(data, extra);
  }
  return shown;
}

/** What code needs to correct the operation. Text to be sent again is as it is, not quoted. */
function essentials(conflict: Conflict): { [key: string]: ShownData } {
  const { index, path, line, op, reason, column, difference, candidates, similar, shift, lines, token } =
    conflict;
  const { resend } = conflict;
  return {
    ...(index === undefined ? {} : { index }),
    path,
    ...(line === undefined ? {} : { line }),
    ...(op === undefined ? {} : { op: op as Shown }),
    reason: reason as Shown,
    ...(resend === undefined
      ? {}
      : {
          resend: {
            ...(resend.line === undefined ? {} : { line: resend.line }),
            ...(resend.old === undefined ? {} : { old: resend.old as Shown }),
          },
        }),
    ...(column === undefined ? {} : { column }),
    ...(difference === undefined ? {} : { difference: difference as Shown }),
    ...(candidates === undefined
      ? {}
      : { candidates: candidates.map((c) => ({ line: c.line, match: c.match as Shown })) }),
    ...(similar === undefined ? {} : { similar }),
    ...(shift === undefined ? {} : { shift }),
    ...(lines === undefined ? {} : { lines }),
    ...(token === undefined ? {} : { token: token as Shown }),
  };
}

function quotations({ expected, found, message }: Conflict): { [key: string]: ShownData } {
  return {
    message,
    ...(expected === undefined ? {} : { expected: expected as Shown }),
    ...(found === undefined ? {} : { found: found as Shown }),
  };
}
