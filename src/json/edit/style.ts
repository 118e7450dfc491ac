// Owns: how the text around an edit is written: line breaks, indents, blanks around colons and commas.
// Must never: ask the whole document. The nearest member that shows a habit decides.

import { NONE, type Scanner } from "../scan/scanner.ts";
import { textAt } from "../scan/value.ts";
import { commaLead, gapBetween, gapStart, type MemberRow, rowStart } from "./member-rows.ts";
import { learnPad } from "./padding.ts";

export interface Style {
  readonly eol: string;
  /** One level of indent. */
  readonly unit: string;
  /** From key to value: `: `. */
  readonly colon: string;
  /** Between two members on one line: `, `. */
  readonly comma: string;
  /** Inside the braces of an object on one line. */
  readonly pad: string;
  /** Inside the brackets of an array on one line. */
  readonly arrayPad: string;
  /** Where commas begin lines: the blanks after them. False: they end lines. */
  readonly commaFirst: string | false;
  /** From a key to the line break before its container, when the bracket has a line of its own; else empty. */
  readonly bracketColon: string;
}

const DEFAULT_STYLE: Style = {
  eol: "\n",
  unit: "  ",
  colon: ": ",
  comma: ", ",
  pad: "",
  arrayPad: "",
  commaFirst: false,
  bracketColon: "",
};

/** A container on the way to the edit and the member that leads on. */
export interface PathFrame {
  readonly at: number;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
}

const LOOK_BACK = 8 * 1024;
/** A longer gap between two tokens shows no habit. */
const LONGEST_GAP = 256;

interface LineStart {
  readonly eol: string;
  readonly indent: string;
  /** True when nothing but blanks is between the line's start and the place. */
  readonly own: boolean;
}

/** The line a place is on; undefined on the first line, or when the line started too far back to matter. */
export function lineOf(scanner: Scanner, at: number): LineStart | undefined {
  const from = Math.max(0, at - LOOK_BACK);
  const bytes = scanner.bytes(from, at);
  const last = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d));
  if (last === -1) return undefined;
  const eol = bytes[last] === 0x0d ? "\r" : bytes[last - 1] === 0x0d ? "\r\n" : "\n";
  let stop = last + 1;
  while (bytes[stop] === 0x20 || bytes[stop] === 0x09) stop++;
  return { eol, indent: String.fromCharCode(...bytes.subarray(last + 1, stop)), own: stop === bytes.length };
}

/** The indent of the line a place is on. */
export function indentAt(scanner: Scanner, at: number): string {
  const line = lineOf(scanner, at);
  if (line !== undefined) return line.indent;
  let stop = 0;
  while (stop < at && (scanner.byte(stop) === 0x20 || scanner.byte(stop) === 0x09)) stop++;
  return textAt(scanner, 0, stop);
}

/** What is known of a style. */
export type Habits = { -readonly [K in keyof Style]?: Style[K] | undefined };

/** Fills what `habits` lacks from the defaults. */
export function completed(habits: Habits): Style {
  // Who writes no blank after a comma writes none after a colon, and the other way round.
  const colon = habits.colon ?? (habits.comma === "," ? ":" : DEFAULT_STYLE.colon);
  return {
    eol: habits.eol ?? DEFAULT_STYLE.eol,
    unit: habits.unit ?? DEFAULT_STYLE.unit,
    colon,
    comma: habits.comma ?? (colon.endsWith(":") ? "," : DEFAULT_STYLE.comma),
    // Who pads arrays pads objects too; the reverse is not so.
    pad: habits.pad ?? habits.arrayPad ?? DEFAULT_STYLE.pad,
    arrayPad: habits.arrayPad ?? DEFAULT_STYLE.arrayPad,
    commaFirst: habits.commaFirst ?? DEFAULT_STYLE.commaFirst,
    bracketColon: habits.bracketColon ?? DEFAULT_STYLE.bracketColon,
  };
}

/** The habits along the way from the root to `at`, nearest first; for line breaks also what is after. */
export function habitsAlong(scanner: Scanner, frames: readonly PathFrame[], at: number): Habits {
  const habits: Habits = {};
  for (const frame of frames.toReversed()) learnFrame(scanner, frame, habits);
  habits.eol ??= lineOf(scanner, at)?.eol ?? breakAfter(scanner, at);
  return habits;
}

/** The first line break after a place, when it is near. */
function breakAfter(scanner: Scanner, at: number): string | undefined {
  const bytes = scanner.bytes(at, at + LOOK_BACK);
  const feed = bytes.indexOf(0x0a);
  const back = bytes.indexOf(0x0d);
  if (feed === -1 && back === -1) return undefined;
  if (back === -1 || (feed !== -1 && feed < back)) return "\n";
  return feed === back + 1 ? "\r\n" : "\r";
}

function learnFrame(scanner: Scanner, frame: PathFrame, habits: Habits): void {
  const first = frame.keyStart === NONE ? frame.start : frame.keyStart;
  if (frame.keyStart !== NONE) {
    habits.colon ??= colonText(scanner, frame.keyEnd, frame.start);
    learnBracket(scanner, frame.keyEnd, frame.start, habits);
  }
  learnPad(scanner, frame.at, habits);
  const line = lineOf(scanner, first);
  if (line === undefined) return;
  habits.eol ??= line.eol;
  if (line.own) habits.unit ??= unitBetween(indentAt(scanner, frame.at), line.indent);
}

/** Adds where the bracket of a container on lines is, seen from its key. */
export function learnBracket(scanner: Scanner, keyEnd: number, start: number, habits: Habits): void {
  const byte = scanner.byte(start);
  if ((byte !== 0x7b && byte !== 0x5b) || start - keyEnd > LONGEST_GAP) return;
  const inside = gapBetween(scanner, start + 1, Math.min(scanner.blank(start + 1), start + LONGEST_GAP));
  if (!inside.some((part) => part.kind === "break")) return;
  const [, colon = ""] = /^([ \t]*:)[ \t]*[\r\n]\s*$/.exec(textAt(scanner, keyEnd, start)) ?? [];
  habits.bracketColon ??= colon;
}

/** The text from a key's end to its value, when it is on one line and holds no comment. */
function colonText(scanner: Scanner, keyEnd: number, start: number): string | undefined {
  if (start - keyEnd > LONGEST_GAP) return undefined;
  const text = textAt(scanner, keyEnd, start);
  return /^[ \t]*:[ \t]*$/.test(text) ? text : undefined;
}

function unitBetween(outer: string, inner: string): string | undefined {
  if (inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length);
  return undefined;
}

/** Adds what a member and the one before it show. `container` is where they are. */
export function learnRow(
  scanner: Scanner,
  container: number,
  prev: MemberRow | undefined,
  row: MemberRow,
  habits: Habits,
): void {
  learnFrame(
    scanner,
    { at: container, keyStart: row.keyStart, keyEnd: row.keyEnd, start: row.start },
    habits,
  );
  if (prev === undefined) return;
  const gap = gapBetween(scanner, gapStart(container, prev), rowStart(row));
  if (gap.some((part) => part.kind === "break")) habits.commaFirst ??= false;
  if (!gap.every((part) => part.kind === "blank")) return;
  const blank = textAt(scanner, prev.comma + 1, rowStart(row));
  habits.comma ??= `,${blank}`;
  if (commaLead(scanner, prev, rowStart(row)) !== undefined) habits.commaFirst ??= blank;
}
