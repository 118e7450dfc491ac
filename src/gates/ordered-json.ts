// Owns: JSON text in which keys keep the order they are given in. A JavaScript object puts keys that are whole numbers
// first, so `JSON.stringify` cannot.

/**
 * The text that `JSON.stringify(value, null, indent)` makes of plain data of a few levels. A map is written as an object
 * whose keys keep their order. `line` is the line break with the margin of the line on which the value begins.
 */
export function orderedJson(value: unknown, indent = 0, line = "\n"): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = line + " ".repeat(indent);
  const write = (part: unknown): string => orderedJson(part, indent, inner);
  const [open, parts, close] = Array.isArray(value)
    ? ["[", value.map(write), "]"]
    : [
        "{",
        entriesOf(value).map(([key, member]) => `${write(key)}:${indent > 0 ? " " : ""}${write(member)}`),
        "}",
      ];
  if (parts.length === 0 || indent === 0) return `${open}${parts.join(",")}${close}`;
  return `${open}${inner}${parts.join(`,${inner}`)}${line}${close}`;
}

function entriesOf(value: object): (readonly [string, unknown])[] {
  return value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : Object.entries(value);
}

/** The entries of an object in the order of `keys`, then those that are not among them. */
export function inOrder<V>(
  values: { readonly [key: string]: V },
  keys: Iterable<string>,
): ReadonlyMap<string, V> {
  const ordered = new Map<string, V>();
  for (const key of keys) if (Object.hasOwn(values, key)) ordered.set(key, values[key] as V);
  for (const [key, value] of Object.entries(values)) if (!ordered.has(key)) ordered.set(key, value);
  return ordered;
}
