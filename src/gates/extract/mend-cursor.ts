// Owns: the place in a broken text that is being mended: blanks and comments are skipped, other punctuation is read as JSON's, and
// every repair is listed.
// Must never: go back.

import {
  asciiKin,
  BRACE_OPEN,
  BRACKET_OPEN,
  COMMA,
  DOT,
  ELLIPSIS,
  HASH,
  isBlank,
  isCloser,
  isJsonBlank,
  isQuote,
  NEWLINE,
  SEMICOLON,
  SLASH,
} from "./chars.ts";
import { commentEnd } from "./comment.ts";
import { RepairLog } from "./repairs.ts";
import type { Source } from "./source.ts";

/** Moves forward over one text. */
export class MendCursor {
  readonly source: Source;
  readonly text: string;
  at = 0;
  repairs: RepairLog = new RepairLog();
  /** A line ended in what was skipped last. */
  brokeLine = false;
  /** Where a comment begins that the text, or its fence, ends with, and that holds closers of what is open; -1 if there is none. */
  lastComment = -1;
  /** Where other punctuation than JSON's was last read. */
  #kinAt = -1;

  constructor(source: Source) {
    this.source = source;
    this.text = source.text;
  }

  begin(at: number): void {
    this.at = at;
    this.repairs = new RepairLog();
    this.lastComment = -1;
    this.#kinAt = -1;
  }

  /** Skips blanks and comments; notes whether a line ended. A comment in the last line ends before the closers of `open` containers. */
  skip(open = 0): void {
    const { text } = this;
    this.brokeLine = false;
    while (this.at < text.length) {
      const c = text.charCodeAt(this.at);
      if (isBlank(c)) {
        if (c === NEWLINE) this.brokeLine = true;
        else if (!isJsonBlank(c)) this.repairs.add("blank", this.at);
        this.at++;
        continue;
      }
      const end = c === SLASH || c === HASH ? commentEnd(text, this.at) : -1;
      if (end < 0) return;
      this.repairs.add("comment", this.at);
      this.at = this.#afterComment(end, open);
    }
  }

  /**
   * Where the comment here ends. `end` is its line's end; if nothing comes after that line, the text may have lost its line
   * breaks: as many closers at the end as are open, and not opened in the comment, are no part of it, unless it holds a key.
   */
  #afterComment(end: number, open: number): number {
    const { text, source, at } = this;
    const next = source.skipBlanks(end);
    const isLast = next >= text.length || text.startsWith("```", next);
    const spare = isLast && open > 0 ? source.spareClosers(at, end) : 0;
    if (spare <= 0) return end;
    let i = end;
    for (let closers = 0; i > at && closers < open; i--) {
      const c = text.charCodeAt(i - 1);
      if (isCloser(c)) closers++;
      else if (!isBlank(c)) break;
    }
    if (spare === open && source.spareClosers(i, end) === open && !this.#holdsKey(at, i)) return i;
    this.lastComment = at;
    return end;
  }

  #holdsKey(from: number, to: number): boolean {
    const { text, source } = this;
    for (let at = text.indexOf('"', from); at >= 0 && at < to; at = text.indexOf('"', at + 1))
      if (source.colonFollows(at + 1)) return true;
    return false;
  }

  /** The character here, as the ASCII punctuation that it stands for; a semicolon is a comma where keys are quoted. */
  punctuation(quoted: boolean): number {
    const raw = this.text.charCodeAt(this.at);
    let c = asciiKin(raw);
    if (c === SEMICOLON && quoted) c = COMMA;
    if (c === raw || isQuote(raw)) return raw;
    if (this.#kinAt !== this.at) this.repairs.add("punctuation", this.at);
    this.#kinAt = this.at;
    return c;
  }

  /** Reads over an ellipsis that begins with `c`; false if there is none. */
  ellipsis(c: number): boolean {
    const length = c === ELLIPSIS ? 1 : c === DOT && this.text.startsWith("...", this.at) ? 3 : 0;
    if (length > 0) this.repairs.add("ellipsis", this.at);
    this.at += length;
    return length > 0;
  }

  /** Drops a remark after a value, up to the comma or closer; false if that is not on the same line. */
  remark(): boolean {
    const { text, source } = this;
    if (this.brokeLine) return false;
    let i = this.at;
    for (; i < text.length; i++) {
      const c = source.char(i);
      if (c === COMMA || isCloser(c)) break;
      if (c === NEWLINE || isQuote(c) || c === BRACE_OPEN || c === BRACKET_OPEN) return false;
    }
    source.steps += i - this.at;
    if (i >= text.length) return false;
    this.repairs.add("dropped_text", this.at);
    this.at = i;
    return true;
  }
}
