// Owns: one block of an edit in its file: where it goes, or why it has no place.
// Must never: change the file unless the block has exactly one place.

import { echo, say, sayAll, type Shown } from "../../errors.ts";
import type { Steps } from "../../text/steps.ts";
import { choosePlaces } from "./choose-place.ts";
import type { BlockLine, EditBlock } from "./edit.ts";
import type { EditProblem } from "./edit-problems.ts";
import { elisionsIn, leftOutIn } from "./elision.ts";
import { findBlock, fitsAt, type BlockMatch } from "./find-block.ts";
import { describeDoubt, describeMiss, newLines, sinceWhere } from "./nearest-block.ts";
import type { WorkingFile } from "./working-file.ts";

/** A block that was not found exactly where and as it was written. */
export interface EditNote {
  /** Line of the text of the edits. */
  readonly at: number;
  /** Its name as it was spelled, quoted. */
  readonly file: Shown;
  /** The line of the file where it was placed. */
  readonly line: number;
  /** How it was found. */
  readonly match: BlockMatch;
  /** The same as a sentence. */
  readonly message: Shown;
}

/** Why lines have no place. */
type Refusal = Pick<EditProblem, "reason" | "message">;

/** A block in its place: where it ends, and what was not exact. */
interface PlacedBlock {
  readonly end: number;
  readonly note?: EditNote | undefined;
}

/**
 * Puts a block into the file called `name`. `cursor`: where the block before it ended. `isBrief`: a block that is not found
 * is refused without looking for what is near.
 */
export function* placeBlock(
  file: WorkingFile,
  name: string,
  block: EditBlock,
  cursor: number,
  isBrief: boolean,
): Steps<Refusal | PlacedBlock> {
  const { lines } = block;
  const elision = elisionIn(lines, name, file);
  if (elision !== undefined) return elision;
  const hasOld = lines.some(({ kind }) => kind !== "+");
  const given = block.start === undefined ? undefined : file.indexOf(block.start);
  // Lines that come where others came before may be the same ones again.
  const isAgain = !hasOld && given !== undefined && file.isNew(given - 1);
  if (given !== undefined && !isAgain && fitsAt(file, lines, given))
    return cameBefore(file, block, given) ?? { end: file.change(given, lines, asWritten) };
  if (!hasOld) return insert(file, block);
  const found = yield* findBlock(file, lines);
  if (found === undefined) {
    if (isBrief) return refusal("old_mismatch", say`these lines are not in the file.`);
    return yield* notFound(file, name, lines);
  }
  const places = choosePlaces(file, found.at, block, cursor);
  const [at] = places;
  if (places.length !== 1 || at === undefined)
    return refusal("ambiguous", describeDoubt(file, found.at, block, places.length));
  const again = cameBefore(file, block, at);
  if (again !== undefined) return again;
  const note = noteOf(block, name, file.lineNumber(at), found.match);
  return { end: file.change(at, lines, found.shift(at)), note };
}

function refusal(reason: EditProblem["reason"], message: Shown): Refusal {
  return { reason, message };
}

/** Why the old lines of a block are not in the file. */
function* notFound(file: WorkingFile, name: string, lines: readonly BlockLine[]): Steps<Refusal> {
  const elided = unheld(leftOutIn(lines, name), file);
  if (elided !== undefined)
    return refusal(
      "elision",
      say`${echo(elided)} stands for lines that were left out. Write the lines themselves, or send two smaller blocks.`,
    );
  const already = yield* findBlock(file, newLines(lines));
  const hasNew = lines.some(({ kind }) => kind === "+");
  if (already?.match === "exact" && already.at.length === 1 && hasNew)
    return refusal(
      "old_mismatch",
      say`the old lines are not in the file, and the new ones are, ${sinceWhere(file, already.at[0] as number)}: the block seems to be applied already. Leave it out.`,
    );
  return refusal("old_mismatch", describeMiss(file, lines));
}

/** Refuses a hunk at the end or the beginning of a file whose lines are there already. */
function cameBefore(file: WorkingFile, block: EditBlock, at: number): Refusal | undefined {
  if (!isOpenEnded(block)) return undefined;
  const first = block.lines.findIndex(({ kind }) => kind === " ");
  const end = block.lines.findLastIndex(({ kind }) => kind === " ") + 1;
  const stays = block.lines.filter(({ kind }) => kind === " ").length;
  const [before, after] = [block.lines.slice(0, first), block.lines.slice(end)];
  const isAt = (lines: readonly BlockLine[], place: number): boolean =>
    lines.length > 0 &&
    place >= 0 &&
    place + lines.length <= file.count &&
    lines.every(({ text }, i) => file.text(place + i) === text);
  if (!isAt(before, at - before.length) && !isAt(after, at + stays)) return undefined;
  return refusal(
    "ambiguous",
    say`the new lines are there already, ${sinceWhere(file, at)}: the hunk seems to be applied already. Leave it out; if they are to come once more, send the lines on both sides of them too.`,
  );
}

/**
 * Does a hunk with a number only bring lines, with none after them, or before them, that stay? Then they go to the end, or the beginning,
 * of the file, and the hunk fits again once they are there.
 */
export function isOpenEnded({ lines, start }: EditBlock): boolean {
  const hasBoth = lines.some(({ kind }) => kind === " ") && lines.some(({ kind }) => kind === "+");
  if (start === undefined || !hasBoth || lines.some(({ kind }) => kind === "-")) return false;
  return lines[0]?.kind === "+" || lines.at(-1)?.kind === "+";
}

/** Lines that come, with none around them that tell where. */
function insert(file: WorkingFile, { lines, isAtEnd }: EditBlock): Refusal | PlacedBlock {
  if (file.count === 0 || isAtEnd) return { end: file.change(file.count, lines, asWritten) };
  return refusal(
    "ambiguous",
    say`nothing tells where the new lines go. Send the line before or after them too.`,
  );
}

function noteOf(block: EditBlock, name: string, line: number, match: BlockMatch): EditNote | undefined {
  const how =
    match === "indentation"
      ? say`with another indentation, which the new lines took over`
      : match === "trailing_blanks"
        ? say`with other blanks at the ends of lines`
        : undefined;
  const moved =
    block.start !== undefined && block.start !== line
      ? say`at line ${line} instead of ${block.start}`
      : undefined;
  if (how === undefined && moved === undefined) return undefined;
  const message = sayAll([moved ?? say`at line ${line}`, ...(how === undefined ? [] : [how])], " ");
  return { at: block.at, file: echo(name), line, match, message: say`${echo(name)}: placed ${message}` };
}

/** Refuses lines that come and stand for others. */
export function elisionIn(lines: readonly BlockLine[], name: string, file: WorkingFile): Refusal | undefined {
  const line = unheld(elisionsIn(lines, name), file);
  if (line === undefined) return undefined;
  return refusal(
    "elision",
    say`${echo(line)} stands for lines that were left out, and would be written as it is. Write the lines themselves, or send a smaller block; if it is meant as text, word it otherwise.`,
  );
}

/** The first of some lines that the file does not hold: one that it holds is text, whatever it says. */
function unheld(suspects: readonly string[], file: WorkingFile): string | undefined {
  if (suspects.length === 0) return undefined;
  const known = new Set(linesIn(file, " ").map(({ text }) => text.trim()));
  return suspects.find((text) => !known.has(text.trim()));
}

/** All lines of the file. */
export function linesIn<K extends " " | "-">(file: WorkingFile, kind: K): { kind: K; text: string }[] {
  return Array.from({ length: file.count }, (_, i) => ({ kind, text: file.text(i) }));
}

/** New lines of a block that was found as it is written. */
export function asWritten(text: string): string {
  return text;
}
