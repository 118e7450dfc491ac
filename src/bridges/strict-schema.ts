// Owns: a schema as strict function calling wants it: every property required, those that were optional nullable, nothing open.
// Must never: call a schema strict that has an open object or a value of any kind.

import type { Json, JsonObject } from "../value.ts";

/**
 * The schema for strict mode, or undefined if it cannot be said there: values of any kind, and objects with any keys. A `null` for
 * what was optional is read as absent. Cost: linear in the schema.
 */
export function strictSchema(schema: JsonObject): JsonObject | undefined {
  try {
    return strictly(schema) as JsonObject;
  } catch (error) {
    if (error instanceof NotStrict) return undefined;
    throw error;
  }
}

class NotStrict extends Error {}

/** What strict mode knows besides the keywords that hold schemas. */
const KNOWN = new Set([
  "type",
  "enum",
  "const",
  "description",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "pattern",
  "format",
]);

function strictly(schema: Json): Json {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw new NotStrict();
  const given = schema as JsonObject;
  const anyOf = given["anyOf"] ?? given["oneOf"];
  const result: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(given)) if (KNOWN.has(key)) result[key] = value;
  if (Array.isArray(anyOf)) result["anyOf"] = (anyOf as readonly Json[]).map(strictly);
  else if (given["type"] === "object" || given["properties"] !== undefined)
    Object.assign(result, strictObject(given));
  else if (given["type"] === "array") result["items"] = strictly(given["items"] ?? null);
  else if (given["type"] === undefined && given["enum"] === undefined && given["const"] === undefined)
    throw new NotStrict();
  return result;
}

function strictObject(schema: JsonObject): { [key: string]: Json } {
  if (schema["additionalProperties"] !== false && schema["additionalProperties"] !== undefined)
    throw new NotStrict();
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const strict: { [key: string]: Json } = {};
  for (const [name, property] of Object.entries(properties)) {
    const made = strictly(property as Json) as JsonObject;
    strict[name] = required.has(name) ? made : nullable(made);
  }
  return { type: "object", properties: strict, required: Object.keys(strict), additionalProperties: false };
}

function nullable(schema: JsonObject): JsonObject {
  const { description, ...rest } = schema;
  const said = description === undefined ? {} : { description };
  if (Array.isArray(schema["anyOf"]))
    return { ...schema, anyOf: [...(schema["anyOf"] as readonly Json[]), { type: "null" }] } as JsonObject;
  return { anyOf: [rest, { type: "null" }], ...said } as JsonObject;
}
