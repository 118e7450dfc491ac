// Owns: one text under extraction, the looks ahead that every reader takes in it, and the count of characters looked at.

import { BACKSLASH, closesQuote, COLON, EQUALS, GREATER, isBlank, isKeyChar, WIDE_COLON } from "./chars.ts";

/** A text that several readers share. Each adds to `steps` what it has looked at: the proof of linear time. */
export class Source {
  readonly text: string;
  steps = 0;

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

  /** The character at the first place from `from` on that is not blank; NaN at the end of the text. */
  nextChar(from: number): number {
    return this.text.charCodeAt(this.skipBlanks(from));
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

  /** Whether a colon, or the full-width one, is the next character that is not blank. */
  colonFollows(from: number): boolean {
    const c = this.nextChar(from);
    return c === COLON || c === WIDE_COLON;
  }

  /** The length of `:`, `：`, `=` or `=>` at `at`; 0 if there is none of them. */
  colonLength(at: number): number {
    const c = this.text.charCodeAt(at);
    if (c === COLON || c === WIDE_COLON) return 1;
    return c !== EQUALS ? 0 : this.text.charCodeAt(at + 1) === GREATER ? 2 : 1;
  }
}
