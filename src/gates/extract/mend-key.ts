// Owns: reading a key and its colon where a text is broken: quotes that are missing, other colons, none at all.

import { valueBegins } from "./bare-value.ts";
import { COLON, isCloser, isKeyChar, isQuote, isSeparator, MINUS, QUOTE } from "./chars.ts";
import type { MendCursor } from "./mend-cursor.ts";
import type { Source } from "./source.ts";
import { stringText } from "./string-text.ts";

const KEY_REACH = 64;

/** A key that was read, its colon included. */
export interface MendedKey {
  readonly key: string;
  readonly quoted: boolean;
}

/** A key, or how the reading ended: `dropped` is a word in quotes that is no key, and was passed over. */
export type KeyRead = MendedKey | "broke_off" | "cut" | "dropped";

/** Reads the key at the cursor, which begins with `c`, and its colon. */
export function readKey(cursor: MendCursor, c: number): KeyRead {
  return isQuote(c) ? quotedKey(cursor, c) : unquotedKey(cursor);
}

/** Whether the string at `at` is a key: a colon follows it, or a value that is no string. */
export function keyBegins(source: Source, at: number): boolean {
  if (source.quotedKeyAt(at)) return true;
  const end = source.quoteEnd(at);
  return end >= 0 && valueBegins(source, source.skipComments(end + 1));
}

function quotedKey(cursor: MendCursor, c: number): KeyRead {
  const { at: from, source, text } = cursor;
  const end = source.quoteEnd(from);
  const next = end < 0 ? from : source.skipComments(end + 1);
  // A string that is whole where the text ends is a key whose colon is still to come.
  if (next < text.length && source.colonLength(next) === 0) {
    const short = source.halfQuotedKeyEnd(from, KEY_REACH);
    if (short >= 0) {
      cursor.repairs.add("missing_quote", short);
      cursor.at = short;
      return withColon(cursor, text.slice(from + 1, short), true, from);
    }
  }
  if (end < 0) {
    cursor.at = text.length;
    return "broke_off";
  }
  if (c !== QUOTE) cursor.repairs.add("quotes", from);
  cursor.at = end + 1;
  return withColon(cursor, stringText(source, from + 1, end, c, true, cursor.repairs), true, from);
}

function unquotedKey(cursor: MendCursor): KeyRead {
  const { at: from, source, text } = cursor;
  const end = source.keyEnd(from, Infinity);
  if (end === from) return "cut";
  const key = text.slice(from, end);
  cursor.at = end;
  if (!isQuote(text.charCodeAt(end)) || !source.colonFollows(end + 1))
    return withColon(cursor, key, false, from);
  // A key whose opening quote was forgotten.
  cursor.repairs.add("missing_quote", from);
  cursor.at++;
  return withColon(cursor, key, true, from);
}

function withColon(cursor: MendCursor, key: string, quoted: boolean, from: number): KeyRead {
  const { source, text } = cursor;
  cursor.skip();
  if (cursor.at >= text.length) return "broke_off";
  const c = source.char(cursor.at);
  const length = source.colonLength(cursor.at);
  if (length > 0) {
    if (text.charCodeAt(cursor.at) !== COLON) cursor.repairs.add("colon", cursor.at);
    cursor.at += length;
  } else if (quoted && (isSeparator(c) || isCloser(c))) {
    cursor.repairs.add("dropped_text", from);
    return "dropped";
  } else if (quoted && (isQuote(c) || c === MINUS || isKeyChar(c) || valueBegins(source, cursor.at)))
    cursor.repairs.add("colon", cursor.at);
  else {
    cursor.at = from;
    return "cut";
  }
  if (!quoted) cursor.repairs.add("unquoted_key", from);
  return { key, quoted };
}
