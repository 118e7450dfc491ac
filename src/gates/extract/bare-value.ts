// Owns: reading a value without quotes out of a broken text: how far it goes, and what it is.

import type { Json } from "../../value.ts";
import { completeBareWord, readBareWord } from "./bare-word.ts";
import {
  asciiKin,
  BRACE_OPEN,
  BRACKET_OPEN,
  COLON,
  COMMA,
  DOT,
  HASH,
  isBlank,
  isCloser,
  isDigit,
  isLetter,
  isQuote,
  MINUS,
  NEWLINE,
  PAREN_CLOSE,
  PLUS,
  QUOTE,
  SEMICOLON,
  SLASH,
} from "./chars.ts";
import { isComment } from "./comment.ts";
import type { RepairKind } from "./repairs.ts";
import type { Source } from "./source.ts";

export type BareReading =
  | {
      readonly how: "value";
      readonly end: number;
      readonly value: Json;
      readonly repair: RepairKind | undefined;
    }
  /** The text ended in it; the value if half of it is enough to know it. */
  | { readonly how: "broke_off"; readonly value: Json | undefined }
  /** Words that end at a quote or an opener, or words where none are allowed: `end` is that place. */
  | { readonly how: "unclear"; readonly end: number };

const WORD_REACH = 64;

/**
 * Reads the value without quotes at `from`: a number, a literal, or words up to a comma, a closer or the line's end.
 * Words are a value only where the keys around are quoted.
 */
export function readBare(source: Source, from: number, inObject: boolean, keysQuoted: boolean): BareReading {
  const { text } = source;
  const wordEnd = endOfWord(source, from, Infinity, keysQuoted);
  const word = text.slice(from, wordEnd);
  if (wordEnd >= text.length) return { how: "broke_off", value: completeBareWord(word)?.value };
  const known = readBareWord(word);
  // `true"` lacks its opening quote, `true"b":` a comma.
  const quoted = inObject && text.charCodeAt(wordEnd) === QUOTE && !source.quotedKeyAt(wordEnd);
  if (known !== undefined && !quoted && endsWord(source, wordEnd, inObject, keysQuoted))
    return { how: "value", end: wordEnd, value: known.value, repair: known.repair };
  let i = wordEnd;
  let end = wordEnd;
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (endsWords(source, i, keysQuoted)) break;
    if (!isBlank(c)) end = i + 1;
    else if (text.charCodeAt(i + 1) === HASH || isComment(text, i + 1)) break;
  }
  source.steps += i - wordEnd;
  if (i >= text.length) return { how: "broke_off", value: undefined };
  const stop = source.char(i);
  if (!keysQuoted || end === from || isQuote(stop) || stop === BRACE_OPEN || stop === BRACKET_OPEN)
    return { how: "unclear", end: i };
  return { how: "value", end, value: text.slice(from, end), repair: "bare_word" };
}

/** Whether a value that is no word of a phrase begins at `at`: a container, a number or a literal. */
export function valueBegins(source: Source, at: number): boolean {
  const c = source.char(at);
  if (c === BRACE_OPEN || c === BRACKET_OPEN || isDigit(c)) return true;
  if (!(isLetter(c) || c === MINUS || c === PLUS || c === DOT)) return false;
  const end = endOfWord(source, at, WORD_REACH, true);
  return readBareWord(source.text.slice(at, end)) !== undefined && endsWord(source, end, false, true);
}

/** Whether a number or literal that ends at `end` is whole, rather than the first word of a phrase: `5` but not `5 apples`. */
function endsWord(source: Source, end: number, inObject: boolean, semicolons: boolean): boolean {
  const { text } = source;
  let i = end;
  while (i < text.length && isBlank(text.charCodeAt(i))) {
    if (text.charCodeAt(i) === NEWLINE) return true;
    i++;
  }
  source.steps += i - end;
  if (i >= text.length) return true;
  const c = source.char(i);
  if (
    endsWords(source, i, semicolons) ||
    (semicolons && c === SEMICOLON) ||
    c === SLASH ||
    c === HASH ||
    isQuote(c)
  )
    return true;
  if (!inObject) {
    if (isDigit(c) || c === MINUS) return true;
    return readBareWord(text.slice(i, endOfWord(source, i, WORD_REACH, semicolons))) !== undefined;
  }
  const key = source.keyEnd(i, Infinity);
  return key > i && source.nextChar(key) === COLON;
}

function endOfWord(source: Source, from: number, reach: number, semicolons: boolean): number {
  const { text } = source;
  const limit = Math.min(text.length, from + reach);
  let i = from;
  for (; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (isLetter(c) || isDigit(c)) continue;
    if (isBlank(c) || (semicolons && asciiKin(c) === SEMICOLON) || endsWords(source, i, semicolons)) break;
  }
  source.steps += i - from;
  return i;
}

/** Whether a phrase ends before the character at `at`. A semicolon may end it, if a key or a closer can follow. */
function endsWords(source: Source, at: number, semicolons: boolean): boolean {
  const c = asciiKin(source.text.charCodeAt(at));
  if (c === SEMICOLON && semicolons) {
    let next = at + 1;
    while (source.text.charCodeAt(next) === 0x20) next++;
    source.steps += next - at;
    const f = source.char(next);
    return Number.isNaN(f) || f === NEWLINE || isQuote(f) || isCloser(f);
  }
  return (
    c === COMMA ||
    isCloser(c) ||
    c === PAREN_CLOSE ||
    c === NEWLINE ||
    c === QUOTE ||
    c === BRACE_OPEN ||
    c === BRACKET_OPEN
  );
}
