// Owns: when two JSON values are the same.

import type { Json, JsonObject } from "../../value.ts";

export function equalJson(a: Json, b: Json): boolean {
  return a === b || jsonKey(a) === jsonKey(b);
}

/** One text for all spellings of a value: keys sorted. */
export function jsonKey(value: Json): string {
  return JSON.stringify(value, (_, item: Json) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    const object = item as JsonObject;
    return Object.fromEntries(
      Object.keys(object)
        .sort()
        .map((key) => [key, object[key]]),
    );
  });
}
