// Owns: where a new member goes and what is around it: line, indent, commas, so that it looks like its neighbours.

import type { Splice } from "../../text/splice.ts";
import { type GapPart, leadOf, type GapTail, tailOf } from "./gap.ts";
import { commaLead, gapBetween, gapStart, type MemberRow, rowStart } from "./member-rows.ts";
import { type Habits, indentAt, type Style } from "./style.ts";
import { NONE, type Scanner } from "../scan/scanner.ts";
import { textAt } from "../scan/value.ts";

/** A place between two rows. `close` is the closing bracket, needed when there is no `next`. */
export interface Opening {
  readonly container: number;
  readonly beforePrev: MemberRow | undefined;
  readonly prev: MemberRow | undefined;
  readonly next: MemberRow | undefined;
  readonly afterNext: MemberRow | undefined;
  readonly close: number;
  /** For a container without members: does its surrounding ask for lines? */
  readonly emptyInLines: boolean;
  /** For a container without members: what those beside it show. */
  readonly beside: Habits;
}

/** How the new member is laid out. */
interface Spot {
  readonly ownLine: boolean;
  /** Indent of the line the member is on. */
  readonly indent: string;
  /** What separates several members that are put there. */
  readonly between: string;
  /** The splices that put the member there. */
  plan(member: string): PlannedSplices;
}

export interface PlannedSplices {
  readonly splices: readonly Splice[];
  /** Where the member starts in the edited bytes. */
  readonly memberAt: number;
}

const encoder = new TextEncoder();

/** One splice that puts `before`, the member and `after` in place of `remove` bytes. */
function planned(at: number, before: string, member: string, after = "", remove = 0): PlannedSplices {
  const insert = encoder.encode(`${before}${member}${after}`);
  return { splices: [{ at, remove, insert }], memberAt: at + encoder.encode(before).length };
}

export function spotFor(scanner: Scanner, opening: Opening, style: Style): Spot {
  if (opening.next !== undefined) return before(scanner, opening, opening.next, style);
  if (opening.prev !== undefined) return afterMember(scanner, opening, opening.prev, style);
  return inside(scanner, opening, style);
}

/** A spot on a line of its own that begins with a comma, as the separator after `prev` does; else undefined. */
function commaFirst(
  scanner: Scanner,
  prev: MemberRow | undefined,
  start: number,
  style: Style,
): Omit<Spot, "plan"> | undefined {
  const lead = prev === undefined ? undefined : commaLead(scanner, prev, start);
  if (prev === undefined || lead === undefined) return undefined;
  const mark = textAt(scanner, prev.comma, start);
  const margin = partText(scanner, lead.indent);
  return { ownLine: true, indent: margin + " ".repeat(mark.length), between: `${style.eol}${margin}${mark}` };
}

function before(scanner: Scanner, { container, prev }: Opening, next: MemberRow, style: Style): Spot {
  const boundary = gapStart(container, prev);
  const lead = leadOf(gapBetween(scanner, boundary, rowStart(next)), boundary, rowStart(next));
  if (prev !== undefined) {
    const line = commaFirst(scanner, prev, rowStart(next), style);
    const at = tailOf(gapBetween(scanner, prev.end, prev.comma), prev.end).lastToken;
    if (line !== undefined) return { ...line, plan: (member) => planned(at, line.between, member) };
  } else if (next.comma !== NONE && lead.firstToken === rowStart(next)) {
    const line = commaFirst(scanner, next, scanner.blank(next.comma + 1), style);
    if (line !== undefined)
      return { ...line, plan: (member) => planned(lead.firstToken, "", member, line.between) };
  }
  if (!lead.ownLine) {
    const blank = style.comma.slice(1);
    return {
      ownLine: false,
      indent: indentAt(scanner, lead.firstToken),
      between: style.comma,
      plan: (member) => planned(lead.firstToken, "", member, `,${blank}`),
    };
  }
  const indent = partText(scanner, lead.indent);
  return onLine(style, indent, (member) => planned(lead.from, `${style.eol}${indent}`, member, ","));
}

function afterMember(scanner: Scanner, opening: Opening, prev: MemberRow, style: Style): Spot {
  const { container, beforePrev, close } = opening;
  const boundary = gapStart(container, beforePrev);
  const lead = leadOf(gapBetween(scanner, boundary, rowStart(prev)), boundary, rowStart(prev));
  const comma = prev.comma !== NONE;
  const from = comma ? prev.comma + 1 : prev.end;
  const tail = tailOf(gapBetween(scanner, from, close), from);
  const line = comma ? undefined : commaFirst(scanner, beforePrev, rowStart(prev), style);
  if (line !== undefined) return { ...line, plan: (member) => planned(tail.lastToken, line.between, member) };
  if (!lead.ownLine && !tail.lineComment) return inlineAfter(scanner, tail, comma, style);
  const indent = lead.ownLine
    ? partText(scanner, lead.indent)
    : `${indentAt(scanner, container)}${style.unit}`;
  const margin = `${style.eol}${indent}`;
  return onLine(style, indent, (member) => {
    if (comma) return planned(tail.to, margin, member, ",");
    if (tail.to === prev.end) return planned(prev.end, `,${margin}`, member);
    const { splices, memberAt } = planned(tail.to, margin, member);
    const separator: Splice = { at: prev.end, remove: 0, insert: encoder.encode(",") };
    return { splices: [separator, ...splices], memberAt: memberAt + 1 };
  });
}

function onLine(style: Style, indent: string, plan: Spot["plan"]): Spot {
  return { ownLine: true, indent, between: `,${style.eol}${indent}`, plan };
}

function inlineAfter(scanner: Scanner, tail: GapTail, comma: boolean, style: Style): Spot {
  const at = tail.lastToken;
  const blank = style.comma.slice(1);
  return {
    ownLine: false,
    indent: indentAt(scanner, at),
    between: style.comma,
    plan: (member) => (comma ? planned(at, blank, member, ",") : planned(at, style.comma, member)),
  };
}

function inside(scanner: Scanner, { container, close, emptyInLines }: Opening, style: Style): Spot {
  const gap = gapBetween(scanner, container + 1, close);
  const outer = indentAt(scanner, container);
  const indent = `${outer}${style.unit}`;
  const breaks = gap.filter((part) => part.kind === "break");
  const comment = gap.findLast((part) => part.kind === "line" || part.kind === "block");
  if (comment !== undefined) {
    const last = breaks.at(-1);
    // The break that ends the last comment's line, or the one before the bracket.
    if (last !== undefined && last.start >= comment.end) {
      const beside = commentIndent(scanner, gap, comment) ?? indent;
      return onLine(style, beside, (member) => planned(last.start, `${style.eol}${beside}`, member));
    }
    return {
      ownLine: false,
      indent: outer,
      between: style.comma,
      plan: (member) => planned(comment.end, " ", member),
    };
  }
  const size = close - container - 1;
  if (breaks.length > 0 || emptyInLines) {
    const eol = breaks.length > 0 ? partText(scanner, breaks[0]) : style.eol;
    return onLine(style, indent, (member) =>
      planned(container + 1, `${eol}${indent}`, member, `${eol}${outer}`, size),
    );
  }
  const pad =
    size > 0
      ? textAt(scanner, container + 1, close)
      : scanner.byte(container) === 0x7b
        ? style.pad
        : style.arrayPad;
  return {
    ownLine: false,
    indent: outer,
    between: style.comma,
    plan: (member) => planned(container + 1, pad, member, pad, size),
  };
}

/** The indent of a comment that has a line of its own: the only habit that a container without members shows. */
function commentIndent(scanner: Scanner, gap: readonly GapPart[], comment: GapPart): string | undefined {
  const before = gap[gap.indexOf(comment) - 1];
  if (before?.kind === "break") return "";
  return before?.kind === "blank" && gap[gap.indexOf(before) - 1]?.kind === "break"
    ? partText(scanner, before)
    : undefined;
}

function partText(scanner: Scanner, part: GapPart | undefined): string {
  return part === undefined ? "" : textAt(scanner, part.start, part.end);
}
