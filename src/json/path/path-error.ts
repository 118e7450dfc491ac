// Owns: how a fault in a JSONPath query is shown: what was expected, a frame with a caret, what to write instead.

import { HoldfastError, say, type Reason, type Shown } from "../../errors.ts";
import { countChars } from "../../text/budget.ts";
import { isLowSurrogate } from "../../text/surrogate.ts";

const FRAME = 72;

export interface PathFault {
  readonly text: string;
  /** UTF-16 offset of the fault. */
  readonly at: number;
  readonly message: Shown;
  readonly hint?: Shown | undefined;
  readonly reason?: Reason;
}

/** An `invalid_argument` error (reason `invalid_path` unless given) that points at the place in the query. */
export function pathError(fault: PathFault): HoldfastError {
  const { text, at, message, hint } = fault;
  const column = countChars(text.slice(0, at)) + 1;
  const frame = frameAround(text, at);
  const tail = hint === undefined ? say`` : say`\n${hint}`;
  return new HoldfastError(
    "invalid_argument",
    fault.reason ?? "invalid_path",
    say`JSONPath, column ${column}: ${message}.\n${frame}${tail}`,
    { data: { column, offset: at, problem: message, ...(hint === undefined ? {} : { hint }) } },
  );
}

// The query is the caller's own text, so it may be shown; what could move the caret or the reader's terminal
// (controls, bidirectional marks, broken surrogates) becomes a plain sign of the same width.
function frameAround(text: string, at: number): Shown {
  let from = 0;
  let to = text.length;
  if (text.length > FRAME) {
    from = Math.max(0, Math.min(at - (FRAME >> 1), text.length - FRAME));
    to = Math.min(text.length, from + FRAME);
    if (isLowSurrogate(text.charCodeAt(from))) from--;
    if (to < text.length && isLowSurrogate(text.charCodeAt(to))) to--;
  }
  const before = clean(text.slice(from, at));
  const lead = from > 0 ? "..." : "";
  const line = `${lead}${before}${clean(text.slice(at, to))}${to < text.length ? "..." : ""}`;
  return `  ${line}\n  ${" ".repeat(lead.length + countChars(before))}^` as Shown;
}

function clean(text: string): string {
  return text
    .replace(/[\t\n\r]/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Cs}]/gu, "\u00b7");
}
