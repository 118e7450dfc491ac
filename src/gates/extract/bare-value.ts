// Owns: reading a value without quotes out of a broken text: how far it goes, and what it is.

import type { Json } from "../../value.ts";
import { completeBareWord, readBareWord } from "./bare-word.ts";
import {
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COLON,
  COMMA,
  HASH,
  isBlank,
  isDigit,
  isLetter,
  isQuote,
  MINUS,
  NEWLINE,
  PAREN_CLOSE,
  QUOTE,
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
  | { readonly how: "unclear" };

const UNCLEAR: BareReading = { how: "unclear" };

/**
 * Reads the value without quotes at `from`: a number, a literal, or words up to a comma, a closer or the line's end.
 * Words are a value only where the keys around are quoted.
 */
export function readBare(source: Source, from: number, inObject: boolean, keysQuoted: boolean): BareReading {
  const { text } = source;
  let i = from;
  while (i < text.length && isWordChar(text.charCodeAt(i))) i++;
  const wordEnd = i;
  source.steps += wordEnd - from;
  const word = text.slice(from, wordEnd);
  if (wordEnd >= text.length) return { how: "broke_off", value: completeBareWord(word)?.value };
  const known = readBareWord(word);
  if (known !== undefined && endsWord(source, wordEnd, inObject))
    return { how: "value", end: wordEnd, value: known.value, repair: known.repair };
  let end = wordEnd;
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (endsWords(c)) break;
    if (!isBlank(c)) end = i + 1;
    else if (text.charCodeAt(i + 1) === HASH || isComment(text, i + 1)) break;
  }
  source.steps += i - wordEnd;
  if (i >= text.length) return { how: "broke_off", value: undefined };
  const stop = text.charCodeAt(i);
  if (!keysQuoted || end === from || isQuote(stop) || stop === BRACE_OPEN || stop === BRACKET_OPEN)
    return UNCLEAR;
  return { how: "value", end, value: text.slice(from, end), repair: "bare_word" };
}

/** Whether a number or literal that ends at `end` is whole, rather than the first word of a phrase: `5` but not `5 apples`. */
function endsWord(source: Source, end: number, inObject: boolean): boolean {
  const { text } = source;
  let i = end;
  while (i < text.length && isBlank(text.charCodeAt(i))) {
    if (text.charCodeAt(i) === NEWLINE) return true;
    i++;
  }
  source.steps += i - end;
  if (i >= text.length) return true;
  const c = text.charCodeAt(i);
  if (endsWords(c) || c === SLASH || c === HASH || isQuote(c)) return true;
  if (!inObject) return isDigit(c) || c === MINUS;
  const key = source.keyEnd(i, Infinity);
  return key > i && source.nextChar(key) === COLON;
}

function isWordChar(c: number): boolean {
  return isLetter(c) || isDigit(c) || !(endsWords(c) || isBlank(c));
}

function endsWords(c: number): boolean {
  return (
    c === COMMA ||
    c === BRACE_CLOSE ||
    c === BRACKET_CLOSE ||
    c === PAREN_CLOSE ||
    c === NEWLINE ||
    c === QUOTE ||
    c === BRACE_OPEN ||
    c === BRACKET_OPEN
  );
}
