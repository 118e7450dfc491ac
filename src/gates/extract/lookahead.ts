// Owns: whether a brace or bracket in prose begins an object or array that is worth mending.
// Must never: read the same comment or key twice without bound.

import {
  BACKSLASH,
  BRACE_OPEN,
  BRACKET_OPEN,
  COMMA,
  HASH,
  isBlank,
  isDigit,
  isQuote,
  NEWLINE,
  QUOTE,
  SLASH,
  STAR,
} from "./chars.ts";
import { commentEnd } from "./comment.ts";
import type { Source } from "./source.ts";

const KEY_REACH = 256;

/** Looks ahead in one text; remembers where no comment ends any more. */
export class Lookahead {
  readonly #source: Source;
  /** No block comment, or no line, ends after the current place any more. */
  #noBlockEnd = false;
  #noLineEnd = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * -1 if a key and a colon follow the brace at `start`; otherwise the place up to which there is nothing to find.
   * What it reads before the key it never has to read again, and a key in other quotes than JSON's is short.
   */
  object(start: number): number {
    const { text } = this.#source;
    let i = start + 1;
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (isBlank(c) || c === COMMA) continue;
      if (c !== SLASH && (c !== HASH || i === start + 1)) break;
      const block = text.charCodeAt(i + 1) === STAR;
      if (block ? this.#noBlockEnd : this.#noLineEnd) break;
      const end = commentEnd(text, i);
      this.#source.steps += Math.max(0, end - i);
      if (end < 0) break;
      if (end >= text.length) {
        if (block) this.#noBlockEnd = true;
        else this.#noLineEnd = true;
        break;
      }
      i = end - 1;
    }
    this.#source.steps += i - start;
    const token = i;
    const c = text.charCodeAt(i);
    if (isQuote(c)) {
      const limit = c === QUOTE ? text.length : i + KEY_REACH;
      const end = this.#quotedKeyEnd(i, c, limit);
      if (end < 0) return token;
      i = end;
    } else {
      i = this.#source.keyEnd(token, KEY_REACH);
      if (i === token) return token;
    }
    return this.#source.colonFollows(i) ? -1 : token;
  }

  /** The end of the quoted key at `from`; -1 if the line ends first. */
  #quotedKeyEnd(from: number, opener: number, limit: number): number {
    const { text } = this.#source;
    const end = Math.min(limit, text.length);
    let i = from + 1;
    let found = -1;
    for (; i < end; i++) {
      const c = text.charCodeAt(i);
      if (c === NEWLINE) break;
      if (c === BACKSLASH) i++;
      else if (c === opener || (opener >= 0x2018 && c >= 0x2018 && c <= 0x201f)) {
        found = i + 1;
        break;
      }
    }
    this.#source.steps += i - from;
    return found;
  }

  /** An array worth mending begins with a string, a container, or a number with a comma after it. */
  array(start: number): boolean {
    const { text } = this.#source;
    let i = this.#source.skipBlanks(start + 1);
    const c = text.charCodeAt(i);
    if (c === BRACE_OPEN) return this.object(i) < 0;
    if (isQuote(c) || c === BRACKET_OPEN) return true;
    const number = i;
    const limit = Math.min(text.length, number + KEY_REACH);
    while (i < limit && (isDigit(text.charCodeAt(i)) || ".-+eE".includes(text.charAt(i)))) i++;
    this.#source.steps += i - number;
    return i > number && this.#source.nextChar(i) === COMMA;
  }
}
