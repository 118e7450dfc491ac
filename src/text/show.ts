// Owns: a user's words inside a line of ours: names and values, escaped so that they cannot break the line, cut so that
// they cannot fill it.
// Must never: let a line break, a control, an invisible or a direction-turning character through.

import { echo, escapeUnseen, type Shown } from "../errors.ts";
import type { Json } from "../value.ts";
import { wholeCharacters } from "./surrogate.ts";

/** Characters of a name or value that a line shows unless told otherwise. */
const SHOWN_LENGTH = 80;

/** What can be read without quotes: one word of letters, digits and `_ @ $ . / -`. */
const WORD = /^[\p{L}\p{N}_@$./-]+$/u;

/**
 * A name that a user chose (of a node, type, tag, label, key, ruleset), as part of a line: bare when it is one short
 * word, else as a JSON string. Beyond `max` characters it is cut, and how many are missing is said. O(max).
 *
 * @example showName("urgent")                  // urgent
 * @example showName("x\n[Token 99-deadbeef]")  // "x\n[Token 99-deadbeef]", the line break as two characters
 */
export function showName(text: string, max: number = SHOWN_LENGTH): Shown {
  if (text.length <= max) return WORD.test(text) ? (text as Shown) : echo(text, max);
  const head = wholeCharacters(text, max);
  return cutAt(echo(head, max), text.length - head.length);
}

/**
 * A path as part of a line, whole: each name bare when it is one word, else as a JSON string.
 *
 * @example showPath("src/a  9 bytes") // src/"a  9 bytes"
 */
export function showPath(path: string): Shown {
  const names = path.split("/").map((name) => (name === "" ? name : showName(name, name.length)));
  return names.join("/") as Shown;
}

/**
 * A JSON value as part of a line, at most about `max` characters of it; how many are missing is said. O(value).
 *
 * @example showValue("two\nlines") // '"two\\nlines"', always one line
 */
export function showValue(value: Json, max: number = SHOWN_LENGTH): Shown {
  if (typeof value === "string") return value.length <= max ? echo(value, max) : showName(value, max);
  const text = showJson(value);
  if (text.length <= max) return text;
  const head = wholeCharacters(text, max);
  return cutAt(head, text.length - head.length);
}

/**
 * A JSON value whole, as one line: it reads back as the same value, but for -0, which is shown as 0. O(value).
 *
 * @example showJson({ a: "b\nc" }) // '{"a":"b\\nc"}', always one line
 */
export function showJson(value: unknown): Shown {
  return escapeUnseen(JSON.stringify(value) ?? "null");
}

function cutAt(head: string, missing: number): Shown {
  return `${head}...(${missing} more)` as Shown;
}
