// Owns: how a location is written: the normalized path of RFC 9535, and the short form for people.

import type { JsonPathStep } from "./ast.ts";
import { isShorthandChar, isShorthandFirst } from "./cursor.ts";

/**
 * The normalized path of RFC 9535 (section 2.7): one spelling per location, valid as a query and as a write path.
 *
 * @example normalizedPath(["a", 0, "it's"]) // "$['a'][0]['it\\'s']"
 */
export function normalizedPath(steps: readonly JsonPathStep[]): string {
  let path = "$";
  for (const step of steps) path += typeof step === "number" ? `[${step}]` : `['${quoted(step)}']`;
  return path;
}

/**
 * The same location as people write it: `$.users[0].name`, with brackets only where a name needs them. A path like
 * any other: it can be queried and written.
 *
 * @example shortPath(["users", 0, "first name"]) // "$.users[0]['first name']"
 */
export function shortPath(steps: readonly JsonPathStep[]): string {
  let path = "$";
  for (const step of steps)
    path += typeof step === "number" ? `[${step}]` : isShorthand(step) ? `.${step}` : `['${quoted(step)}']`;
  return path;
}

/**
 * Can a path name the key? RFC 9535 has no form for half of a surrogate pair: the paths above show it as an escape, which no
 * read or write takes.
 */
export function isNameable(step: JsonPathStep): boolean {
  return typeof step === "number" || step.isWellFormed();
}

function isShorthand(name: string): boolean {
  if (!isShorthandFirst(name.codePointAt(0))) return false;
  for (let i = 0; i < name.length; i++) {
    const point = name.codePointAt(i);
    if (!isShorthandChar(point) || isInvisible(point ?? 0)) return false;
    if ((point ?? 0) > 0xffff) i++;
  }
  return true;
}

// Legal after a dot, but a reader could not see it: no-break blanks, zero width, line and paragraph separators, marks
// of direction.
function isInvisible(point: number): boolean {
  return (
    (point >= 0x80 && point <= 0xa0) ||
    (point >= 0x2000 && point <= 0x200f) ||
    (point >= 0x2028 && point <= 0x202f) ||
    (point >= 0x205f && point <= 0x206f) ||
    point === 0x3000 ||
    point === 0xfeff
  );
}

const SHORT_ESCAPES = new Map([
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["'", "\\'"],
  ["\\", "\\\\"],
]);

const SPECIAL = /[\u0000-\u001f'\\]/;
const EVERY_SPECIAL = /[\u0000-\u001f'\\]|\p{Surrogate}/gu;

function quoted(name: string): string {
  if (!SPECIAL.test(name) && isNameable(name)) return name;
  return name.replace(
    EVERY_SPECIAL,
    (sign) => SHORT_ESCAPES.get(sign) ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
