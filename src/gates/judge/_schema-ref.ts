// Owns: where a reference inside a schema leads.

import { echo } from "../../errors.ts";
import type { Json, JsonObject } from "../../value.ts";
import { badSchema, type Schema } from "./_describe-schema.ts";

/** The schema that `#`, `#/$defs/name`, `#anchor` or the root's own `$id` leads to. Other schemas are never fetched. */
export function resolveRef(root: Schema, ref: string): Json {
  const id = typeof root === "object" && typeof root["$id"] === "string" ? root["$id"] : "";
  const pointer = id !== "" && ref.startsWith(id) ? ref.slice(id.length) : ref;
  if (pointer === "" || pointer === "#") return root;
  if (pointer.startsWith("#/")) {
    let at: Json | undefined = root;
    for (const step of pointer.slice(2).split("/")) at = stepInto(at, unescapeStep(step));
    if (at !== undefined) return at;
  } else if (pointer.startsWith("#")) {
    const found = anchors(root).get(pointer.slice(1));
    if (found !== undefined) return found;
  }
  throw badSchema(
    `the reference ${echo(ref)} leads nowhere: only places of the same schema can be referred to`,
  );
}

function unescapeStep(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A percent sign that escapes nothing is one.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

function stepInto(at: Json | undefined, step: string): Json | undefined {
  if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
  return (at as JsonObject)[step];
}

function anchors(root: Schema): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  const open: Json[] = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== "object" || at === null) continue;
    const anchor = (at as JsonObject)["$anchor"];
    if (typeof anchor === "string") found.set(anchor, at);
    open.push(...Object.values(at as JsonObject));
  }
  return found;
}
