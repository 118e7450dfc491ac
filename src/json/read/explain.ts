// Owns: why a document is refused, in words: what was expected, what was found, which mistake it looks like, how to
// mend it.
// Must never: decide whether a document is valid. It is asked only about a place where the rules are already broken.

import { echo, say, type Shown } from "../../errors.ts";
import { decodeString, kindOfByte, type Mode, NONE, type Scanner } from "../scan/scanner.ts";
import type { Level, Levels } from "./levels.ts";
import * as rule from "../scan/js-validation.ts";

/** What is wrong at the first place where a document is not JSON. */
export type FaultReason =
  | "empty"
  | "wrong_encoding"
  | "byte_order_mark"
  | "truncated"
  | "unclosed_string"
  | "unclosed_comment"
  | "extra_data"
  | "several_documents"
  | "comment"
  | "single_quotes"
  | "smart_quotes"
  | "strange_blank"
  | "unquoted_key"
  | "missing_comma"
  | "trailing_comma"
  | "extra_comma"
  | "missing_colon"
  | "missing_value"
  | "wrong_bracket"
  | "wrong_separator"
  | "bad_number"
  | "bad_word"
  | "bad_escape"
  | "control_character"
  | "invalid_utf8"
  | "too_deep"
  | "unexpected";

/** What the explainer knows about the place. */
export interface Broken {
  readonly scanner: Scanner;
  readonly mode: Mode;
  readonly at: number;
  readonly state: number;
  readonly inside: rule.Inside;
  readonly tokenAt: number;
  readonly tooDeep: boolean;
  readonly levels: Levels;
}

export interface Explanation {
  readonly reason: FaultReason;
  /** What could be there. */
  readonly expected: Shown;
  /** What does. */
  readonly found: Shown;
  readonly hint?: Shown;
  /** Another place that belongs to the mistake, and what is there: `%` stands for its line and column. */
  readonly related?: { readonly at: number; readonly what: Shown };
}

const EXPECTED: readonly Shown[] = [
  say`a value`,
  say`the end of the document`,
  say`a value or ']'`,
  say`a value`,
  say`',' or ']'`,
  say`a key in double quotes or '}'`,
  say`a key in double quotes`,
  say`':'`,
  say`a value`,
  say`',' or '}'`,
];

/** The one explanation that fits best. */
export function explain(broken: Broken): Explanation {
  const inner = broken.levels.level(broken.levels.depth - 1);
  return (
    atEnd(broken, inner) ??
    insideToken(broken) ??
    strangeSign(broken) ??
    outOfPlace(broken, inner) ?? {
      reason: "unexpected",
      expected: EXPECTED[broken.state] ?? say`a value`,
      found: foundAt(broken.scanner, broken.at),
    }
  );
}

function opened(level: Level): Explanation["related"] & object {
  const what = level.members
    ? say`object opened at % is never closed`
    : say`array opened at % is never closed`;
  return { at: level.opener, what };
}

function atEnd(broken: Broken, inner: Level | undefined): Explanation | undefined {
  const { scanner, at, inside, tokenAt, levels } = broken;
  if (at < scanner.source.size) return undefined;
  const found = say`the end of the document`;
  if (inside === "string" || inside === "escape" || inside === "hex")
    return {
      reason: "unclosed_string",
      expected: say`'"'`,
      found,
      hint: say`Close the string with a double quote, or restore what was cut off after it.`,
      related: { at: tokenAt, what: say`string opened at % is never closed` },
    };
  if (inside === "comment")
    return {
      reason: "unclosed_comment",
      expected: say`'*/'`,
      found,
      hint: say`Close the comment.`,
      related: { at: tokenAt, what: say`comment opened at % is never closed` },
    };
  if (levels.depth === 0 && inside === "nothing")
    return {
      reason: "empty",
      expected: say`a value`,
      found,
      hint: say`A JSON document holds one value: write {} for an empty object.`,
    };
  const expected =
    inside === "nothing" ? (EXPECTED[broken.state] ?? say`a value`) : say`the rest of the value`;
  const closers = closing(levels);
  return {
    reason: "truncated",
    expected,
    found,
    hint:
      closers === undefined
        ? say`The document stops too early: restore what was cut off.`
        : say`The document stops too early: restore what was cut off, or close it with ${closers}.`,
    ...(inner === undefined ? {} : { related: opened(inner) }),
  };
}

/** The brackets that would close the document, when they are few. */
function closing(levels: Levels): Shown | undefined {
  if (levels.depth === 0 || levels.depth > 20) return undefined;
  let text = "";
  for (let depth = levels.depth - 1; depth >= 0; depth--)
    text += levels.level(depth)?.members === true ? "}" : "]";
  return echo(text);
}

function insideToken(broken: Broken): Explanation | undefined {
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

/** The run of letters, digits and signs around `at`, as far as 40 bytes. */
function wordAt(scanner: Scanner, at: number): string {
  const bytes = scanner.bytes(at, at + 40);
  let end = 0;
  while (end < bytes.length && isWordByte(bytes[end] ?? 0)) end++;
  return ascii(bytes.subarray(0, end));
}

function isWordByte(byte: number): boolean {
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

function badNumber(scanner: Scanner, at: number, tokenAt: number): Explanation {
  const word = wordAt(scanner, tokenAt);
  if (/^-(?:Infinity|NaN)/.test(word)) return badWord(scanner, tokenAt);
  const found = word === "" || at - tokenAt > 40 ? foundAt(scanner, at) : echo(word, 40);
  let hint = say`A number reads like -12, 0.5 or 1.5e-3.`;
  if (/^-?0[xXoObB]/.test(word)) hint = say`Write the number in decimal, or as a string.`;
  else if (/^-?0\d/.test(word))
    hint = say`A number has no leading zero: drop it, or write a string to keep it.`;
  else if (/^-?\d+\.(?!\d)/.test(word)) hint = say`Digits must follow the point: write 1.0.`;
  else if (/^-?\./.test(word)) hint = say`Digits must stand before the point: write 0.5.`;
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

function badWord(scanner: Scanner, at: number): Explanation {
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

/** Signs that are a mistake wherever they are outside strings. */
function strangeSign(broken: Broken): Explanation | undefined {
  const { scanner, at, state, mode, levels } = broken;
  const expected = EXPECTED[state] ?? say`a value`;
  const found = foundAt(scanner, at);
  const byte = scanner.byte(at);
  const next = scanner.byte(at + 1);
  const third = scanner.byte(at + 2);
  if (broken.tooDeep)
    return {
      reason: "too_deep",
      expected: say`at most ${levels.depth} containers inside one another`,
      found: say`one more`,
      hint: say`Flatten the document.`,
    };
  if (at === 0 && byte === 0xef && next === 0xbb && third === 0xbf)
    return {
      reason: "byte_order_mark",
      expected,
      found: say`a byte order mark`,
      hint: say`Remove the first three bytes (save as UTF-8 without BOM).`,
    };
  if ((byte === 0x2f && (next === 0x2f || next === 0x2a)) || byte === 0x23)
    return {
      reason: "comment",
      expected,
      found: say`a comment`,
      hint:
        byte === 0x23
          ? say`JSON has no comments: remove it.`
          : say`JSON has no comments: remove it, or name the file .jsonc.`,
    };
  if (byte === 0x27 || byte === 0x60)
    return {
      reason: "single_quotes",
      expected,
      found,
      hint: say`Strings and keys stand in double quotes: write "text".`,
    };
  if (byte === 0xe2 && next === 0x80 && third >= 0x98 && third <= 0x9f)
    return {
      reason: "smart_quotes",
      expected,
      found: say`a typographic quote`,
      hint: say`Use the plain double quote (U+0022).`,
    };
  const wide =
    (byte === 0xc2 && next === 0xa0) ||
    (byte === 0xe3 && next === 0x80 && third === 0x80) ||
    (byte === 0xe2 && next === 0x80 && third <= 0xaf) ||
    (byte === 0xef && next === 0xbb && third === 0xbf);
  if (wide || byte === 0x0b || byte === 0x0c)
    return {
      reason: "strange_blank",
      expected,
      found: say`a special blank`,
      hint: say`Between values only space, tab and line breaks may stand: replace it by a space.`,
    };
  if (byte < 0x20) return { reason: "control_character", expected, found, hint: say`Remove it.` };
  if (mode === "jsonc" && byte === 0x2f)
    return { reason: "comment", expected, found, hint: say`A comment starts with // or /*.` };
  return undefined;
}

/** A token of JSON, or a bare word, that cannot be here. */
function outOfPlace(broken: Broken, inner: Level | undefined): Explanation | undefined {
  const { scanner, at, state } = broken;
  const expected = EXPECTED[state] ?? say`a value`;
  const found = foundAt(scanner, at);
  const byte = scanner.byte(at);
  const starts = byte === 0x22 || byte === 0x7b || byte === 0x5b || byte === 0x2d || isWordByte(byte);
  const closes = byte === 0x7d || byte === 0x5d;
  const before = lastBefore(scanner, at);
  // A letter or digit right after a number or word belongs to it: 1abc, 007, truex.
  if (before >= 0 && before === at - 1 && isWordByte(byte) && isWordByte(scanner.byte(before)))
    return gluedToken(scanner, at);

  switch (state) {
    case rule.DONE:
      if (closes)
        return {
          reason: "extra_data",
          expected,
          found,
          hint: say`There is one closing bracket too many: remove it, or restore its opening one.`,
        };
      if (byte === 0x2c) return { reason: "extra_data", expected, found, hint: say`Remove the comma.` };
      return {
        reason: kindOfByte(byte) !== undefined ? "several_documents" : "extra_data",
        expected,
        found,
        hint:
          kindOfByte(byte) !== undefined
            ? say`A document holds one value. If these are several, one a line (NDJSON), put them into one array: [a, b].`
            : say`Remove what comes after the value.`,
        related: { at: before, what: say`the document's value ends at %` },
      };
    case rule.FIRST_KEY:
    case rule.KEY:
      if (byte === 0x7d && inner !== undefined) return trailingComma(expected, found, inner);
      if (byte === 0x2c) return { reason: "extra_comma", expected, found, hint: say`Remove the comma.` };
      if (isWordByte(byte)) {
        const word = wordAt(scanner, at);
        return {
          reason: "unquoted_key",
          expected,
          found: echo(word, 40),
          hint: say`Keys stand in double quotes: write ${echo(word, 40)}.`,
        };
      }
      break;
    case rule.BEFORE_COLON:
      if (byte === 0x3d)
        return { reason: "wrong_separator", expected, found, hint: say`Use ':' between key and value.` };
      if (byte === 0x2c || closes)
        return {
          reason: "missing_value",
          expected,
          found,
          hint: say`The key has no value: add ': null' or a value.`,
        };
      return {
        reason: "missing_colon",
        expected,
        found,
        hint: say`Put a ':' between the key and its value.`,
      };
    case rule.AFTER_ITEM:
    case rule.AFTER_VALUE:
      if (starts)
        return {
          reason: "missing_comma",
          expected,
          found,
          hint: say`Put a comma between the two values.`,
          related: { at: before, what: say`the value before ends at %` },
        };
      if (byte === 0x3a && state === rule.AFTER_ITEM)
        return {
          reason: "wrong_separator",
          expected,
          found,
          hint: say`An array holds no keys: use { } or remove the key.`,
        };
      if (byte === 0x3b || byte === 0x3d || byte === 0x3a)
        return { reason: "wrong_separator", expected, found, hint: say`Values are separated by commas.` };
      break;
    default:
      if (byte === 0x2c)
        return {
          reason: "extra_comma",
          expected,
          found,
          hint: say`There is a comma too many, or a value is missing before it.`,
        };
      if (byte === 0x5d && state === rule.ITEM && inner !== undefined)
        return trailingComma(expected, found, inner);
      if (closes && state === rule.VALUE)
        return {
          reason: "missing_value",
          expected,
          found,
          hint: say`The key has no value: write null or a value.`,
        };
      if (byte === 0x2b || byte === 0x2e) return badNumber(scanner, at, at);
      if (isWordByte(byte)) return badWord(scanner, at);
  }
  if (closes && inner !== undefined)
    return {
      reason: "wrong_bracket",
      expected,
      found,
      hint: inner.members ? say`An object closes with '}'.` : say`An array closes with ']'.`,
      related: { at: inner.opener, what: inner.members ? say`object opened at %` : say`array opened at %` },
    };
  return undefined;
}

function trailingComma(expected: Shown, found: Shown, inner: Level): Explanation {
  return {
    reason: "trailing_comma",
    expected,
    found,
    hint: say`Remove the comma before it: JSON allows none after the last ${inner.members ? say`member` : say`item`}.`,
    ...(inner.comma === NONE ? {} : { related: { at: inner.comma, what: say`the comma stands at %` } }),
  };
}

function gluedToken(scanner: Scanner, at: number): Explanation {
  let start = at;
  while (start > 0 && at - start < 40 && isWordByte(scanner.byte(start - 1))) start--;
  const first = scanner.byte(start);
  return first === 0x2d || (first >= 0x30 && first <= 0x39)
    ? badNumber(scanner, at, start)
    : badWord(scanner, start);
}

/** The last place before `at` that is not blank; -1 when there is none. */
function lastBefore(scanner: Scanner, at: number): number {
  let i = at - 1;
  while (i >= 0) {
    const byte = scanner.byte(i);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    i--;
  }
  return i;
}

/** The sign at `at`, as a reader may see it. */
function foundAt(scanner: Scanner, at: number): Shown {
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
