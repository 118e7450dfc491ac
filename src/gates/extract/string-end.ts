// Owns: where a badly quoted string ends. A quote ends a string if what follows can follow a string's end; otherwise it
// is part of the text.
// Must never: look back and forth without bound. A search that finds no good end is paid from a budget as large as the
// text; a string whose search could not be paid for ends at its first quote. So all searches together stay linear.

import { valueBegins } from "./bare-value.ts";
import {
  BACKSLASH,
  BACKTICK,
  BRACE_CLOSE,
  BRACE_OPEN,
  closesQuote,
  COLON,
  DOT,
  ELLIPSIS,
  HASH,
  isBlank,
  isCloser,
  isKeyChar,
  isQuote,
  isSeparator,
  NEWLINE,
  PAREN_CLOSE,
  PAREN_OPEN,
  PLUS,
  SLASH,
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
  innerQuotes = 0;
  /** The closing quote was forgotten: `at` is the end of the content. */
  lostQuote = false;
  /** The string is not closed, but closers after it are left over: it is not the text's end that it lacks. */
  unbalanced = false;

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
        if (!canPay || this.canEnd(i, opener, place, braces > 0)) {
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
          this.at = this.contentEnd;
          this.lostQuote = true;
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
    const content = this.#beforeClosers(from, end, place.depth);
    this.lostQuote = content < end;
    this.closed = this.lostQuote;
    this.contentEnd = content;
    this.at = content;
  }

  /**
   * The end of a string that has no closing quote, in a text that ends at `end` with closers: before the first line that
   * begins with a closer, or before as many closers as are open, if the content can spare them. `end` if it is not so;
   * `unbalanced` says then whether closers are left over, so that the text was not cut off in the string.
   */
  #beforeClosers(from: number, end: number, depth: number): number {
    const text = this.#text;
    this.unbalanced = false;
    let closers = 0;
    let content = end;
    let i = end;
    for (; i > from + 1; i--) {
      const c = text.charCodeAt(i - 1);
      if (isCloser(c) && ++closers === depth) content = i - 1;
      else if (!isCloser(c) && !isBlank(c)) break;
    }
    this.#source.steps += end - i;
    if (closers === 0) return end;
    for (let line = text.indexOf("\n", from); line >= 0 && line < end; line = text.indexOf("\n", line + 1))
      if (isCloser(this.#source.nextChar(line))) return line;
    const spare = this.#source.spareClosers(from, end);
    this.unbalanced = spare > 0;
    return spare === depth ? content : end;
  }

  /**
   * Whether `lastQuote` opens a key: then a comma, a line break or closers on lines of their own are before it, and the
   * content ends before them.
   */
  #endsBefore(lastQuote: number, from: number): boolean {
    let content = lastQuote;
    let ended = false;
    // Closers wait here for the line break that makes them the containers' own.
    let closers = false;
    let i = lastQuote - 1;
    for (; i > from; i--) {
      const c = this.#source.char(i);
      if (c === NEWLINE) {
        content = i;
        ended = true;
        closers = false;
      } else if (isSeparator(c)) {
        if (closers) break;
        content = i;
        ended = true;
      } else if (isCloser(c)) closers = true;
      else if (!isBlank(c)) break;
      else if (!closers) content = i;
    }
    this.#source.steps += lastQuote - i;
    if (!ended) return false;
    this.contentEnd = content;
    // The quote that opens the key was counted as an inner one.
    this.innerQuotes--;
    return true;
  }

  /** Whether what follows the quote at `quote` can follow a string's end. `inBraces`: the content has opened a brace. */
  canEnd(quote: number, opener: number, place: StringPlace, inBraces: boolean): boolean {
    const text = this.#text;
    const source = this.#source;
    const k = source.skipBlanks(quote + 1);
    if (k >= text.length) return true;
    const c = source.char(k);
    const apart = k > quote + 1;
    if (isSeparator(c)) return this.#canFollowComma(k + 1, place);
    if (isCloser(c) || (c === PAREN_CLOSE && place.inTuple))
      return !(inBraces && this.innerQuotes > 0 && c === BRACE_CLOSE) && this.#closersFit(k, place.depth);
    if (c === SLASH) return isComment(text, k);
    if (c === HASH) return apart;
    if (c === PLUS && isQuote(source.nextChar(k + 1))) return true;
    if (c === PAREN_OPEN) return this.#remarkFits(k);
    if (c === BACKTICK && text.startsWith("```", k)) return true;
    if (isQuote(c)) return this.#canFollowString(k, opener, place, apart);
    if (place.inObject) return apart && isKeyChar(c) && source.unquotedKeyAt(k, KEY_REACH);
    return (apart || this.innerQuotes === 0) && valueBegins(source, k);
  }

  /** Whether the string at `at` can follow right after another one: as a key, as the next item, or to be joined. */
  #canFollowString(at: number, opener: number, place: StringPlace, apart: boolean): boolean {
    if (!apart && this.innerQuotes > 0) return false;
    const source = this.#source;
    const end = source.quoteEnd(at);
    if (end < 0) return apart;
    const after = source.skipComments(end + 1);
    if (after >= this.#text.length) return apart;
    if (place.inObject && source.colonLength(after) > 0) return true;
    const c = source.char(after);
    if (!apart) return !place.inObject && end > at + 1 && (isSeparator(c) || isCloser(c));
    return (
      isSeparator(c) ||
      isCloser(c) ||
      c === COLON ||
      c === PLUS ||
      (isQuote(c) && closesQuote(opener, c) && after > end + 1) ||
      valueBegins(source, after)
    );
  }

  #canFollowComma(from: number, place: StringPlace): boolean {
    const text = this.#text;
    const source = this.#source;
    const k = source.skipBlanks(from);
    if (k >= text.length) return true;
    const c = source.char(k);
    if (isCloser(c) || isSeparator(c) || c === ELLIPSIS) return true;
    if (c === DOT && text.startsWith("...", k)) return true;
    if (c === SLASH) return isComment(text, k);
    if (c === HASH) return true;
    if (place.inObject) {
      if (!isQuote(c)) return isKeyChar(c) && source.unquotedKeyAt(k, KEY_REACH);
      const end = source.quoteEnd(k);
      if (end < 0) return true;
      const after = source.skipComments(end + 1);
      return (
        after >= text.length ||
        source.colonLength(after) > 0 ||
        (after > end + 1 && isQuote(text.charCodeAt(after))) ||
        valueBegins(source, after) ||
        source.halfQuotedKeyEnd(k, KEY_REACH) >= 0
      );
    }
    if (isQuote(c) || c === PAREN_OPEN) return true;
    if (c === PAREN_CLOSE) return place.inTuple;
    return valueBegins(source, k);
  }

  /** Closers end a string if they close all that is open, or if something that may follow a value comes after them. */
  #closersFit(from: number, depth: number): boolean {
    const text = this.#text;
    let closers = 0;
    let brokeLine = false;
    let i = from;
    for (; i < text.length; i++) {
      const c = this.#source.char(i);
      if (isCloser(c) || c === PAREN_CLOSE) {
        brokeLine = false;
        if (++closers >= depth) break;
      } else if (c === NEWLINE) brokeLine = true;
      else if (!isBlank(c)) break;
    }
    this.#source.steps += i - from;
    if (closers >= depth || i >= text.length) return true;
    const c = this.#source.char(i);
    if (isSeparator(c) || c === BACKTICK || brokeLine || isComment(text, i)) return true;
    return isQuote(c) ? this.#stringFits(i) : valueBegins(this.#source, i);
  }

  /** Whether the string at `at` is a key or an item: a colon, a comma, a closer or another value follows it. */
  #stringFits(at: number): boolean {
    const source = this.#source;
    const end = source.quoteEnd(at);
    if (end < 0) return false;
    const after = source.skipComments(end + 1);
    const c = source.char(after);
    return (
      isSeparator(c) ||
      isCloser(c) ||
      isQuote(c) ||
      source.colonLength(after) > 0 ||
      valueBegins(source, after)
    );
  }

  /** A remark in parentheses on the same line, with a comma or closer after it. */
  #remarkFits(from: number): boolean {
    const text = this.#text;
    const limit = Math.min(text.length, from + REMARK_REACH);
    let i = from;
    for (; i < limit; i++) {
      const c = this.#source.char(i);
      if (c === NEWLINE || isQuote(c)) return false;
      if (c === PAREN_CLOSE) break;
    }
    this.#source.steps += i - from;
    const f = this.#source.nextChar(i + 1);
    return i < limit && (isSeparator(f) || isCloser(f));
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
