// Owns: where a badly quoted string ends. A quote ends a string if what follows can follow a string's end; otherwise it
// is part of the text.
// Must never: look back and forth without bound. A search that finds no good end is paid from a budget as large as the
// text; a string whose search could not be paid for ends at its first quote. So all searches together stay linear.

import {
  BACKSLASH,
  BACKTICK,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  closesQuote,
  COLON,
  COMMA,
  DOT,
  ELLIPSIS,
  EQUALS,
  HASH,
  isBlank,
  isDigit,
  isKeyChar,
  isQuote,
  MINUS,
  NEWLINE,
  PAREN_CLOSE,
  PAREN_OPEN,
  PLUS,
  SLASH,
  WIDE_COLON,
} from "./chars.ts";
import { isComment } from "./comment.ts";
import type { Source } from "./source.ts";

/** What is around a string: decides what may follow it. */
export interface StringPlace {
  readonly inObject: boolean;
  readonly inTuple: boolean;
  /** Open containers around it. */
  readonly depth: number;
  /** The fence around it, whose closing line bounds a string that never ends. */
  readonly fence: { readonly mark: number; readonly length: number } | undefined;
}

const KEY_REACH = 64;
const REMARK_REACH = 200;

/** Finds the ends of quoted strings in one text. The outcome of the last {@link find} is left in the fields. */
export class StringEnd {
  readonly #source: Source;
  readonly #text: string;
  #budget: number;
  /** The string's content ends here. */
  contentEnd = 0;
  /** Reading goes on here. */
  at = 0;
  /** False if the text (or its fence) ended inside the string. */
  closed = false;
  /** The closing quote was forgotten: `at` is the opening quote of the next key. */
  beforeKey = false;
  /** Whether a comma was before that key. */
  commaBeforeKey = false;
  innerQuotes = 0;
  /** The closing quote was forgotten before closers that end the text: `at` is the end of the content. */
  lostQuote = false;

  constructor(source: Source) {
    this.#source = source;
    this.#text = source.text;
    this.#budget = source.text.length;
  }

  /** Finds the end of the value that opens at `from`. */
  find(from: number, place: StringPlace): void {
    const text = this.#text;
    const length = text.length;
    const opener = text.charCodeAt(from);
    this.innerQuotes = 0;
    this.beforeKey = false;
    this.lostQuote = false;
    this.closed = true;
    const canPay = this.#budget >= length - from;
    let firstQuote = -1;
    let lastQuote = -1;
    let fenceAt = -1;
    // Braces opened in the content after an inner quote: `"use {"x"} now"`.
    let braces = 0;
    let i = from + 1;
    for (; i < length; i++) {
      const c = text.charCodeAt(i);
      // Letters and spaces are most of what there is.
      if ((c >= 0x61 && c <= 0x7a) || c === 0x20) continue;
      if (c === BACKSLASH) i++;
      else if (c === BRACE_OPEN) braces++;
      else if (c === BRACE_CLOSE) braces = Math.max(0, braces - 1);
      else if (c === NEWLINE) {
        if (fenceAt < 0 && place.fence !== undefined && this.#fenceAfter(i + 1, place.fence)) fenceAt = i;
      } else if (closesQuote(opener, c)) {
        if (!canPay || this.#canEnd(i, opener, place, braces > 0 && this.innerQuotes > 0)) {
          this.#source.steps += i - from;
          this.contentEnd = i;
          this.at = i + 1;
          return;
        }
        if (
          place.inObject &&
          lastQuote >= 0 &&
          this.#source.colonFollows(i + 1) &&
          this.#endsBefore(lastQuote, from)
        ) {
          this.#source.steps += i - from;
          this.at = lastQuote;
          this.beforeKey = true;
          return;
        }
        if (firstQuote < 0) firstQuote = i;
        lastQuote = i;
        this.innerQuotes++;
      }
    }
    this.#source.steps += length - from;
    this.innerQuotes = 0;
    if (firstQuote >= 0) {
      this.#budget -= length - from;
      this.contentEnd = firstQuote;
      this.at = firstQuote + 1;
      return;
    }
    const end = fenceAt < 0 ? length : fenceAt;
    const content = this.#beforeClosers(from, end);
    this.lostQuote = content < end;
    this.closed = this.lostQuote;
    this.contentEnd = content;
    this.at = content;
  }

  /** Where closers on lines of their own begin that end at `end`; `end` if there are none. */
  #beforeClosers(from: number, end: number): number {
    const text = this.#text;
    let i = end;
    let brokeLine = false;
    let closers = 0;
    for (; i > from + 1; i--) {
      const c = text.charCodeAt(i - 1);
      if (c === BRACE_CLOSE || c === BRACKET_CLOSE) {
        closers++;
        brokeLine = false;
      } else if (c === NEWLINE) brokeLine = true;
      else if (!isBlank(c)) break;
    }
    this.#source.steps += end - i;
    return closers > 0 && brokeLine ? i : end;
  }

  /** `lastQuote` opens a key if a comma or a line break is before it: then the content ends there. */
  #endsBefore(lastQuote: number, from: number): boolean {
    const text = this.#text;
    let i = lastQuote - 1;
    let brokeLine = false;
    while (i > from && isBlank(text.charCodeAt(i))) {
      if (text.charCodeAt(i) === NEWLINE) brokeLine = true;
      i--;
    }
    this.#source.steps += lastQuote - i;
    this.commaBeforeKey = text.charCodeAt(i) === COMMA;
    if (!this.commaBeforeKey && !brokeLine) return false;
    this.contentEnd = this.commaBeforeKey ? i : i + 1;
    // The quote that opens the key was counted as an inner one.
    this.innerQuotes--;
    return true;
  }

  #canEnd(quote: number, opener: number, place: StringPlace, inBraces: boolean): boolean {
    const text = this.#text;
    const k = this.#source.skipBlanks(quote + 1);
    if (k >= text.length) return true;
    const c = text.charCodeAt(k);
    const apart = k > quote + 1;
    if (c === COMMA) return this.#canFollowComma(k + 1, place);
    if (c === BRACE_CLOSE || c === BRACKET_CLOSE || (c === PAREN_CLOSE && place.inTuple))
      return !(inBraces && c === BRACE_CLOSE) && this.#closersFit(k, place.depth);
    if (c === SLASH) return isComment(text, k);
    if (c === HASH) return apart;
    if (c === PLUS) return isQuote(text.charCodeAt(this.#source.skipBlanks(k + 1)));
    if (c === PAREN_OPEN) return this.#remarkFits(k);
    if (c === BACKTICK && text.startsWith("```", k)) return true;
    if (isQuote(c)) {
      if (!apart) return false;
      const end = this.#source.quoteEnd(k);
      if (end < 0) return true;
      const after = this.#source.skipBlanks(end + 1);
      const f = text.charCodeAt(after);
      return (
        after >= text.length ||
        f === COMMA ||
        f === BRACE_CLOSE ||
        f === BRACKET_CLOSE ||
        f === COLON ||
        f === PLUS ||
        (isQuote(f) && closesQuote(opener, f) && after > end + 1)
      );
    }
    return apart && place.inObject && isKeyChar(c) && this.#keyAndColon(k);
  }

  #canFollowComma(from: number, place: StringPlace): boolean {
    const text = this.#text;
    const k = this.#source.skipBlanks(from);
    if (k >= text.length) return true;
    const c = text.charCodeAt(k);
    if (c === BRACE_CLOSE || c === BRACKET_CLOSE || c === COMMA || c === ELLIPSIS) return true;
    if (c === DOT) return text.startsWith("...", k);
    if (c === SLASH) return isComment(text, k);
    if (c === HASH) return true;
    if (place.inObject) {
      if (!isQuote(c)) return isKeyChar(c) && this.#keyAndColon(k);
      const end = this.#source.quoteEnd(k);
      if (end < 0) return true;
      const after = this.#source.skipBlanks(end + 1);
      const f = text.charCodeAt(after);
      return after >= text.length || f === COLON || f === WIDE_COLON || f === EQUALS;
    }
    if (isQuote(c) || isDigit(c) || c === MINUS || c === BRACE_OPEN || c === BRACKET_OPEN || c === PAREN_OPEN)
      return true;
    if (c === PAREN_CLOSE) return place.inTuple;
    return LITERALS.some((word) => text.startsWith(word, k) && !isKeyChar(text.charCodeAt(k + word.length)));
  }

  /** Closers end a string if they close all that is open, or if something that may follow a value comes after them. */
  #closersFit(from: number, depth: number): boolean {
    const text = this.#text;
    let closers = 0;
    let brokeLine = false;
    let i = from;
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === BRACE_CLOSE || c === BRACKET_CLOSE || c === PAREN_CLOSE) {
        brokeLine = false;
        if (++closers >= depth) break;
      } else if (c === NEWLINE) brokeLine = true;
      else if (!isBlank(c)) break;
    }
    this.#source.steps += i - from;
    if (closers >= depth || i >= text.length) return true;
    const c = text.charCodeAt(i);
    return c === COMMA || c === BACKTICK || brokeLine || isComment(text, i);
  }

  /** A remark in parentheses on the same line, with a comma or closer after it. */
  #remarkFits(from: number): boolean {
    const text = this.#text;
    const limit = Math.min(text.length, from + REMARK_REACH);
    let i = from;
    for (; i < limit; i++) {
      const c = text.charCodeAt(i);
      if (c === NEWLINE || isQuote(c)) return false;
      if (c === PAREN_CLOSE) break;
    }
    this.#source.steps += i - from;
    const f = text.charCodeAt(this.#source.skipBlanks(i + 1));
    return i < limit && (f === COMMA || f === BRACE_CLOSE || f === BRACKET_CLOSE);
  }

  #keyAndColon(from: number): boolean {
    const end = this.#source.keyEnd(from, KEY_REACH);
    return end > from && this.#source.colonFollows(end);
  }

  /** Whether the line at `from` is the closing line of the fence. */
  #fenceAfter(from: number, fence: { readonly mark: number; readonly length: number }): boolean {
    const text = this.#text;
    let i = from;
    while (i < text.length && text.charCodeAt(i) !== NEWLINE && isBlank(text.charCodeAt(i))) i++;
    let run = 0;
    while (text.charCodeAt(i + run) === fence.mark) run++;
    this.#source.steps += i + run - from;
    return run >= fence.length;
  }
}

const LITERALS = ["true", "false", "null", "True", "False", "None", "NaN", "undefined"];
