// Owns: what a run of backticks or tildes is: the opening or closing of a code fence, or nothing.

import {
  BACKTICK,
  BRACE_OPEN,
  BRACKET_OPEN,
  isBlank,
  isKeyChar,
  isLetter,
  NEWLINE,
  QUOTE,
  TILDE,
} from "./chars.ts";
import type { Source } from "./source.ts";

/** An open code fence. */
export interface Fence {
  readonly mark: number;
  readonly length: number;
  /** It is marked as JSON, or not marked at all. */
  readonly json: boolean;
  readonly contentStart: number;
}

/** `end` is where the walk goes on: after the run, or where the content of a new fence begins. */
export type FenceMark =
  | { readonly what: "nothing"; readonly end: number }
  | { readonly what: "closes"; readonly end: number }
  | { readonly what: "opens"; readonly end: number; readonly fence: Fence };

const INFO_REACH = 200;

/** Reads the run of backticks or tildes at `from`, inside the fence `open` if there is one. */
export function readFenceMark(source: Source, from: number, open: Fence | undefined): FenceMark {
  const { text } = source;
  const mark = text.charCodeAt(from);
  let i = from;
  while (text.charCodeAt(i) === mark) i++;
  const length = i - from;
  source.steps += length;
  if (length < 3 || (mark === TILDE && !startsLine(source, from))) return { what: "nothing", end: i };
  if (open !== undefined && !isLetter(text.charCodeAt(i)))
    return { what: mark === open.mark && length >= open.length ? "closes" : "nothing", end: i };
  const info = i;
  const limit = Math.min(text.length, info + INFO_REACH);
  while (i < limit && isKeyChar(text.charCodeAt(i))) i++;
  const word = text.slice(info, i).toLowerCase();
  // The rest of an info line belongs to the fence, unless the JSON begins on it.
  let content = i;
  while (content < limit && !beginsContent(text.charCodeAt(content))) content++;
  source.steps += content - info;
  const end = text.charCodeAt(content) === NEWLINE ? content : i;
  const json = word === "" || word === "json" || word === "jsonc" || word === "json5";
  return { what: "opens", end, fence: { mark, length, json, contentStart: end } };
}

function startsLine(source: Source, at: number): boolean {
  const { text } = source;
  let i = at - 1;
  while (i >= 0 && text.charCodeAt(i) !== NEWLINE && isBlank(text.charCodeAt(i))) i--;
  source.steps += at - i;
  return i < 0 || text.charCodeAt(i) === NEWLINE;
}

function beginsContent(c: number): boolean {
  return c === NEWLINE || c === BRACE_OPEN || c === BRACKET_OPEN || c === QUOTE || c === BACKTICK;
}
