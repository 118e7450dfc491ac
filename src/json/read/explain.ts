// Owns: why a document is refused, in words: what was expected, what was found, which mistake it looks like, how to
// mend it.
// Must never: decide whether a document is valid. It is asked only about a place where the rules are already broken.

import { echo, say, type Shown } from "../../errors.ts";
import { kindOfByte, NONE, type Scanner } from "../scan/scanner.ts";
import { badNumber, badWord, foundAt, gluedToken, insideToken, isWordByte, wordAt } from "./explain-token.ts";
import type { Broken, Explanation } from "./explanation.ts";
import type { Level, Levels } from "./levels.ts";
import * as rule from "../scan/js-validation.ts";

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
      hint: say`Strings and keys are in double quotes: write "text".`,
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
      hint: say`Between values there may only be space, tab and line breaks: replace it by a space.`,
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
          hint: say`Keys are in double quotes: write ${echo(word, 40)}.`,
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
    ...(inner.comma === NONE ? {} : { related: { at: inner.comma, what: say`the comma is at %` } }),
  };
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
