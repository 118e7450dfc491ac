// Owns: whether a brace or bracket in prose begins an object or array that is worth mending.
// Must never: read the same comment or key twice without bound.

import { valueBegins } from "./bare-value.ts";
import {
  asciiKin,
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_OPEN,
  closesQuote,
  COMMA,
  DOT,
  ELLIPSIS,
  HASH,
  isBlank,
  isQuote,
  NEWLINE,
  QUOTE,
  SLASH,
} from "./chars.ts";
import type { Source } from "./source.ts";

const KEY_REACH = 256;

/** Looks ahead in one text. */
export class Lookahead {
  readonly #source: Source;
  /** The line's end or closing brace that was found last. */
  #lineStop = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * -1 if the first member of an object follows the brace at `start`; otherwise the place up to which there is nothing
   * to find. What it reads before the key it never has to read again, and a key in other quotes than JSON's is short.
   */
  object(start: number): number {
    const { text } = this.#source;
    const key = this.#skipToKey(start + 1);
    const c = text.charCodeAt(key);
    return (isQuote(c) ? this.#quotedKey(key, c) : this.#unquotedKey(key)) ? -1 : key;
  }

  /** An unquoted key, or one whose opening quote was forgotten, and a colon of any kind. */
  #unquotedKey(at: number): boolean {
    const source = this.#source;
    const end = source.keyEnd(at, KEY_REACH);
    if (end === at) return false;
    const after = isQuote(source.text.charCodeAt(end)) ? end + 1 : end;
    return source.colonLength(source.skipComments(after)) > 0;
  }

  #quotedKey(at: number, opener: number): boolean {
    const end = this.#quotedKeyEnd(at, opener, opener === QUOTE ? Infinity : KEY_REACH);
    return (end >= 0 && this.goesOnAfterKey(end)) || this.isHalfQuotedKey(at);
  }

  /** Whether after a quoted key, which ends at `at`, comes a colon, or a value whose colon was forgotten. */
  goesOnAfterKey(at: number): boolean {
    const source = this.#source;
    const i = source.skipComments(at);
    if (source.colonLength(i) > 0) return true;
    return isQuote(source.text.charCodeAt(i)) || valueBegins(source, i);
  }

  /** Whether a key whose closing quote was forgotten, its colon and a value are at `at`. */
  isHalfQuotedKey(at: number): boolean {
    const source = this.#source;
    const end = source.halfQuotedKeyEnd(at, KEY_REACH);
    if (end < 0) return false;
    const value = source.skipBlanks(source.skipBlanks(end) + 1);
    return isQuote(source.text.charCodeAt(value)) || valueBegins(source, value);
  }

  /** Past blanks, commas, ellipses and comments. `{#` is prose where a brace closes on its line: `{# note #}`, `{#if x}`. */
  #skipToKey(from: number): number {
    const { text } = this.#source;
    let i = from;
    for (; i < text.length; i++) {
      const c = asciiKin(text.charCodeAt(i));
      if (isBlank(c) || c === COMMA || c === ELLIPSIS) continue;
      if (c === DOT && text.startsWith("...", i)) i += 2;
      else if (c === SLASH || (c === HASH && (i > from || !this.#closesOnLine(i)))) {
        const end = this.#source.commentEnd(i);
        if (end < 0) break;
        i = end - 1;
      } else break;
    }
    this.#source.steps += i - from + 1;
    return i;
  }

  /** Whether a brace closes between `at` and the line's end. Asked with growing places: one search in all. */
  #closesOnLine(at: number): boolean {
    const { text } = this.#source;
    let i = Math.max(at, this.#lineStop);
    const from = i;
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === NEWLINE || c === BRACE_CLOSE) break;
    }
    this.#source.steps += i - from + 1;
    this.#lineStop = i;
    return text.charCodeAt(i) === BRACE_CLOSE;
  }

  /** The end of the quoted key at `from`; -1 if the line or the reach ends first. */
  #quotedKeyEnd(from: number, opener: number, reach: number): number {
    const { text } = this.#source;
    const limit = Math.min(text.length, from + reach);
    let i = from + 1;
    let end = -1;
    for (; i < limit && end < 0; i++) {
      const c = text.charCodeAt(i);
      if (c === NEWLINE) break;
      if (c === BACKSLASH) i++;
      else if (closesQuote(opener, c)) end = i + 1;
    }
    this.#source.steps += i - from;
    return end;
  }

  /** An array worth mending begins with a string or a container, or with a value and another one after it. */
  array(start: number): boolean {
    const source = this.#source;
    const at = source.skipBlanks(start + 1);
    const c = source.char(at);
    if (c === BRACE_OPEN) return this.object(at) < 0;
    if (isQuote(c) || c === BRACKET_OPEN) return true;
    if (!valueBegins(source, at)) return false;
    const limit = Math.min(source.text.length, at + KEY_REACH);
    let end = at;
    while (end < limit && !isBlank(source.text.charCodeAt(end)) && source.char(end) !== COMMA) end++;
    source.steps += end - at;
    const next = source.skipBlanks(end);
    return source.char(next) === COMMA || isQuote(source.text.charCodeAt(next)) || valueBegins(source, next);
  }
}
