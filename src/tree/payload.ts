// Owns: payload values: copying foreign JSON in, reading and setting by path, comparing, and the guarded names.
// Must never: trust a key. Keys are read with hasOwn and written as own data properties, so `__proto__` is just a name.

import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { setOwn, takePlain, type PlainProblem } from "../text/plain-json.ts";
import type { Json, JsonObject } from "../value.ts";

/** Names that belong to the node itself, or to its JSON form. Refused as payload properties, ignoring case. */
export const GUARDED_NAMES: readonly string[] = [
  "NodeId",
  "Children",
  "Parent",
  "PayloadType",
  "IsExpanded",
  "ChildrenCount",
  "@tags",
  "@continued",
];

const guarded = new Set(GUARDED_NAMES.map((name) => name.toLowerCase()));

/**
 * True for a name no payload may use. O(1). Never throws.
 *
 * @example isGuarded("NodeId")  // true
 */
export function isGuarded(name: string): boolean {
  return name.length <= 13 && guarded.has(name.toLowerCase());
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A frozen deep copy of a value that came from outside. Refuses what JSON cannot say, cycles, and what exceeds the
 * limits. Iterative; O(size), and it stops at the limit however large the input is.
 */
export function takeValue(value: unknown, where: Shown, limits: Limits = DEFAULT_LIMITS): Json {
  const { treePayloadChars: chars, treePayloadDepth: depth } = limits;
  const refuse = (problem: PlainProblem, part: unknown): HoldfastError => {
    switch (problem) {
      case "cycle":
        return new HoldfastError(
          "invalid_argument",
          "cycle",
          say`${where} contains itself. Send plain JSON.`,
        );
      case "too_deep":
        return new HoldfastError(
          "invalid_argument",
          "payload_too_deep",
          say`${where} is nested deeper than ${depth} levels. Make the inner parts child nodes.`,
        );
      case "too_large":
        return new HoldfastError(
          "invalid_argument",
          "payload_too_large",
          say`${where} is larger than ${chars} characters. Keep large text in a workspace file and its path in the node.`,
          { data: { limit: chars } },
        );
      case "not_json":
        return new HoldfastError(
          "invalid_argument",
          "not_json",
          typeof part === "number"
            ? say`${where} holds a number that JSON cannot write.`
            : say`${where} holds something that is not JSON. Send text, numbers, booleans, null, lists and objects.`,
        );
    }
  };
  return takePlain(value, { chars, depth, freeze: true, refuse });
}

/** A payload from outside: an object without guarded names. */
export function takePayload(value: unknown, where: Shown, limits: Limits = DEFAULT_LIMITS): JsonObject {
  if (value === undefined || value === null) return EMPTY_PAYLOAD;
  if (!isObject(value))
    throw new HoldfastError("invalid_argument", "payload_not_object", say`${where} must be an object.`);
  const payload = takeValue(value, where, limits) as JsonObject;
  for (const name of Object.keys(payload)) refuseGuarded(name, where);
  return payload;
}

export const EMPTY_PAYLOAD: JsonObject = Object.freeze({});

export function refuseGuarded(name: string, where: Shown): void {
  if (isGuarded(name))
    throw new HoldfastError(
      "invalid_argument",
      "guarded_property",
      say`${where}: ${echo(name)} belongs to the node itself and cannot be a payload property. Use the move, add and expand tools, or another name.`,
      { data: { property: echo(name) } },
    );
}

/**
 * A property path: `meta.owner`, `items.0.name`. A top-level property that is called exactly like the whole text,
 * dots included, comes first.
 */
export interface PropertyPath {
  readonly text: string;
  readonly steps: readonly string[];
}

export function propertyPath(text: string): PropertyPath {
  return { text, steps: text.includes(".") ? text.split(".") : [text] };
}

/** The value at a path; `undefined` when there is none. */
export function valueAt(payload: JsonObject, path: PropertyPath): Json | undefined {
  if (Object.hasOwn(payload, path.text)) return payload[path.text];
  return path.steps.length === 1 ? undefined : valueBelow(payload, path.steps);
}

export function valueBelow(payload: JsonObject, steps: readonly string[]): Json | undefined {
  let value: Json | undefined = payload;
  for (const step of steps) {
    if (Array.isArray(value)) {
      const index = arrayIndex(step);
      value = index < 0 ? undefined : (value as readonly Json[])[index];
    } else if (isObject(value)) value = Object.hasOwn(value, step) ? value[step] : undefined;
    else return undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

function arrayIndex(step: string): number {
  return /^(?:0|[1-9]\d{0,9})$/.test(step) ? Number(step) : -1;
}

/**
 * The payload with one value set, or taken away with `undefined`; copies only the objects on the way. Returns
 * `undefined` when a step on the way is not a container, or an index lies outside its list.
 */
export function withValue(
  payload: JsonObject,
  steps: readonly string[],
  value: Json | undefined,
): JsonObject | undefined {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return withProperty(payload, only, value);
  const copies: (Record<string, Json> | Json[])[] = [];
  let at: Json = payload;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as string;
    const copy: Record<string, Json> | Json[] | undefined = Array.isArray(at)
      ? [...(at as readonly Json[])]
      : isObject(at)
        ? { ...at }
        : undefined;
    if (copy === undefined) return undefined;
    copies.push(copy);
    if (i === steps.length - 1) break;
    const inner: Json | undefined = valueBelow(at as JsonObject, [step]);
    if (inner === undefined) return undefined;
    at = inner;
  }
  for (let i = steps.length - 1; i >= 0; i--) {
    const copy = copies[i] as Record<string, Json> | Json[];
    const put = i === steps.length - 1 ? value : (copies[i + 1] as Json);
    const step = steps[i] as string;
    if (Array.isArray(copy)) {
      const index = arrayIndex(step);
      if (index < 0 || index > copy.length || (put === undefined && index !== copy.length - 1))
        return undefined;
      if (put === undefined) copy.pop();
      else copy[index] = put;
    } else if (put === undefined) delete copy[step];
    else setOwn(copy, step, put);
    Object.freeze(copy);
  }
  return copies[0] as JsonObject;
}

function withProperty(payload: JsonObject, name: string, value: Json | undefined): JsonObject {
  const copy: Record<string, Json> = { ...payload };
  if (value === undefined) delete copy[name];
  else setOwn(copy, name, value);
  return Object.freeze(copy);
}

/** Deep equality of JSON values; the order of keys does not count. Iterative. */
export function sameValue(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object") return false;
  const stack: [Json | undefined, Json | undefined][] = [[a, b]];
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [x, y] = pair;
    if (x === y) continue;
    if (typeof x !== "object" || typeof y !== "object" || x === null || y === null) return false;
    if (x === undefined || y === undefined) return false;
    if (Array.isArray(x) !== Array.isArray(y)) return false;
    const keys = Object.keys(x);
    if (keys.length !== Object.keys(y).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(y, key)) return false;
      stack.push([(x as JsonObject)[key], (y as JsonObject)[key]]);
    }
  }
  return true;
}

const NAMES: readonly string[] = ["Name", "name", "Title", "title"];

/**
 * The payload's own name for itself: Name, name, Title or title, when it is text or a number. O(1). Never throws.
 *
 * @example nodeName({ name: "boxes" })  // "boxes"
 */
export function nodeName(payload: JsonObject): string | undefined {
  for (const key of NAMES) {
    const value = Object.hasOwn(payload, key) ? payload[key] : undefined;
    if (typeof value === "string" && value !== "") return value;
    if (typeof value === "number") return String(value);
  }
  return undefined;
}

/** Freezes parsed JSON through and through. Iterative. */
export function deepFreeze(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  const stack: object[] = [value];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    Object.freeze(at);
    for (const key of Object.keys(at)) {
      const part = (at as { readonly [key: string]: unknown })[key];
      if (typeof part === "object" && part !== null) stack.push(part);
    }
  }
  return value;
}
