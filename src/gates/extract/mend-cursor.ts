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
  /** Where other punctuation than JSON's was last read. */
  #kinAt = -1;

  constructor(source: Source) {
    this.source = source;
    this.text = source.text;
  }

  begin(at: number): void {
    this.at = at;
    this.repairs = new RepairLog();
    this.#kinAt = -1;
  }

  /** Skips blanks and comments; notes whether a line ended. */
  skip(): void {
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
      this.at = end;
    }
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
