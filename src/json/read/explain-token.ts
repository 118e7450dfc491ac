// Owns: what is wrong with one token of a broken document: a string, number, word or comment.
// Must never: look at what is around the token.

import { echo, say, type Shown } from "../../errors.ts";
import { decodeString, type Scanner } from "../scan/scanner.ts";
import type { Broken, Explanation } from "./explanation.ts";

/** What is wrong inside a string, number, word or comment. */
export function insideToken(broken: Broken): Explanation | undefined {
  const { scanner, at, inside, tokenAt } = broken;
  const byte = scanner.byte(at);
  const found = foundAt(scanner, at);
  switch (inside) {
    case "string":
      return byte >= 0x80 ? badUtf8(scanner, at) : controlCharacter(byte, found, tokenAt);
    case "escape":
      return badEscape(byte, found);
    case "hex":
      return {
        reason: "bad_escape",
        expected: say`four hexadecimal digits after \\u`,
        found,
        hint: say`Write \\u00e9 with exactly four digits, or \\\\u for a backslash and a u.`,
      };
    case "utf8":
      return badUtf8(scanner, at);
    case "number":
      return badNumber(scanner, at, tokenAt);
    case "word":
      return badWord(scanner, tokenAt);
    case "comment":
      return byte >= 0x80 ? badUtf8(scanner, at) : undefined;
    default:
      return undefined;
  }
}

function controlCharacter(byte: number, found: Shown, tokenAt: number): Explanation {
  const lineBreak = byte === 0x0a || byte === 0x0d;
  const escape = byte === 0x0a ? "\\n" : byte === 0x0d ? "\\r" : byte === 0x09 ? "\\t" : `\\u${hex(byte, 4)}`;
  return {
    reason: "control_character",
    expected: say`the rest of the string`,
    found,
    hint: lineBreak
      ? say`A string cannot go over a line break: close it with a double quote, or write ${escape as Shown}.`
      : say`Write ${escape as Shown}.`,
    ...(lineBreak ? { related: { at: tokenAt, what: say`string opened at %` } } : {}),
  };
}

function badEscape(byte: number, found: Shown): Explanation {
  let hint = say`For a backslash itself, as in a Windows path, write two: "C:\\\\dir".`;
  if (byte === 0x27) hint = say`A single quote needs no backslash in JSON.`;
  else if (byte === 0x78) hint = say`Write \\u0041 with four digits in place of \\x41.`;
  else if (byte === 0x0a || byte === 0x0d) hint = say`A string cannot go on in the next line: write \\n.`;
  else if (byte === 0x30) hint = say`Write \\u0000.`;
  return {
    reason: "bad_escape",
    expected: say`one of " \\ / b f n r t u after a backslash`,
    found,
    hint,
  };
}

function badUtf8(scanner: Scanner, at: number): Explanation {
  return {
    reason: "invalid_utf8",
    expected: say`UTF-8 text`,
    found: say`byte 0x${hex(scanner.byte(at), 2) as Shown}`,
    hint: say`The bytes are not UTF-8: save the document as UTF-8 (it may be Latin-1 or Windows-1252), or write the character as \\u and four digits.`,
  };
}

/** The run of letters, digits and signs from `at` on, as far as 40 bytes. */
export function wordAt(scanner: Scanner, at: number): string {
  const bytes = scanner.bytes(at, at + 40);
  let end = 0;
  while (end < bytes.length && isWordByte(bytes[end] ?? 0)) end++;
  return ascii(bytes.subarray(0, end));
}

export function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) ||
    byte === 0x5f ||
    byte === 0x24 ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e
  );
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** A number that is none, found out at `at`. */
export function badNumber(scanner: Scanner, at: number, tokenAt: number): Explanation {
  const word = wordAt(scanner, tokenAt);
  if (/^-(?:Infinity|NaN)/.test(word)) return badWord(scanner, tokenAt);
  const found = word === "" || at - tokenAt > 40 ? foundAt(scanner, at) : echo(word, 40);
  let hint = say`A number reads like -12, 0.5 or 1.5e-3.`;
  if (/^-?0[xXoObB]/.test(word)) hint = say`Write the number in decimal, or as a string.`;
  else if (/^-?0\d/.test(word))
    hint = say`A number has no leading zero: drop it, or write a string to keep it.`;
  else if (/^-?\d+\.(?!\d)/.test(word)) hint = say`Digits must follow the point: write 1.0.`;
  else if (/^-?\./.test(word)) hint = say`Digits must come before the point: write 0.5.`;
  else if (/^-?[\d.]+[eE][+-]?(?!\d)/.test(word)) hint = say`Digits must follow the e: write 1e5.`;
  else if (word.startsWith("+")) hint = say`A number has no plus sign: drop it.`;
  else if (/^-?\d[\d_]*_/.test(word)) hint = say`A number has no underscores: drop them.`;
  else if (/^\d+[-.]\d+[-.]/.test(word))
    hint = say`A date or version must be a string: put it in double quotes.`;
  else if (/^-?\d[\d.]*[a-zA-Z_$]/.test(word)) hint = say`If it is text, put it in double quotes.`;
  return { reason: "bad_number", expected: say`a number`, found, hint };
}

const WORDS = new Map<string, Shown>([
  ["None", say`Python's None is null in JSON.`],
  ["True", say`Python's True is true in JSON.`],
  ["False", say`Python's False is false in JSON.`],
  ["undefined", say`JSON has no undefined: write null, or leave the key out.`],
  ["nil", say`Write null.`],
  ["NaN", say`JSON has no NaN: write null, or a string.`],
  ["nan", say`JSON has no NaN: write null, or a string.`],
  ["Infinity", say`JSON has no Infinity: write null, or a string.`],
  ["-Infinity", say`JSON has no Infinity: write null, or a string.`],
  ["-NaN", say`JSON has no NaN: write null, or a string.`],
  ["inf", say`JSON has no infinity: write null, or a string.`],
  ["yes", say`Write true.`],
  ["no", say`Write false.`],
]);

/** A bare word that is none of the three. */
export function badWord(scanner: Scanner, at: number): Explanation {
  const word = wordAt(scanner, at);
  const lower = word.toLowerCase();
  let hint = WORDS.get(word);
  if (hint === undefined && (lower === "true" || lower === "false" || lower === "null"))
    hint = say`Write ${lower as Shown} in lower case.`;
  if (hint === undefined)
    for (const whole of ["true", "false", "null"])
      if (lower.length > 1 && (whole.startsWith(lower) || lower.startsWith(whole)))
        hint = say`Write ${whole as Shown}, or put text in double quotes.`;
  return {
    reason: "bad_word",
    expected: say`a value`,
    found: word === "" ? foundAt(scanner, at) : echo(word, 40),
    hint: hint ?? say`Put text in double quotes; the only bare words are true, false and null.`,
  };
}

/** Two tokens without anything between them, the second of which begins at `at`. */
export function gluedToken(scanner: Scanner, at: number): Explanation {
  let start = at;
  while (start > 0 && at - start < 40 && isWordByte(scanner.byte(start - 1))) start--;
  const first = scanner.byte(start);
  return first === 0x2d || (first >= 0x30 && first <= 0x39)
    ? badNumber(scanner, at, start)
    : badWord(scanner, start);
}

/** The sign at `at`, as a reader may see it. */
export function foundAt(scanner: Scanner, at: number): Shown {
  const bytes = scanner.bytes(at, at + 4);
  const byte = bytes[0];
  if (byte === undefined) return say`the end of the document`;
  if (byte === 0x0a || byte === 0x0d) return say`a line break`;
  if (byte === 0x09) return say`a tab`;
  if (byte === 0) return say`a NUL byte`;
  if (byte < 0x20 || byte === 0x7f) return say`control character U+${hex(byte, 4) as Shown}`;
  if (byte < 0x80) return `'${String.fromCharCode(byte)}'` as Shown;
  const sign = String.fromCodePoint(
    decodeString(bytes.length < 2 ? bytes : wrap(bytes)).codePointAt(0) ?? 0xfffd,
  );
  if (sign === "\ufffd") return say`byte 0x${hex(byte, 2) as Shown}`;
  return echo(sign);
}

function wrap(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(0x22, ...bytes, 0x22);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
