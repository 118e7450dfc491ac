// Owns: the compact text form of nodes: one line each, about a third of the characters of JSON.

import type { Shown } from "../errors.ts";
import { showName, showValue } from "../text/show.ts";
import { isObject } from "./payload.ts";
import type { NodeJson } from "./project.ts";

/** `  n4f Task title="Fix it" prio=5 .urgent`; a node whose children are not shown begins with + and ends with (12). */
export function outlineLine(json: NodeJson, depth: number, hidden: number): string {
  const parts: string[] = [showId(json["NodeId"] as string), showName(json["PayloadType"] as string)];
  const inner = isObject(json["Payload"]) ? json["Payload"] : json;
  for (const [key, value] of Object.entries(inner))
    if (inner !== json || !FIELDS.has(key)) parts.push(`${showName(key)}=${showValue(value)}`);
  for (const tag of (json["@tags"] as readonly string[] | undefined) ?? []) parts.push(`.${showName(tag)}`);
  if (hidden > 0) parts.push(`(${hidden})`);
  return `${"  ".repeat(depth)}${hidden > 0 ? "+ " : ""}${parts.join(" ")}`;
}

const FIELDS = new Set([
  "NodeId",
  "PayloadType",
  "IsExpanded",
  "ChildrenCount",
  "Children",
  "@tags",
  "@continued",
]);

/**
 * An id is never cut: it is what the next call needs. Imported ids may hold anything. O(characters). Never throws.
 *
 * @example showId("n1")  // n1; an id with odd characters is quoted
 */
export function showId(id: string): Shown {
  return showName(id, Infinity);
}
