// Owns: taking a value that code hands over as plain JSON data: a copy that is equal to what its JSON text reads back as.
// Must never: trust a key. Keys are written as own data properties, so `__proto__` is just a name.

import { isPlainObject } from "./plain-object.ts";
import type { Json } from "../value.ts";

/** Why a value is not taken: JSON has no form for it, it contains itself, or it exceeds a bound. */
export type PlainProblem = "not_json" | "cycle" | "too_deep" | "too_large";

/** Where a value is within the one that is taken. */
export type PlainPlace = readonly (string | number)[];

export interface PlainRules {
  /** Levels of objects and lists; no bound when left out. */
  readonly depth?: number;
  /** Characters as JSON, about; no bound when left out. */
  readonly chars?: number;
  /** Whether the copy is frozen through and through. */
  readonly freeze?: boolean;
  /** Takes null for `undefined` that is no field, as JSON writes it in a list. It is refused when left out. */
  readonly undefinedAsNull?: boolean;
  /** What is thrown, for the first problem that is met. */
  refuse(problem: PlainProblem, value: unknown, place: PlainPlace): Error;
}

interface Frame {
  readonly source: Record<string, unknown> | readonly unknown[];
  readonly target: Record<string, Json> | Json[];
  readonly keys: readonly string[] | undefined;
  at: number;
}

/** Sets an own property whatever its name. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/**
 * A deep copy. A field that is undefined is left out and -0 is 0, as JSON writes them. Each part is read once, so that a getter or proxy
 * has no second say; what it throws is thrown on. Iterative; O(size), and it stops at the bound however large the value is.
 */
export function takePlain(value: unknown, rules: PlainRules): Json {
  const { depth = Infinity, freeze = false, undefinedAsNull = false } = rules;
  const stack: Frame[] = [];
  const open = new Set<unknown>();
  let left = rules.chars ?? Infinity;
  const problem = (what: PlainProblem, part: unknown): Error =>
    rules.refuse(
      what,
      part,
      stack.map(({ keys, at }) => keys?.[at - 1] ?? at - 1),
    );
  /** A scalar as it is, a container as a copy that is filled later. */
  const take = (part: unknown): Json => {
    left -= typeof part === "string" ? part.length + 2 : 4;
    if (left < 0) throw problem("too_large", part);
    switch (typeof part) {
      case "string":
      case "boolean":
        return part;
      case "number":
        if (!Number.isFinite(part)) throw problem("not_json", part);
        return part === 0 ? 0 : part;
      case "object":
        if (part === null) return null;
        if (!Array.isArray(part) && !isPlainObject(part)) throw problem("not_json", part);
        return enter(part);
      default:
        if (part === undefined && undefinedAsNull) return null;
        throw problem("not_json", part);
    }
  };
  const enter = (source: object): Json => {
    if (open.has(source)) throw problem("cycle", source);
    if (stack.length >= depth) throw problem("too_deep", source);
    open.add(source);
    const isList = Array.isArray(source);
    const target: Json[] | Record<string, Json> = isList ? [] : {};
    const keys = isList ? undefined : Object.keys(source);
    stack.push({ source: source as Frame["source"], target, keys, at: 0 });
    left -= 2;
    return target;
  };
  const taken = take(value);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { source, target, keys } = frame;
    if (frame.at === (keys ?? (source as readonly unknown[])).length) {
      if (freeze) Object.freeze(target);
      open.delete(source);
      stack.pop();
      continue;
    }
    const at = frame.at++;
    left -= 4;
    if (keys === undefined) {
      (target as Json[]).push(take((source as readonly unknown[])[at]));
      continue;
    }
    const key = keys[at] as string;
    const part = (source as Record<string, unknown>)[key];
    left -= key.length;
    if (part !== undefined) setOwn(target as Record<string, Json>, key, take(part));
  }
  return taken;
}
