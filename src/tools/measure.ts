// Owns: the bound on what a caller may send in one call, checked before anything looks at it.

import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { countChars } from "../text/index.ts";

type Bounds = Pick<Limits, "inputBytes" | "inputDepth" | "writeSize">;

/**
 * Throws `invalid_argument` when the input is too large or too deep, holds more text than one call may send (unless the tool
 * itself bounds that), or is no plain data. One pass over what it holds, no recursion; it stops at the bound, so a value that
 * contains itself ends too.
 */
export function checkInputSize(input: unknown, limits: Bounds, toolBounds: boolean): void {
  let size = 0;
  let chars = 0;
  let level: unknown[] = [input];
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = [];
    for (const value of level) {
      size += typeof value === "string" ? value.length + 2 : 4;
      if (typeof value === "string") chars += countChars(value);
      if (Array.isArray(value)) {
        if (!toolBounds) checkEntries(value.length);
        size += value.length;
        if (size <= limits.inputBytes) for (const item of value) below.push(item);
      } else if (typeof value === "object" && value !== null) {
        requirePlain(value);
        const keys = Object.keys(value);
        checkEntries(keys.length);
        for (const key of keys) {
          size += key.length + 3;
          chars += key.length;
          below.push((value as Readonly<Record<string, unknown>>)[key]);
        }
      }
      if (size > limits.inputBytes) throw tooLarge(limits.inputBytes);
    }
    if (below.length > 0 && depth >= limits.inputDepth) throw tooDeep(limits.inputDepth);
    level = below;
  }
  if (!toolBounds && chars > limits.writeSize) throw tooMuchText(chars, limits.writeSize);
}

/** More than any call has a use for, and few enough to look at all of them at once. */
const MOST_ENTRIES = 10_000;

function checkEntries(count: number): void {
  if (count <= MOST_ENTRIES) return;
  throw new HoldfastError(
    "invalid_argument",
    "input_too_large",
    say`A list or an object in the input has ${count} entries; it may have ${MOST_ENTRIES}. Send it in several calls.`,
    { data: { entries: count, limit: MOST_ENTRIES } },
  );
}

/** A prototype of its own could answer for fields that nobody sent. */
function requirePlain(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return;
  throw new HoldfastError(
    "invalid_argument",
    "not_plain",
    say`The input must be plain JSON: an object in it has a prototype of its own, such as a field named __proto__ makes. Leave that out.`,
  );
}

function tooMuchText(size: number, limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "content_too_large",
    say`The input holds ${size} characters; one call may send ${limit}. Shorten it, or send it in several calls.`,
    { data: { size, limit } },
  );
}

function tooLarge(limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "input_too_large",
    say`The input is larger than ${limit} bytes. Send it in several calls.`,
    { data: { limit } },
  );
}

function tooDeep(limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "input_too_deep",
    say`The input is nested deeper than ${limit} levels. Send it flatter, or as text.`,
    { data: { limit } },
  );
}
