// Owns: one text under extraction, the looks ahead that every reader takes in it, and the count of characters looked at.

import {
  asciiKin,
  BACKSLASH,
  BRACE_OPEN,
  BRACKET_OPEN,
  closesQuote,
  COLON,
  COMMA,
  EQUALS,
  GREATER,
  HASH,
  isBlank,
  isCloser,
  isKeyChar,
  isQuote,
  isSeparator,
  SLASH,
  STAR,
} from "./chars.ts";
import { commentEnd } from "./comment.ts";

/** A text that several readers share. Each adds to `steps` what it has looked at: the proof of linear time. */
export class Source {
  readonly text: string;
  steps = 0;
  /** A search has found that no block comment, or no line, ends any more after the places that are still to be read. */
  #noBlockEnd = false;
  #noLineEnd = false;

  constructor(text: string) {
    this.text = text;
  }

  /** The first place from `from` on that is not blank. */
  skipBlanks(from: number): number {
    const { text } = this;
    let i = from;
    while (i < text.length && isBlank(text.charCodeAt(i))) i++;
    this.steps += i - from;
    return i;
  }

  /** The character at `at`, full-width punctuation as its ASCII kin; NaN at the end of the text. */
  char(at: number): number {
    return asciiKin(this.text.charCodeAt(at));
  }

  /** Past blanks and comments. A comment that never ends is none. */
  skipComments(from: number): number {
    let i = this.skipBlanks(from);
    for (;;) {
      const c = this.text.charCodeAt(i);
      if (c !== SLASH && c !== HASH) break;
      const end = this.commentEnd(i);
      if (end < 0) break;
      i = this.skipBlanks(end);
    }
    return i;
  }

  /** The end of the comment at `at`; -1 if there is none, or if the text ends in it. */
  commentEnd(at: number): number {
    const block = this.text.charCodeAt(at + 1) === STAR;
    if (block ? this.#noBlockEnd : this.#noLineEnd) return -1;
    const end = commentEnd(this.text, at);
    this.steps += Math.max(0, end - at);
    if (end < this.text.length) return end;
    if (block) this.#noBlockEnd = true;
    else this.#noLineEnd = true;
    return -1;
  }

  /** The {@link char} at the first place from `from` on that is not blank. */
  nextChar(from: number): number {
    return this.char(this.skipBlanks(from));
  }

  /** The end of the unquoted key at `from`, at most `reach` characters on; `from` if there is none. */
  keyEnd(from: number, reach: number): number {
    const { text } = this;
    const limit = Math.min(text.length, from + reach);
    let i = from;
    while (i < limit && isKeyChar(text.charCodeAt(i))) i++;
    this.steps += i - from;
    return i;
  }

  /** The next quote that closes the string at `from`, by escapes alone; -1 if there is none. */
  quoteEnd(from: number): number {
    const { text } = this;
    const opener = text.charCodeAt(from);
    let i = from + 1;
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === BACKSLASH) i++;
      else if (closesQuote(opener, c)) break;
    }
    this.steps += i - from;
    return i < text.length ? i : -1;
  }

  /** Whether a colon is the next character that is not blank. */
  colonFollows(from: number): boolean {
    return this.nextChar(from) === COLON;
  }

  /** The length of a colon, or of `=` or `=>` in its place, at `at`; 0 if there is none of them. */
  colonLength(at: number): number {
    const c = this.char(at);
    if (c !== EQUALS) return c === COLON ? 1 : 0;
    return this.text.charCodeAt(at + 1) === GREATER ? 2 : 1;
  }

  /** How many more closers than openers there are from `from` to `to`, in strings or not. */
  spareClosers(from: number, to: number): number {
    let spare = 0;
    for (let i = from; i < to; i++) {
      const c = this.text.charCodeAt(i);
      if (isCloser(c)) spare++;
      else if (c === BRACE_OPEN || c === BRACKET_OPEN) spare--;
    }
    this.steps += to - from;
    return spare;
  }

  /** Whether an unquoted key and its colon are at `at`, or one whose opening quote was forgotten. */
  unquotedKeyAt(at: number, reach: number): boolean {
    const end = this.keyEnd(at, reach);
    return end > at && this.colonFollows(isQuote(this.text.charCodeAt(end)) ? end + 1 : end);
  }

  /**
   * The end of a key at `at` whose closing quote was forgotten: a name, a colon, and no blank after the next quote,
   * which opens a string. -1 if there is none.
   */
  halfQuotedKeyEnd(at: number, reach: number): number {
    const end = this.keyEnd(at + 1, reach);
    if (end === at + 1 || !this.colonFollows(end)) return -1;
    const quote = this.quoteEnd(at);
    if (quote < 0) return end;
    const next = this.text.charCodeAt(quote + 1);
    if (quote < end || isBlank(next)) return -1;
    // An empty string may be the value or the next key.
    const after = isQuote(next) ? this.nextChar(quote + 2) : COMMA;
    return isSeparator(after) || isCloser(after) || after === COLON ? end : -1;
  }

  /** Whether a quoted key and its colon are at `at`. */
  quotedKeyAt(at: number): boolean {
    if (!isQuote(this.text.charCodeAt(at))) return false;
    const end = this.quoteEnd(at);
    return end >= 0 && this.colonLength(this.skipComments(end + 1)) > 0;
  }
}
