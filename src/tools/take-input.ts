// Owns: taking a call's input from its caller: a plain copy within bounds, so that nothing after it meets a getter, a proxy, a
// value that JSON has no form for, or data that its caller changes while the call runs.
// Must never: let what the caller's objects throw get past it.

import { HoldfastError, say, type Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { countChars } from "../text/index.ts";
import { fieldOf } from "../text/field-name.ts";
import { setOwn } from "../text/plain-json.ts";
import type { Tool } from "./tool.ts";

type Bounds = Pick<Limits, "inputBytes" | "inputDepth" | "writeSize">;

/** What a tool says of its input beside its schema. */
type Taker = Pick<Tool, "lists" | "base64" | "split">;

/** An object or list of the input, its copy, and where it is: `key` of `parent`. */
interface Container {
  readonly from: object;
  readonly copy: unknown[] | Record<string, unknown>;
  readonly parent: Container | undefined;
  readonly key: PropertyKey;
  readonly depth: number;
}

/** What a call sends as text, by what its bound counts. */
export interface SentText {
  /** Characters of all strings and keys inside its arguments. */
  readonly inside: number;
  /** Characters of each argument that is a string itself. */
  readonly strings: readonly number[];
}

/** An argument of up to so many characters is a name (a path, a version, a query), and no part of the text that a call sends. */
const NAME_CHARS = 2_000;

/**
 * The input as plain data that only this call holds, and how much text it is. Throws `invalid_argument` when it is too large or
 * too deep, contains itself, holds more text than one call may send, or is no plain data, naming the place. One pass, no
 * recursion: it stops at the bound.
 */
export function takeInput(
  input: unknown,
  limits: Bounds,
  tool: Taker,
): { readonly input: unknown; readonly text: SentText } {
  const found: Container[] = [];
  const strings: number[] = [];
  let size = 0;
  let inside = 0;
  const take = (value: unknown, parent: Container | undefined, key: PropertyKey): unknown => {
    size += 4;
    if (parent !== undefined && parent.depth >= limits.inputDepth)
      throw tooDeep(limits.inputDepth, parent, value);
    if (typeof value === "string") {
      size += value.length;
      if (parent?.parent !== undefined) inside += countChars(value);
      else if (tool.base64?.includes(String(key)) !== true) strings.push(countChars(value));
    } else if (typeof value === "object" && value !== null) {
      const depth = parent === undefined ? 0 : parent.depth + 1;
      const copy = Array.isArray(value) ? [] : {};
      found.push({ from: value, copy, parent, key, depth });
      return copy;
    } else if (!isPlainScalar(value)) throw notJson(value, placeOf(parent, key));
    return value;
  };
  const taken = guarded(undefined, () => take(input, undefined, ""));
  for (let i = 0; i < found.length; i++) {
    const container = found[i] as Container;
    const { from, copy } = container;
    guarded(container, () => {
      if (Array.isArray(from)) {
        const { length } = from;
        if (tool.lists !== "bounded") checkEntries(length);
        size += length;
        if (size > limits.inputBytes) throw tooLarge(limits.inputBytes, container);
        for (let at = 0; at < length; at++)
          (copy as unknown[]).push(take(from[at] as unknown, container, at));
        return;
      }
      requirePlain(from, container);
      const keys = Object.keys(from);
      checkEntries(keys.length);
      for (const key of keys) {
        size += key.length + 3;
        if (container.parent !== undefined) inside += key.length;
        setOwn(
          copy as Record<string, unknown>,
          key,
          take((from as Readonly<Record<string, unknown>>)[key], container, key),
        );
      }
    });
    if (size > limits.inputBytes) throw tooLarge(limits.inputBytes, container);
  }
  const text = { inside, strings };
  checkText(text, limits, tool);
  return { input: taken, text };
}

/** Throws `invalid_argument` / `content_too_large` for more text than one call may send. */
export function checkText(
  { inside, strings }: SentText,
  { writeSize: limit }: Pick<Limits, "writeSize">,
  { split = say`Shorten it, or send it in several calls.` }: Pick<Taker, "split">,
): void {
  const longest = Math.min(NAME_CHARS, limit);
  const size = strings.reduce((sum, chars) => (chars > longest ? sum + chars : sum), inside);
  if (size <= limit) return;
  throw new HoldfastError(
    "invalid_argument",
    "content_too_large",
    say`The input holds ${size} characters; one call may send ${limit}. ${split}`,
    { data: { size, limit } },
  );
}

/** Reading the caller's object may run code of its own: what that throws says nothing to an agent, so the place is named instead. */
function guarded<T>(container: Container | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (HoldfastError.is(error)) throw error;
    throw notPlain(say`${placeOf(container?.parent, container?.key ?? "")} cannot be read`, error);
  }
}

function isPlainScalar(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    typeof value === "boolean" ||
    (typeof value === "number" && Number.isFinite(value))
  );
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

/** A prototype of its own could supply fields that were never sent. */
function requirePlain(value: object, { parent, key }: Container): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return;
  throw notPlain(
    say`${placeOf(parent, key)} has a prototype of its own, as an instance of a class has and a field named __proto__ makes`,
  );
}

/** What JSON has no form for, and what to send instead. */
function notJson(value: unknown, place: Shown): HoldfastError {
  switch (typeof value) {
    case "bigint":
      return notPlain(say`${place} is a BigInt: send it as a number, or as a string`);
    case "number":
      return notPlain(say`${place} is no finite number: send a finite one, a string or null`);
    default:
      return notPlain(say`${place} is a ${typeof value as Shown}: leave it out, or send what it stands for`);
  }
}

function notPlain(problem: Shown, cause?: unknown): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "not_plain",
    say`The input must be plain JSON data. ${problem}. Send objects, lists, strings, numbers, true, false and null only.`,
    cause === undefined ? {} : { cause },
  );
}

const SHOWN_STEPS = 8;

/** `The input`, or `filters[0].op in the input`; of a deep place its beginning. */
function placeOf(parent: Container | undefined, key: PropertyKey): Shown {
  const steps = parent === undefined ? [] : [key];
  for (let at = parent; at?.parent !== undefined; at = at.parent) steps.unshift(at.key);
  if (steps.length === 0) return say`The input`;
  const field = fieldOf(steps.slice(0, SHOWN_STEPS));
  const deeper = steps.length - SHOWN_STEPS;
  return deeper > 0 ? say`${field}, ${deeper} levels deeper,` : say`${field}`;
}

function tooLarge(limit: number, container: Container): HoldfastError {
  return (
    containsItself(container) ??
    new HoldfastError(
      "invalid_argument",
      "input_too_large",
      say`The input is larger than ${limit} bytes. Send it in several calls.`,
      { data: { limit } },
    )
  );
}

function tooDeep(limit: number, parent: Container, value: unknown): HoldfastError {
  return (
    containsItself(parent, value) ??
    new HoldfastError(
      "invalid_argument",
      "input_too_deep",
      say`The input is nested deeper than ${limit} levels. Send it flatter, or as text.`,
      { data: { limit } },
    )
  );
}

/** The refusal of an object that is found again inside itself, looked for only where a bound was met. */
function containsItself(container: Container | undefined, last?: unknown): HoldfastError | undefined {
  const inside = new Set([last]);
  let outer: Container | undefined;
  for (let at = container; at !== undefined; at = at.parent) {
    if (inside.has(at.from)) outer = at;
    inside.add(at.from);
  }
  return outer === undefined ? undefined : notPlain(say`${placeOf(outer.parent, outer.key)} contains itself`);
}
