// Owns: the lexical level of a JSONPath query: blanks, names, strings, integers, numbers.
// Must never: know the grammar above it.

import { echo, say, type HoldfastError, type Shown } from "../../errors.ts";
import { pathError } from "./path-error.ts";

/** A place in a query text that only moves forward. Offsets are UTF-16 units. */
export class QueryCursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** True, and past it, when the text goes on with `word`. */
  take(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  peek(word: string): boolean {
    return this.text.startsWith(word, this.at);
  }

  /** Skips the four blanks of RFC 9535. */
  blanks(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d) return;
      this.at++;
    }
  }

  fault(message: Shown, hint?: Shown, at: number = this.at): HoldfastError {
    return pathError({ text: this.text, at, message, hint });
  }

  /** What is here, for a message: one code point, or the end. */
  found(at: number = this.at): Shown {
    const point = this.text.codePointAt(at);
    return point === undefined ? say`the end of the path` : echo(String.fromCodePoint(point));
  }

  /** A member name after a dot, or undefined when none starts here. */
  shorthand(): string | undefined {
    const from = this.at;
    if (!isShorthandFirst(this.text.codePointAt(from))) return undefined;
    while (isShorthandChar(this.text.codePointAt(this.at)))
      this.at += (this.text.codePointAt(this.at) ?? 0) > 0xffff ? 2 : 1;
    return this.text.slice(from, this.at);
  }

  /** A word of a function name or of a literal: lower-case first, then lower-case, digits, underscore. */
  word(): string {
    const from = this.at;
    if (!isLower(this.text.charCodeAt(from))) return "";
    while (isWordChar(this.text.charCodeAt(this.at))) this.at++;
    return this.text.slice(from, this.at);
  }

  /** A string in single or double quotes; the cursor is on the opening quote. */
  string(): string {
    const open = this.at;
    const quote = this.text[open];
    let value = "";
    let from = ++this.at;
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (Number.isNaN(unit)) throw this.fault(say`this string is never closed`, undefined, open);
      if (this.text[this.at] === quote) {
        value += this.text.slice(from, this.at++);
        return value;
      }
      if (unit < 0x20)
        throw this.fault(
          say`a control character in a string must be escaped`,
          say`Write it as \\n, \\t or \\u${unit.toString(16).padStart(4, "0") as Shown}.`,
        );
      if (unit === 0x5c) {
        value += this.text.slice(from, this.at) + this.escape(quote);
        from = this.at;
      } else {
        const point = this.text.codePointAt(this.at) ?? 0;
        if (point >= 0xd800 && point < 0xe000)
          throw this.fault(say`half of a surrogate pair`, say`A key that holds one has no path.`);
        this.at += point > 0xffff ? 2 : 1;
      }
    }
  }

  private escape(quote: string | undefined): string {
    const from = this.at++;
    const letter = this.text[this.at];
    this.at++;
    switch (letter) {
      case "b":
        return "\b";
      case "f":
        return "\f";
      case "n":
        return "\n";
      case "r":
        return "\r";
      case "t":
        return "\t";
      case "/":
      case "\\":
        return letter;
      case "u":
        return this.unicodeEscape(from);
      default:
        if (letter !== undefined && letter === quote) return letter;
        throw this.fault(
          say`${letter === undefined ? this.found(this.at) : echo(`\\${letter}`)} is not an escape`,
          say`Escapes are \\b \\f \\n \\r \\t \\/ \\\\ \\uXXXX and the quote that opened the string.`,
          from,
        );
    }
  }

  private unicodeEscape(from: number): string {
    const high = this.hex4(from);
    if (high < 0xd800 || high > 0xdfff) return String.fromCharCode(high);
    if (high < 0xdc00 && this.take("\\u")) {
      const low = this.hex4(from);
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(high, low);
    }
    throw this.fault(
      say`half of a surrogate pair`,
      say`Write both halves, as in \\ud83d\\ude00, or the character itself. A key that holds one half has no path.`,
      from,
    );
  }

  private hex4(from: number): number {
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9A-Fa-f]{4}$/.test(digits))
      throw this.fault(say`\\u needs four hexadecimal digits`, undefined, from);
    this.at += 4;
    return Number.parseInt(digits, 16);
  }

  /** An integer as indexes and slices take it, or undefined when none starts here. */
  integer(): number | undefined {
    const from = this.at;
    this.take("-");
    const digits = this.digits();
    if (digits === "") {
      if (this.at === from) return undefined;
      throw this.fault(say`a digit must follow the minus, found ${this.found()}`);
    }
    if (digits.length > 1 && digits.startsWith("0"))
      throw this.fault(say`an integer must not start with 0`, undefined, from);
    const value = Number(this.text.slice(from, this.at));
    if (Object.is(value, -0)) throw this.fault(say`-0 is not an index`, say`Write 0.`, from);
    if (!Number.isSafeInteger(value))
      throw this.fault(say`the integer is outside -(2^53)+1 to (2^53)-1`, undefined, from);
    return value;
  }

  /** A number literal of a filter; the cursor is on a minus or a digit. */
  number(): number {
    const from = this.at;
    this.take("-");
    const whole = this.digits();
    if (whole === "") throw this.fault(say`a digit must follow the minus, found ${this.found()}`);
    if (whole.length > 1 && whole.startsWith("0"))
      throw this.fault(say`a number must not start with 0`, undefined, from);
    if (this.peek(".")) {
      this.at++;
      if (this.digits() === "")
        throw this.fault(say`a digit must follow the decimal point, found ${this.found()}`);
    }
    if (this.peek("e") || this.peek("E")) {
      this.at++;
      if (this.peek("+") || this.peek("-")) this.at++;
      if (this.digits() === "")
        throw this.fault(say`a digit must follow the exponent, found ${this.found()}`);
    }
    return Number(this.text.slice(from, this.at));
  }

  private digits(): string {
    const from = this.at;
    while (isDigit(this.text.charCodeAt(this.at))) this.at++;
    return this.text.slice(from, this.at);
  }
}

function isLower(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isWordChar(unit: number): boolean {
  return isLower(unit) || isDigit(unit) || unit === 0x5f;
}

/** May a code point start a member name after a dot? */
export function isShorthandFirst(point: number | undefined): boolean {
  if (point === undefined) return false;
  if (point < 0x80) return isLower(point | 0x20) || point === 0x5f;
  return point < 0xd800 || point > 0xdfff;
}

/** May a code point be part of a member name after a dot? */
export function isShorthandChar(point: number | undefined): boolean {
  return isShorthandFirst(point) || (point !== undefined && isDigit(point));
}
