// Owns: reading the strings of a broken text: triple quotes, quotes inside, quotes that are missing at either end.

import { QUOTE } from "./chars.ts";
import type { MendCursor } from "./mend-cursor.ts";
import { StringEnd, type StringPlace } from "./string-end.ts";
import { stringText } from "./string-text.ts";

/** Reads strings at a cursor; remembers what it learned about the text between them. */
export class MendStrings {
  readonly #cursor: MendCursor;
  readonly #end: StringEnd;
  /** No triple quotes close from here on; -1 if that is not known. */
  #noTriple = -1;
  /** Where the first string begins whose end was guessed, -1 if none was. */
  guessedAt = -1;

  constructor(cursor: MendCursor) {
    this.#cursor = cursor;
    this.#end = new StringEnd(cursor.source);
  }

  /** The string at the cursor if it is in triple quotes. */
  triple(c: number): string | undefined {
    const cursor = this.#cursor;
    const { at: from, text } = cursor;
    const isTriple = text.charCodeAt(from + 1) === c && text.charCodeAt(from + 2) === c;
    if (!isTriple || (this.#noTriple >= 0 && from >= this.#noTriple)) return undefined;
    const end = text.indexOf(text.slice(from, from + 3), from + 3);
    cursor.source.steps += (end < 0 ? text.length : end) - from;
    if (end < 0) {
      this.#noTriple = from;
      return undefined;
    }
    cursor.repairs.add("triple_quotes", from);
    cursor.at = end + 3;
    return text.slice(from + 3, end);
  }

  /** The string at the cursor, which begins with the quote `c`. {@link ending} says how it ended. */
  read(c: number, place: StringPlace): string {
    const cursor = this.#cursor;
    const from = cursor.at;
    const end = this.#end;
    end.find(from, place);
    if (c !== QUOTE) cursor.repairs.add("quotes", from);
    if (end.innerQuotes > 0) cursor.repairs.add("inner_quote", from);
    if ((end.innerQuotes > 0 || end.lostQuote) && this.guessedAt < 0) this.guessedAt = from;
    cursor.at = end.at;
    return stringText(cursor.source, from + 1, end.contentEnd, c, end.closed, cursor.repairs);
  }

  /** How the string from `from`, which was read last, ended if not with a quote or before what may follow it. */
  ending(from: number): "unreadable" | "broke_off" | undefined {
    const end = this.#end;
    if (end.closed) {
      if (end.lostQuote) this.#cursor.repairs.add("missing_quote", end.contentEnd);
      return undefined;
    }
    if (!end.unbalanced) return "broke_off";
    this.guessedAt = from;
    return "unreadable";
  }

  /** Words from the cursor to a quote that ends a string, whose opening quote was forgotten; undefined if it is not so. */
  withoutOpener(quote: number, place: StringPlace): string | undefined {
    const cursor = this.#cursor;
    const from = cursor.at;
    if (cursor.text.charCodeAt(quote) !== QUOTE || quote === from) return undefined;
    this.#end.innerQuotes = 0;
    if (!this.#end.canEnd(quote, QUOTE, place, false)) return undefined;
    cursor.repairs.add("missing_quote", from);
    cursor.at = quote + 1;
    return stringText(cursor.source, from, quote, QUOTE, true, cursor.repairs);
  }
}
