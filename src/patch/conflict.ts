// Owns: a conflict as data, and finding out all that helps to correct it: what is there, where the text went.
// Must never: hold more of a line than a reader can use.

import { say, sayAll, echo, type Shown } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import { findCandidates, type PatchCandidate, type Wanted } from "./_candidates.ts";
import { differenceOf, firstDifferentColumn, type Difference } from "./_difference.ts";
import { dropEnding } from "./_new-text.ts";
import type { Misfit } from "./_plan.ts";
import type { Steps } from "../text/steps.ts";
import type { TextLines } from "../text/text-lines.ts";
import type { Operation, OperationName, PatchReason } from "./operation.ts";

/** Why one operation, or one file, cannot be patched. Nothing of the patch is applied when there is one. */
export interface Conflict {
  /** Index of the operation, from 0; absent when the file as a whole is refused. */
  readonly index?: number;
  readonly file: string;
  readonly path: WorkspacePath;
  readonly line?: number;
  readonly op?: OperationName;
  readonly reason: PatchReason;
  /** old_mismatch: the text that `old` names and the text that is there. Long ones are cut. */
  readonly expected?: string;
  readonly found?: string;
  /** old_mismatch: the first column that differs, from 1, in code points. */
  readonly column?: number;
  readonly difference?: Difference;
  /** old_mismatch: other lines that hold the expected text. */
  readonly candidates?: readonly PatchCandidate[];
  /** old_mismatch: how many lines further down all failed operations of this file fit. */
  readonly shift?: number;
  /** The fields to send instead, where one correction is certain. */
  readonly resend?: { readonly line?: number; readonly old?: string };
  /** out_of_range: how many lines the file has. */
  readonly lines?: number;
  /** stale_base: the token the file has now. */
  readonly token?: string;
  /** What is wrong and what to send instead. */
  readonly message: Shown;
}

/** Conflicts of one file for which the file is searched; those beyond are described without candidates. */
const MOST_SEARCHED = 50;
/** Bytes of a line that are shown, and that are compared to say how two lines differ. */
const SHOWN_BYTES = 2_000;

export interface ConflictPlace {
  readonly file: string;
  readonly path: WorkspacePath;
  readonly exists: boolean;
  /** With offset numbering the number of a line is not the number to send. */
  readonly numbering: "original" | "offset";
}

/** Describes the operations of one file that do not fit. One pass over the file at most, whatever their number. */
export function* describeMisfits(
  place: ConflictPlace,
  lines: TextLines,
  operations: readonly Operation[],
  misfits: readonly Misfit[],
): Steps<Conflict[]> {
  const searched = misfits
    .filter(({ op, saw }) => saw !== undefined && !isSeveralLines(operations[op] as Operation))
    .slice(0, MOST_SEARCHED);
  const wanted = searched.map(({ op, saw }): Wanted => {
    const { line, old = "" } = operations[op] as Operation;
    return { line: typeof saw === "number" ? saw : line, text: dropEnding(old) };
  });
  const found = wanted.length === 0 ? [] : yield* findCandidates(lines, wanted);
  const candidates = new Map(searched.map(({ op }, i) => [op, found[i] ?? []] as const));
  const shift = place.numbering === "original" ? commonShift(wanted, found) : undefined;
  return misfits.map((misfit) => {
    const operation = operations[misfit.op] as Operation;
    if (misfit.reason === "old_mismatch")
      return mismatch(place, lines, operation, misfit, candidates.get(misfit.op) ?? [], shift);
    return misfit.reason === "out_of_range"
      ? outOfRange(place, operation, misfit)
      : conflictOf(place, operation, misfit.op, {
          reason: "line_already_deleted",
          message: say`an earlier operation deletes this line. Drop this one; to put text there, use insert at the same line.`,
        });
  });
}

/** A conflict of an operation, with where it is. */
export function conflictOf(
  place: ConflictPlace,
  operation: Operation,
  index: number,
  rest: Pick<Conflict, "reason" | "message"> & Partial<Conflict>,
): Conflict {
  const { line, op } = operation;
  return { index, file: place.file, path: place.path, line, op, ...rest };
}

function outOfRange(place: ConflictPlace, operation: Operation, { op: index, count = 0 }: Misfit): Conflict {
  return conflictOf(place, operation, index, {
    reason: "out_of_range",
    lines: count,
    message: place.exists ? say`${rangeHint(operation, count)}` : missingHint(operation),
  });
}

function rangeHint(operation: Operation, count: number): Shown {
  const size = count === 1 ? say`the file has 1 line` : say`the file has ${count} lines`;
  if (operation.op === "insert")
    return say`${size}. To append, send "line": ${count + 1}, for each line that is appended.`;
  return count === 0
    ? say`the file is empty. Use insert at line 1.`
    : say`${size}. Lines are those of the original file: send a number from 1 to ${count}, or drop this operation.`;
}

function missingHint(operation: Operation): Shown {
  return operation.op === "insert"
    ? say`the file does not exist, so it has no lines. To create it, send "line": 1 in every insert.`
    : say`the file does not exist. Correct "file"; to create it, use insert at line 1.`;
}

function mismatch(
  place: ConflictPlace,
  lines: TextLines,
  operation: Operation,
  { op: index, saw, insertedBy }: Misfit,
  candidates: readonly PatchCandidate[],
  shift: number | undefined,
): Conflict {
  const expected = dropEnding(operation.old ?? "").slice(0, SHOWN_BYTES);
  const isOriginal = typeof saw === "number";
  const found = isOriginal ? lines.text(saw, SHOWN_BYTES) : dropEnding(saw ?? "").slice(0, SHOWN_BYTES);
  const isWhole = found.length < SHOWN_BYTES / 4;
  const difference = isWhole ? differenceOf(expected, found) : "text";
  const column = firstDifferentColumn(expected, found);
  const common = { reason: "old_mismatch" as const, expected, found, column, difference, candidates };
  const says = say`"old" does not match. Expected ${echo(expected, 200)}, found ${echo(found, 200)}; first difference at column ${column}.`;
  if (isSeveralLines(operation))
    return conflictOf(place, operation, index, {
      ...common,
      message: say`"old" holds several lines, but an operation covers one line. Found ${echo(found, 200)}. Send one operation for each line.`,
    });
  if (insertedBy !== undefined)
    return conflictOf(place, operation, index, {
      ...common,
      message: say`${says} operations[${insertedBy}] inserts the expected text; line numbers are those of the original file. Put the text you want into that insert and drop this operation.`,
    });
  if (!isOriginal)
    return conflictOf(place, operation, index, {
      ...common,
      message: say`${says} An earlier operation of this patch put that text there. Send it as "old", or drop one of the two.`,
    });
  if (difference !== "text" && difference !== "letter case")
    return conflictOf(place, operation, index, {
      ...common,
      resend: { old: found },
      message: say`${says} Only ${NAMES[difference]}. If you mean this line, send "old": ${echo(found, 400)}.`,
    });
  const exact = candidates.filter(({ match }) => match === "exact");
  if (place.numbering === "offset" && exact.length > 0)
    return conflictOf(place, operation, index, {
      ...common,
      message: say`${says} The expected text is line ${exact[0]?.line ?? 0} of the original file. With offset numbering every insert and delete before this operation moves its line, wherever it lies: order the operations by line, or use original numbering.`,
    });
  const only = exact.length === 1 ? exact[0]?.line : undefined;
  const target = shift === undefined ? only : operation.line + shift;
  return conflictOf(place, operation, index, {
    ...common,
    ...(shift === undefined ? {} : { shift }),
    ...(target === undefined ? {} : { resend: { line: target } }),
    message: say`${says} ${whereHint(exact, candidates, target, found)}`,
  });
}

const NAMES: { readonly [D in Exclude<Difference, "text">]: Shown } = {
  "trailing blanks": say`blanks at the end differ`,
  blanks: say`blanks differ`,
  "look-alike characters": say`look-alike characters differ (quotes, dashes, blanks, Unicode form)`,
  "letter case": say`letter case differs`,
  "line number": say`a line number in front of the text is too much`,
};

function whereHint(
  exact: readonly PatchCandidate[],
  candidates: readonly PatchCandidate[],
  target: number | undefined,
  found: string,
): Shown {
  if (target !== undefined)
    return say`The expected text is at line ${target}: send "line": ${target}. Lines are those of the original file; earlier operations do not move them.`;
  const numbers = (list: readonly PatchCandidate[]): Shown => sayAll(list.map(({ line }) => say`${line}`));
  if (exact.length > 0)
    return say`The expected text is at lines ${numbers(exact)}: send the "line" you mean.`;
  if (candidates.length > 0)
    return say`Nearly the same text is at ${candidates.length === 1 ? say`line` : say`lines`} ${numbers(candidates)}: read it and send its "line" and exact text.`;
  return say`The expected text is not in the file: the file has changed, or this was applied before. Read it again; if you mean this line, send "old": ${echo(found, 400)}.`;
}

/** The one distance at which all wanted texts are; the shortest if there are several. */
function commonShift(
  wanted: readonly Wanted[],
  found: readonly (readonly PatchCandidate[])[],
): number | undefined {
  if (wanted.length < 2) return undefined;
  let shared: number[] | undefined;
  for (const [i, { line }] of wanted.entries()) {
    const shifts = (found[i] ?? []).filter(({ match }) => match === "exact").map((c) => c.line - line);
    shared = shared === undefined ? shifts : shared.filter((shift) => shifts.includes(shift));
    if (shared.length === 0) return undefined;
  }
  return shared?.reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a));
}

function isSeveralLines(operation: Operation): boolean {
  return dropEnding(operation.old ?? "").includes("\n");
}
