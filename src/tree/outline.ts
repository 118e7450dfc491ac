// Owns: the compact text form of nodes: one line each, about a third of the characters of JSON.

import type { Json } from "../value.ts";
import { isObject } from "./payload.ts";
import type { NodeJson } from "./project.ts";

/** Longest value on a line; longer ones end with their length, so that nothing is cut silently. */
const VALUE = 80;

/** `  n4f Task title="Fix it" prio=5 .urgent`; a node whose children are not shown begins with + and ends with (12). */
export function outlineLine(json: NodeJson, depth: number, hidden: number): string {
  const parts: string[] = [json["NodeId"] as string, json["PayloadType"] as string];
  const inner = isObject(json["Payload"]) ? json["Payload"] : json;
  for (const [key, value] of Object.entries(inner))
    if (inner !== json || !FIELDS.has(key)) parts.push(`${word(key)}=${shortValue(value)}`);
  for (const tag of (json["@tags"] as readonly string[] | undefined) ?? []) parts.push(`.${word(tag)}`);
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

function word(text: string): string {
  return /^[\w@.-]+$/.test(text) ? text : JSON.stringify(text);
}

/** A value on one line, at most about 80 characters. */
export function shortValue(value: Json): string {
  const text = JSON.stringify(value);
  if (text.length <= VALUE) return text;
  const rest = text.length - VALUE;
  return typeof value === "string"
    ? `${JSON.stringify(value.slice(0, VALUE))}...(${rest} more)`
    : `${text.slice(0, VALUE)}...(${rest} more)`;
}
