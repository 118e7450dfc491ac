// Owns: what a schema wants, in a few words, and the error for a schema that cannot be used.

import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { showName } from "../../text/show.ts";
import type { Json, JsonObject } from "../../value.ts";

/** A JSON Schema. */
export type Schema = JsonObject | boolean;

const NAMED = 20;

/** `string`, `one of "a", "b"`, `object with id, name`: enough to answer by. */
export function describeSchema(schema: Json | undefined): string {
  if (schema === false) return "nothing";
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return "any value";
  const { type, enum: list, const: only, required, $ref, anyOf, oneOf: forms } = schema as JsonObject;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(list)) return oneOf(list as readonly Json[]);
  const several = (anyOf ?? forms) as readonly Json[] | undefined;
  if (type === undefined && several !== undefined && several.every((form) => typeof form === "object"))
    return several
      .slice(0, NAMED)
      .map((form) => shortly(form))
      .join(" or ");
  if (type === undefined && typeof $ref === "string") return showName($ref.slice($ref.lastIndexOf("/") + 1));
  return shortly({
    ...(type === undefined ? {} : { type }),
    ...(required === undefined ? {} : { required }),
  });
}

function shortly(form: Json): string {
  const { type, required, const: only, enum: list, $ref } = form as JsonObject;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(list)) return oneOf(list as readonly Json[]);
  if (type === undefined && typeof $ref === "string") return showName($ref.slice($ref.lastIndexOf("/") + 1));
  const name = type === undefined ? "value" : (Array.isArray(type) ? type : [type]).join(" or ");
  const keys = Array.isArray(required) ? (required as readonly string[]) : [];
  if (keys.length === 0) return type === undefined ? "any value" : name;
  return `${name} with ${keys
    .slice(0, NAMED)
    .map((key) => showName(key))
    .join(", ")}`;
}

/** `one of "a", "b"`, at most twenty of them. */
export function oneOf(values: readonly Json[]): string {
  const more = values.length > NAMED ? ` and ${values.length - NAMED} more` : "";
  const shown = values
    .slice(0, NAMED)
    .map((value) => (typeof value === "string" ? echo(value) : JSON.stringify(value)));
  return values.length === 0 ? "nothing" : `one of ${shown.join(", ")}${more}`;
}

/** `why` is made of our words and of quoted ones. */
export function badSchema(why: string): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_schema",
    say`The schema cannot be used: ${why as Shown}.`,
  );
}
