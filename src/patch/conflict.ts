// Owns: a conflict as data, and finding out all that helps to correct it: what is there, where the text went.
// Must never: hold more of a line than a reader can use, or advise to send a text that is not shown whole.

import { say, sayAll, echo, type Shown } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import { findCandidates, type PatchCandidate, type Wanted } from "./_candidates.ts";
import { firstDifference } from "../text/first-difference.ts";
import { differenceOf, showOddSpaces, type Difference } from "./_difference.ts";
import { dropEnding } from "./_new-text.ts";
import type { Misfit } from "./_plan.ts";
import { mostSimilarLine } from "../text/similar-line.ts";
import { isLowSurrogate } from "../text/surrogate.ts";
import type { Steps } from "../text/steps.ts";
import type { TextLines } from "../text/text-lines.ts";
import type { Operation, OperationName, PatchReason } from "./operation.ts";

/** Why one operation, or one file, cannot be patched. Nothing of the patch is applied when there is one. */
export interface Conflict {
  /** Index of the operation, from 0; absent when the file as a whole is refused. */
  readonly index?: number;
  /** The file as the patch names it. */
  readonly file: string;
  /** The file as a workspace path. */
  readonly path: WorkspacePath;
  /** The line, counted from 1 in the file before the patch. */
  readonly line?: number;
  /** What the operation wanted to do. */
  readonly op?: OperationName;
  /** Why it cannot be applied. */
  readonly reason: PatchReason;
  /** old_mismatch: the text that `old` names and the text that is there, or the part of them around the difference. */
  readonly expected?: string;
  /** What is there instead. */
  readonly found?: string;
  /** old_mismatch: the first column that differs, from 1, in code points. */
  readonly column?: number;
  /** How expected and found text differ, where that can be said in a word. */
  readonly difference?: Difference;
  /** old_mismatch: other lines that hold the expected text. */
  readonly candidates?: readonly PatchCandidate[];
  /** old_mismatch: the line that is most like the expected text, where no line holds it. */
  readonly similar?: number;
  /** old_mismatch: how many lines further down all failed operations of this file fit. */
  readonly shift?: number;
  /** The fields to send instead, where one correction is certain. `old` is the whole text of the line. */
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
/** Conflicts of one file for which the most similar line is looked for. */
const MOST_COMPARED = 10;
/** Characters of a line that a message shows, and that a conflict repeats to be sent again. */
const SHOWN_CHARS = 200;
const RESENT_CHARS = 2_000;
/** Bytes of found lines that are compared in full to say how they differ; beyond, their first bytes are. */
const COMPARED_BYTES = 1 << 24;
const COMPARED_HEAD = 4_096;

export interface ConflictPlace {
  readonly file: string;
  readonly path: WorkspacePath;
  readonly exists: boolean;
  /** For a file that does not exist: the name of one that was perhaps meant. */
  readonly meant?: WorkspacePath | undefined;
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
  const conflicts: Conflict[] = [];
  let room = COMPARED_BYTES;
  let compared = 0;
  for (const misfit of misfits) {
    const operation = operations[misfit.op] as Operation;
    if (misfit.reason === "old_mismatch") {
      const { saw } = misfit;
      const size = typeof saw === "number" ? lines.end(saw) - lines.start(saw) : (saw ?? "").length;
      room -= size;
      const there = foundText(lines, saw, room > 0 ? Infinity : COMPARED_HEAD);
      const nearby = candidates.get(misfit.op);
      let similar: number | undefined;
      if (nearby?.length === 0 && typeof saw === "number" && compared < MOST_COMPARED) {
        compared++;
        similar = yield* mostSimilarLine(lines, { line: saw, text: dropEnding(operation.old ?? "") });
      }
      conflicts.push(mismatch(place, operation, misfit, there, nearby ?? [], similar, shift));
      if (size > COMPARED_HEAD) yield;
    } else if (misfit.reason === "out_of_range") conflicts.push(outOfRange(place, operation, misfit));
    else
      conflicts.push(
        conflictOf(place, operation, misfit.op, {
          reason: "line_already_deleted",
          message: say`an earlier operation deletes this line. Drop this one; to put text there, use insert at the same line.`,
        }),
      );
  }
  return conflicts;
}

/** What is there instead of the expected text. */
interface Found {
  readonly text: string;
  readonly isWhole: boolean;
}

function foundText(lines: TextLines, saw: number | string | undefined, maxBytes: number): Found {
  if (typeof saw === "number") {
    const text = lines.text(saw, maxBytes);
    return { text, isWhole: lines.end(saw) - lines.start(saw) <= maxBytes };
  }
  const text = dropEnding(saw ?? "");
  return { text: text.slice(0, maxBytes), isWhole: text.length <= maxBytes };
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
    message: place.exists ? rangeHint(operation, count) : missingHint(operation, place.meant),
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

function missingHint(operation: Operation, meant: WorkspacePath | undefined): Shown {
  const create =
    operation.op === "insert"
      ? say`To create it, send "line": 1 in every insert.`
      : say`To create it, use insert at line 1.`;
  return meant === undefined
    ? say`the file does not exist, so it has no lines. Correct "file". ${create}`
    : say`the file does not exist, so it has no lines. Did you mean ${meant}? Correct "file". ${create}`;
}

function mismatch(
  place: ConflictPlace,
  operation: Operation,
  { op: index, saw, insertedBy }: Misfit,
  there: Found,
  candidates: readonly PatchCandidate[],
  similar: number | undefined,
  shift: number | undefined,
): Conflict {
  const wanted = dropEnding(operation.old ?? "");
  const difference = differenceOf(wanted, there.text);
  const { at, column } = firstDifference(wanted, there.text);
  const expected = partAround(wanted, at);
  const found = partAround(there.text, at);
  const common = { reason: "old_mismatch" as const, expected, found, column, difference, candidates };
  const conflict = (message: Shown, more: Partial<Conflict> = {}): Conflict =>
    conflictOf(place, operation, index, { ...common, ...more, message });
  if (isSeveralLines(operation))
    return conflict(
      say`"old" holds several lines, but an operation covers one line. Found ${quoted(found)}. Send one operation for each line.`,
    );
  const kind = difference === "text" ? say`` : say` Only ${NAMES[difference]}.`;
  const says = say`"old" does not match. Expected ${quoted(expected)}, found ${quoted(found)}; first difference at column ${column}.${kind}`;
  const sendIt = resendHint(there, saw);
  if (insertedBy !== undefined)
    return conflict(
      say`${says} operations[${insertedBy}] inserts the expected text; line numbers are those of the original file. Put the text you want into that insert and drop this operation.`,
    );
  if (typeof saw !== "number")
    return conflict(
      say`${says} An earlier operation of this patch put that text there. Send it as "old", or drop one of the two.`,
    );
  if (difference !== "text" && difference !== "letter case") {
    const marker =
      difference === "diff marker" && operation.new?.startsWith("+") === true
        ? say` Take the "+" off "new" too.`
        : say``;
    return conflict(say`${says} If you mean this line, ${sendIt}.${marker}`, resendOld(there));
  }
  const exact = candidates.filter(({ match }) => match === "exact");
  if (place.numbering === "offset" && exact.length > 0)
    return conflict(
      say`${says} The expected text is line ${exact[0]?.line ?? 0} of the original file. With offset numbering every insert and delete before this operation moves its line, wherever it lies: order the operations by line, or use original numbering.`,
    );
  const only = exact.length === 1 ? exact[0]?.line : undefined;
  const target = shift === undefined ? only : operation.line + shift;
  // A line that differs in letter case only is the nearest miss of all.
  const here = difference === "letter case" && (target ?? candidates[0]) !== undefined;
  const thisLine = here ? say`If you mean this line, ${sendIt}. Otherwise: ` : say``;
  return conflict(say`${says} ${thisLine}${whereHint(exact, candidates, target, similar, saw, sendIt)}`, {
    ...(shift === undefined ? {} : { shift }),
    ...(similar === undefined ? {} : { similar }),
    ...(target === undefined ? {} : { resend: { line: target } }),
  });
}

/** At most SHOWN_CHARS of a text around the place where it differs; what is cut off is marked. */
function partAround(text: string, at: number): string {
  if (text.length <= SHOWN_CHARS) return text;
  const from = at < SHOWN_CHARS / 2 ? 0 : Math.min(at - SHOWN_CHARS / 4, text.length - SHOWN_CHARS);
  const to = from + SHOWN_CHARS;
  const part = text.slice(
    isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from,
    isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to,
  );
  return `${from > 0 ? "..." : ""}${part}${to < text.length ? "..." : ""}`;
}

function quoted(text: string): Shown {
  return showOddSpaces(echo(text, SHOWN_CHARS + 6));
}

/** How to say what is there: the text itself, or, where it is too long to repeat, how to come by it. */
function resendHint({ text, isWhole }: Found, saw: number | string | undefined): Shown {
  if (isWhole && text.length <= RESENT_CHARS)
    return say`send "old": ${showOddSpaces(echo(text, RESENT_CHARS))}`;
  const line = typeof saw === "number" ? say`line ${saw}` : say`the line`;
  return say`read ${line}, which is too long to be repeated here, and send all of it as "old" (or leave "old" out to replace it unchecked)`;
}

function resendOld({ text, isWhole }: Found): Partial<Conflict> {
  return isWhole && text.length <= RESENT_CHARS ? { resend: { old: text } } : {};
}

const NAMES: { readonly [D in Exclude<Difference, "text">]: Shown } = {
  "trailing blanks": say`blanks at the end differ`,
  "no-break spaces": say`no-break or other special spaces differ from plain ones`,
  blanks: say`blanks differ`,
  "look-alike characters": say`look-alike characters differ (quotes, dashes, invisible ones, Unicode form)`,
  "letter case": say`letter case differs`,
  "line number": say`a line number in front of the text is too much`,
  "diff marker": say`the mark of a diff ("-", "+" or a blank) in front of the text is too much`,
};

function whereHint(
  exact: readonly PatchCandidate[],
  candidates: readonly PatchCandidate[],
  target: number | undefined,
  similar: number | undefined,
  saw: number,
  sendIt: Shown,
): Shown {
  if (target !== undefined)
    return say`The expected text is at line ${target}: send "line": ${target}. Lines are those of the original file; earlier operations do not move them.`;
  const numbers = (list: readonly PatchCandidate[]): Shown => sayAll(list.map(({ line }) => say`${line}`));
  if (exact.length > 0)
    return say`The expected text is at lines ${numbers(exact)}: send the "line" you mean.`;
  if (candidates.length > 0)
    return say`Nearly the same text is at ${candidates.length === 1 ? say`line` : say`lines`} ${numbers(candidates)}: read it and send its "line" and exact text.`;
  if (similar !== undefined && similar !== saw)
    return say`The expected text is not in the file; line ${similar} is most like it: read that line and send its "line" and exact text. If you mean line ${saw}, ${sendIt}.`;
  return say`The expected text is not in the file: the line has changed, or this was applied before. If you mean this line, ${sendIt}.`;
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
