// Owns: looking at a value that anybody may have made, without running any of its code.
// Must never: call an accessor, trust a prototype, or let an exception of a proxy out.

/** Stands for a property that an accessor would have returned. */
const ACCESSOR: unique symbol = Symbol("accessor");

/**
 * The own enumerable data of a plain object, or undefined for anything else: null, arrays, class instances, maps, objects
 * whose traps throw. Accessors are never run; they show up as a value of no JSON type.
 */
export function readRecord(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    if (Array.isArray(value)) return undefined;
    const prototype = Reflect.getPrototypeOf(value);
    if (prototype !== null && Reflect.getPrototypeOf(prototype) !== null) return undefined;
    const data = new Map<string, unknown>();
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key !== "string") continue;
      const property = Reflect.getOwnPropertyDescriptor(value, key);
      if (property?.enumerable !== true) continue;
      data.set(key, "value" in property ? property.value : ACCESSOR);
    }
    return data;
  } catch {
    return undefined;
  }
}

/** The items of an array, or undefined for anything else. */
export function readList(value: unknown): readonly unknown[] | undefined {
  try {
    if (!Array.isArray(value)) return undefined;
    const items: unknown[] = [];
    const length: number = value.length;
    for (let i = 0; i < length; i++) {
      const property = Reflect.getOwnPropertyDescriptor(value, String(i));
      items.push(property !== undefined && "value" in property ? property.value : undefined);
    }
    return items;
  } catch {
    return undefined;
  }
}

/** What a value is, in the words of JSON. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (value === ACCESSOR) return "accessor";
  if (typeof value !== "object") return typeof value;
  try {
    if (Array.isArray(value)) return "array";
  } catch {
    return "revoked proxy";
  }
  return readRecord(value) === undefined ? "object that is not plain" : "object";
}
