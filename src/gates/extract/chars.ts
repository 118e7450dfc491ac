// Owns: the character codes and the few character classes that the extraction reads by.

export const QUOTE = 0x22;
export const HASH = 0x23;
export const APOSTROPHE = 0x27;
export const PAREN_OPEN = 0x28;
export const PAREN_CLOSE = 0x29;
export const STAR = 0x2a;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const SLASH = 0x2f;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
export const LESS = 0x3c;
export const EQUALS = 0x3d;
export const GREATER = 0x3e;
export const BRACKET_OPEN = 0x5b;
export const BACKSLASH = 0x5c;
export const BRACKET_CLOSE = 0x5d;
export const BACKTICK = 0x60;
export const BRACE_OPEN = 0x7b;
export const BRACE_CLOSE = 0x7d;
export const TILDE = 0x7e;
export const NEWLINE = 0x0a;
export const ELLIPSIS = 0x2026;
export const WIDE_BRACE_OPEN = 0xff5b;
const IDEOGRAPHIC_COMMA = 0x3001;
/** A full-width character is its ASCII kin moved up by this. */
const WIDE = 0xfee0;
const WIDE_KIN: ReadonlySet<number> = new Set([..."\"'(),:;=[]{}"].map((kin) => kin.charCodeAt(0) + WIDE));

/** The four blanks of JSON. */
export function isJsonBlank(c: number): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}

/** Blanks that models and editors put between tokens although JSON does not know them. */
export function isOddBlank(c: number): boolean {
  if (c === 0x0b || c === 0x0c || c === 0xa0) return true;
  if (c < 0x1680) return false;
  return (
    (c >= 0x2000 && c <= 0x200d) ||
    c === 0x2028 ||
    c === 0x2029 ||
    c === 0x202f ||
    c === 0x205f ||
    c === 0x2060 ||
    c === 0x3000 ||
    c === 0xfeff ||
    c === 0x1680
  );
}

export function isBlank(c: number): boolean {
  return isJsonBlank(c) || isOddBlank(c);
}

export function isDigit(c: number): boolean {
  return c >= ZERO && c <= NINE;
}

export function isLetter(c: number): boolean {
  return (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a);
}

/** What an unquoted key is made of. Beyond ASCII any character but blanks, typographic quotes, `…` and punctuation. */
export function isKeyChar(c: number): boolean {
  if (c < 0x80) return isLetter(c) || isDigit(c) || c === 0x5f || c === 0x24 || c === MINUS;
  // After the end of a text the code is NaN, which is no name.
  return c >= 0x80 && !isOddBlank(c) && !isCurlyQuote(c) && c !== ELLIPSIS && asciiKin(c) === c;
}

/** The ASCII punctuation that a full-width or ideographic one stands for; any other character as it is. */
export function asciiKin(c: number): number {
  if (c < IDEOGRAPHIC_COMMA) return c;
  if (c === IDEOGRAPHIC_COMMA) return COMMA;
  return WIDE_KIN.has(c) ? c - WIDE : c;
}

/** Whether `c` separates members or items: a comma or what is read as one. */
export function isSeparator(c: number): boolean {
  return c === COMMA || c === SEMICOLON;
}

/** Whether `c` closes a container. */
export function isCloser(c: number): boolean {
  return c === BRACE_CLOSE || c === BRACKET_CLOSE;
}

function isCurlyQuote(c: number): boolean {
  return c >= 0x2018 && c <= 0x201f;
}

/** Whether `c` can open a string: the JSON quote, the apostrophe, the backtick, a typographic or full-width quote. */
export function isQuote(c: number): boolean {
  if (c < 0x80) return c === QUOTE || c === APOSTROPHE || c === BACKTICK;
  return isCurlyQuote(c) || c === QUOTE + WIDE || c === APOSTROPHE + WIDE;
}

/** Whether `c` can close a string that `opener` opened. “a”, „a“ and ‘a’ close by any curly quote of their kind. */
export function closesQuote(opener: number, c: number): boolean {
  if (opener < 0x2018) return c === opener;
  if (opener <= 0x201b) return c >= 0x2018 && c <= 0x201b;
  if (opener <= 0x201f) return c >= 0x201c && c <= 0x201f;
  return c === opener;
}

/** Whether four hexadecimal digits are at `at`. */
export function isHex4(text: string, at: number): boolean {
  for (let i = at; i < at + 4; i++) if (!isHex(text.charCodeAt(i))) return false;
  return true;
}

export function isHex(c: number): boolean {
  return isDigit(c) || (c >= 0x61 && c <= 0x66) || (c >= 0x41 && c <= 0x46);
}

/** Whether `c` may follow a backslash in JSON, apart from `u`. */
export function isEscape(c: number): boolean {
  return (
    c === QUOTE ||
    c === BACKSLASH ||
    c === 0x2f ||
    c === 0x62 ||
    c === 0x66 ||
    c === 0x6e ||
    c === 0x72 ||
    c === 0x74
  );
}

/** The ASCII characters that the walk over a text stops at. */
const MARKS = new Uint8Array(0x80);
for (const mark of "<[]`{}~") MARKS[mark.charCodeAt(0)] = 1;

/** Whether the walk over a text stops here: something may begin or end. */
export function isMark(c: number): boolean {
  return c < 0x80 ? MARKS[c] === 1 : c === WIDE_BRACE_OPEN;
}
