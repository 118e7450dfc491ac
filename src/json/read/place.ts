// Owns: where a byte is for a reader: line, column, and the line's text with a caret under it.
// Must never: load a whole line; a document can be one line of gigabytes.

import { columnSteps, type LineColumn } from "../../text/line-column.ts";
import { isContinuation } from "../../text/utf8.ts";
import type { Steps } from "../../text/steps.ts";
import { type Shown } from "../../errors.ts";
import { NONE, type Scanner, settle } from "../scan/scanner.ts";

/** A byte as a reader finds it: lines end with LF, columns count code points. */
export interface LinePosition extends LineColumn {
  /** Bytes before it. */
  readonly offset: number;
}

/** Where `offset` is. One pass over what is before it, at the speed of counting line breaks. */
export function* linePositionOf(scanner: Scanner, offset: number): Steps<LinePosition> {
  const line = (yield* settle(scanner, scanner.lines(offset))) + 1;
  const column = yield* columnSteps(scanner.source, offset);
  return { offset, line, column };
}

const BEFORE = 60;
const AFTER = 40;

/** Two lines: the text around the place, and a caret under it. Long lines are cut on both sides and marked so. */
export function frameOf(scanner: Scanner, place: LinePosition): Shown {
  const { source } = scanner;
  const before = new Uint8Array(Math.min(place.offset, 4 * BEFORE));
  source.read(place.offset - before.length, before, 0, before.length);
  const after = new Uint8Array(Math.min(source.size - place.offset, 4 * AFTER));
  source.read(place.offset, after, 0, after.length);
  const lineStart = before.lastIndexOf(0x0a) + 1;
  let left = clean(before.subarray(lineStart));
  let lead = "";
  if (left.length > BEFORE || (lineStart === 0 && before.length < place.offset)) {
    left = left.slice(-BEFORE);
    lead = "...";
  }
  const lineEnd = after.indexOf(0x0a);
  let right = clean(lineEnd === NONE ? after : after.subarray(0, lineEnd));
  let tail = "";
  if (right.length > AFTER || (lineEnd === NONE && place.offset + after.length < source.size)) {
    right = right.slice(0, AFTER);
    tail = "...";
  }
  const number = String(place.line);
  const text = `${number} | ${lead}${left.join("")}${right.join("")}${tail}`.trimEnd();
  const caret = `${" ".repeat(number.length)} | ${" ".repeat(lead.length + left.length)}^`;
  return `${text}\n${caret}` as Shown;
}

const decoder = new TextDecoder();

/** Text as single visible signs: a tab is one blank, other controls and signs that would spoil the line are dots. */
function clean(bytes: Uint8Array): string[] {
  let start = 0;
  // A cut may have gone through a sequence: its rest is not shown.
  while (start < 3 && isContinuation(bytes[start] ?? 0)) start++;
  return Array.from(decoder.decode(bytes.subarray(start)), (sign) => {
    if (sign === "\t") return " ";
    if (sign === "\r") return "";
    return HIDDEN.test(sign) ? "\u00b7" : sign;
  }).filter((sign) => sign !== "");
}

const HIDDEN = /^[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]$/u;
