// Owns: where a new member goes and what is around it: line, indent, commas, so that it looks like its neighbours.

import type { Splice } from "../../text/splice.ts";
import { type GapPart, leadOf, type GapTail, tailOf } from "./gap.ts";
import { gapBetween, gapStart, type MemberRow, rowStart } from "./member-rows.ts";
import { indentAt, type Style } from "./style.ts";
import { NONE, type Scanner } from "../scan/scanner.ts";
import { textAt } from "../scan/value.ts";

/** A place between two rows. `close` is the closing bracket, needed when there is no `next`. */
export interface Opening {
  readonly container: number;
  readonly beforePrev: MemberRow | undefined;
  readonly prev: MemberRow | undefined;
  readonly next: MemberRow | undefined;
  readonly close: number;
  /** For a container without members: does its surrounding ask for lines? */
  readonly emptyInLines: boolean;
}

/** How the new member is laid out. */
export interface Spot {
  readonly ownLine: boolean;
  /** Indent of the line the member is on. */
  readonly indent: string;
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
  if (opening.prev !== undefined) return behind(scanner, opening, opening.prev, style);
  return inside(scanner, opening, style);
}

function before(scanner: Scanner, { container, prev }: Opening, next: MemberRow, style: Style): Spot {
  const boundary = gapStart(container, prev);
  const lead = leadOf(gapBetween(scanner, boundary, rowStart(next)), boundary, rowStart(next));
  if (!lead.ownLine) {
    const blank = style.comma.slice(1);
    return {
      ownLine: false,
      indent: indentAt(scanner, lead.firstToken),
      plan: (member) => planned(lead.firstToken, "", member, `,${blank}`),
    };
  }
  const indent = partText(scanner, lead.indent);
  return {
    ownLine: true,
    indent,
    plan: (member) => planned(lead.from, `${style.eol}${indent}`, member, ","),
  };
}

function behind(scanner: Scanner, opening: Opening, prev: MemberRow, style: Style): Spot {
  const { container, beforePrev, close } = opening;
  const boundary = gapStart(container, beforePrev);
  const lead = leadOf(gapBetween(scanner, boundary, rowStart(prev)), boundary, rowStart(prev));
  const comma = prev.comma !== NONE;
  const from = comma ? prev.comma + 1 : prev.end;
  const tail = tailOf(gapBetween(scanner, from, close), from);
  const ownLine = lead.ownLine || tail.lineComment;
  if (!ownLine) return inlineBehind(scanner, tail, comma, style);
  const indent = lead.ownLine
    ? partText(scanner, lead.indent)
    : `${indentAt(scanner, container)}${style.unit}`;
  const line = `${style.eol}${indent}`;
  const plan = (member: string): PlannedSplices => {
    if (comma) return planned(tail.to, line, member, ",");
    if (tail.to === prev.end) return planned(prev.end, `,${line}`, member);
    const { splices, memberAt } = planned(tail.to, line, member);
    const separator: Splice = { at: prev.end, remove: 0, insert: encoder.encode(",") };
    return { splices: [separator, ...splices], memberAt: memberAt + 1 };
  };
  return { ownLine, indent, plan };
}

function inlineBehind(scanner: Scanner, tail: GapTail, comma: boolean, style: Style): Spot {
  const at = tail.lastToken;
  const blank = style.comma.slice(1);
  return {
    ownLine: false,
    indent: indentAt(scanner, at),
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
      return {
        ownLine: true,
        indent: beside,
        plan: (member) => planned(last.start, `${style.eol}${beside}`, member),
      };
    }
    return { ownLine: false, indent: outer, plan: (member) => planned(comment.end, " ", member) };
  }
  const size = close - container - 1;
  if (breaks.length > 0 || emptyInLines) {
    const eol = breaks.length > 0 ? partText(scanner, breaks[0]) : style.eol;
    return {
      ownLine: true,
      indent,
      plan: (member) => planned(container + 1, `${eol}${indent}`, member, `${eol}${outer}`, size),
    };
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
